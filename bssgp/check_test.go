package bssgp_test

import (
	"testing"

	. "poolgw/bssgp"
)

// What osmo-gbproxy 0.5.0 was seen to answer on its wire, and what clause 9
// asks for beyond that.
func TestCheckCauses(t *testing.T) {
	header := "c0000001 000004"
	tests := []struct {
		name, hex string
		dir       Dir
		kind      BVCKind
		cause     Cause
		iei       IEI
	}{
		{"empty", "", Uplink, SIG, CauseSemanticallyIncorrectPDU, 0},
		{"unknown type", "ff", Uplink, SIG, CauseProtocolErrorUnspecified, 0},
		{"DL type uplink", "00c00000010000800e830102ff", Uplink, PTP, CauseProtocolErrorUnspecified, 0},
		{"PTP type on SIG", "01c00000010000800e830102ff", Uplink, SIG, CauseProtocolErrorUnspecified, 0},
		{"SIG type on PTP", "0b1f84c00000011b8662f224100001", Uplink, PTP, CauseProtocolErrorUnspecified, 0},
		{"SUSPEND without TLLI", "0b1b8662f224100001", Uplink, SIG, CauseMissingMandatoryIE, IETLLI},
		{"FLOW-CONTROL-BVC without IEs", "26", Uplink, PTP, CauseMissingMandatoryIE, IETag},
		{"UL-UNITDATA in its TLLI", "01c000", Uplink, PTP, CauseMissingMandatoryIE, IETLLI},
		{"UL-UNITDATA in its QoS", "01c000000100", Uplink, PTP, CauseMissingMandatoryIE, IEQoSProfile},
		{"UL-UNITDATA without cell", "01" + header + "0e8101", Uplink, PTP, CauseMissingMandatoryIE, IECellIdentifier},
		{"UL-UNITDATA without LLC", "01" + header + hexCell, Uplink, PTP, CauseMissingMandatoryIE, IELLCPDU},
		{"short TLLI", "0b 1f83c00000" + hexRAI, Uplink, SIG, CauseInvalidMandatoryInformation, IETLLI},
		{"short RA", "0b" + hexTLLI + "1b8562f2241000", Uplink, SIG, CauseInvalidMandatoryInformation, IERouteingArea},
		{"mandatory IE overruns", "0b" + hexTLLI + "1b8662f224", Uplink, SIG, CauseInvalidMandatoryInformation, IERouteingArea},
		{"conditional IE overruns", "06" + hexIMSI + "1883000420 048203", Downlink, SIG, CauseConditionalIEError, IEBVCI},
		{"optional IE overruns", "0d" + hexTLLI + hexRAI + "0782", Downlink, SIG, CauseProtocolErrorUnspecified, IECause},
		{"unknown IE overruns", "24 048203e8 ff83", Uplink, SIG, CauseProtocolErrorUnspecified, 0xff},
		{"lone tag", "24 048203e8 ff", Uplink, SIG, CauseProtocolErrorUnspecified, 0xff},
		{"PAGING-PS without area", "06" + hexIMSI + "1883000420", Downlink, SIG, CauseMissingConditionalIE, IEBVCI},
		{"PAGING-PS with two areas", "06" + hexIMSI + "048203e8 028100 1883000420", Downlink, SIG,
			CauseUnexpectedConditionalIE, IEBVCI},
		{"short conditional IE", "06" + hexIMSI + "048103 1883000420", Downlink, SIG, CauseConditionalIEError, IEBVCI},
		{"RADIO-STATUS of nobody", "0a 198100", Uplink, PTP, CauseMissingConditionalIE, IETLLI},
		{"PTP reset of a BSS without cell", "22 048203e8 078108", Uplink, SIG, CauseMissingConditionalIE, IECellIdentifier},
		{"RIM with one address", "70 548100 588100", Uplink, SIG, CauseMissingMandatoryIE, IERIMRoutingInformation},
	}
	for _, tt := range tests {
		e := Check(unhex(t, tt.hex), tt.dir, tt.kind)
		if e == nil {
			t.Errorf("%s: passed", tt.name)
		} else if e.Cause != tt.cause || e.IEI != tt.iei {
			t.Errorf("%s: %v, want %v %v", tt.name, e, tt.cause, tt.iei)
		}
	}
}

func TestCheckPasses(t *testing.T) {
	tests := []struct {
		name, hex string
		dir       Dir
		kind      BVCKind
	}{
		{"unknown IE", "24 048203e8 ff83010203", Uplink, SIG},
		{"out of order", "0b" + hexRAI + hexTLLI, Uplink, SIG},
		{"repeated, the first counts", "24 048203e8 048103", Uplink, SIG},
		{"longer than specified", "06" + hexIMSI + "1b8862f2241000010000 1883000420", Downlink, SIG},
		{"short optional IE is no IE", "22 04820000 078108 3b80", Downlink, SIG},
		{"reset of a PTP BVC by an SGSN has no cell", "22 048203e8 078108", Downlink, SIG},
		{"reset of BVCI 0 by a BSS has no cell", "22 04820000 078108", Uplink, SIG},
		{"RADIO-STATUS with two identities", "0a" + hexTLLI + hexIMSI + "198100", Uplink, PTP},
		{"RIM", "71 548100 548101 578100", Downlink, SIG},
		{"LCS envelope", "60" + hexTLLI + "048203e8 498101", Downlink, SIG},
		{"MBMS", "80 5c8101", Downlink, SIG},
		{"empty LLC-PDU", "01 c0000001 000004" + hexCell + "0e80", Uplink, PTP},
	}
	for _, tt := range tests {
		if e := Check(unhex(t, tt.hex), tt.dir, tt.kind); e != nil {
			t.Errorf("%s: %v", tt.name, e)
		}
	}
}

// Each mandatory IE of each sample is missed when it is gone.
func TestCheckMissesEachMandatoryIE(t *testing.T) {
	for _, s := range samples() {
		p, err := Parse(unhex(t, s.hex))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range Definition(p.Type).Rows {
			if r.Presence != Mandatory || r.Format == V {
				continue
			}
			q := PDU{Type: p.Type, TLLI: p.TLLI, QoS: p.QoS}
			for _, ie := range p.IEs {
				if ie.IEI != r.IEI {
					q.IEs = append(q.IEs, ie)
				}
			}
			e := Check(q.Append(nil), s.dir, s.kind)
			if e == nil || e.Cause != CauseMissingMandatoryIE || e.IEI != r.IEI {
				t.Errorf("%s without %v: %v", s.name, r.IEI, e)
			}
		}
	}
}

// The table is sound: one row set per type, no more rows than Check's masks
// hold, V only in front, and every OneOf IE among the rows.
func TestTable(t *testing.T) {
	seen := map[PDUType]bool{}
	for _, d := range Definitions() {
		if seen[d.Type] || Definition(d.Type) == nil || d.Name == "" || d.Dirs == 0 || d.Kinds == 0 || len(d.Rows) > 64 {
			t.Errorf("%v: bad definition", d.Type)
		}
		seen[d.Type] = true
		has := map[IEI]bool{}
		for i, r := range d.Rows {
			has[r.IEI] = true
			if r.Format == V && i > 1 {
				t.Errorf("%v: %v has no tag in row %d", d.Type, r.IEI, i)
			}
		}
		for _, iei := range d.OneOf {
			if !has[iei] {
				t.Errorf("%v: no row for %v", d.Type, iei)
			}
		}
	}
	// TS 48.018 table 11.27: 73 types that are not reserved, and PTM-UNITDATA.
	if len(seen) != 74 {
		t.Errorf("%d PDU types", len(seen))
	}
}
