package gb_test

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"poolgw/gb"
)

// FuzzGateway sends sequences of PDUs to a whole gateway, from a BSS and an
// SGSN, on BVCs that are there and such that are not. Whatever came, it lives,
// its tables stay within their bounds, and it routes when the BSS begins anew.
//
// The input is a list of records: who and on which BVC (1 octet), length (1
// octet), PDU.
func FuzzGateway(f *testing.F) {
	f.Add(seed("00", "2204824e2b0781080888"+cell20011.id, "04", ul(tlliOf(3, 1), cell20011, "0102")))
	f.Add(seed("04", "26 1e8101 05820066 038200c8 0182000a 1c82000a", "01", "2204824e2b078104", "05", "271e8101"))
	f.Add(seed("01", paging(false, "04824e2b"), "00", "11"+imsiIE+"93820001", "00", "11"+imsiIE+"93820001"))
	f.Add(seed("00", "0b1f84c01800011b8662f224334f00", "01", "0c1f84c01800011b8662f224334f001d8101"))
	f.Add(seed("01", "2a1f84c018000104824e2b04828235", "00", "4107810504824e2b158101", "01", "41078120158101"))
	f.Add(seed("01", "220482000007810a", "01", "2204824e2b078104", "00", "2004824e2b078101", "00", "2404824e2b"))
	var every []byte
	for _, r := range gb.Routing() {
		who := uint8(r.Direction()) | uint8(r.Kind())<<2
		every = append(every, seed(hex.EncodeToString([]byte{who}), minimal(r))...)
	}
	f.Add(every)
	f.Fuzz(func(t *testing.T, in []byte) {
		c := config(2)
		c.Limits.BVCs, c.Limits.CacheEntries = 16, 16
		run(t, c, func(b *bed) {
			bss := b.bss(2001, cell20011)
			for n := 0; len(in) >= 2 && n < 128; n++ {
				who := in[0]
				size := min(int(in[1]), len(in)-2)
				p := b.all[[4]int{2, 0, 2, 1}[who&3]] // BSS, SGSN 101, BSS, SGSN 102
				p.put([4]uint16{0, 20011, 20012, 1}[who>>2&3], hex.EncodeToString(in[2:2+size]))
				in = in[2+size:]
			}
			b.clear()
			s := b.snapshot()
			if len(s.Cells) > 16 || len(s.TLLIs) > 16 || len(s.IMSIs) > 16 || len(s.BSSs) != 1 {
				t.Errorf("%d cells, %d and %d cache entries, %d BSSs", len(s.Cells), len(s.TLLIs), len(s.IMSIs), len(s.BSSs))
			}
			bss.reset(cell20011)
			time.Sleep(time.Minute)
			b.clear()
			pdu := ul(tlliOf(3, 1), cell20011, "01")
			bss.send(20011, pdu)
			b.at(101).want(at(20011, pdu))
		})
	})
}

// seed makes an input of pairs of who and PDU, both hex.
func seed(records ...string) (in []byte) {
	for i := 0; i < len(records); i += 2 {
		who, _ := hex.DecodeString(records[i])
		pdu, err := hex.DecodeString(strings.ReplaceAll(records[i+1], " ", ""))
		if err != nil {
			panic(err)
		}
		in = append(append(in, who[0], byte(len(pdu))), pdu...)
	}
	return in
}
