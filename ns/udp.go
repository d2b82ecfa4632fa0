package ns

import (
	"fmt"
	"log/slog"
	"net/netip"
	"sync/atomic"
)

// KernelUDP is the Network of the operating system: Frame Relay (line_linux.go,
// gre_linux.go), and UDP over IPv4 and IPv6,
// one socket per worker, the kernel sharing the peers out among them
// (SO_REUSEPORT, by a hash of both addresses: one peer stays with one worker).
//
// An address is had exclusively or not at all. SO_REUSEPORT alone would let a
// second instance of the same user join the group and take away half of the
// peers without a word. Therefore the first socket of a bind is bound without
// it, which fails if anyone at all has the address, as that very address or as
// part of the unspecified one, and only then shares its port with the bind's
// other sockets. Since every instance begins so, whoever comes second fails as
// long as one socket of the first is open; the kernel ends the lock when the
// process dies, in whatever way. (What can still join is another program of the
// same user that asks for SO_REUSEPORT on that very address.)
type KernelUDP struct {
	// Log gets what does not stop a bind: a DSCP, priority or buffer size
	// that the kernel refuses. Nil: nothing is said.
	Log *slog.Logger
}

// udpBatch is how many datagrams one system call moves at most.
const udpBatch = 64

// SocketError tells which step on which address failed; Err is the errno.
type SocketError struct {
	Step string // "bind socket", …
	Addr netip.AddrPort
	Err  error
}

func (e *SocketError) Error() string {
	return fmt.Sprintf("unable to %s: %s: %v", e.Step, e.Addr, e.Err)
}

func (e *SocketError) Unwrap() error { return e.Err }

// Dropper is what a Conn may offer besides: what it had to drop, by reason,
// since it was opened. It may be called from any goroutine.
type Dropper interface {
	Dropped(each func(reason string, n uint64))
}

// udpDrop is a reason of a kernel Conn to drop a datagram.
type udpDrop uint8

const (
	dropTruncated   udpDrop = iota // received, longer than its buffer
	dropReceive                    // the socket gave an error instead of a datagram
	dropQueueFull                  // the send queue stayed full
	dropAddress                    // no address, or one of the other IP version
	dropTooLong                    // EMSGSIZE
	dropUnreachable                // no route, host or port
	dropRefused                    // EPERM, EACCES: a packet filter
	dropSend                       // any other error
	udpDrops        = iota
)

var udpDropNames = [udpDrops]string{"udp_truncated", "udp_receive_error", "udp_send_queue_full", "udp_bad_address",
	"udp_too_long", "udp_unreachable", "udp_refused", "udp_send_error"}

// udpReceiveQueueFull is the reason of what the kernel dropped for us.
const udpReceiveQueueFull = "udp_receive_queue_full"

// udpCounters are counted by reader and writers at once.
type udpCounters [udpDrops]atomic.Uint64

func (c *udpCounters) add(d udpDrop, n int) { c[d].Add(uint64(n)) }

func (c *udpCounters) each(f func(reason string, n uint64)) {
	for i := range c {
		f(udpDropNames[i], c[i].Load())
	}
}
