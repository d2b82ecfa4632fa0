package n2

import (
	"bytes"
	"slices"
	"time"

	"poolgw/ngap"
)

// What the gNB sees of the pool is one AMF: the union of what the members
// announced, also of those that are down now, since a gNB checks the GUAMI of an
// incoming handover against it.

// union is that one AMF.
type union struct {
	name     string
	capacity uint8
	guamis   []ngap.ServedGUAMI
	plmns    []ngap.PLMNSupport
	told     []byte // two unions are equal in this when they announce the same
}

// union returns the one of the directory: it is made once.
func (d *directory) union() *union {
	d.merged.Do(func() {
		d.one = unite(d)
		d.one.told = d.one.append(nil)
	})
	return &d.one
}

// unite makes the union of what is known in the directory, in configuration
// order, within the specification's bounds.
func unite(d *directory) union {
	u := union{name: d.cfg.Name}
	seen := make(map[ngap.GUAMI]bool)
	for i := range d.learned {
		l := &d.learned[i]
		u.capacity = max(u.capacity, l.capacity)
		for _, s := range l.guamis {
			if !seen[s.GUAMI] && len(u.guamis) < ngap.MaxGUAMIs {
				seen[s.GUAMI] = true
				s.DropBackup() // a name of the pool's inside
				u.guamis = append(u.guamis, s)
			}
		}
		for _, p := range l.plmns {
			u.addPLMN(p)
		}
	}
	return u
}

func (u *union) addPLMN(p ngap.PLMNSupport) {
	for i := range u.plmns {
		q := &u.plmns[i]
		if q.PLMN != p.PLMN {
			continue
		}
		for _, s := range p.Slices {
			if len(q.Slices) < ngap.MaxSlices && !slices.ContainsFunc(q.Slices, func(o ngap.Slice) bool { return o.SNSSAI == s.SNSSAI }) {
				q.Slices = append(q.Slices, s)
			}
		}
		return
	}
	if len(u.plmns) < ngap.MaxPLMNs {
		p.Slices = slices.Clone(p.Slices)
		u.plmns = append(u.plmns, p)
	}
}

// append appends the union in a form in which two are equal only when they
// announce the same.
func (u *union) append(b []byte) []byte {
	b = append(b, u.name...)
	b = append(b, 0, u.capacity)
	return appendLists(b, &learned{guamis: u.guamis, plmns: u.plmns})
}

// put sets the union's IEs in p, which holds them or gets them.
func (u *union) put(p *ngap.PDU) {
	p.Replace(ngap.IEAMFName, ngap.Reject, ngap.AppendName(nil, u.name))
	if len(u.guamis) > 0 {
		p.Replace(ngap.IEServedGUAMIList, ngap.Reject, ngap.AppendServedGUAMIs(nil, u.guamis))
	}
	p.Replace(ngap.IERelativeAMFCapacity, ngap.Ignore, ngap.AppendCapacity(nil, u.capacity))
	if len(u.plmns) > 0 {
		p.Replace(ngap.IEPLMNSupportList, ngap.Reject, ngap.AppendPLMNSupport(nil, u.plmns))
	}
}

// mergedSetup is the NG Setup Response for this gNB: that of the first AMF in
// configuration order that answered, with the union in the place of what each
// announces. IEs that this gateway does not know stay, unless the gNB can't read
// them; where AMFs differ in one, the first one's holds.
func (g *gnb) mergedSetup(d *directory) []byte {
	p := g.firstAnswer(d)
	p.Remove(ngap.IEUERetentionInformation)
	if d.cfg.SetupFirst {
		return p.Append(nil)
	}
	d.union().put(p)
	p.Remove(ngap.IEExtendedAMFName) // it would name one of them
	g.countDifferences(d, p)
	if g.quirky(d) {
		p.RemoveFunc(func(ie ngap.IE) bool { return !plainSetup[ie.ID] })
	}
	return p.Append(nil)
}

