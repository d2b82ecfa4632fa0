package gb_test

import (
	"fmt"
	"testing"
)

const imsiIE = "0d88 1900010000000010"

const imsiDigits = "100100000000001" // what it says, by hand

// paging makes a PAGING-PS or -CS (TS 48.018 10.3.1, 10.3.2) with an area IE.
func paging(cs bool, area string) string {
	if cs {
		return "07" + imsiIE + "0a820001" + area
	}
	return "06" + imsiIE + area + "1883000080"
}

// Facts: G5.4-08, G5.4-09, G5.4-10, G5.4-11, G5.4-13, U-08
func TestPagingOnSIG(t *testing.T) {
	areas := []struct {
		name, ie string
		to       []uint16
		drop     string
	}{
		{"BSS area", "02810f", []uint16{2001, 2002, 2003}, ""},
		{"LAC of all", "108562f224334f", []uint16{2001, 2002, 2003}, ""},
		{"LAC of one BSS, two cells", "108562f22433f4", []uint16{2003}, ""},
		{"LAC unknown", "108562f2249999", nil, "unknown_lai"},
		{"RAC of one", "1b8662f224334f00", []uint16{2001}, ""},
		{"RAC of two", "1b8662f224334f01", []uint16{2002, 2003}, ""},
		{"RAC twice in one", "1b8662f22433f400", []uint16{2003}, ""},
		{"RAC unknown", "1b8662f224334f77", nil, "unknown_rai"},
		{"PLMN unknown", "1b8662f225334f00", nil, "unknown_rai"},
		{"BVCI", "04824e2b", []uint16{2001}, ""},
		{"BVCI unknown", "04828235", nil, "unknown_bvci_ie"},
	}
	suite(t, config(2), func(b *bed) {
		for _, a := range areas {
			for _, cs := range []bool{false, true} {
				pdu := paging(cs, a.ie)
				before := b.snapshot().Drops[a.drop]
				b.at(101).sig(pdu)
				for _, nsei := range a.to {
					b.at(nsei).want("0:" + pdu)
				}
				b.wantIdle() // no STATUS either
				if a.drop != "" && b.snapshot().Drops[a.drop] != before+1 {
					t.Errorf("%s: not counted as %s", a.name, a.drop)
				}
			}
		}
	})
}

// On a PTP BVC a paging goes to that cell, whatever area it names.
// Facts: G5.3-02, G5.3-05
func TestPagingOnPTP(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, area := range []string{"02810f", "108562f2249999", "1b8662f224334f01", "04828235"} {
			for _, cs := range []bool{false, true} {
				b.at(102).send(20011, paging(cs, area))
				b.at(2001).want(at(20011, paging(cs, area)))
				b.wantIdle()
			}
		}
	})
}

// Facts: G5.1-11, G5.1-12, G5.2-10, G5.2-11, G5.3-02, G5.4-12, U-06
func TestPagingAnswers(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		reject := "11" + imsiIE + "93820001"
		b.at(2001).sig(reject)
		b.wantDrop("no_cache_entry", 1)
		b.wantIdle()
		for _, nsei := range []uint16{101, 102} {
			b.at(nsei).sig(paging(false, "04824e2b"))
			b.clear()
			b.at(2001).sig(reject)
			b.at(nsei).want("0:" + reject)
			b.at(nsei).send(20011, paging(false, "04824e2b"))
			b.clear()
			b.at(2001).send(20011, reject)
			b.at(nsei).want(at(20011, reject))
			dummy, response := "12"+imsiIE, "13"+imsiIE+"93820001"
			b.at(nsei).sig(dummy)
			for _, bss := range []uint16{2001, 2002, 2003} {
				b.at(bss).want("0:" + dummy)
			}
			b.at(2003).sig(response)
			b.at(nsei).want("0:" + response)
			b.wantIdle()
		}
	})
}

// Facts: G5.2-03, G5.4-19, G5.4-20
func TestSuspendResume(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for i, nsei := range []uint16{101, 102} {
			id := fmt.Sprintf("1f84%08x1b8662f224334f00", tlliOf(uint32(3+i), 9))
			for _, c := range [][2]string{{"0b" + id, "0c" + id + "1d8101"}, {"0b" + id, "0d" + id},
				{"0e" + id + "1d8101", "0f" + id}, {"0e" + id + "1d8101", "10" + id}} {
				b.at(2002).sig(c[0])
				b.at(nsei).want("0:" + c[0])
				b.at(nsei).sig(c[1])
				b.at(2002).want("0:" + c[1])
				b.wantIdle()
				b.at(nsei).sig(c[1]) // once: STATUS "invalid mandatory information"
				b.at(nsei).want(fmt.Sprintf("0:41078121 15%02x%s", 0x80|len(c[1])/2, c[1]))
			}
		}
	})
}
