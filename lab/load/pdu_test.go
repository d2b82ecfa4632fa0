package load

import (
	"encoding/hex"
	"strings"
	"testing"

	"poolgw/bssgp"
)

// The octets are put together by hand from TS 48.016 9.2.10 and TS 48.018
// 10.2.1, 10.2.2: NS-UNITDATA, BVCI 1001; type, TLLI, QoS; IEs; LLC-PDU.
func TestTemplateOctets(t *testing.T) {
	cell := bssgp.MakeCellID(bssgp.MakeRAI(262, 42, false, 7, 0), 1)
	for _, c := range []struct {
		dir    Direction
		size   int
		before string // the LLC-PDU, spaces for reading
	}{
		{Up, 100, "00 00 03e9  01 c0123456 000004  08 88 62f224 0007 00 0001  00 80  0e ca"},
		{Up, 500, "00 00 03e9  01 c0123456 000004  08 88 62f224 0007 00 0001  00 81 00  0e 01d8"},
		{Down, 100, "00 00 03e9  00 c0123456 000004  16 82 03e8  0e d2"},
	} {
		tpl, err := newTemplate(c.dir, 1001, cell, c.size)
		if err != nil {
			t.Fatal(err)
		}
		var b [maxDatagram]byte
		p := probe{sub: 5, seq: 6, dir: c.dir, run: 7, at: 8}
		n := tpl.write(b[:], 0xc0123456, p)
		if n != c.size {
			t.Errorf("%v %d: %d octets", c.dir, c.size, n)
		}
		want := strings.ReplaceAll(c.before, " ", "")
		if got := hex.EncodeToString(b[:tpl.probe]); c.size == 100 && got != want {
			t.Errorf("%v %d:\n got %s\nwant %s", c.dir, c.size, got, want)
		}
		if e := bssgp.Check(b[nsHeader:n], bssgp.Dir(c.dir), bssgp.PTP); e != nil {
			t.Errorf("%v %d: %v", c.dir, c.size, e)
		}
		if llc, _ := bssgp.ReadLLC(b[nsHeader:n]); len(llc) != n-tpl.probe {
			t.Errorf("%v %d: LLC-PDU of %d octets, probe at %d", c.dir, c.size, len(llc), tpl.probe)
		}
		if got := tpl.read(b[:]); got != p {
			t.Errorf("read %+v, want %+v", got, p)
		}
	}
}

// TestMatchesSeesEveryOctet changes each octet of a PDU in turn: but for TLLI
// and probe, which are compared with the subscriber's, all are looked at.
func TestMatchesSeesEveryOctet(t *testing.T) {
	tpl, err := newTemplate(Up, 1001, bssgp.CellID{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	var b [maxDatagram]byte
	n := tpl.write(b[:], 0xc0123456, probe{sub: 1, seq: 2, run: 3, at: 4})
	if !tpl.matches(b[:n]) || tpl.matches(b[:n-1]) {
		t.Fatal("the PDU itself does not match, or a shorter one does")
	}
	for i := range n {
		b[i] ^= 1
		inTLLI := i >= tlliAt && i < tlliAt+4
		inProbe := i >= tpl.probe+4 && i < tpl.probe+14 || i >= tpl.probe+16 && i < tpl.probe+probeSize
		if got := tpl.matches(b[:n]); got != (inTLLI || inProbe) {
			t.Errorf("octet %d changed: matches is %v", i, got)
		}
		b[i] ^= 1
	}
}

func TestTooShort(t *testing.T) {
	if _, err := newTemplate(Up, 1001, bssgp.CellID{}, 40); err == nil {
		t.Error("a PDU of 40 octets has no room for the probe")
	}
}