// firstAnswer walks the response that the merge begins with.
func (g *gnb) firstAnswer(d *directory) *ngap.PDU {
	for _, m := range d.members {
		if l := g.legs[m.id]; l != nil && l.state == legUp {
			if err := g.made.Walk(l.answer); err == nil {
				break
			}
		}
	}
	return &g.made
}

// plainSetup are the IEs of Release 15's NG Setup Response, which every gNB reads.
var plainSetup = map[ngap.IEID]bool{ngap.IEAMFName: true, ngap.IEServedGUAMIList: true, ngap.IERelativeAMFCapacity: true,
	ngap.IEPLMNSupportList: true, ngap.IECriticalityDiagnostics: true}

// quirky reports whether the gNB is configured to get plain messages only: by the
// value of its ID, or by its name.
func (g *gnb) quirky(d *directory) bool {
	return slices.ContainsFunc(d.cfg.Quirks, func(q Quirk) bool { return q.GNB == nodeString(g.node.id) || q.GNB == g.node.name })
}

// countDifferences tells of IEs in which the AMFs do not agree.
func (g *gnb) countDifferences(d *directory, p *ngap.PDU) {
	var o ngap.PDU
	for _, m := range d.members {
		l := g.legs[m.id]
		if l == nil || l.state != legUp || o.Walk(l.answer) != nil {
			continue
		}
		for _, ie := range p.IEs {
			if v, ok := o.Value(ie.ID); !plainSetup[ie.ID] && (!ok || !bytes.Equal(v, ie.Value)) {
				g.gw.counters.merged.Add(1)
				g.log.Info("AMFs differ in an IE of NG Setup; the first one's holds", "ie", ie.ID.String(), "amf", m.label)
			}
		}
	}
}

// announcement is what the gNB was told of the pool.
type announcement struct {
	told    []byte // by appendUnion
	sent    []byte // told with an update that is without answer
	waiting bool
	again   []byte // the update, as long as it may be sent once more
	trial   int
}

// updatePatience is how long an AMF Configuration Update may be without answer.
const updatePatience = 5 * time.Second

// poolChanged tells the gNB the whole union, when it is not what it was told.
// One update is under way at a time (8.7.3). A gNB that is silent is sent the same
// once more, as 8.7.3.4 wants it; one that refuses is not asked again for the same.
func (g *gnb) poolChanged(now time.Time) {
	if g.state != gnbUp || g.announce.waiting {
		return
	}
	d := g.gw.dir.Load()
	u := d.union()
	if d.cfg.SetupFirst || bytes.Equal(u.told, g.announce.told) {
		return
	}
	if !g.unions.take(now, unionRate, unionBurst) {
		g.timers.set(unionTimer{}, now, time.Second/unionRate, g.poolChanged)
		return
	}
	p := g.made.New(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)
	u.put(p)
	g.announce.sent, g.announce.waiting = u.told, true
	g.announce.again = p.Append(nil)
	g.tellGNB(g.announce.again, now)
}

// tellGNB sends an update and waits for its answer.
func (g *gnb) tellGNB(update []byte, now time.Time) {
	g.announce.trial++
	trial := g.announce.trial
	g.originate(g.ran, 0, update)
	g.timers.set(unionTimer{}, now, updatePatience, func(now time.Time) {
		if !g.announce.waiting || g.announce.trial != trial {
			return
		}
		g.log.Warn("the gNB does not answer AMF Configuration Update")
		if again := g.announce.again; again != nil {
			g.announce.again = nil
			g.tellGNB(again, now)
			return
		}
		g.announced(now)
	})
}

// announced ends an update, however it was answered.
func (g *gnb) announced(now time.Time) {
	g.announce.told, g.announce.waiting, g.announce.again = g.announce.sent, false, nil
	g.poolChanged(now)
}

// amfUpdateAnswer is the gNB's answer to an AMF Configuration Update.
func (g *gnb) amfUpdateAnswer(m *msg) {
	g.absorb()
	if m.Kind == ngap.Unsuccessful {
		g.log.Warn("the gNB refuses an AMF Configuration Update")
	}
	if g.announce.waiting {
		g.announced(m.now)
	}
}
