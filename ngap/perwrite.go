package ngap

import (
	"encoding/binary"
	"math/bits"
)

// writer appends aligned PER (X.691) to octets.
type writer struct {
	b    []byte
	free int // unused bits of the last octet
}

// bits appends the low n bits of v.
func (w *writer) bits(v uint32, n int) {
	if n <= w.free { // most are flags, all in one octet
		w.free -= n
		w.b[len(w.b)-1] |= byte(v) & byte(1<<n-1) << w.free
		return
	}
	for n > 0 {
		if w.free == 0 {
			w.b, w.free = append(w.b, 0), 8
		}
		put := min(w.free, n)
		o := byte(v>>(n-put)) & byte(1<<put-1)
		w.b[len(w.b)-1] |= o << (w.free - put)
		w.free, n = w.free-put, n-put
	}
}

func (w *writer) bit(v bool) {
	if v {
		w.bits(1, 1)
	} else {
		w.bits(0, 1)
	}
}

func (w *writer) align() { w.free = 0 }

func (w *writer) octets(v []byte) {
	w.align()
	w.b = append(w.b, v...)
}

// bitString appends the first n bits of v, aligned.
func (w *writer) bitString(v []byte, n int) {
	w.octets(v[:n/8])
	if r := n % 8; r > 0 {
		w.bits(uint32(v[n/8]>>(8-r)), r)
	}
}

func (w *writer) uint16(v int) {
	w.align()
	w.b = append(w.b, byte(v>>8), byte(v))
}

// integer appends a number in as few octets as it needs, after their count less
// one in lenBits bits (11.5.7.4).
func (w *writer) integer(v uint64, lenBits int) {
	n := max(1, (bits.Len64(v)+7)/8)
	w.bits(uint32(n-1), lenBits)
	w.align()
	var o [8]byte
	binary.BigEndian.PutUint64(o[:], v)
	w.b = append(w.b, o[8-n:]...)
}

// enum appends a value of an extensible ENUMERATED (14.3).
func (w *writer) enum(v, root uint32, n int) {
	w.bit(v >= root)
	if v < root {
		w.bits(v, n)
		return
	}
	w.small(v - root)
}

// small appends a normally small number (11.6).
func (w *writer) small(v uint32) {
	w.bit(v > 63)
	if v <= 63 {
		w.bits(v, 6)
		return
	}
	n := 1
	for n < 4 && v>>(8*n) != 0 {
		n++
	}
	w.octets([]byte{byte(n)})
	for n--; n >= 0; n-- {
		w.b = append(w.b, byte(v>>(8*n)))
	}
}

// printable appends a PrintableString (SIZE(1..150,...)), cut to 150 octets. An
// empty one can't be written; it becomes "-".
func (w *writer) printable(s []byte) {
	if len(s) == 0 {
		s = []byte("-")
	}
	s = s[:min(len(s), 150)]
	w.bit(false)
	w.bits(uint32(len(s)-1), 8)
	w.octets(s)
}

// unbounded appends octets with their length determinant.
func (w *writer) unbounded(v []byte) {
	w.align()
	w.b = appendUnbounded(w.b, v)
}

// appendUnbounded appends a length determinant and v, in fragments from 16384
// octets on (11.9.3.8): the largest first, and a last one below 16384, even
// when it is empty.
func appendUnbounded(b, v []byte) []byte {
	for len(v) >= fragment {
		m := min(len(v)/fragment, 4)
		b = append(append(b, 0xc0|byte(m)), v[:m*fragment]...)
		v = v[m*fragment:]
	}
	if len(v) < 0x80 {
		b = append(b, byte(len(v)))
	} else {
		b = append(b, 0x80|byte(len(v)>>8), byte(len(v)))
	}
	return append(b, v...)
}

// unboundedSize is how many octets appendUnbounded appends for n.
func unboundedSize(n int) int {
	size := n
	for n >= fragment {
		n -= min(n/fragment, 4) * fragment
		size++
	}
	if n >= 0x80 {
		return size + 2
	}
	return size + 1
}
