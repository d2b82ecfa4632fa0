package n2

import (
	"errors"
	"log/slog"
	"sync"

	"poolgw/sctp"
)

// link is one association as the owner of a gNB sees it: the gNB's, or one to an
// AMF. It sends without waiting: what the transport does not take now stands in
// a queue.
type link struct {
	assoc   sctp.Assoc
	leg     *leg // nil: the gNB's
	queue   []queued
	octets  int  // in queue
	down    bool // the association has ended; its reader will say so
	streams uint16
	done    chan struct{} // closed when the owner lets go of it
}

type queued struct {
	stream uint16
	data   []byte
}

// Bounds of a link's queue, beyond what the transport buffers.
const (
	maxQueue  = 4 << 20 // octets
	highQueue = 1 << 20 // from here on back-pressure, and no new UEs
)

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

// send takes data, which the caller may use again. False: neither the transport
// nor the queue had room, or the association is down.
func (l *link) send(stream uint16, data []byte) (sent, taken bool) {
	if stream >= l.streams {
		stream = 0
	}
	if len(l.queue) == 0 {
		err := l.assoc.Send(sctp.Message{Stream: stream, PPID: sctp.PPIDNGAP, Data: data})
		if err == nil {
			return true, true
		}
		if _, down := sctp.CauseOf(err); down {
			l.down = true
		}
		if !errors.Is(err, sctp.ErrFull) {
			return false, false
		}
	}
	if l.octets+len(data) > maxQueue {
		return false, false
	}
	l.queue = append(l.queue, queued{stream, append([]byte(nil), data...)})
	l.octets += len(data)
	return false, true
}

// flush sends from the queue what the transport takes, and returns how many it
// took, and how many it never will.
func (l *link) flush() (sent, refused int) {
	n := 0
	for ; n < len(l.queue); n++ {
		q := l.queue[n]
		err := l.assoc.Send(sctp.Message{Stream: q.stream, PPID: sctp.PPIDNGAP, Data: q.data})
		if errors.Is(err, sctp.ErrTooLong) || errors.Is(err, sctp.ErrStream) {
			refused++ // it would stand in the way of all that follow
		} else if err != nil {
			break
		} else {
			sent++
		}
		l.octets -= len(q.data)
	}
	rest := copy(l.queue, l.queue[n:])
	clear(l.queue[rest:])
	l.queue = l.queue[:rest]
	return sent, refused
}

// high reports that the queue asks for back-pressure.
func (l *link) high() bool { return l.octets >= highQueue }

// attr names the other end in the log.
func (l *link) attr() slog.Attr {
	if l.leg != nil {
		return slog.String("amf", l.leg.m.String())
	}
	return slog.String("peer", l.assoc.Remote().String())
}
