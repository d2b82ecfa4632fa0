package n2

import (
	"bytes"
	"time"

	"poolgw/ngap"
)

// setupRequest is the gNB's NG Setup Request: it is kept, and replayed to every
// AMF. A second one on the association begins anew (8.7.1).
func (g *gnb) setupRequest(m *msg) {
	if g.state != gnbFresh && g.state != gnbUp {
		g.wrong(m) // one is under way
		return
	}
	if len(m.raw) > maxSetup || !g.setups.take(m.now, setupRate, setupBurst) {
		g.log.Warn("an NG Setup Request too many, or too long", "octets", len(m.raw))
		g.decline(m, DropLimit, ngap.CauseControlProcessingOverload)
		return
	}
	n, err := readNode(m.PDU)
	if err != nil {
		g.log.Warn("an NG Setup Request that can't be read", "err", err)
		g.refuse(m, DropMalformed, ngap.CauseAbstractSyntaxReject)
		return
	}
	m.PDU.Remove(ngap.IEUERetentionInformation)
	n.setup = m.PDU.Append(nil)
	g.absorb()
	if g.state == gnbUp {
		g.restart(m.now)
	}
	g.node = n
	g.logAs(n.label())
	g.setupTrial++
	g.register(m.now)
}

func (n *node) label() string {
	if n.name != "" {
		return n.name
	}
	return nodeString(n.id)
}

// readNode reads who the gNB is and what it serves.
func readNode(p *ngap.PDU) (n node, err error) {
	v, ok := p.Value(ngap.IEGlobalRANNodeID)
	if !ok {
		return n, errNoNodeID
	}
	if n.id, err = ngap.ReadNodeID(v); err != nil {
		return n, err
	}
	n.known = true
	return n, n.update(p)
}

// update reads what an NG Setup Request or RAN Configuration Update says.
func (n *node) update(p *ngap.PDU) error {
	names, err := namesOf(p, ngap.IERANNodeName, ngap.IEExtendedRANNodeName)
	if err != nil {
		return err
	}
	if names != nil {
		n.name = names[0]
	}
	if v, ok := p.Value(ngap.IESupportedTAList); ok {
		tas, err := ngap.ReadSupportedTAs(v, nil)
		if err != nil {
			return err
		}
		n.tas = areas(tas)
	}
	return nil
}

// areas are tracking areas without their slices, of which there may be many.
func areas(list []ngap.SupportedTA) []ngap.SupportedTA {
	out := make([]ngap.SupportedTA, len(list))
	for i, t := range list {
		out[i].TAC = t.TAC
		for _, p := range t.PLMNs {
			out[i].PLMNs = append(out[i].PLMNs, ngap.PLMNSupport{PLMN: p.PLMN})
		}
	}
	return out
}

// register claims the gNB's ID. When another association has it, that one is kept
// if it is alive.
func (g *gnb) register(now time.Time) {
	other := g.gw.claim(g)
	if other == nil {
		g.state = gnbSetup
		g.addLegs(now)
		g.duringSetup(timeSetup, now, g.gw.dir.Load().cfg.SetupTimeout, g.concludeSetup)
		g.setupConcluded(now)
		return
	}
	g.challenge(other, now)
}

// duringSetup has run called unless another NG Setup Request came by then.
func (g *gnb) duringSetup(which setupTimer, now time.Time, d time.Duration, run func(now time.Time)) {
	trial := g.setupTrial
	g.timers.set(which, now, d, func(now time.Time) {
		if g.setupTrial == trial {
			run(now)
		}
	})
}

// beFresh waits for another NG Setup Request, not for ever.
func (g *gnb) beFresh(now time.Time) {
	g.state, g.node = gnbFresh, node{}
	g.settled.Store(false)
	g.duringSetup(timePatience, now, setupPatience, g.tooLate)
}

// claim enters o under its ID, or returns who has it.
func (g *Gateway) claim(o *gnb) *gnb {
	g.mu.Lock()
	defer g.mu.Unlock()
	if other := g.nodes[o.node.id]; other != nil && other != o {
		return other
	}
	g.nodes[o.node.id] = o
	return nil
}

// holder is who has an ID, nil: nobody.
func (g *Gateway) holder(id ngap.NodeID) *gnb {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.nodes[id]
}

// unregister gives o's ID free.
func (g *Gateway) unregister(o *gnb) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o.node.known && g.nodes[o.node.id] == o {
		delete(g.nodes, o.node.id)
	}
}

