package ns

import (
	"cmp"
	"time"
)

// Buffers are the sizes of a socket's buffers in octets, as asked of the kernel.
type Buffers struct {
	Receive int `json:"receive"`
	Send    int `json:"send"`
}

// Buffered is what a Conn may offer besides: buffers of a size.
type Buffered interface {
	// SetBuffers asks for other sizes; what the kernel gives, Buffers tells.
	SetBuffers(Buffers) error
	Buffers() Buffers
}

// buffers is what a bind's sockets are to have.
func (b *BindConfig) buffers() Buffers {
	return Buffers{int(cmp.Or(b.ReceiveBuffer, DefaultReceiveBuffer)), int(cmp.Or(b.SendBuffer, DefaultSendBuffer))}
}

// setBuffers asks for other buffers on open sockets.
func (b *bind) setBuffers(want Buffers) {
	for _, conn := range b.conns {
		if c, ok := conn.(Buffered); ok {
			_ = c.SetBuffers(want) // "show ns binds" has what the kernel gave
		}
	}
}

// Loser is what a Conn may offer besides: how many datagrams the kernel has
// dropped because its receive buffer was full (what SO_RXQ_OVFL tells). The
// reader calls it; it allocates nothing.
type Loser interface{ Lost() uint64 }

const (
	lossEvery = time.Second      // between looks, while batches are full
	lossTold  = 10 * time.Second // between lines in the log
)

// losses is what a reader knows of its socket's.
type losses struct {
	known      uint64
	next, tell time.Time
}

// look logs what the kernel dropped since the last line. It costs a system call
// a second.
func (l *losses) look(p *Port, conn Conn) {
	c, ok := conn.(Loser)
	if !ok || p.now.Before(l.next) {
		return
	}
	l.next = p.now.Add(lossEvery)
	lost := c.Lost()
	if lost == l.known || p.now.Before(l.tell) {
		return
	}
	p.stack.log.Warn("the kernel dropped datagrams: they came faster than the worker reads. A larger socket-buffer "+
		"holds longer bursts; against a lasting overload only more processors (workers) help", "cat", "lns",
		"bind", p.bind.name, "worker", p.worker, "dropped", lost-l.known)
	l.known, l.tell = lost, p.now.Add(lossTold)
}
