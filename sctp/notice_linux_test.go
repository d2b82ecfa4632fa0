//go:build amd64 || arm64

package sctp

import (
	"bytes"
	"testing"
)

// FuzzNotice: whatever a kernel writes is read within its bounds.
func FuzzNotice(f *testing.F) {
	f.Add([]byte{1, 0x80, 0, 0, 20, 0, 0, 0, 1, 0, 12, 0, 10, 0, 10, 0, 1, 0, 0, 0, 0, 12, 0, 8, 'b', 'y', 'e', '!'})
	f.Add(append([]byte{2, 0x80, 0, 0, 148, 0, 0, 0, 2, 0, 0x96, 0x0c, 192, 0, 2, 1}, make([]byte, 132)...))
	f.Add(append([]byte{3, 0x80, 0, 0, 52, 0, 0, 0}, make([]byte, 44)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, ok := parseNotice(b)
		if !ok {
			return
		}
		if _, reason := abortCause(n.abort); len(reason) > 128 {
			t.Errorf("%d octets of the peer's words", len(reason))
		}
	})
}

// Octets of an ABORT as RFC 9260 clause 3.3.10.12 has them.
func TestAbortCause(t *testing.T) {
	for _, c := range []struct {
		in, reason string
		code       uint16
	}{
		{"\x00\x0c\x00\x09bye!!", "bye!!", 12},
		{"\x06\x00\x00\x0d\x00\x0c\x00\x09bye!!", "bye!!", 12}, // with the chunk's header
		{"\x00\x0c\xff\xff..", "", 12},
		{"\x00\x0d\x00\x07no\x00", "no", 13},
		{"\x00\x03\x00\x08\x00\x00\x00\x00", "", 3},
		{"\x06\x01\x00\x04", "", 0}, // an ABORT that says nothing
		{"\x00\x0c", "", 0},
	} {
		if code, reason := abortCause([]byte(c.in)); code != c.code || reason != c.reason {
			t.Errorf("%q: got %d %q", c.in, code, reason)
		}
	}
}

// Messages are whole whatever pieces they come in, and long ones are dropped
// whole.
func FuzzAssembler(f *testing.F) {
	f.Add([]byte{3, 0, 200, 1, 7, 1}, uint16(100))
	f.Fuzz(func(t *testing.T, pieces []byte, most uint16) {
		a := assembler{most: int(most)}
		var want []byte
		for i := 0; i+1 < len(pieces); i += 2 {
			part := bytes.Repeat([]byte{byte(i)}, int(pieces[i])*16)
			for first := true; first || len(part) > 0; first = false {
				space := a.space()
				if len(space) == 0 || cap(a.buf) > int(most)+1 {
					t.Fatalf("%d octets of space, %d kept, at most %d wanted", len(space), cap(a.buf), most)
				}
				n := copy(space, part)
				want, part = append(want, part[:n]...), part[n:]
				end := len(part) == 0 && pieces[i+1]&1 != 0
				m, tooLong, done := a.add(n, end)
				if done != end {
					t.Fatal("not done at the end")
				}
				if !done {
					continue
				}
				if tooLong != (len(want) > int(most)) || !tooLong && !bytes.Equal(m, want) {
					t.Fatalf("%d octets came as %d, too long: %v", len(want), len(m), tooLong)
				}
				want = want[:0]
			}
		}
	})
}
