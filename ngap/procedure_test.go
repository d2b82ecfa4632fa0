package ngap_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"poolgw/lab/tshark"
	. "poolgw/ngap"
)

var update = flag.Bool("update", false, "write doc/ngap-procedures.md")

// Rows stand at their codes; a class 1 procedure has a response, an unsuccessful
// outcome has a successful one beside it; no name is there twice.
func TestTable(t *testing.T) {
	seen := map[string]bool{"": true}
	for i, row := range Procedures() {
		if int(row.Code) != i || Lookup(row.Code).Initiating != row.Initiating || row.Code.String() != row.Initiating {
			t.Errorf("row %d: %+v", i, row)
		}
		if row.Unsuccessful != "" && row.Successful == "" || row.Class() == 2 != (row.Successful == "") || row.Initiator == 0 {
			t.Errorf("%+v", row)
		}
		for k := Initiating; k <= Unsuccessful; k++ {
			name := row.Message(k)
			if name != "" && seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
	}
	if len(Procedures()) != 87 || Lookup(87) != nil || Lookup(255) != nil || Code(87).String() != "Code(0x57)" {
		t.Errorf("%d rows", len(Procedures()))
	}
}

// tshark has the table's names for the procedures that it knows.
func TestTableTshark(t *testing.T) {
	var names []string
	var pdus [][]byte
	for _, row := range Procedures()[:lastOfTshark+1] {
		for k := Initiating; k <= Unsuccessful; k++ {
			if name := row.Message(k); name != "" {
				names = append(names, name)
				pdus = append(pdus, new(PDU).New(row.Code, k).Append(nil))
			}
		}
	}
	for i, f := range tshark.DissectNGAP(t, pdus, "_ws.col.Info") {
		if got := f.Field("_ws.col.Info"); got != names[i] && names[i] != "PrivateMessage" {
			t.Errorf("%x: tshark says %s, the table %s", pdus[i], got, names[i])
		}
	}
}

// tshark finds the IEs of generated messages where it can read their contents.
func TestGeneratedTshark(t *testing.T) {
	var pdus [][]byte
	eachMessage(t, 2, func(t *testing.T, g generator, row *Procedure, k Kind) {
		m, _ := g.message(row, k)
		pdus = append(pdus, encode(t, m))
	})
	read := 0
	for i, f := range tshark.DissectNGAP(t, pdus, "ngap.procedureCode", "ngap.id") {
		p := walk(t, pdus[i])
		if want := fmt.Sprint(uint8(p.Code)); !strings.HasPrefix(f.Field("ngap.procedureCode")+",", want+",") {
			t.Errorf("%s: tshark says procedure %s", p.Name(), f.Field("ngap.procedureCode"))
		}
		if f.Malformed { // arbitrary octets in containers
			continue
		}
		read++
		if !within(strings.Split(ids(p), ","), f.Field("ngap.id")) {
			t.Errorf("%s: tshark shows %s, we %s", p.Name(), f.Field("ngap.id"), ids(p))
		}
	}
	if read < 40 {
		t.Errorf("tshark read %d of %d", read, len(pdus))
	}
}

// doc/ngap-procedures.md is the table as it is here, with who judged what.
func TestTableDocument(t *testing.T) {
	const file = "../doc/ngap-procedures.md"
	got := document()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the table (%v): go test ./ngap -run TestTableDocument -update", file, err)
	}
}

func document() []byte {
	var b bytes.Buffer
	b.WriteString(`# NGAP procedures

The elementary procedures of TS 38.413 V19.1.0 as poolgw has them, made from
` + "`ngap/procedures.go`" + `. Codes, class, criticality and association are those of
the specification. Judged by: beside the clause, what else says that the row's
messages are walked as they should.

- *free5gc*: free5gc/ngap v1.1.3 has the message's type under this code, encodes
  generated messages of all its IEs that walk to the same list, and decodes them.
- *tshark*: tshark 4.0 has the name under this code, and finds the same IEs: in
  captured messages, in those by hand, and in generated ones up to the first
  container with octets of no meaning.
- *hand*: the message's octets, written by hand from X.691 and the clause.

| code | initiating | successful | unsuccessful | class | initiator | association | criticality | judged by |
|--|--|--|--|--|--|--|--|--|
`)
	for _, row := range Procedures() {
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %d | %s | %s | %s | %s |\n", row.Code, row.Initiating, row.Successful, row.Unsuccessful,
			row.Class(), row.Initiator, row.Association, row.Criticality, judges(row.Code))
	}
	return b.Bytes()
}

func judges(c Code) string {
	switch {
	case c == CodePrivateMessage:
		return "hand (opaque)"
	case c == CodeSecondaryRATDataUsageReport:
		return "tshark, hand"
	case c <= lastOfFree5GC:
		return "free5gc, tshark"
	case c <= lastOfTshark:
		return "tshark, hand"
	}
	return "hand"
}
