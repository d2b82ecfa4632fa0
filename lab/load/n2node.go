package load

import (
	"fmt"
	"time"

	"poolgw/ngap"
	"poolgw/sctp"
)

// n2Node is one association of a gNB or an AMF, and its reader.
type n2Node struct {
	g     *N2
	assoc sctp.Assoc
	dir   Direction // of what it gets
	index int       // of the gNB or AMF
	isUp  bool      // of an AMF's: with NG Setup; under the lock
	pdu   ngap.PDU
	made  ngap.PDU
}

// serve takes what comes until the association ends.
func (g *N2) serve(n *n2Node) {
	for {
		ev, err := n.assoc.Recv()
		if err != nil {
			n.ended(err)
			return
		}
		if ev.Kind == sctp.Data {
			n.take(ev.Message)
		}
	}
}

// ended tells of the end of an association. Before all are up the gateway may give up
// a way to an AMF, and try again.
func (n *n2Node) ended(err error) {
	g := n.g
	if g.life.Err() != nil {
		return
	}
	g.mu.Lock()
	tolerated := g.rising && n.dir == Up
	if n.isUp {
		n.isUp = false
		g.setups--
	}
	g.mu.Unlock()
	if tolerated {
		n.assoc.Abort("") // gives the socket back
		return
	}
	g.failed(fmt.Errorf("load: %s %d: %w", [...]string{"an association of AMF", "gNB"}[n.dir], n.index, err))
}

// setup sends the NG Setup Request of a gNB.
func (n *n2Node) setup() error {
	if err := n.assoc.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: n2SetupRequest(n.index)}); err != nil {
		return fmt.Errorf("load: NG Setup of gNB %d: %w", n.index, err)
	}
	return nil
}

// refused has a gNB come again when Time to Wait is over; without one it stays away. It
// is called with the lock held.
func (n *n2Node) refused(p *ngap.PDU) {
	g := n.g
	v, ok := p.Value(ngap.IETimeToWait)
	wait, err := ngap.ReadTimeToWait(v)
	if !ok || err != nil {
		g.fault = fmt.Errorf("load: gNB %d: NG Setup Failure without Time to Wait", n.index)
		return
	}
	g.again++
	g.work.Go(func() {
		select {
		case <-time.After(wait):
			if err := n.setup(); err != nil {
				g.failed(err)
			}
		case <-g.life.Done():
		}
	})
}

// take judges one message and answers it.
func (n *n2Node) take(m sctp.Message) {
	at := n.g.now()
	seen, ok := n.read(m.Data)
	if !ok {
		return
	}
	g := n.g
	g.mu.Lock()
	u := g.ue(seen.ran)
	switch {
	case u.ran != seen.ran || u.ran == 0:
		if seen.ran != 0 && seen.ran <= g.earlier {
			g.result.Stale++
		} else {
			g.result.Strange++
		}
	case seen.step > n2Last:
		g.heard(n, u, seen, at, m.Stream)
		return
	case seen.step == n2Command && u.at[n2Command] == 0:
		g.released(n, u, seen, m.Stream)
		return
	case u.stays && seen.step > n2Command:
		g.result.Strange++ // the answer to a release that no AMF commanded
	case u.judge(seen, g.result):
		g.result.Latency.Add(time.Duration(at - u.at[seen.step]))
		g.follow(n, u, seen, m.Stream)
		return
	}
	g.mu.Unlock()
}

// read finds the UE and the step of a message; false: it is none of a UE's, or
// was counted as altered or strange.
func (n *n2Node) read(b []byte) (m n2Seen, ok bool) {
	m = n2Seen{dir: n.dir, node: n.index}
	p := &n.pdu
	if err := p.Walk(b); err != nil {
		n.count(func(r *N2Result) { r.Altered++ })
		return m, false
	}
	if p.Code == ngap.CodeNGSetupRequest || p.Code == ngap.CodeAMFConfigurationUpdate {
		n.manage(p)
		return m, false
	}
	m.step = n2Bare(p.Code, p.Kind)
	if v, has := p.Value(ngap.IEUENGAPIDs); has {
		ids, err := ngap.ReadUENGAPIDs(v)
		m.ran, m.amf, m.hasA, ok = ids.RAN, ids.AMF, true, err == nil
	} else {
		var at, r int
		var errA, errR error
		m.amf, at, errA = p.AMFUENGAPID()
		m.ran, r, errR = p.RANUENGAPID()
		m.hasA, ok = at >= 0, errA == nil && errR == nil && r >= 0
	}
	if v, has := p.Value(ngap.IENASPDU); ok && has {
		return m, n.probe(&m, v)
	}
	if ok = ok && m.step >= 0 && n2Steps[m.step].dir == n.dir; !ok {
		n.count(func(r *N2Result) { r.Strange++ })
	}
	return m, ok
}

