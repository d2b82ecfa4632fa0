package cli

import (
	"testing"

	"poolgw/nri"
)

// NULL-NRIs are given singly and as ranges, of every network and of single ones,
// in whatever order, and taken away again.
func TestNullNRIForms(t *testing.T) {
	c := loaded(t, `
gbproxy
 nri null add 7
 nri null add 0
 nri null add 20 29
 nri null add 8 9
 nri null del 24 25
 nri null add 3 plmn 262 42
 nri null add 5 6 plmn 262 42
 nri null add 3 plmn 001 001
 nri null del 5 plmn 262 42
 nri null add 1 plmn 901 70
 nri null del 1 plmn 901 70
`)
	if got := c.Gb.Null.Any.String(); got != "0,7-9,20-23,26-29" {
		t.Errorf("of every network: %s", got)
	}
	home, guest := nri.PLMN{0x62, 0xF2, 0x24}, nri.PLMN{0x00, 0x11, 0x00}
	if p := c.Gb.Null.PLMNs(); len(p) != 2 || c.Gb.Null.Of(home).String() != "3,6" || c.Gb.Null.Of(guest).String() != "3" {
		t.Errorf("of single ones: %v", c.Gb.Null)
	}
}
