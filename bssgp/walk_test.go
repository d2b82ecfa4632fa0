package bssgp_test

import (
	"testing"

	. "poolgw/bssgp"
)

func TestReaders(t *testing.T) {
	flush := unhex(t, "2a"+hexTLLI+"048203e8 048203e9 3e8207d2")
	ud := unhex(t, "00 c0000001 005020 16820258 1f84c0000002 0e8101")
	status := unhex(t, "41 078127 1584 0b1f84c0")
	if v, ok := ReadTLLI(flush); !ok || v != tlli {
		t.Errorf("TLLI %x %v", v, ok)
	}
	if v, ok := ReadTLLI(ud); !ok || v != tlli {
		t.Errorf("TLLI of DL-UNITDATA %x %v", v, ok)
	}
	if v, ok := ReadOldTLLI(ud); !ok || v != tlli+1 {
		t.Errorf("old TLLI %x %v", v, ok)
	}
	if v, ok := ReadBVCI(flush); !ok || v != 1000 {
		t.Errorf("BVCI %d %v", v, ok)
	}
	if v, ok := ReadNewBVCI(flush); !ok || v != 1001 {
		t.Errorf("new BVCI %d %v", v, ok)
	}
	if v, ok := ReadNewBVCI(unhex(t, "2b 048203e9")); !ok || v != 1001 {
		t.Errorf("new BVCI of FLUSH-LL-ACK %d %v", v, ok)
	}
	if v, ok := ReadNSEI(flush); !ok || v != 2002 {
		t.Errorf("NSEI %d %v", v, ok)
	}
	if v, ok := ReadCause(status); !ok || v != CauseProtocolErrorUnspecified {
		t.Errorf("cause %v %v", v, ok)
	}
	inner, ok := ReadPDUInError(status)
	if !ok || len(inner) != 4 {
		t.Errorf("PDU in error %x %v", inner, ok)
	}
	if _, ok := ReadTLLI(inner); ok {
		t.Error("a TLLI that is cut off was read")
	}
	if v, ok := ReadTLLI(unhex(t, "01 c0000001")); !ok || v != tlli {
		t.Errorf("TLLI of a cut off UL-UNITDATA %x %v", v, ok)
	}
	if v, ok := ReadLLC(ud); !ok || len(v) != 1 {
		t.Errorf("LLC %x %v", v, ok)
	}
}

func TestReadAreasAndIdentities(t *testing.T) {
	if v, ok := ReadRAI(unhex(t, "0b"+hexTLLI+hexRAI)); !ok || v != rai || v.LAC() != 4096 || v.RAC() != 1 {
		t.Errorf("RAI %v %v", v, ok)
	}
	if v, ok := ReadLAI(unhex(t, "06 108562f2241000")); !ok || v != lai || v.LAC() != 4096 {
		t.Errorf("LAI %v %v", v, ok)
	}
	if v, ok := ReadCellID(unhex(t, "22"+hexCell)); !ok || v != cell || v.CI() != 42 || v.RAI() != rai {
		t.Errorf("cell %v %v", v, ok)
	}
	if v, ok := ReadTMSI(unhex(t, "0a 2084c0000001")); !ok || v != tlli {
		t.Errorf("TMSI %x %v", v, ok)
	}
	if v, ok := ReadTag(unhex(t, "27 1e8107")); !ok || v != 7 {
		t.Errorf("tag %d %v", v, ok)
	}
	if v, ok := ReadIMSI(unhex(t, "14"+hexIMSI)); !ok || v != imsi {
		t.Errorf("IMSI %v %v", v, ok)
	}
	for _, s := range []string{"0b 1b8562f2241000", "06 108462f22410", "22 088762f22410000100", "0a 2083c00000", "27 1e80", ""} {
		b := unhex(t, s)
		_, a := ReadRAI(b)
		_, l := ReadLAI(b)
		_, c := ReadCellID(b)
		_, m := ReadTMSI(b)
		_, g := ReadTag(b)
		if a || l || c || m || g {
			t.Errorf("%q: something too short was read", s)
		}
	}
}

// TS 24.008 10.5.1.4: parity, filler, type, digits; at most 15 of them.
func TestIMSI(t *testing.T) {
	tests := []struct{ hex, digits string }{
		{"2926242143658709", "262421234567890"},
		{"21262421436587f9", "26242123456789"},
		{"19", "1"},
		{"11f2", "12"},
		{"", ""}, {"2826242143658709", ""}, {"2c26242143658709", ""},
		{"292624214365870900", ""}, {"2926242143a58709", ""}, {"a926242143658709", ""},
	}
	for _, tt := range tests {
		i, ok := DecodeIMSI(unhex(t, tt.hex))
		if ok != (tt.digits != "") || i.String() != tt.digits {
			t.Errorf("%s: %v %v, want %s", tt.hex, i, ok, tt.digits)
		}
		if ok && string(i.Append(nil)) != string(unhex(t, tt.hex)) {
			t.Errorf("%s: encoded %x", tt.digits, i.Append(nil))
		}
	}
	for _, s := range []string{"", "1234567890123456", "12a"} {
		if _, ok := ParseIMSI(s); ok {
			t.Errorf("%q was taken", s)
		}
	}
}

// The forwarding path costs no allocation.
func TestNoAllocation(t *testing.T) {
	all := samples()
	buf := make([]byte, 0, 4096)
	n := testing.AllocsPerRun(100, func() {
		for i := range all {
			b := all[i].built
			Check(b, all[i].dir, all[i].kind)
			ReadTLLI(b)
			ReadBVCI(b)
			ReadCause(b)
			ReadRAI(b)
			ReadCellID(b)
			ReadIMSI(b)
			ReadTMSI(b)
			ReadNewBVCI(b)
			ReadPDUInError(b)
		}
		AppendStatus(buf, CauseBVCIUnknown, 5, all[0].built, 100)
		AppendSuspendNack(buf, 1, rai, CauseUnknownMS)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCheckULUnitdata(b *testing.B) {
	pdu := AppendULUnitdata(nil, tlli, QoS{0, 0, 4}, cell, make([]byte, 80))
	b.ReportAllocs()
	for b.Loop() {
		if Check(pdu, Uplink, PTP) != nil {
			b.Fatal("refused")
		}
		ReadTLLI(pdu)
	}
}
