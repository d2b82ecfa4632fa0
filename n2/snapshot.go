package n2

import (
	"context"
	"fmt"
	"slices"
	"time"

	"poolgw/ngap"
	"poolgw/pool"
	"poolgw/sctp"
)

// Snapshot is the gateway at one moment, for shows, their JSON forms and
// metrics. gNBs stand in the order in which they associated, AMFs in
// configuration order.
type Snapshot struct {
	Time         time.Time        `json:"time"`
	Running      bool             `json:"running"`
	Pool         PoolState        `json:"pool"`
	Binds        []BindState      `json:"binds"`
	GNBs         []GNBState       `json:"gnbs"`
	Conservation Conservation     `json:"conservation"`
	Procedures   []ProcedureState `json:"procedures"`
	Counts       Counts           `json:"counts"`
	Limits       Limits           `json:"limits"`
	Traces       []TraceState     `json:"traces"`
	UEs          int64            `json:"ues"`            // of all gNBs
	Userspace    sctp.Room        `json:"userspace_sctp"` // for its packets
}

// Counts are events since the start.
type Counts struct {
	RefusedGNBs   uint64 `json:"refused_gnbs"`
	LimitedGNBs   uint64 `json:"refused_gnbs_limit"` // of these, for limits gnbs
	LimitedPerGNB uint64 `json:"refused_ues_per_gnb_limit"`
	LimitedUEs    uint64 `json:"refused_ues_limit"`
	LimitedNewUEs uint64 `json:"refused_ues_rate"`
	LimitedSlow   uint64 `json:"refused_ues_slow_gnb"` // a gNB that does not read gets no new UEs
	Storms        uint64 `json:"refused_gnbs_storm"`   // of addresses whose associations never live
	Congested     uint64 `json:"congested_ues"`        // released because a PDU found no room
	Stalled       uint64 `json:"stalled_associations"` // ended because the peer took nothing
	Oversized     uint64 `json:"oversized_messages"`   // longer than what is taken from a peer
	QueueFull     uint64 `json:"queue_full"`           // PDUs for which limits ngap-queue had no room
	Unasked       uint64 `json:"owner_busy"`           // shows and traces for which a gNB's owner had no room
	QueuedOctets  int64  `json:"queued_octets"`        // now
	LostGNBs      uint64 `json:"lost_gnbs"`            // associations that ended otherwise than by us
	LostAMFs      uint64 `json:"lost_amf_associations"`
	InitialLate   uint64 `json:"ues_without_amf_answer"` // "timer initial-ue" ended
	ReleaseLate   uint64 `json:"releases_without_end"`   // "timer release"
	HandoverLate  uint64 `json:"handovers_without_end"`  // "timer handover"
	RequestsLate  uint64 `json:"requests_unanswered"`    // "timer request"
	SameIDRefused uint64 `json:"gnbs_refused_same_id"`   // another gNB with the ID was alive
	SameIDTaken   uint64 `json:"gnbs_taken_over"`        // the gNB with the ID did not answer
	Stale         uint64 `json:"stale_identities"`       // 5G-S-TMSIs marked as unknown to their AMF
	Differences   uint64 `json:"setup_differences"`      // IEs of NG Setup in which AMFs differ
	Overloads     uint64 `json:"overload_starts"`        // from AMFs
	LargeIDs      uint64 `json:"large_amf_ue_ids"`       // AMF UE NGAP IDs in the table: large, or of another life
	LargeRefused  uint64 `json:"large_amf_ue_refused"`   // those for which the table had no room
}

// PoolState is the pool as "show pool" tells it.
type PoolState struct {
	BitLen    uint8             `json:"nri_bitlen"`
	Selection string            `json:"selection"` // weighted or hash
	Affinity  bool              `json:"affinity"`
	AMFs      []AMFState        `json:"amfs"`
	Reasons   map[string]uint64 `json:"reasons"` // decisions by pool.Reason's name
}

