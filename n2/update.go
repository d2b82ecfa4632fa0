package n2

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"poolgw/ngap"
)

// nodeString names a RAN node: 001-01-1a for a gNB, with its type before it for
// others.
func nodeString(n ngap.NodeID) string {
	s := fmt.Sprintf("%s-%x", n.PLMN, n.Value)
	if n.Type != ngap.GNB {
		s = n.Type.String() + " " + s
	}
	return s
}

// maxOwed is how many RAN Configuration Updates may wait for their answers.
const maxOwed = 8

// ranUpdate is a RAN Configuration Update that AMFs are asked about.
type ranUpdate struct {
	waiting map[*leg]bool
	failure []byte // the first failure
	ok      bool
	owed    int // answers that the gNB waits for
	trial   int
}

// ranUpdateRequest goes to every AMF; what it says holds for AMFs that come
// later, too.
func (g *gnb) ranUpdateRequest(m *msg) {
	n := g.node
	if err := n.update(m.PDU); err != nil {
		g.log.Warn("a RAN Configuration Update that can't be read", "err", err)
		g.refuse(m, DropMalformed, ngap.CauseAbstractSyntaxReject)
		return
	}
	m.PDU.Remove(ngap.IENGRANTNLAssociationToRemoveList) // the gateway's own business
	if n.setup = g.updated(m.PDU); len(n.setup) > maxSetup || g.ranUpdate != nil && g.ranUpdate.owed >= maxOwed {
		g.decline(m, DropLimit, ngap.CauseControlProcessingOverload)
		return
	}
	g.node = n
	g.absorb()
	if g.ranUpdate == nil {
		g.ranUpdate = &ranUpdate{}
	}
	r := g.ranUpdate
	r.owed++
	r.trial++
	r.waiting = make(map[*leg]bool)
	data := m.PDU.Append(nil)
	for _, l := range g.legs {
		if l.state == legUp {
			r.waiting[l] = true
			g.originate(l.link, 0, data)
		}
	}
	trial := r.trial
	g.timers.set(updateTimer{}, m.now, updatePatience, func(now time.Time) {
		if g.ranUpdate == r && r.trial == trial {
			clear(r.waiting)
			g.ranUpdated()
		}
	})
	g.ranUpdated()
}

// updated is the NG Setup Request that is replayed, with what an update changes.
func (g *gnb) updated(p *ngap.PDU) []byte {
	if g.made.Walk(g.node.setup) != nil {
		return g.node.setup
	}
	if p.Find(ngap.IERANNodeName) >= 0 {
		g.made.Remove(ngap.IEExtendedRANNodeName) // it would count, and is the old one
	}
	for _, ie := range p.IEs {
		if ie.ID != ngap.IEGlobalRANNodeID {
			g.made.Replace(ie.ID, ie.Criticality, ie.Value)
		}
	}
	return g.made.Append(nil)
}

// ranUpdateAnswer is an AMF's answer to a RAN Configuration Update, or to a
// probe.
func (g *gnb) ranUpdateAnswer(m *msg) {
	g.absorb()
	if m.leg.probed {
		m.leg.probed = false
		return
	}
	r := g.ranUpdate
	if r == nil || !r.waiting[m.leg] {
		return
	}
	delete(r.waiting, m.leg)
	if m.Kind == ngap.Successful {
		r.ok = true
	} else if r.failure == nil {
		r.failure = m.PDU.Append(nil)
	}
	g.ranUpdated()
}

// ranUpdated answers the gNB when nobody is waited for: a failure only when every
// AMF refused.
func (g *gnb) ranUpdated() {
	r := g.ranUpdate
	if r == nil || len(r.waiting) > 0 {
		return
	}
	g.ranUpdate = nil
	data := r.failure
	if r.ok || data == nil {
		data = g.made.New(ngap.CodeRANConfigurationUpdate, ngap.Successful).Append(nil)
	}
	for range r.owed {
		g.originate(g.ran, 0, data)
	}
}

