package bssgp_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "poolgw/bssgp"
)

// captured is a PDU with the BVCI it was seen on.
type captured struct {
	bvci uint16
	pdu  []byte
}

// readCaptured reads a file of testdata: BVCI and octets a line.
func readCaptured(t *testing.T, name string) (cs []captured) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var c captured
		if _, err := fmt.Sscanf(line, "%d %x", &c.bvci, &c.pdu); err != nil {
			t.Fatalf("%s: %q: %v", name, line, err)
		}
		cs = append(cs, c)
	}
	return cs
}

// TestOsmoPCU compares what a real PCU sent with what we read in it and with
// what we would send for the same content.
func TestOsmoPCU(t *testing.T) {
	cell := MakeCellID(MakeRAI(262, 42, false, 13135, 1), 30011)
	flow := func(tag uint8) []byte {
		f := FlowControlBVC{Tag: tag, BucketSize: 30000, LeakRate: 8 * 3000, MSBmax: 30000, MSLeakRate: 8 * 3000,
			Other: []IE{{IEI: IEBVCMeasurement, Value: []byte{0, 0}}}}
		return f.Append(nil)
	}
	ours := [][]byte{
		AppendBVCReset(nil, 0, CauseOMIntervention, nil, nil),
		AppendBVCReset(nil, 20011, CauseOMIntervention, &cell, nil),
		AppendBVCUnblock(nil, 20011),
		flow(1), flow(2),
	}
	theirs := readCaptured(t, "osmo-pcu.txt")
	if len(theirs) != len(ours) {
		t.Fatalf("%d PDUs captured, not %d", len(theirs), len(ours))
	}
	for i, c := range theirs {
		if e := Check(c.pdu, Uplink, KindOf(c.bvci)); e != nil {
			t.Errorf("%x refused: %v", c.pdu, e)
		}
		if !bytes.Equal(c.pdu, ours[i]) {
			t.Errorf("osmo-pcu sent %x\nwe would send %x", c.pdu, ours[i])
		}
	}
}

// TestOsmoPCUFlowControl reads the figures of osmo-pcu's log in its PDU.
func TestOsmoPCUFlowControl(t *testing.T) {
	pdu := readCaptured(t, "osmo-pcu.txt")[3].pdu
	got, ok := DecodeFlowControlBVC(pdu)
	want := FlowControlBVC{Tag: 1, BucketSize: 30000, LeakRate: 24000, MSBmax: 30000, MSLeakRate: 24000,
		Other: []IE{{IEI: IEBVCMeasurement, Value: []byte{0, 0}}}}
	if d := cmp.Diff(want, got); !ok || d != "" {
		t.Errorf("%x: %v (-want +got)\n%s", pdu, ok, d)
	}
}

// TestOsmoPCUReset brings an SGSN's BVC up by osmo-pcu's own PDUs.
func TestOsmoPCUReset(t *testing.T) {
	cs := readCaptured(t, "osmo-pcu.txt")
	h := newHarness(t, BVCConfig{NSEI: 2001, BVCI: 20011, Role: RoleSGSN})
	for _, c := range cs[1:3] {
		if handled, e := h.b.Recv(h.now, c.pdu); !handled || e != nil {
			t.Fatalf("%x: %v, %v", c.pdu, handled, e)
		}
	}
	if h.b.State() != BVCUnblocked {
		t.Errorf("the BVC is %v", h.b.State())
	}
	if cell, ok := h.b.Cell(); !ok || cell != MakeCellID(MakeRAI(262, 42, false, 13135, 1), 30011) {
		t.Errorf("its cell is %v", cell)
	}
	want := [][]byte{unhex(t, "2304824e2b"), unhex(t, "2504824e2b")}
	if d := cmp.Diff(want, h.sent); d != "" {
		t.Errorf("answers (-want +got)\n%s", d)
	}
}