// AMFState is a member.
type AMFState struct {
	ID           uint8        `json:"amf"`
	Name         string       `json:"name"`
	Announced    string       `json:"announced_name"` // the AMF Name that it told
	Remote       string       `json:"remote"`
	Up           bool         `json:"up"` // an association with NG Setup exists
	Since        time.Time    `json:"since,omitzero"`
	Associations int          `json:"associations"` // with NG Setup
	AllowAttach  bool         `json:"allow_attach"`
	DrainedSince time.Time    `json:"drained_since,omitzero"`
	Capacity     int          `json:"capacity"`           // what counts; -1: not known yet
	Told         int          `json:"announced_capacity"` // -1: not known yet
	Share        uint16       `json:"weight"`             // in the round-robin, less for overload
	Overload     string       `json:"overload"`           // "": none
	NRI          string       `json:"nri"`                // configured: "1-341,500"
	GUAMIs       []GUAMIState `json:"guamis"`
	PLMNs        []string     `json:"plmns"`
	Bound        int64        `json:"bound"` // UEs
	Lost         uint64       `json:"lost"`  // associations that ended
	// Decisions counts the choices of this member by pool.Reason's name.
	Decisions map[string]uint64 `json:"decisions"`
	FromPDUs  uint64            `json:"from_pdus"`
	ToPDUs    uint64            `json:"to_pdus"`
}

// GUAMIState is what an AMF told of one GUAMI.
type GUAMIState struct {
	GUAMI       string `json:"guami"` // "262-42 region/set/pointer"
	PLMN        string `json:"plmn"`
	Region      uint8  `json:"region"`
	Set         uint16 `json:"set"`
	Pointer     uint8  `json:"pointer"`
	NRI         uint16 `json:"nri"` // Set and Pointer in 16 bits
	Backup      string `json:"backup,omitempty"`
	Unavailable bool   `json:"unavailable"` // AMF Status Indication
}

