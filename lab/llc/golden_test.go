package llc_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"poolgw/bssgp"
	. "poolgw/lab/llc"
	"poolgw/lab/tshark"
)

const osmoSGSN = "testdata/osmo-sgsn.txt"

// What osmo-sgsn sends is read as tshark reads it, and written again as it
// came. It leaves the C/R bit 0 in its accepts and rejects, as a MS would.
func TestOsmoSGSN(t *testing.T) {
	for _, g := range tshark.ReadGolden(t, osmoSGSN) {
		u, err := Parse(g.Octets)
		fields, again := uiFields(u), u.Append(nil)
		if errors.Is(err, ErrNotUI) {
			var x XID
			x, err = ParseXID(g.Octets, true)
			fields, again = xidFields(x), x.Append(nil)
		}
		if err != nil || !bytes.Equal(again, g.Octets) {
			t.Errorf("%x: %v, became %x", g.Octets, err, again)
		}
		g.Compare(t, func(name string) string { return fields[name] })
	}
}

func uiFields(u UI) map[string]string {
	f := map[string]string{"llcgprs.sapib": fmt.Sprint(u.SAPI), "llcgprs.cr": bit(u.FromSGSN),
		"llcgprs.nu": fmt.Sprint(u.NU), "llcgprs.e": bit(u.Ciphered), "llcgprs.pm": bit(u.Protected)}
	if len(u.Info) > 1 {
		f["gsm_a.dtap.msg_gmm_type"] = fmt.Sprintf("0x%02x", u.Info[1])
	}
	return f
}

func xidFields(x XID) map[string]string {
	var types, octets []string
	for _, p := range x.Params {
		types = append(types, fmt.Sprint(p.Type))
		for _, o := range p.Value {
			octets = append(octets, fmt.Sprintf("0x%02x", o))
		}
	}
	return map[string]string{"llcgprs.sapib": fmt.Sprint(x.SAPI), "llcgprs.cr": bit(!x.Response),
		"llcgprs.pf": bit(x.Final), "llcgprs.xidtype": strings.Join(types, ","), "llcgprs.xidbyte": strings.Join(octets, ",")}
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func TestOsmoSGSNTshark(t *testing.T) {
	tshark.StillShows(t, tshark.ReadGolden(t, osmoSGSN), func(g tshark.Golden) []byte {
		return tshark.UnitData(1000, (&bssgp.DLUnitdata{TLLI: 0xc0000001, Lifetime: 600, LLC: g.Octets}).Append(nil))
	})
}
