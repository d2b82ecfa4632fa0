package gb_test

import "testing"

// Bits 23 down mean an NRI in local and foreign TLLIs alone (TS 23.003 2.6): a
// random, auxiliary or reserved one with an owner's bits there is spread as one
// that nobody owns.
// Facts: G-03, G-04
func TestTLLIKinds(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, k := range []struct {
			name  string
			top   uint32
			owned bool
		}{{"local", 0xC0000000, true}, {"foreign", 0x80000000, true}, {"random", 0x78000000, false}, {"auxiliary", 0x70000000, false}, {"reserved", 0x60000000, false}} {
			count, before := map[uint16]int{}, b.snapshot().Pool.Reasons
			for i := range uint32(40) {
				count[goesTo(b, k.top|4<<19|i*977&0x7FFFF)]++ // NRI 4: SGSN 102's
			}
			after := b.snapshot().Pool.Reasons
			reason := "no_nri"
			if k.owned {
				reason = "nri"
			}
			if after[reason]-before[reason] != 40 {
				t.Errorf("%s: %d of 40 by %s", k.name, after[reason]-before[reason], reason)
			}
			if k.owned != (count[102] == 40) || count[101]+count[102] != 40 || !k.owned && (count[101] < 8 || count[102] < 8) {
				t.Errorf("%s: %v", k.name, count)
			}
		}
	})
}
