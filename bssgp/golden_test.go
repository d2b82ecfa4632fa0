package bssgp_test

import (
	"fmt"
	"strconv"
	"testing"

	. "poolgw/bssgp"
	"poolgw/lab/tshark"
)

const osmoSGSN = "testdata/osmo-sgsn.txt"

// goldenFields read in a PDU what a field of tshark shows, written as tshark
// does.
var goldenFields = map[string]func(pdu []byte) string{
	"bssgp.pdu_type": func(pdu []byte) string { t, ok := Type(pdu); return shown(ok, "0x%02x", uint8(t)) },
	"bssgp.bvci":     func(pdu []byte) string { v, ok := ReadBVCI(pdu); return shown(ok, "0x%04x", v) },
	"bssgp.cause":    func(pdu []byte) string { v, ok := ReadCause(pdu); return shown(ok, "%d", uint8(v)) },
	"bssgp.tag":      func(pdu []byte) string { v, ok := ReadTag(pdu); return shown(ok, "%d", v) },
	"bssgp.delay_val": func(pdu []byte) string {
		v, ok := Find(pdu, IEPDULifetime)
		return shown(ok && len(v) == 2, "%d", int(v[0])<<8|int(v[1]))
	},
	"bssgp.suspend_ref_no": func(pdu []byte) string {
		v, ok := Find(pdu, IESuspendReferenceNumber)
		return shown(ok && len(v) == 1, "%d", v[0])
	},
	"gsm_a.rr.tlli":    func(pdu []byte) string { v, ok := ReadTLLI(pdu); return shown(ok, "0x%08x", v) },
	"gsm_a.tmsi":       func(pdu []byte) string { v, ok := ReadTMSI(pdu); return shown(ok, "%d", v) },
	"e212.imsi":        func(pdu []byte) string { v, ok := ReadIMSI(pdu); return shown(ok, "%s", v) },
	"e212.rai.mcc":     func(pdu []byte) string { return part(pdu, 0) },
	"e212.rai.mnc":     func(pdu []byte) string { return part(pdu, 1) },
	"gsm_a.lac":        func(pdu []byte) string { return part(pdu, 2) },
	"gsm_a.gm.gmm.rac": func(pdu []byte) string { return part(pdu, 3) },
}

func shown(ok bool, format string, v any) string {
	if !ok {
		return "(absent)"
	}
	return fmt.Sprintf(format, v)
}

// part is MCC, MNC, LAC or RAC of the PDU's routing area.
func part(pdu []byte, i int) string {
	rai, ok := ReadRAI(pdu)
	var mcc, mnc, lac, rac int
	if n, _ := fmt.Sscanf(rai.String(), "%d-%d-%d-%d", &mcc, &mnc, &lac, &rac); !ok || n != 4 {
		return "(absent)"
	}
	return [...]string{strconv.Itoa(mcc), strconv.Itoa(mnc), fmt.Sprintf("0x%04x", lac), fmt.Sprintf("0x%02x", rac)}[i]
}

// What osmo-sgsn sends is taken, and read as tshark reads it.
func TestOsmoSGSN(t *testing.T) {
	for _, g := range tshark.ReadGolden(t, osmoSGSN) {
		bvci := goldenBVCI(t, g)
		if e := Check(g.Octets, Downlink, KindOf(bvci)); e != nil {
			t.Errorf("%x: %v", g.Octets, e)
		}
		g.Compare(t, func(field string) string {
			if field == goldenNS {
				return g.Fields[field]
			}
			return goldenFields[field](g.Octets)
		})
	}
}

// Parsed as a whole and written again, they are the same octets.
func TestOsmoSGSNAgain(t *testing.T) {
	for _, g := range tshark.ReadGolden(t, osmoSGSN) {
		p, err := Parse(g.Octets)
		if err != nil {
			t.Errorf("%x: %v", g.Octets, err)
			continue
		}
		if got := p.Append(nil); string(got) != string(g.Octets) {
			t.Errorf("%x became %x", g.Octets, got)
		}
	}
}

func TestOsmoSGSNTshark(t *testing.T) {
	tshark.StillShows(t, tshark.ReadGolden(t, osmoSGSN), func(g tshark.Golden) []byte {
		return tshark.UnitData(goldenBVCI(t, g), g.Octets)
	})
}

// goldenNS is the BVCI of the NS-UNITDATA that carried the PDU.
const goldenNS = "nsip.bvci"

func goldenBVCI(t *testing.T, g tshark.Golden) uint16 {
	t.Helper()
	n, err := strconv.ParseUint(g.Fields[goldenNS], 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return uint16(n)
}
