//go:build amd64 || arm64

package sctp

import (
	"encoding/binary"
	"strings"
)

// Notifications of RFC 6458 clause 6.1 as Linux numbers and lays them out.
const (
	noticeAssocChange     = 0x8001
	noticePeerAddrChange  = 0x8002
	noticeSendFailed      = 0x8003
	noticeShutdown        = 0x8005
	noticePartialDelivery = 0x8006
)

// States of noticeAssocChange.
const (
	commUp = iota
	commLost
	restart
	shutdownComplete
	cantStart
)

// notice is a notification; what it is not about is zero.
type notice struct {
	kind  uint16
	state uint16 // of noticeAssocChange
	abort []byte // the error causes of the peer's ABORT
	path  Path
	lost  Message // of noticeSendFailed
}

// parseNotice reads a notification; false when it is cut short. It is given
// what the kernel wrote, in the host's byte order.
func parseNotice(b []byte) (notice, bool) {
	ne := binary.NativeEndian
	if len(b) < 8 {
		return notice{}, false
	}
	n := notice{kind: ne.Uint16(b)}
	switch n.kind {
	case noticeAssocChange:
		if len(b) < 20 {
			return n, false
		}
		n.state, n.abort = ne.Uint16(b[8:]), b[20:]
	case noticePeerAddrChange:
		if len(b) < 8+sizeStorage+8 {
			return n, false
		}
		a, _, _ := parseSockaddr(b[8:])
		n.path = Path{Addr: a, State: pathChange(ne.Uint32(b[8+sizeStorage:]))}
	case noticeSendFailed:
		if len(b) < 48 {
			return n, false
		}
		n.lost = Message{Stream: ne.Uint16(b[12:]), PPID: binary.BigEndian.Uint32(b[20:]), Data: b[48:]}
	}
	return n, true
}

// pathChange translates enum sctp_spc_state: available, unreachable, removed,
// added, made primary, confirmed, potentially failed.
func pathChange(v uint32) PathState {
	switch v {
	case 1:
		return Inactive
	case 2:
		return Removed
	case 3:
		return Unconfirmed
	}
	return Active
}

// abortCause returns the code of the first error cause of an ABORT (RFC 9260
// clause 3.3.10), and its text where it is a user's (12) or a protocol
// violation's (13). The octets may be anything, with the chunk's header or not.
func abortCause(b []byte) (code uint16, reason string) {
	const abortChunk = 6
	if len(b) >= 8 && b[0] == abortChunk {
		b = b[4:]
	}
	if len(b) < 4 {
		return 0, ""
	}
	code = binary.BigEndian.Uint16(b)
	n := int(binary.BigEndian.Uint16(b[2:]))
	if code != 12 && code != 13 || n < 4 || n > len(b) {
		return code, ""
	}
	return code, strings.TrimRight(string(b[4:min(n, 4+128)]), "\x00")
}

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
