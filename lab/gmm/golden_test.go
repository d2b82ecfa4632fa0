package gmm_test

import (
	"fmt"
	"testing"
	"time"

	. "poolgw/lab/gmm"
	"poolgw/lab/llc"
	"poolgw/lab/tshark"
)

const osmoSGSN = "testdata/osmo-sgsn.txt"

// goldenFields are what a field of tshark shows of a message.
var goldenFields = map[string]func(m Message) string{
	"gsm_a.dtap.msg_gmm_type":       func(m Message) string { return fmt.Sprintf("0x%02x", uint8(m.Type)) },
	"gsm_a.gm.gmm.type_of_identity": func(m Message) string { return fmt.Sprint(m.Identity) },
	"gsm_a.gm.gmm.cause":            func(m Message) string { return fmt.Sprint(uint8(m.Cause)) },
	"3gpp.tmsi":                     func(m Message) string { return fmt.Sprint(*m.PTMSI) },
	"gsm_a.lac":                     func(m Message) string { return fmt.Sprintf("0x%02x%02x", m.RAI[3], m.RAI[4]) },
	"gsm_a.gm.gmm.rac":              func(m Message) string { return fmt.Sprintf("0x%02x", m.RAI[5]) },
}

// What osmo-sgsn sends is read as tshark reads it.
func TestOsmoSGSN(t *testing.T) {
	for _, g := range tshark.ReadGolden(t, osmoSGSN) {
		m, err := Parse(g.Octets, false)
		if err != nil {
			t.Errorf("%x: %v", g.Octets, err)
			continue
		}
		// osmo-sgsn was configured so; a READY timer of 44 s follows behind
		if accept := m.Type == AttachAccept || m.Type == RAUAccept; accept && m.Timer != 2*time.Second {
			t.Errorf("%x: T3312 is %v", g.Octets, m.Timer)
		}
		g.Compare(t, func(name string) string { return goldenFields[name](m) })
	}
}

func TestOsmoSGSNTshark(t *testing.T) {
	tshark.StillShows(t, tshark.ReadGolden(t, osmoSGSN), func(g tshark.Golden) []byte {
		u := llc.UI{SAPI: llc.SAPIGMM, Protected: true, FromSGSN: true, Info: g.Octets}
		return tshark.UnitData(1000, wrap(false, u.Append(nil)))
	})
}