// setupAnswer is an AMF's NG Setup Response or Failure.
func (g *gnb) setupAnswer(m *msg) {
	l := m.leg
	if l.state != legSetup {
		g.wrong(m)
		return
	}
	g.absorb()
	if m.Kind == ngap.Unsuccessful {
		g.setupFailed(m, l)
		return
	}
	n := learned{setup: m.PDU.Append(nil), at: m.now}
	if d := g.gw.dir.Load(); bytes.Equal(n.setup, d.learned[d.index[l.m.id]].setup) {
		n.setup = d.learned[d.index[l.m.id]].setup // kept once, not for each gNB
	}
	err := n.announce(m.PDU)
	if err == nil && !m.holds(setupResponseNeeds) {
		err = errIncomplete
	}
	if err != nil { // an answer in error ends the procedure (10.3.5)
		g.log.Warn("an NG Setup Response that can't be read", "amf", l.m.label, "err", err)
		g.hangUp(l, 0, m.now)
		return
	}
	l.state, l.since, l.attempt, l.refused, l.answer = legUp, m.now, 0, nil, n.setup
	g.gw.legUp(l.m, true, m.now)
	g.legChanged()
	g.gw.learn(l.m, n, g)
	g.log.Info("AMF up", "amf", l.m.label, "name", n.name(), "capacity", n.capacity, "guamis", len(n.guamis))
	l.probed = false
	g.probeLater(l, m.now)
	if g.state == gnbUp {
		g.poolChanged(m.now)
		return
	}
	if g.ready() == 1 {
		g.duringSetup(timeGrace, m.now, g.gw.dir.Load().cfg.SetupGrace, g.concludeSetup)
	}
	g.setupConcluded(m.now)
}

// setupResponseNeeds are the mandatory IEs of criticality reject.
var setupResponseNeeds = []ngap.IEID{ngap.IEAMFName, ngap.IEServedGUAMIList, ngap.IEPLMNSupportList}

// setupFailed tries again when the AMF says, and remembers why it refused.
func (g *gnb) setupFailed(m *msg, l *leg) {
	c, raw := ngap.CauseMiscUnspecified, ngap.AppendCause(nil, ngap.CauseMiscUnspecified)
	if v, ok := m.Value(ngap.IECause); ok {
		if r, err := ngap.ReadCause(v); err == nil {
			c, raw = r, bytes.Clone(v)
		}
	}
	var wait time.Duration
	if v, ok := m.Value(ngap.IETimeToWait); ok {
		wait, _ = ngap.ReadTimeToWait(v)
	}
	l.refused, l.refusal, l.wait = &c, raw, wait
	g.log.Warn("the AMF refused NG Setup", "amf", l.m.label, "cause", c.String(), "wait", wait)
	g.hangUp(l, wait, m.now)
}

// ready counts the legs that are up.
func (g *gnb) ready() int {
	n := 0
	for _, l := range g.legs {
		if l.state == legUp {
			n++
		}
	}
	return n
}

// setupConcluded answers the gNB as soon as no AMF is waited for.
func (g *gnb) setupConcluded(now time.Time) {
	if g.state != gnbSetup {
		return
	}
	for _, l := range g.legs {
		if l.state != legUp && l.attempt == 0 {
			return
		}
	}
	g.concludeSetup(now)
}

// concludeSetup answers the gNB by what is known now.
func (g *gnb) concludeSetup(now time.Time) {
	if g.state != gnbSetup {
		return
	}
	if g.ready() == 0 {
		g.failSetup(now)
		return
	}
	g.state = gnbUp
	g.settled.Store(true)
	d := g.gw.dir.Load()
	answer := g.mergedSetup(d)
	g.announce.told = d.union().told
	g.originate(g.ran, 0, answer)
	g.log.Info("gNB up", "id", nodeString(g.node.id), "amfs", g.ready(), "of", len(g.legs))
}

// failSetup refuses the gNB with the cause of the first AMF in configuration
// order that gave one. Time to Wait has it come again (8.7.1.3); the legs begin anew
// with it.
func (g *gnb) failSetup(now time.Time) {
	c, wait := ngap.AppendCause(nil, ngap.CauseMiscUnspecified), 5*time.Second
	for _, m := range g.gw.dir.Load().members {
		if l := g.legs[m.id]; l != nil && l.refused != nil {
			c, wait = l.refusal, max(wait, l.wait)
			g.log.Warn("no AMF is up for this gNB: the first refusal is passed on", "cause", l.refused.String())
			break
		}
	}
	g.log.Warn("no AMF is up for this gNB: NG Setup Failure")
	g.refuseSetup(c, wait)
	for id, l := range g.legs {
		l.abandon(g, now)
		delete(g.legs, id)
	}
	g.gw.unregister(g)
	g.beFresh(now)
}

// refuseSetup is an NG Setup Failure.
func (g *gnb) refuseSetup(cause []byte, wait time.Duration) {
	f := g.made.New(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
	f.Add(ngap.IECause, ngap.Ignore, cause)
	if wait > 0 {
		f.Add(ngap.IETimeToWait, ngap.Ignore, ngap.AppendTimeToWait(nil, wait))
	}
	g.originate(g.ran, 0, f.Append(nil))
}
