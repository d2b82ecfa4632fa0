package tshark

import "testing"

// What is cut off is malformed; what is merely not as it should be has an expert
// message, and is not.
func TestMalformedIsTold(t *testing.T) {
	fs := Dissect(t, [][]byte{
		UnitData(0, []byte{0x22, 0x04, 0x8f, 0}),    // BVC-RESET, cut within its first IE
		UnitData(0, []byte{0x22, 0x04, 0x82, 0, 0}), // without a cause
		{0x0a}, // NS-ALIVE
	})
	for i, want := range []struct{ malformed, expert bool }{{true, true}, {false, true}, {false, false}} {
		if f := fs[i]; f.Malformed != want.malformed || (f.Expert != "") != want.expert {
			t.Errorf("frame %d: %+v, want %+v", i, f, want)
		}
	}
}
