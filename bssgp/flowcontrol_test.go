package bssgp_test

import (
	"bytes"
	"testing"

	. "poolgw/bssgp"
)

func decodeFC(t *testing.T, s string) FlowControlBVC {
	t.Helper()
	f, ok := DecodeFlowControlBVC(unhex(t, s))
	if !ok {
		t.Fatalf("%s: not decoded", s)
	}
	return f
}

// Each granularity counts steps of its own size (11.3.102).
func TestFlowControlGranularity(t *testing.T) {
	const values = "26 1e8107 05820003 03820004 01820005 1c820006"
	for ie, step := range map[string]uint64{"": 100, "7e8100": 100, "7e8101": 1000, "7e8102": 10000, "7e8103": 100000,
		"7e81ff": 100000} {
		f := decodeFC(t, values+ie)
		if f.Tag != 7 || f.BucketSize != 3*step || f.LeakRate != 4*step || f.MSBmax != 5*step || f.MSLeakRate != 6*step ||
			f.HasGranularity != (ie != "") {
			t.Errorf("%q: %+v", ie, f)
		}
		want := values + ie
		if ie == "7e81ff" {
			want = values + "7e8103"
		}
		if got := f.Append(nil); !bytes.Equal(got, unhex(t, want)) {
			t.Errorf("%q: %x", ie, got)
		}
	}
}

// A share of the cell: bucket size and leak rate are scaled, the values of an
// MS and all other IEs are not; nothing becomes zero or overflows.
// Facts: G6-02, G6-04, G6-06, G6-07, G6-09
func TestFlowControlScale(t *testing.T) {
	tests := []struct {
		percent  uint8
		in, want string
	}{
		{100, "05820066 038200c8 0182000a 1c820064", "05820066 038200c8 0182000a 1c820064"},
		{50, "05820066 038200c8 0182000a 1c820064", "05820033 03820064 0182000a 1c820064"},
		{50, "05820003 03820005 0182000a 1c820064", "05820001 03820002 0182000a 1c820064"},
		{1, "05820001 03820001 01820001 1c820001", "05820001 03820001 01820001 1c820001"},
		{50, "05820000 03820000 01820000 1c820000", "05820000 03820000 01820000 1c820000"},
		{100, "0582ffff 0382ffff 0182ffff 1c82ffff 7e8103", "0582ffff 0382ffff 0182ffff 1c82ffff 7e8103"},
		{25, "05820064 03820064 0182000a 1c820064 3c817f 06820123 fe820102 7e8101",
			"05820019 03820019 0182000a 1c820064 3c817f 06820123 fe820102 7e8101"},
	}
	for _, tt := range tests {
		f := decodeFC(t, "26 1e8101"+tt.in).Scale(tt.percent)
		if got, want := f.Append(nil), unhex(t, "26 1e8101"+tt.want); !bytes.Equal(got, want) {
			t.Errorf("%d %% of %s:\n got %x\nwant %x", tt.percent, tt.in, got, want)
		}
	}
}

// Facts: G6-06
func TestFlowControlScaleKeepsSomething(t *testing.T) {
	f := FlowControlBVC{BucketSize: 1, LeakRate: 99, MSBmax: 7, MSLeakRate: 8}.Scale(1)
	if f.BucketSize != 1 || f.LeakRate != 1 || f.MSBmax != 7 || f.MSLeakRate != 8 {
		t.Errorf("%+v", f)
	}
}

func TestFlowControlSaturates(t *testing.T) {
	f := FlowControlBVC{Tag: 1, BucketSize: 1 << 40, LeakRate: 1, MSBmax: 99, MSLeakRate: 6553599}
	if got, want := f.Append(nil), unhex(t, "26 1e8101 0582ffff 03820001 01820001 1c82ffff"); !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestFlowControlRefuses(t *testing.T) {
	for _, s := range []string{"", "27 1e8101", "26", "26 1e8101 05820066 038200c8 0182000a", "26 1e8101 058166 038200c8 0182000a 1c820064"} {
		if _, ok := DecodeFlowControlBVC(unhex(t, s)); ok {
			t.Errorf("%q was taken", s)
		}
	}
	many := unhex(t, "26 1e8101 05820066 038200c8 0182000a 1c820064")
	for range 1000 {
		many = append(many, 0xfe, 0x80)
	}
	if f, ok := DecodeFlowControlBVC(many); !ok || len(f.Other) > 16 {
		t.Errorf("%d other IEs were kept", len(f.Other))
	}
}

// STATUS stays within the MTU; what is cut off is the end of the PDU in error.
// Facts: G1.5-11
func TestStatusMTU(t *testing.T) {
	pdu := make([]byte, 2000)
	for mtu := range 400 {
		b := AppendStatus([]byte{0xee}, CauseBVCIUnknown, 1000, pdu, mtu)[1:]
		if mtu == 0 {
			if len(b) != 1+3+4+3+2000 {
				t.Errorf("no MTU: %d octets", len(b))
			}
			continue
		}
		if len(b) > max(mtu, 10) {
			t.Errorf("MTU %d: %d octets", mtu, len(b))
		}
		if mtu > 12 && len(b) < mtu-1 {
			t.Errorf("MTU %d: only %d octets", mtu, len(b))
		}
		if _, err := Parse(b); err != nil {
			t.Errorf("MTU %d: %v", mtu, err)
		}
	}
}
