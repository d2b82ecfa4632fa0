package tshark

import (
	"encoding/hex"
	"testing"
)

// A broken PDU must be seen, else the other tests' "no expert message" would
// mean nothing.
func TestSeesBrokenPDU(t *testing.T) {
	good, _ := hex.DecodeString("22048200000781083b8100698100")
	bad, _ := hex.DecodeString("22048200000781083b81006987")
	f := Dissect(t, [][]byte{UnitData(0, good), UnitData(0, bad)}, "bssgp.bvci", "bssgp.pdu_type")
	if f[0].Malformed || f[0].Expert != "" || f[0].Field("bssgp.pdu_type") != "0x22" {
		t.Errorf("a good BVC-RESET: %+v", f[0])
	}
	if !f[1].Malformed && f[1].Expert == "" {
		t.Errorf("a broken BVC-RESET passed: %+v", f[1])
	}
}
