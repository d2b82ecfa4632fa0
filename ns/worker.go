package ns

import (
	"encoding/binary"
	"errors"
	"net"
	"time"
)

// readBatch is how many datagrams a worker reads at once.
const readBatch = 64

// read is the life of the goroutine of one worker and bind, or with the number
// behind the workers' of what is no user data: it ends when its socket is closed.
func (s *Stack) read(b *bind, worker int) {
	defer s.wg.Done()
	p := newPort(s, b, worker)
	msgs := make([]Message, readBatch)
	room := make([]byte, readBatch*MaxDatagram)
	for i := range msgs {
		msgs[i].Buf = room[i*MaxDatagram : (i+1)*MaxDatagram : (i+1)*MaxDatagram]
	}
	var lost losses
	for failures := 0; ; {
		n, err := b.conns[worker].ReadBatch(msgs)
		if n > 0 {
			failures = 0
			p.batch(msgs[:n])
			if n == len(msgs) {
				lost.look(p, b.conns[worker])
			}
		}
		if err == nil {
			continue
		}
		failures++
		if errors.Is(err, net.ErrClosed) || !s.backOff(b, failures, err) {
			return
		}
	}
}

// backOff waits longer with every failure in a row, up to a second; false
// when the stack is closed meanwhile.
func (s *Stack) backOff(b *bind, failures int, err error) bool {
	if failures&(failures-1) == 0 {
		s.log.Warn("receiving failed", "cat", "lns", "bind", b.name, "failures", failures, "err", err)
	}
	select {
	case <-s.done:
		return false
	case <-time.After(min(time.Duration(failures)*time.Millisecond, time.Second)):
		return true
	}
}

// batch deals with what was read at once, then sends what came of it.
func (p *Port) batch(msgs []Message) {
	p.now = p.stack.now()
	dir := p.bind.dir.Load()
	for i := range msgs {
		p.receive(dir, &msgs[i])
	}
	p.flush()
	p.handOver()
}

// receive decides one datagram: answered, given to the DataPath, or kept for
// the loop.
func (p *Port) receive(dir *directory, m *Message) {
	dgram := m.Buf[:m.N]
	if len(dgram) == 0 {
		p.drop(DropShort)
		return
	}
	v := dir.find(m.Addr)
	if v == nil {
		p.stranger(dir, m)
		return
	}
	v.traffic[p.worker].received(len(dgram))
	class := DropQueueControl
	switch t := PDUType(dgram[0]); {
	case t == PDUAlive && len(dgram) == 1 && v.answers():
		p.queue(p.bind, v, aliveAck)
		return
	case t == PDUUnitdata:
		if class = p.userData(v, dgram); class == handled {
			return
		}
	}
	p.keep(m, class, v)
}

// stranger keeps what comes from a remote without NS-VC for the loop, unless the
// bind's access list shuts it out: nothing else in the stack sees that.
func (p *Port) stranger(dir *directory, m *Message) {
	switch {
	case p.bind.isLMI(m.Addr):
		p.keep(m, DropQueueControl, nil)
		return
	case dir.accept.Accepts(m.Addr.Addr()):
		p.keep(m, DropQueueData, nil)
		return
	}
	p.drop(DropAccess)
	if p.stack.shutOut.AllowN(p.now, 1) {
		p.stack.log.Warn("a source is not on the access list of the bind", "cat", "lns", "bind", p.bind.name, "remote", m.Addr)
	}
}

// handled is what userData returns when nothing is left to do.
const handled = NumDrops

var aliveAck = []byte{byte(PDUAliveAck)}

// userData offers an NS-UNITDATA to the DataPath. When the loop has to take
// it, it returns the class in which it waits.
func (p *Port) userData(v *VC, dgram []byte) Drop {
	if len(dgram) < unitdataHeader {
		return DropQueueData // the loop answers it
	}
	bvci := binary.BigEndian.Uint16(dgram[2:])
	if bvci < 2 {
		return DropQueueSignal
	}
	p.trace(v, bvci, len(dgram)-unitdataHeader)
	if p.worker < p.stack.workers && v.takesData() && p.stack.data != nil && p.stack.data.Data(p, v.nse, bvci, dgram) {
		return handled
	}
	return DropQueueData
}