// amfUpdate is an AMF's own update: acknowledged at once, whatever the gNB does
// with the union. What it wants of TNL associations can't be had.
func (g *gnb) amfUpdate(m *msg) {
	d := g.gw.dir.Load()
	n := d.learned[d.index[m.leg.m.id]]
	err := n.announce(m.PDU)
	var failed []byte
	if v, ok := m.Value(ngap.IEAMFTNLAssociationToAddList); ok && err == nil {
		var list []ngap.TNLA
		if list, err = ngap.ReadTNLAsToAdd(v, nil); err == nil {
			failed = ngap.AppendFailedTNLAs(nil, list, ngap.CauseTransportUnavailable)
		}
	}
	if err != nil {
		g.log.Warn("an AMF Configuration Update that can't be read", "amf", m.leg.m.label, "err", err)
		g.refuse(m, DropMalformed, ngap.CauseAbstractSyntaxReject)
		return
	}
	g.absorb()
	p := g.made.New(ngap.CodeAMFConfigurationUpdate, ngap.Successful)
	if failed != nil {
		p.Add(ngap.IEAMFTNLAssociationFailedToSetupList, ngap.Ignore, failed)
	}
	g.originate(m.leg.link, 0, p.Append(nil))
	g.gw.learn(m.leg.m, n, g)
	g.poolChanged(m.now)
}

// amfStatus: the AMF's GUAMIs are going away; their UEs go to the backup it names,
// else to its set (TS 23.501 5.21.2). The gNB sees nothing: the pool still serves
// them.
func (g *gnb) amfStatus(m *msg) {
	v, _ := m.Value(ngap.IEUnavailableGUAMIList)
	list, err := ngap.ReadUnavailableGUAMIs(v, nil)
	if err != nil {
		g.malformed(m, ngap.IEUnavailableGUAMIList)
		return
	}
	g.absorb()
	g.gw.unavailable(m.leg.m, list)
}

// unavailable takes GUAMIs from a member until it announces them anew.
func (g *Gateway) unavailable(m *member, list []ngap.UnavailableGUAMI) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m.away == nil {
		m.away = make(map[ngap.GUAMI][]string)
	}
	list = slices.DeleteFunc(list, func(u ngap.UnavailableGUAMI) bool { // what it never announced; what is known
		own := slices.ContainsFunc(m.learned.guamis, func(s ngap.ServedGUAMI) bool { return s.GUAMI == u.GUAMI })
		backup, away := m.away[u.GUAMI]
		return !own || away && slices.Equal(backup, u.Backups())
	})
	if len(list) == 0 {
		return
	}
	for _, u := range list {
		g.log.Warn("GUAMI unavailable", "amf", m.label, "guami", u.GUAMI.String(), "backup", strings.Join(u.Backups(), " "))
		m.away[u.GUAMI] = u.Backups()
	}
	g.changed()
}

// overload is what an AMF's Overload Start asks for.
type overload struct {
	action    ngap.OverloadAction
	hasAction bool
	reduction uint8 // per cent of new UEs that are to go elsewhere; 0: none given
	shuts     bool  // no ordinary new UE goes there
}

// reduce is a capacity less what the AMF wants to be spared.
func (o *overload) reduce(w uint16) uint16 {
	if o.reduction == 0 {
		return w
	}
	return w * uint16(100-o.reduction) / 100
}

// overloadStart: fewer new UEs go there at once. A later one replaces it. The
// gNB is not told: the pool is not overloaded as long as another AMF has room.
func (g *gnb) overloadStart(m *msg) {
	o := &overload{}
	if v, ok := m.Value(ngap.IEAMFOverloadResponse); ok {
		a, err := ngap.ReadOverloadResponse(v)
		if err != nil {
			g.malformed(m, ngap.IEAMFOverloadResponse)
			return
		}
		o.action, o.hasAction = a, true
	}
	if v, ok := m.Value(ngap.IEAMFTrafficLoadReductionIndication); ok {
		n, err := ngap.ReadLoadReduction(v)
		if err != nil {
			g.malformed(m, ngap.IEAMFTrafficLoadReductionIndication)
			return
		}
		o.reduction = n
	}
	_, slices := m.Value(ngap.IEOverloadStartNSSAIList)
	o.shuts = o.reduction == 0 && (o.hasAction || !slices) // not for the sake of some slices
	g.absorb()
	g.gw.counters.overloads.Add(1)
	g.gw.setOverload(m.leg.m, o)
}

func (g *gnb) overloadStop(m *msg) {
	g.absorb()
	g.gw.setOverload(m.leg.m, nil)
}

func (g *Gateway) setOverload(m *member, o *overload) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m.overload == o || m.overload != nil && o != nil && *m.overload == *o {
		return
	}
	if (m.overload == nil) != (o == nil) {
		g.log.Warn("AMF overload", "amf", m.label, "on", o != nil)
	}
	m.overload = o
	g.changed()
}
