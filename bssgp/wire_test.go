package bssgp_test

import (
	"bytes"
	"testing"

	. "poolgw/bssgp"
)

// What osmo-gbproxy 0.5.0 sent and answered on its wire: the same complaint
// gives the same octets.
func TestStatusOnTheWire(t *testing.T) {
	tests := []struct {
		pdu    string
		dir    Dir
		kind   BVCKind
		status string
	}{
		{"00c00000010000800e830102ff", Uplink, PTP, "41078127158d00c00000010000800e830102ff"},
		{"01c00000010000800e830102ff", Uplink, SIG, "41078127158d01c00000010000800e830102ff"},
		{"0b1f84c00000011b8662f224100001", Uplink, PTP, "41078127158f0b1f84c00000011b8662f224100001"},
		{"0b1b8662f224100001", Uplink, SIG, "4107812215890b1b8662f224100001"},
		{"", Uplink, SIG, "410781201580"},
		{"ff", Uplink, SIG, "41078127 1581ff"},
		{"26", Uplink, PTP, "41078122158126"},
	}
	for _, tt := range tests {
		pdu := unhex(t, tt.pdu)
		e := Check(pdu, tt.dir, tt.kind)
		if e == nil {
			t.Errorf("%s passed", tt.pdu)
			continue
		}
		if got := AppendStatus(nil, e.Cause, 0, pdu, 1590); !bytes.Equal(got, unhex(t, tt.status)) {
			t.Errorf("%s: %x, want %s", tt.pdu, got, tt.status)
		}
	}
	unknown := AppendStatus(nil, CauseBVCIUnknown, 0x8ae, unhex(t, "01c0000001000080"), 1590)
	if !bytes.Equal(unknown, unhex(t, "41078105048208ae158801c0000001000080")) {
		t.Errorf("BVCI unknown: %x", unknown)
	}
	invalid := AppendStatus(nil, CauseInvalidMandatoryInformation, 0, unhex(t, "200482ffee078108"), 1590)
	if !bytes.Equal(invalid, unhex(t, "410781211588200482ffee078108")) {
		t.Errorf("invalid mandatory information: %x", invalid)
	}
}

// The PDUs that it relayed or took pass.
func TestTakenOnTheWire(t *testing.T) {
	for _, s := range []struct {
		pdu  string
		dir  Dir
		kind BVCKind
	}{
		{"22048200000781083b8100698100", Downlink, SIG},
		{"23048200003b8100", Uplink, SIG},
		{"220482000007810 83b8100", Uplink, SIG},
		{"23048200003b8100698100", Downlink, SIG},
		{"22048203e8078108088862f224100001002a", Uplink, SIG},
		{"23048203e8", Downlink, SIG},
		{"01c0000001000080088862f224100001002a00800e830102ff", Uplink, PTP},
		{"0b1f84c00000011b8662f224100001", Uplink, SIG},
		{"261e81010582006403820064018200641c820064", Uplink, PTP},
		{"271e8101", Downlink, PTP},
		{"20048203e8078108", Uplink, SIG},
		{"21048203e8", Downlink, SIG},
		{"24048203e8", Uplink, SIG},
		{"25048203e8", Downlink, SIG},
	} {
		if e := Check(unhex(t, s.pdu), s.dir, s.kind); e != nil {
			t.Errorf("%s: %v", s.pdu, e)
		}
	}
}
