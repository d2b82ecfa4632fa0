package n2

import (
	"time"

	"poolgw/ngap"
	"poolgw/nri"
	"poolgw/pool"
)

const reasons = pool.Reasons

// identity is what a message tells of the UE, for the choice of its AMF.
type identity struct {
	known bool
	plmn  ngap.PLMN  // that the identity is of
	stmsi ngap.STMSI // with 5G-TMSI 0 when amf
	amf   bool       // of the UE's AMF alone: it is no UE's, and nothing is remembered of it
	near  pool.Mask  // the AMF Set that has the UE's context, where it was bound; empty: not known
}

func (i identity) key() uint64 {
	return uint64(i.stmsi.Set)<<38 | uint64(i.stmsi.Pointer)<<32 | uint64(i.stmsi.TMSI)
}

func (i identity) guami() uint16 { return i.stmsi.Set<<6 | uint16(i.stmsi.Pointer) }

// identify reads who the UE of an Initial UE Message is: the 5G-S-TMSI, else what
// its NAS message names, else the GUAMI, within the selected PLMN or that of its
// TAI.
func (g *gnb) identify(p *ngap.PDU) (id identity) {
	id.plmn = plmnOf(p)
	guami, has, foreign := g.registeredAMF(p)
	if foreign {
		return id
	}
	if id = g.identifyUE(p, id); !id.known && has {
		id.known, id.amf, id.plmn = true, true, guami.PLMN
		id.stmsi = ngap.STMSI{Set: guami.Set, Pointer: guami.Pointer}
	}
	return id
}

// mappedGUAMI is the GUAMI Type of one that was mapped from 4G.
const mappedGUAMI = 1

// registeredAMF reads the GUAMI that a gNB may tell (Release 19). Foreign: it is
// mapped from 4G, or another pool's, and so is all that the UE calls itself.
func (g *gnb) registeredAMF(p *ngap.PDU) (a ngap.GUAMI, has, foreign bool) {
	v, ok := p.Value(ngap.IEGUAMI)
	if !ok || p.Code != ngap.CodeInitialUEMessage {
		return a, false, false
	}
	a, err := ngap.ReadGUAMI(v)
	if err != nil {
		return a, false, false
	}
	if v, ok := p.Value(ngap.IEGUAMIType); ok {
		if t, err := ngap.ReadGUAMIType(v); err == nil && t == mappedGUAMI {
			return a, false, true
		}
	}
	return a, true, !g.native(a)
}

// identifyUE reads what the UE calls itself.
func (g *gnb) identifyUE(p *ngap.PDU, id identity) identity {
	if v, ok := p.Value(ngap.IEFiveGSTMSI); ok {
		if s, err := ngap.ReadSTMSI(v); err == nil {
			id.stmsi, id.known = s, true
			return id
		}
	}
	owner := p.NAS().Owner()
	if s, ok := owner.STMSI(); ok {
		id.stmsi, id.known = s, true
		if owner.Type == ngap.IdentityGUTI {
			id.plmn = owner.GUAMI.PLMN
			if !g.native(owner.GUAMI) {
				id.known = false // mapped from 4G, or another network's
			}
		}
	}
	return id
}

// native reports whether Region and Set of a 5G-GUTI are the pool's, where they
// are known: a GUTI mapped from 4G would else meet an AMF by chance.
func (g *gnb) native(a ngap.GUAMI) bool {
	d, known := g.gw.dir.Load(), false
	for i := range d.learned {
		for _, s := range d.learned[i].guamis {
			known = true
			if s.GUAMI.PLMN == a.PLMN && s.GUAMI.Region == a.Region && s.GUAMI.Set == a.Set {
				return true
			}
		}
	}
	return !known
}

func plmnOf(p *ngap.PDU) (plmn ngap.PLMN) {
	if v, ok := p.Value(ngap.IESelectedPLMNIdentity); ok {
		if s, err := ngap.ReadPLMN(v); err == nil {
			return s
		}
	}
	if v, ok := p.Value(ngap.IEUserLocationInformation); ok {
		if t, ok, err := ngap.ReadLocation(v); ok && err == nil {
			return t.PLMN
		}
	}
	return plmn
}

