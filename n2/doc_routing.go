package n2

import (
	"fmt"
	"strings"

	"poolgw/ngap"
)

//go:generate go test -run TestRoutingDoc -update .

// routingDoc writes the table of procedures for doc/ngap-routing.md.
func routingDoc() string {
	var b strings.Builder
	b.WriteString("# How NGAP PDUs are routed\n\n" +
		"Generated from the table that drives the code (n2/table.go); `go generate ./n2` writes it anew.\n" +
		"`show ngap procedures` shows it with counters. A side without a rule may not send anything of the procedure:\n" +
		"its PDU is answered with an Error Indication and counted as a drop `direction`. A request that is in error is\n" +
		"answered by the message of the last column (TS 38.413 clause 10). Which message of a procedure\n" +
		"may come from which side is in [ngap-procedures.md](ngap-procedures.md).\n\n" +
		"| code | procedure | from the gNB | from an AMF | refused here by |\n|--|--|--|--|--|\n")
	for c := range routes {
		name := fmt.Sprintf("procedure %d", c)
		if row := ngap.Lookup(ngap.Code(c)); row != nil {
			name = row.Initiating
		}
		refused := "Error Indication"
		if ngap.Code(c) == ngap.CodeErrorIndication {
			refused = "nothing"
		} else if routes[c].failure != nil {
			refused = ngap.Lookup(ngap.Code(c)).Unsuccessful
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", c, name, routes[c].up.name, routes[c].down.name, refused)
	}
	fmt.Fprintf(&b, "| others | that this release does not know | %s | %s | Error Indication |\n", unknown.up.name, unknown.down.name)
	return b.String()
}
