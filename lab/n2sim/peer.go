package n2sim

import (
	"errors"
	"sync"
	"sync/atomic"

	"poolgw/sctp"
)

// maxQueue bounds what waits for a full send buffer, in messages.
const maxQueue = 1 << 16

// peer is one association with what waits to be sent.
type peer struct {
	assoc     sctp.Assoc
	streams   uint16
	got, sent atomic.Uint64 // NGAP PDUs; sent: taken by the transport

	mu    sync.Mutex
	queue []sctp.Message
	lost  uint64 // could not be sent
}

func newPeer(a sctp.Assoc) *peer {
	p := &peer{assoc: a, streams: max(a.Stats().OutStreams, 2)}
	a.OnWritable(func() { go p.flush() }) // another goroutine: the stack may hold its locks
	return p
}

// send sends a PDU after those that wait.
func (p *peer) send(stream uint16, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := sctp.Message{Stream: stream, PPID: sctp.PPIDNGAP, Data: data}
	if len(p.queue) > 0 || !p.try(m) {
		p.wait(m)
	}
}

func (p *peer) wait(m sctp.Message) {
	if len(p.queue) >= maxQueue {
		p.lost++
		return
	}
	p.queue = append(p.queue, m)
}

// try tells that m need not wait: it went, or can't go at all.
func (p *peer) try(m sctp.Message) bool {
	switch err := p.assoc.Send(m); {
	case err == nil:
		p.sent.Add(1)
	case errors.Is(err, sctp.ErrFull):
		return false
	default:
		p.lost++
	}
	return true
}

func (p *peer) flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) > 0 && p.try(p.queue[0]) {
		p.queue = p.queue[1:]
	}
}

// read gives every PDU to f until the association ends.
func (p *peer) read(f func(stream uint16, data []byte)) error {
	for {
		ev, err := p.assoc.Recv()
		if err != nil {
			return err
		}
		if ev.Kind == sctp.Data {
			p.got.Add(1)
			f(ev.Stream, append([]byte(nil), ev.Data...))
		}
	}
}

// streamOf is the stream of a UE: never that of what belongs to no UE (TS 38.412,
// clause 7).
func (p *peer) streamOf(ran uint32) uint16 { return 1 + uint16(ran%uint32(p.streams-1)) }
