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

// noticeBuffer makes notifications whole that a socket gives in pieces: the
// space that a message half come leaves may be a few octets.
type noticeBuffer struct{ buf []byte }

// mostNotice bounds a notification; the longest one carries a lost message,
// of which no more is kept.
const mostNotice = 1<<18 + 256

// add takes what was read; the whole notification at its last piece, else nil.
// It is valid until the next call, or, when it came at once, as long as piece.
func (b *noticeBuffer) add(piece []byte, last bool) []byte {
	if last && len(b.buf) == 0 {
		return piece
	}
	b.buf = append(b.buf, piece[:min(len(piece), mostNotice-len(b.buf))]...)
	if !last {
		return nil
	}
	whole := b.buf
	b.buf = b.buf[:0]
	if cap(b.buf) > keptBuffer {
		b.buf = nil
	}
	return whole
}
