package n2

import (
	"errors"
	"sync/atomic"
	"time"

	"poolgw/ngap"
	"poolgw/sctp"
)

// What a transport does not take at once stands in a queue of its link, in order.
// The queue of a gNB that is high makes the AMFs of this gNB wait and keeps new UEs
// out; that of an AMF makes new UEs go elsewhere. Beyond its bounds the UE whose
// PDU found no room is released; a peer that takes nothing for stallPatience
// loses its association.

// rank says which PDUs give way first when a peer is slow.
type rank uint8

const (
	spare rank = iota // an AMF pages again; an Error Indication ends nothing
	usual
	needed // what somebody waits for, or what ends something
)

func rankOf(pdu []byte) rank {
	switch c := classIn(pdu); {
	case c == ClassAnswer || c == ClassRelease:
		return needed
	case c != ClassOther || len(pdu) < 2:
		return usual
	}
	switch ngap.Code(pdu[1]) {
	case ngap.CodePaging, ngap.CodeMulticastGroupPaging, ngap.CodeErrorIndication:
		return spare
	}
	return usual
}

// Octets that may stand in the queue of a link, beyond what the transport
// buffers.
const (
	highQueue = 1 << 20  // from here on back-pressure, and no new UEs
	fairQueue = 16 << 10 // each link may have so many, however long the others' queues are
	perPDU    = 64       // what one takes beside its own
)

var queueRoom = [...]int{spare: highQueue / 4, usual: 4 << 20, needed: 5 << 20}

// backlog is what stands in all queues together.
type backlog struct {
	octets atomic.Int64
	most   atomic.Int64 // limits ngap-queue
	hits   atomic.Uint64
}

type queued struct {
	stream uint16
	data   []byte
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
	if !l.fits(len(data)+perPDU, rankOf(data)) {
		return false, false
	}
	l.queue = append(l.queue, queued{stream, append([]byte(nil), data...)})
	l.count(len(data) + perPDU)
	return false, true
}

// fits reports whether n octets more may stand in the queue.
func (l *link) fits(n int, r rank) bool {
	switch {
	case l.octets+n > queueRoom[r]:
		return false
	case l.octets+n <= fairQueue:
		return true
	}
	most := l.all.most.Load()
	if r == needed {
		most += most / 4
	}
	if l.all.octets.Load()+int64(n) > most {
		l.all.hits.Add(1)
		return false
	}
	return true
}

func (l *link) count(n int) {
	l.octets += n
	l.all.octets.Add(int64(n))
}

// high reports that the queue asks for back-pressure.
func (l *link) high() bool {
	return l.octets >= highQueue || l.octets > fairQueue && l.all.octets.Load() > l.all.most.Load()
}

// flush sends from the queue what the transport takes, and returns how many it
// took, and which it never will.
func (l *link) flush() (sent int, refused perClass) {
	n := 0
	for ; n < len(l.queue); n++ {
		q := l.queue[n]
		err := l.assoc.Send(sctp.Message{Stream: q.stream, PPID: sctp.PPIDNGAP, Data: q.data})
		if errors.Is(err, sctp.ErrTooLong) || errors.Is(err, sctp.ErrStream) {
			refused[classIn(q.data)]++ // it would stand in the way of all that follow
		} else if err != nil {
			break
		} else {
			sent++
		}
		l.count(-len(q.data) - perPDU)
	}
	rest := copy(l.queue, l.queue[n:])
	clear(l.queue[rest:])
	l.queue = l.queue[:rest]
	if rest == 0 {
		l.queue = nil // it may have been long
	}
	l.flushed += uint64(n)
	return sent, refused
}

// discard forgets the queue, and returns what stood there.
func (l *link) discard() (n perClass) {
	for _, q := range l.queue {
		n[classIn(q.data)]++
	}
	l.count(-l.octets)
	l.queue = nil
	return n
}

// stallPatience is how long a peer may take nothing.
const stallPatience = 30 * time.Second

// watch ends the association of a peer that takes nothing of what stands in its
// queue.
func (g *gnb) watch(k *link) {
	if k.watched {
		return
	}
	k.watched = true
	flushed := k.flushed
	g.timers.set(k, g.gw.clock(), stallPatience, func(now time.Time) {
		k.watched = false
		switch {
		case k.closed || len(k.queue) == 0:
		case k.flushed != flushed:
			g.watch(k)
		default:
			g.stalled(k, now)
		}
	})
}

func (g *gnb) stalled(k *link, now time.Time) {
	g.gw.counters.stalled.Add(1)
	if k.leg != nil {
		g.legLost(k.leg, errStalled, now)
		return
	}
	g.gw.counters.lostGNBs.Add(1)
	g.slog.Warn("the gNB takes nothing any more: association ended", "name", g.node.name, "queued", len(k.queue))
	g.abort = errStalled.Error()
	g.state = gnbGone
}
