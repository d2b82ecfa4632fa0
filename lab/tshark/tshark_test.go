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

// The same for NGAP: a good NG Reset, one cut within its last IE, and one that
// needs two DATA chunks.
func TestSeesBrokenNGAP(t *testing.T) {
	good, _ := hex.DecodeString("0014000e000002000f400200000058000100")
	cut := append([]byte{}, good[:len(good)-1]...)
	cut[3]--
	c := append([]byte{0, 9, 0x40, 0xc4}, make([]byte, 65536+1)...) // an Error Indication of four fragments and an empty one
	copy(c[4:], []byte{0, 0, 1, 0x27, 0x0f, 0x40, 0xc3})
	c[4+7+3*16384] = 0x80 | (65536-7-3*16384-2)>>8
	c[4+7+3*16384+1] = (65536 - 7 - 3*16384 - 2) & 0xff
	f := DissectNGAP(t, [][]byte{good, cut, c}, "ngap.procedureCode", "ngap.id")
	if f[0].Malformed || f[0].Expert != "" || f[0].Field("ngap.procedureCode") != "20" || f[0].Field("ngap.id") != "15,88" {
		t.Errorf("a good NG Reset: %+v", f[0])
	}
	if !f[1].Malformed {
		t.Errorf("a broken NG Reset passed: %+v", f[1])
	}
	if f[2].Malformed || f[2].Field("ngap.id") != "9999" {
		t.Errorf("a fragmented Error Indication: %+v", f[2])
	}
}
