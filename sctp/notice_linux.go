//go:build amd64 || arm64

package sctp

import "encoding/binary"

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
