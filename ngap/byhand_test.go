package ngap_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"poolgw/lab/tshark"
	. "poolgw/ngap"
)

// sample is a PDU with the name of its message and its IEs' ids.
type sample struct {
	name string
	pdu  []byte
	ids  string // joined by ",", "-" for none
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// byHand reads testdata/byhand.txt.
func byHand(t testing.TB) (all []sample) {
	t.Helper()
	text, err := os.ReadFile("testdata/byhand.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); f[0] != "#" {
			all = append(all, sample{f[0], unhex(t, f[1]), f[2]})
		}
	}
	return all
}

// ids are the ids of a PDU's IE list.
func ids(p *PDU) string {
	var s []string
	for _, ie := range p.IEs {
		s = append(s, strconv.Itoa(int(ie.ID)))
	}
	if len(s) == 0 {
		return "-"
	}
	return strings.Join(s, ",")
}

func walk(t testing.TB, b []byte) *PDU {
	t.Helper()
	p := new(PDU)
	if err := p.Walk(b); err != nil {
		t.Fatalf("%x: %v", b, err)
	}
	return p
}

// rebuilt makes the PDU anew from its IE list alone.
func rebuilt(p *PDU) []byte {
	q := new(PDU).New(p.Code, p.Kind)
	q.Criticality = p.Criticality
	for _, ie := range p.IEs {
		q.Add(ie.ID, ie.Criticality, ie.Value)
	}
	return q.Append(nil)
}

// Every message of the procedures 52 to 86 that the table has is there by hand,
// walks to the list that was written, and is the same when built again.
func TestByHand(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range byHand(t) {
		p := walk(t, s.pdu)
		if p.Name() != s.name || ids(p) != s.ids {
			t.Errorf("%s: %s with %s, want %s", s.name, p.Name(), ids(p), s.ids)
		}
		if p.Criticality != Lookup(p.Code).Criticality {
			t.Errorf("%s: criticality %v", s.name, p.Criticality)
		}
		if b := rebuilt(p); !bytes.Equal(b, s.pdu) {
			t.Errorf("%s: built\n%x\nby hand\n%x", s.name, b, s.pdu)
		}
		seen[s.name] = true
	}
	for _, row := range Procedures()[lastOfFree5GC:] {
		for k := Initiating; k <= Unsuccessful; k++ {
			if name := row.Message(k); name != "" && !seen[name] {
				t.Errorf("no %s by hand", name)
			}
		}
	}
}

// The values by hand are read as they were written.
func TestByHandValues(t *testing.T) {
	for _, s := range byHand(t) {
		p := walk(t, s.pdu)
		if id, at, err := p.AMFUENGAPID(); err != nil || at >= 0 && id != 4294967297 {
			t.Errorf("%s: AMF UE NGAP ID %d, %v", s.name, id, err)
		}
		if id, at, err := p.RANUENGAPID(); err != nil || at >= 0 && id != 43981 {
			t.Errorf("%s: RAN UE NGAP ID %d, %v", s.name, id, err)
		}
		if v, ok := p.Value(IEFiveGSTMSI); ok {
			if id, err := ReadSTMSI(v); err != nil || id != (STMSI{65, 21, 0xdeadbeef}) {
				t.Errorf("%s: 5G-S-TMSI %+v, %v", s.name, id, err)
			}
		}
		if v, ok := p.Value(IEMBSSessionID); ok {
			m, err := ReadMBSSession(v)
			want := MBSSession{TMGI: [6]byte(unhex(t, "102030f11022"))}
			if m.HasNID {
				want = MBSSession{[6]byte(unhex(t, "0a0b0c00f110")), 0x123456789a, true}
			}
			if err != nil || m != want {
				t.Errorf("%s: MBS session %+v, %v", s.name, m, err)
			}
		}
		if v, ok := p.Value(IECause); ok {
			if c, err := ReadCause(v); err != nil || c != CauseOMIntervention {
				t.Errorf("%s: cause %v, %v", s.name, c, err)
			}
		}
	}
}

// tshark reads what is by hand up to procedure 75 as we do.
// Facts: N6-75
func TestByHandTshark(t *testing.T) {
	var all []sample
	var pdus [][]byte
	for _, s := range byHand(t) {
		if s.pdu[1] <= lastOfTshark {
			all, pdus = append(all, s), append(pdus, s.pdu)
		}
	}
	for i, f := range tshark.DissectNGAP(t, pdus, "_ws.col.Info", "ngap.procedureCode", "ngap.id") {
		s := all[i]
		if f.Malformed || !strings.Contains(f.Field("_ws.col.Info"), s.name) || f.Field("ngap.procedureCode") != strconv.Itoa(int(s.pdu[1])) {
			t.Errorf("%s: tshark: %+v", s.name, f)
		}
		if !within(strings.Split(s.ids, ","), f.Field("ngap.id")) {
			t.Errorf("%s: tshark shows the IEs %s, want %s", s.name, f.Field("ngap.id"), s.ids)
		}
	}
}

// lastOfTshark is the last procedure that tshark 4.0 knows.
const lastOfTshark = 75

// within says whether the ids stand in this order among those that tshark shows,
// which has those of nested IEs too.
func within(want []string, shown string) bool {
	for s := range strings.SplitSeq(shown, ",") {
		if len(want) > 0 && want[0] == s {
			want = want[1:]
		}
	}
	return len(want) == 0 || want[0] == "-"
}
