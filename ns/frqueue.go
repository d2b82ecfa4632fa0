package ns

import (
	"encoding/binary"

	"poolgw/ns/fr"
)

// flushFrames sends what the loop has queued on a line. When the device has no
// room, user data is dropped and the rest waits: the LMI before signalling.
func (s *Stack) flushFrames(b *bind) {
	q := &b.out
	done, err := 0, error(nil)
	for done < q.n && err == nil {
		n, werr := b.conns[0].WriteBatch(q.msgs[done:q.n])
		for _, v := range q.vcs[done : done+n] {
			if v != nil {
				v.traffic[s.workers].sent(q.msgs[done].N)
			}
			done++
		}
		if err = werr; n == 0 {
			break
		}
	}
	if _, busy := err.(*BusyError); busy {
		s.timers.set(&b.fr.retry, s.now().Add(retryPeriod))
		q.keepUrgent(b, done, s.workers, int(s.txMax.Load()))
		return
	}
	q.drop(b, done, q.n, s.workers)
	q.empty()
}

// keepUrgent moves what may not be lost to the front of the queue, the LMI
// first, at most room messages; the rest from done on is dropped.
func (q *outQueue) keepUrgent(b *bind, done, row, room int) {
	kept := 0
	for _, class := range []func(m *Message) bool{isManagement, isSignalling} {
		for i := max(done, kept); i < q.n && kept < room; i++ {
			if !class(&q.msgs[i]) {
				continue
			}
			q.moveTo(kept, i)
			kept++
			done = max(done, kept)
		}
	}
	q.drop(b, done, q.n, row)
	clear(q.vcs[kept:q.n])
	q.n = kept
}

// isManagement tells the LMI.
func isManagement(m *Message) bool { return m.Addr.Port() == fr.LMI }

// isSignalling tells NS control and BVCI 0.
func isSignalling(m *Message) bool {
	return !isManagement(m) &&
		(PDUType(m.Buf[0]) != PDUUnitdata || m.N < unitdataHeader || binary.BigEndian.Uint16(m.Buf[2:]) == 0)
}

// moveTo moves message from to place to; those between move up.
func (q *outQueue) moveTo(to, from int) {
	m, v := q.msgs[from], q.vcs[from]
	copy(q.msgs[to+1:from+1], q.msgs[to:from])
	copy(q.vcs[to+1:from+1], q.vcs[to:from])
	q.msgs[to], q.vcs[to] = m, v
}

// drop counts messages that go no further.
func (q *outQueue) drop(b *bind, from, to, row int) {
	for i := from; i < to; i++ {
		b.drops[row].add(DropTransmit)
		if v := q.vcs[i]; v != nil {
			v.traffic[row].dropped(q.msgs[i].N)
		}
	}
}
