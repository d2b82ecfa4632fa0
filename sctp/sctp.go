package sctp

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// Payload protocol identifiers of TS 38.412 clause 7.
const (
	PPIDNGAP     = 60
	PPIDNGAPDTLS = 66
)

// Transport opens associations over one SCTP stack.
type Transport interface {
	// Name is the word of the configuration: kernel, userspace, …
	Name() string
	// Listen takes associations at every address of local. The error wraps
	// syscall.EADDRINUSE, syscall.EADDRNOTAVAIL or syscall.EACCES where it is
	// one of these.
	Listen(local Endpoint, o Options) (Listener, error)
	// Dial opens an association to remote, whose addresses are tried as RFC
	// 9260 clause 5.1.2 says. A local without addresses takes the one that
	// routes to the remote, never all; port 0 takes a free one. It ends with
	// ctx, or with a *Down after o.InitAttempts.
	Dial(ctx context.Context, local, remote Endpoint, o Options) (Assoc, error)
}

// Listener takes associations.
type Listener interface {
	// Accept waits for the next one; net.ErrClosed after Close.
	Accept(ctx context.Context) (Assoc, error)
	Local() Endpoint
	// Close ends the listening, not the associations that were accepted.
	Close() error
}

// Assoc is one association.
type Assoc interface {
	// Recv waits for the next event. Event.Data is valid until the next Recv.
	// The error is a *Down once the association has ended and everything that
	// had come was read, os.ErrDeadlineExceeded, or a wrapped system error. After
	// the *Down, too, Close or Abort gives back the socket and its port.
	Recv() (Event, error)
	// SetRecvDeadline ends a waiting Recv at t; the zero time: never.
	SetRecvDeadline(t time.Time) error
	// Send takes m whole, or returns ErrFull, ErrTooLong, ErrStream or the
	// *Down. It never blocks; m.Data is free for reuse when it returns.
	Send(m Message) error
	// OnWritable sets what is called, from any goroutine, when a Send that
	// returned ErrFull may succeed. Set it before the first Send.
	OnWritable(f func())
	// Close shuts down gracefully (RFC 9260 clause 9.2): what Send took is
	// delivered first; Recv then returns a *Down with LocalClose. It returns
	// at once; a peer that does not answer ends with the time-outs of Options.
	Close() error
	// Abort ends it at once (clause 9.1) with a user-initiated ABORT cause. The
	// peer is told at most 128 octets of the reason, none by Linux's kernel, which
	// takes no words on one-to-one sockets. After Close it ends the shutdown that
	// may still go on.
	Abort(reason string) error
	Local() Endpoint
	Remote() Endpoint
	Stats() Stats
}

// Endpoint is one end of an association.
type Endpoint struct {
	Addrs []netip.Addr
	Port  uint16
}

// At returns the endpoint at addresses a and port p.
func At(p uint16, a ...netip.Addr) Endpoint { return Endpoint{Addrs: a, Port: p} }

// String is 192.0.2.1:38412, or 192.0.2.1/192.0.2.2:38412 with several
// addresses; IPv6 ones stand in brackets.
func (e Endpoint) String() string {
	var b strings.Builder
	for i, a := range e.Addrs {
		if i > 0 {
			b.WriteByte('/')
		}
		if a.Is6() {
			fmt.Fprintf(&b, "[%s]", a)
		} else {
			b.WriteString(a.String())
		}
	}
	if len(e.Addrs) == 0 {
		b.WriteByte('*')
	}
	fmt.Fprintf(&b, ":%d", e.Port)
	return b.String()
}

// Has tells whether a is one of the endpoint's addresses.
func (e Endpoint) Has(a netip.Addr) bool {
	for _, b := range e.Addrs {
		if a == b {
			return true
		}
	}
	return false
}

// Message is one user message, the unit that Send takes and Recv gives.
type Message struct {
	Stream uint16
	PPID   uint32 // as a number; network byte order on the wire
	Data   []byte
}

// EventKind says what Recv returned.
type EventKind uint8

// Kinds of events.
const (
	Data       EventKind = iota // Event.Message
	PathChange                  // Event.Path
	Restart                     // the peer started anew (RFC 9260 clause 5.2.4): what it knew is gone
	SendFailed                  // Event.Message, or a part of it, was taken by Send and never acknowledged
	TooLong                     // a message longer than Options.MaxMessage was discarded
)

func (k EventKind) String() string {
	return nameOf(int(k), "data", "path change", "restart", "send failed", "too long")
}

// Event is what Recv returns.
type Event struct {
	Kind EventKind
	Message
	Path Path
}

// Path is the way to one address of the peer.
type Path struct {
	Addr  netip.Addr
	State PathState
}

// PathState is the state of a path.
type PathState uint8

// States of paths.
const (
	Unconfirmed PathState = iota // no heartbeat acknowledged yet (RFC 9260 clause 5.4)
	Active
	Inactive // more than Options.PathMaxRetrans losses (clause 8.2)
	Removed  // taken off the association (RFC 5061)
)

func (s PathState) String() string {
	return nameOf(int(s), "unconfirmed", "active", "inactive", "removed")
}

func nameOf(i int, names ...string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown %d", i)
}
