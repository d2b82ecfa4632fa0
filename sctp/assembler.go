package sctp

// assembler makes messages whole that a socket gives in pieces. A message
// beyond most is read to its end and dropped.
type assembler struct {
	most int
	buf  []byte
	over bool
}

const (
	firstBuffer = 2048
	keptBuffer  = 16384 // a larger one is given back after its message
)

// space is where the next piece is to be written, never empty.
func (a *assembler) space() []byte {
	switch {
	case a.over:
		a.buf = a.buf[:0]
	case a.buf == nil:
		a.buf = make([]byte, 0, min(firstBuffer, a.most+1))
	case len(a.buf) == cap(a.buf):
		grown := make([]byte, len(a.buf), min(2*cap(a.buf), a.most+1))
		copy(grown, a.buf)
		a.buf = grown
	}
	return a.buf[len(a.buf):cap(a.buf)]
}

// add says that n octets were written to space, end that they complete a
// message: it returns the message, or tooLong, or neither before the end.
// The message is valid until the next call of space.
func (a *assembler) add(n int, end bool) (message []byte, tooLong, done bool) {
	a.buf = a.buf[:len(a.buf)+n]
	if len(a.buf) > a.most {
		a.over = true
	}
	if !end {
		return nil, false, false
	}
	message, tooLong = a.buf, a.over
	a.reset()
	if tooLong {
		return nil, true, true
	}
	return message, false, true
}

// reset forgets a message that will not be completed.
func (a *assembler) reset() {
	a.over = false
	if cap(a.buf) > keptBuffer {
		a.buf = nil
		return
	}
	a.buf = a.buf[:0]
}
