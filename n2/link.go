package n2

import (
	"log/slog"
	"sync"

	"poolgw/sctp"
)

// link is one association as the owner of a gNB sees it: the gNB's, or one to an
// AMF. It sends without waiting: what the transport does not take now stands in
// a queue.
type link struct {
	assoc   sctp.Assoc
	over    string // the transport's name
	leg     *leg   // nil: the gNB's
	all     *backlog
	queue   []queued
	octets  int    // in queue
	flushed uint64 // PDUs that left the queue, ever
	watched bool   // for a stall
	down    bool   // the association has ended; its reader will say so
	closed  bool   // the owner has let go of it
	streams uint16
	done    chan struct{} // closed when the owner lets go of it
}

// inbound is what a reader gives to the owner, who releases it.
type inbound struct {
	link  *link
	event sctp.Event // Data: in b
	b     []byte
	err   error // the association is down
	large chan struct{}
}

// Bounds of what waits for one owner: small messages by the places of its
// channels, of larger ones so many.
const (
	smallMessage = 4096
	maxLarge     = 4
)

var inbounds = sync.Pool{New: func() any { return new(inbound) }}

// release gives in back to the readers.
func (in *inbound) release() {
	if in.large != nil {
		<-in.large
	}
	if cap(in.b) > smallMessage {
		return
	}
	*in = inbound{b: in.b[:0]}
	inbounds.Put(in)
}

// inbox is where readers leave what came, and owners take it.
type inbox struct {
	c     chan *inbound
	large chan struct{} // one place for each large message that waits
}

func newInbox(places int) inbox {
	return inbox{make(chan *inbound, places), make(chan struct{}, maxLarge)}
}

// read gives what comes on l to the owner until l ends.
func (l *link) read(to inbox) {
	for {
		ev, err := l.assoc.Recv()
		in := inbounds.Get().(*inbound)
		if err == nil && ev.Kind == sctp.Data {
			if len(ev.Data) > smallMessage {
				select {
				case to.large <- struct{}{}:
					in.large = to.large
				case <-l.done:
					return
				}
			}
			in.b = append(in.b[:0], ev.Data...)
		}
		ev.Data = nil
		in.link, in.event, in.err = l, ev, err
		select {
		case to.c <- in:
		case <-l.done:
			in.release()
			return
		}
		if err != nil {
			return
		}
	}
}

// attr names the other end in the log.
func (l *link) attr() slog.Attr {
	if l.leg != nil {
		return slog.String("amf", l.leg.m.String())
	}
	return slog.String("peer", l.assoc.Remote().String())
}