// probe reads the NAS-PDU of a message.
func (n *n2Node) probe(m *n2Seen, v []byte) bool {
	nas, err := ngap.ReadOctets(v)
	q, ok := readN2Probe(nas, n.g.opt.NAS)
	switch {
	case err != nil || !ok || n2StepOf(int(q.step)) == nil || q.ran != m.ran && q.ran == 0:
		n.count(func(r *N2Result) { r.Altered++ })
		return false
	case q.ran != m.ran:
		n.count(func(r *N2Result) { r.WrongIDs++ })
		m.ran = q.ran
	}
	s := n2StepOf(int(q.step))
	if s.code != n.pdu.Code || s.kind != n.pdu.Kind || s.dir != n.dir {
		n.count(func(r *N2Result) { r.Altered++ })
		return false
	}
	m.step, m.said = int(q.step), q.at
	return true
}

func (n *n2Node) count(f func(r *N2Result)) {
	n.g.mu.Lock()
	defer n.g.mu.Unlock()
	f(n.g.result)
}

// manage is the part that belongs to no UE.
func (n *n2Node) manage(p *ngap.PDU) {
	g := n.g
	var answer []byte
	g.mu.Lock()
	switch {
	case p.Code == ngap.CodeNGSetupRequest && n.dir == Up:
		answer = n2SetupResponse(n.index)
		if !n.isUp {
			n.isUp = true
			g.setups++
		}
	case p.Code == ngap.CodeNGSetupRequest && p.Kind == ngap.Successful:
		g.up++
	case p.Code == ngap.CodeNGSetupRequest:
		n.refused(p)
	case p.Kind == ngap.Initiating:
		answer = n.made.New(p.Code, ngap.Successful).Append(nil)
	}
	g.mu.Unlock()
	if answer != nil {
		_ = n.assoc.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: answer}) // the end of the association is the reader's
	}
}

// follow sends what comes next from who got a message. It is called with the lock
// held, and gives it back.
func (g *N2) follow(n *n2Node, u *n2UE, m n2Seen, stream uint16) {
	if m.step == 0 {
		g.ids[n.index]++
		u.inner = g.ids[n.index]
	}
	id := u.inner
	if n.dir == Down {
		id = u.outer
	}
	from, to := n2Follow(m.step)
	if u.stays {
		if to = min(to, n2Command); m.step == n2Command-1 {
			g.boundUp++
			from = to
		}
	}
	var out [3][]byte
	for k := from; k < to; k++ {
		u.at[k] = g.now()
		out[k-from] = n2Message(&n.made, u, k, id, g.opt.NAS)
		g.result.Sent++
	}
	if m.step == n2Last {
		g.result.Done++
		g.open--
		*u = n2UE{}
	}
	g.mu.Unlock()
	for _, b := range out[:to-from] {
		g.send(n.assoc, stream, b)
	}
}

func n2Signal(stream uint16, b []byte) sctp.Message {
	return sctp.Message{Stream: stream, PPID: sctp.PPIDNGAP, Data: b}
}

// send counts what the transport does not take: the gateway is not to blame.
func (g *N2) send(a sctp.Assoc, stream uint16, b []byte) {
	if a.Send(n2Signal(stream, b)) != nil {
		g.count(func(r *N2Result) { r.Sent--; r.Refused++ })
	}
}

// pass is send for the talk of bound UEs.
func (g *N2) pass(a sctp.Assoc, stream uint16, b []byte) {
	if a.Send(n2Signal(stream, b)) != nil {
		g.count(func(r *N2Result) { r.Talk.Sent--; r.Talk.Held++ })
	}
}
