package load

import (
	"fmt"
	"time"

	"poolgw/ngap"
)

// Bound UEs stay: they register and are not released. From then on they talk:
// an Uplink NAS Transport, which the AMF answers by a Downlink NAS Transport.

// n2BoundBase is below the RAN UE NGAP IDs of bound UEs.
const n2BoundBase = 1 << 31

// Steps of bound UEs' talk, in the probes of their NAS-PDUs.
const (
	n2TalkUp   = len(n2Steps)
	n2TalkDown = len(n2Steps) + 1
	n2AllSteps = len(n2Steps) + 2
)

// n2StepOf is a step of the exchange, or of talk; nil: there is none such.
func n2StepOf(k int) *n2Step {
	switch {
	case k < len(n2Steps):
		return &n2Steps[k]
	case k < n2AllSteps:
		return &n2Talk[k-len(n2Steps)]
	}
	return nil
}

var n2Talk = [...]n2Step{
	{ngap.CodeUplinkNASTransport, ngap.Initiating, Up, true},
	{ngap.CodeDownlinkNASTransport, ngap.Initiating, Down, true},
}

// n2Command is the step in which an AMF commands a release.
const n2Command = n2Last - 1

// N2Talk is what became of what bound UEs had to say, and of the answers.
type N2Talk struct {
	UEs      int    // that are bound
	Due      uint64 // messages of UEs, by the clock
	Sent     uint64 // messages of UEs and AMFs that the transport took
	Held     uint64 // that it did not take: the gateway, or the generator, is slow
	Arrived  uint64 // of those sent, once each
	Released uint64 // bound UEs that the gateway released
	Latency  Histogram
}

// Lost is how many messages were sent and did not come.
func (t *N2Talk) Lost() uint64 { return t.Sent - min(t.Sent, t.Arrived) }

// ue is the place of a UE. It is called with the lock held.
func (g *N2) ue(ran uint32) *n2UE {
	if ran <= n2BoundBase {
		return &g.ues[int(ran)%len(g.ues)]
	}
	if i := int(ran - n2BoundBase - 1); i < len(g.bound) {
		return g.bound[i]
	}
	return &n2UE{}
}

// Bind has n UEs register that stay, 64 at a time, and waits for all.
func (g *N2) Bind(n int, patience time.Duration) error {
	var p ngap.PDU
	end := time.Now().Add(patience)
	for begun := 0; ; {
		g.mu.Lock()
		up, fault := g.boundUp, g.fault
		g.mu.Unlock()
		switch {
		case fault != nil || up == n:
			return fault
		case time.Now().After(end):
			return fmt.Errorf("load: %d of %d UEs are bound", up, n)
		}
		for ; begun < n && begun-up < 64; begun++ {
			g.mu.Lock()
			u := g.newUE(n2BoundBase+1+uint32(begun), begun)
			u.stays = true
			g.bound = append(g.bound, &u)
			g.launch(&p, &u)
		}
		time.Sleep(500 * time.Microsecond)
	}
}

// chat has bound UEs talk in turn, so many messages a second, until it is over.
func (g *N2) chat(rate float64, over <-chan struct{}) {
	var p ngap.PDU
	start, n, last := g.now(), 0, false
	for {
		select {
		case <-over:
			last = true // what is due is still said
		case <-time.After(500 * time.Microsecond):
		}
		for due := int(rate * time.Duration(g.now()-start).Seconds()); n < due; n++ {
			g.mu.Lock()
			u := g.bound[n%len(g.bound)]
			g.result.Talk.Due++
			if u.gone {
				g.mu.Unlock()
				continue
			}
			b := g.say(&p, u, n2TalkUp, u.outer)
			a, stream := g.gnbs[u.gnb], g.streamOf(u)
			g.mu.Unlock()
			g.pass(a, stream, b)
		}
		if last {
			return
		}
	}
}

// say makes a message of talk; the lock is held.
func (g *N2) say(p *ngap.PDU, u *n2UE, k int, id uint64) []byte {
	u.at[k] = g.now()
	g.result.Talk.Sent++
	return n2Message(p, u, k, id, g.opt.NAS)
}

// heard judges a message of talk, whose time is its number as well, and has the
// AMF answer. It is called with the lock held, and gives it back.
func (g *N2) heard(n *n2Node, u *n2UE, m n2Seen, at int64, stream uint16) {
	r := g.result
	last := &u.heard[m.dir]
	switch {
	case m.said == *last:
		r.Duplicates++
	case m.said < *last:
		r.Overtaken++
	}
	if m.said <= *last {
		g.mu.Unlock()
		return
	}
	*last = m.said
	r.Talk.Arrived++
	r.Talk.Latency.Add(time.Duration(at - m.said))
	if m.dir == Down {
		u.judgeDown(m, r)
		g.mu.Unlock()
		return
	}
	u.judgeUp(m, r)
	b := g.say(&n.made, u, n2TalkDown, u.inner)
	g.mu.Unlock()
	g.pass(n.assoc, stream, b)
}

// released is a UE that the gateway has released by itself, and the gNB's answer
// to it. It is called with the lock held, and gives it back.
func (g *N2) released(n *n2Node, u *n2UE, m n2Seen, stream uint16) {
	switch {
	case u.stays:
		g.result.Talk.Released++
		u.gone = true
	case u.outer == 0:
		g.result.Turned++
	default:
		g.result.Cut++
	}
	b := n2Message(&n.made, u, n2Last, m.amf, g.opt.NAS)
	if !u.stays {
		g.open--
		*u = n2UE{}
	}
	g.mu.Unlock()
	_ = n.assoc.Send(n2Signal(stream, b)) // the gateway forgets the UE without it
}
