package gb

import (
	"fmt"
	"strings"

	"poolgw/bssgp"
)

//go:generate go test -run TestRoutingDoc -update .

// routingDoc writes the routing table for doc/routing.md.
func routingDoc() string {
	var b strings.Builder
	b.WriteString("# How BSSGP PDUs are routed\n\n" +
		"Generated from the table that drives the code (gb/table.go); `go generate ./gb` writes it anew.\n" +
		"SIG is BVCI 0, PTP a cell's BVC. What has no row is answered with STATUS \"Protocol error - unspecified\".\n\n" +
		"| PDU | type | from | BVC | rule |\n|---|---|---|---|---|\n")
	for _, r := range routing {
		fmt.Fprintf(&b, "| %v | 0x%02x | %s | %s | %s |\n", r.pdu, uint8(r.pdu), from(r.dir), kindName(r.kind), rules[r.rule].name)
	}
	for _, d := range []bssgp.Dir{ul, dl} {
		for _, k := range []bssgp.BVCKind{ptp, sig} {
			fmt.Fprintf(&b, "| types that TS 48.018 does not define | | %s | %s | %s |\n", from(d), kindName(k), rules[unknownRule(d)].name)
		}
	}
	b.WriteString("\n## Rules\n\n| rule | what becomes of the PDU |\n|---|---|\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "| %s | %s |\n", r.name, r.doc)
	}
	return b.String()
}

func from(d bssgp.Dir) string {
	if d == ul {
		return "BSS"
	}
	return "SGSN"
}

func kindName(k bssgp.BVCKind) string {
	if k == ptp {
		return "PTP"
	}
	return "SIG"
}