// demand is how much an Initial UE Message may ask for.
type demand uint8

const (
	ordinary demand = iota
	called          // mobile terminated: served by an overloaded AMF
	urgent          // emergency, high priority: never refused while anyone is up
)

func demandOf(p *ngap.PDU) demand {
	v, ok := p.Value(ngap.IERRCEstablishmentCause)
	if !ok {
		return ordinary
	}
	c, err := ngap.ReadEstablishment(v)
	switch {
	case err != nil:
		return ordinary
	case c == ngap.EstablishmentEmergency, c == ngap.EstablishmentHighPriority,
		c == ngap.EstablishmentMPSPriority, c == ngap.EstablishmentMCSPriority:
		return urgent
	case c == ngap.EstablishmentMTAccess:
		return called
	}
	return ordinary
}

// choose asks the pool where a UE goes; without are members that can't do it.
func (g *gnb) choose(p *ngap.PDU, id identity, without pool.Mask, now time.Time) pool.AMFDecision {
	d := g.gw.dir.Load()
	want := demandOf(p)
	r := pool.AMFRequest{Up: g.up(d).Without(without), PLMN: nri.PLMN(id.plmn), MustServe: want == urgent}
	if near := r.Up.And(id.near); !near.And(d.amfs.Open()).Empty() {
		r.Up = near
	}
	r.Serves = g.serving(d, p, plmnOf(p)) // the UE is here, wherever its identity is from
	if want == ordinary {
		r.Serves = r.Serves.Without(d.shut)
	}
	if v, ok := p.Value(ngap.IEAMFSetID); ok && p.Code == ngap.CodeInitialUEMessage { // rerouted (8.6.1.2)
		if set, err := ngap.ReadAMFSetID(v); err == nil {
			r.Confined, r.Within = true, d.amfs.InSet(set)
		}
	}
	return g.gw.decide(d, &r, id, now)
}

// decide completes a request by what is known of the UE, and asks the pool.
func (g *Gateway) decide(d *directory, r *pool.AMFRequest, id identity, now time.Time) pool.AMFDecision {
	if id.known && !d.cfg.NoAffinity {
		var e affinityEntry
		ok := false
		if !id.amf {
			e, ok = g.affinity.get(id.key(), now)
		}
		if !ok || !e.isStale(now) {
			r.HasIdentity, r.Set, r.Pointer, r.TMSI = true, id.stmsi.Set, id.stmsi.Pointer, id.stmsi.TMSI
		}
		if ok && e.isPinned(now) {
			r.Pin = pool.To(uint16(e.member))
		}
	}
	dec := d.amfs.Route(r)
	if r.Confined && dec.Member == nil {
		r.Confined = false // the gNB names a set that nobody here serves
		dec = d.amfs.Route(r)
	}
	if dec.Reason == pool.OwnerDown && !r.MustServe && d.holds(dec.Owners, now) {
		dec.Member, dec.Reason = nil, pool.Hold
	}
	return dec
}

// holds reports whether one of the owners, who are all down, may come back
// within "pool owner-down-hold".
func (d *directory) holds(owners pool.Mask, now time.Time) bool {
	if d.cfg.OwnerDownHold <= 0 {
		return false
	}
	for i, m := range d.members {
		if since := m.since.Load(); owners.Has(i) && since != 0 && now.UnixNano()-since < int64(d.cfg.OwnerDownHold) {
			return true
		}
	}
	return false
}

// serving is the set of members that serve a PLMN and, where the message says so,
// one of the slices. A missing NSSAI never means "no AMF".
func (g *gnb) serving(d *directory, p *ngap.PDU, plmn ngap.PLMN) pool.Mask {
	s := d.serving(plmn)
	v, ok := p.Value(ngap.IERequestedNSSAI)
	if _, known := d.serves[plmn]; !known || !ok {
		return s
	}
	wanted, err := ngap.ReadNSSAI(v, nil)
	if err != nil {
		return s
	}
	if n := s.And(d.withSlice(plmn, wanted)); !n.Empty() {
		return n
	}
	return s
}