// AMF returns the member with that number, or nil.
func (s *Snapshot) AMF(id uint8) *AMFState {
	i := slices.IndexFunc(s.Pool.AMFs, func(a AMFState) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Pool.AMFs[i]
}

// Conservation is the account over all gNBs, those that are gone included.
func (g *Gateway) Conservation() Conservation {
	g.mu.Lock()
	defer g.mu.Unlock()
	var c Conservation
	c.Add(g.past)
	for _, o := range g.gnbs {
		c.Add(o.led.read())
	}
	return c
}

// Snapshot asks every gNB's owner. Owners that have not answered when ctx ends
// are shown with what is known without them, as "busy".
func (g *Gateway) Snapshot(ctx context.Context) (Snapshot, error) {
	s := Snapshot{Time: g.clock(), Conservation: g.Conservation(), UEs: g.ues.Load(), Counts: g.counters.read(), Userspace: sctp.UserspaceRoom()}
	s.Counts.LargeIDs, s.Counts.LargeRefused = g.overflow.count.Load(), g.overflow.full.Load()
	s.Counts.QueueFull, s.Counts.QueuedOctets = g.backlog.hits.Load(), g.backlog.octets.Load()
	s.Procedures = g.procedures()
	s.GNBs = g.askAll(ctx)
	for i := range s.GNBs {
		if t := s.GNBs[i].Trace; t != nil {
			s.Traces = append(s.Traces, *t)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s.Running, s.Limits = g.life != nil, g.cfg.Limits
	for _, c := range g.cfg.Binds {
		s.Binds = append(s.Binds, g.bindState(c, s.GNBs))
	}
	s.Pool = PoolState{BitLen: g.cfg.BitLen, Selection: "weighted", Affinity: !g.cfg.NoAffinity, Reasons: countsByReason(&g.counters.decisions)}
	if g.cfg.Hash {
		s.Pool.Selection = "hash"
	}
	for _, a := range g.cfg.AMFs {
		if m := g.members[a.ID]; m != nil {
			s.Pool.AMFs = append(s.Pool.AMFs, g.amfState(m, s.GNBs))
		}
	}
	return s, nil
}

func (c *counters) read() Counts {
	l := func(i limit) uint64 { return c.limited[i].Load() }
	return Counts{RefusedGNBs: c.refused.Load(), LimitedGNBs: l(limitGNBs), LimitedPerGNB: l(limitUEsPerGNB), LimitedUEs: l(limitUEs),
		LimitedNewUEs: l(limitNewUEs), LimitedSlow: l(limitSlow), Storms: l(limitStorm), Congested: c.congested.Load(), Stalled: c.stalled.Load(),
		Oversized: c.oversized.Load(), Unasked: c.unasked.Load(), LostGNBs: c.lostGNBs.Load(), LostAMFs: c.lostAMFs.Load(), Stale: c.stale.Load(),
		InitialLate: c.guards[guardInitial].Load(), ReleaseLate: c.guards[guardRelease].Load(), HandoverLate: c.guards[guardHandover].Load(),
		RequestsLate:  c.guards[guardRequest].Load(),
		SameIDRefused: c.rivals[0].Load(), SameIDTaken: c.rivals[1].Load(),
		Differences: c.merged.Load(), Overloads: c.overloads.Load()}
}

func countsByReason(by *reasonCounts) map[string]uint64 {
	m := make(map[string]uint64)
	for r := range by {
		if n := by[r].Load(); n > 0 {
			m[pool.Reason(r).String()] = n
		}
	}
	return m
}

// amfState is called with the lock held.
func (g *Gateway) amfState(m *member, gnbs []GNBState) AMFState {
	pm := g.poolMember(m)
	s := AMFState{ID: m.id, Name: m.label, Announced: clean(m.learned.name()), Remote: m.cfg.Remote.String(), Up: m.up(), Associations: int(m.legs.Load()),
		AllowAttach: m.cfg.AllowAttach, DrainedSince: m.drained, Capacity: m.cfg.Capacity, Told: -1, Share: pm.Weight, Overload: m.overload.String(),
		NRI: m.cfg.NRI.String(), Bound: m.bound.Load(), Lost: m.lost.Load(), Decisions: countsByReason(&m.decisions),
		FromPDUs: m.past.from.Load(), ToPDUs: m.past.to.Load()}
	if ns := m.since.Load(); ns != 0 {
		s.Since = time.Unix(0, ns)
	}
	if m.learned.known() {
		s.Told = int(m.learned.capacity)
	}
	if s.Capacity < 0 {
		s.Capacity = s.Told
	}
	for _, sg := range m.learned.guamis {
		_, gone := m.away[sg.GUAMI]
		a := sg.GUAMI
		s.GUAMIs = append(s.GUAMIs, GUAMIState{GUAMI: a.String(), PLMN: a.PLMN.String(), Region: a.Region, Set: a.Set, Pointer: a.Pointer,
			NRI: a.Set<<6 | uint16(a.Pointer), Backup: clean(first(sg.Backups())), Unavailable: gone})
	}
	for _, p := range m.learned.plmns {
		s.PLMNs = append(s.PLMNs, p.PLMN.String())
	}
	for i := range gnbs {
		for _, l := range gnbs[i].AMFs {
			if l.AMF == m.id {
				s.FromPDUs, s.ToPDUs = s.FromPDUs+l.FromPDUs, s.ToPDUs+l.ToPDUs
			}
		}
	}
	return s
}

// String is what the AMF asked for, "" when there is no overload.
func (o *overload) String() string {
	switch {
	case o == nil:
		return ""
	case o.reduction > 0:
		return fmt.Sprintf("%d %% less", o.reduction)
	}
	return "no new UEs"
}

// ProcedureState is one elementary procedure: what is done with its PDUs, and
// how many came.
type ProcedureState struct {
	Code    uint8  `json:"code"`
	Name    string `json:"name"`
	FromGNB Flow   `json:"from_gnb"`
	FromAMF Flow   `json:"from_amf"`
}

// Flow is what comes of a procedure from one side.
type Flow struct {
	Rule string `json:"rule"` // "": nothing may come from there
	PDUs uint64 `json:"pdus"`
}

// procedures are the rows of the table, and unknown procedures that were seen.
func (g *Gateway) procedures() []ProcedureState {
	var list []ProcedureState
	counts := g.Procedures()
	for c := range 256 {
		code := ngap.Code(c)
		r, name := routeOf(code), fmt.Sprintf("procedure %d", c)
		if row := ngap.Lookup(code); row != nil {
			name = row.Initiating
		}
		p := ProcedureState{Code: uint8(c), Name: name, FromGNB: Flow{r.up.name, counts[0][c]},
			FromAMF: Flow{r.down.name, counts[1][c]}}
		if c < len(routes) || p.FromGNB.PDUs+p.FromAMF.PDUs > 0 {
			list = append(list, p)
		}
	}
	return list
}
