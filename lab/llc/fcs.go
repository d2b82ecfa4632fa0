package llc

// generator is the CRC-24 polynomial of 5.5a with the lowest power in the
// highest bit: x^24+x^23+x^21+x^20+x^19+x^17+x^16+x^15+x^13+x^8+x^7+x^5+x^4+x^2+1.
const generator = 0xad85dd

// crcTable holds the remainders of single octets.
var crcTable = func() (t [256]uint32) {
	for i := range t {
		r := uint32(i)
		for range 8 {
			low := r & 1
			r >>= 1
			if low != 0 {
				r ^= generator
			}
		}
		t[i] = r
	}
	return t
}()

// FCS returns the frame check sequence over b (5.5a): the ones' complement of
// the remainder that begins with all ones, as it stands in the frame.
func FCS(b []byte) [3]byte {
	r := uint32(0xffffff)
	for _, x := range b {
		r = r>>8 ^ crcTable[byte(r)^x]
	}
	r = ^r
	return [3]byte{byte(r), byte(r >> 8), byte(r >> 16)}
}