var everyone = func() (m pool.Mask) {
	for i := range m {
		m[i] = ^uint64(0)
	}
	return m
}()

// withSlice is the set of members that serve one of the slices in a PLMN.
func (d *directory) withSlice(plmn ngap.PLMN, wanted []ngap.Slice) (m pool.Mask) {
	for i := range d.learned {
		for _, s := range d.learned[i].plmns {
			if s.PLMN == plmn && sharesSlice(s.Slices, wanted) {
				m.Add(i)
			}
		}
	}
	return m
}

func sharesSlice(a, b []ngap.Slice) bool {
	for _, x := range a {
		for _, y := range b {
			if x.SNSSAI == y.SNSSAI {
				return true
			}
		}
	}
	return false
}

// initialUE is the first message of a UE: it gets an AMF.
func (g *gnb) initialUE(m *msg) {
	ran, at, err := g.pdu.RANUENGAPID()
	if err != nil || at < 0 {
		g.malformed(m, ngap.IERANUENGAPID)
		return
	}
	if old := g.ues.get(ran); old != nil && !old.has(orphaned|releasing|switching) {
		// 10.4: the context that is there is kept.
		g.lose(DropDuplicate)
		g.errorIndication(m, &ids{ran: ran, hasRAN: true}, ngap.CauseNotCompatibleWithState)
		return
	} else if old != nil {
		g.unbind(ran)
	}
	if g.full() || g.tooFast(&g.pdu, m.now) {
		g.lose(DropLimit)
		g.refuseUE(ran, m.stream, ngap.CauseControlProcessingOverload)
		return
	}
	g.begin(m, ran, g.identify(&g.pdu))
}

// begin gives a UE to the member that the pool chooses; a choice that can't be
// carried out is made again without that member. An emergency rather waits in a long
// queue than is refused.
func (g *gnb) begin(m *msg, ran uint32, id identity) {
	var without pool.Mask
	why, patient := DropNoMember, false
	for {
		dec := g.choose(&g.pdu, id, without, m.now)
		if dec.Member == nil && why == DropFull && !patient && demandOf(&g.pdu) == urgent {
			without, patient = pool.Mask{}, true
			continue
		}
		g.gw.counters.decisions[dec.Reason].Add(1)
		if dec.Member == nil {
			g.lose(why)
			g.refuseUE(ran, m.stream, ngap.CauseControlProcessingOverload)
			return
		}
		l := g.legs[uint8(dec.Member.ID)]
		if l == nil || l.state != legUp || l.link.high() && !patient {
			without.Add(dec.Member.Index)
			if l != nil && l.state == legUp {
				why = DropFull
			}
			continue
		}
		l.m.decisions[dec.Reason].Add(1)
		g.start(m, l, ran, id)
		return
	}
}

// start binds a UE to an AMF and sends its first message there.
func (g *gnb) start(m *msg, l *leg, ran uint32, id identity) {
	u := ue{ran: ran, member: l.m.id, stream: m.stream, since: m.now.UnixNano()}
	if id.known && !id.amf {
		u.flags, u.guami, u.tmsi = hasTMSI, id.guami(), id.stmsi.TMSI
		g.gw.affinity.pin(id.key(), l.m.id, m.now)
	}
	g.enter(u)
	data := g.octets(&g.pdu)
	g.ues.keep(ran, data, m.now)
	if !g.deliver(l.link, l.stream(ran), data) {
		g.congested(ran, m.now)
	}
}

// refuseUE ends a UE that no AMF can serve: a command to release it, with an ID
// of the gateway's own, since gNBs only log an Error Indication.
func (g *gnb) refuseUE(ran uint32, stream uint16, c ngap.Cause) {
	own, _ := g.gw.dir.Load().ids.outer(ref{0, uint64(ran)})
	g.sendRelease(ngap.UENGAPIDs{AMF: own, RAN: ran, HasRAN: true}, stream, c)
}
