package n2_test

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/sctp"
)

// play is a game of peers that do anything, in any order, by the octets of a
// fuzzer, against one gateway.
type play struct {
	*bed
	in      []byte
	rnd     *rand.Rand // once in is over
	gnbs    []*peer
	seen    []uint64 // AMF UE NGAP IDs that gNBs were shown
	mutates bool     // octets are changed at random: IDs may be anything
	served  int
	claimed map[claim]bool // UEs that a gNB said came to it over Xn: their uplink goes by what it said
}

// claim is what an AMF got in a Path Switch Request.
type claim struct {
	amf int
	id  uint64
	ran uint32
}

// n takes a number below end from the octets.
func (p *play) n(end int) int {
	if len(p.in) == 0 {
		return p.rnd.IntN(end)
	}
	v := int(p.in[0])
	p.in = p.in[1:]
	return v % end
}

func (p *play) one(in, of int) bool { return p.n(of) < in }

// amfID is an ID that AMF i might use: each has its own.
func (p *play) amfID(i int) uint64 {
	base := []uint64{4, 4, 4, 8, 8, 12, 0, 1 << 33, 1 << 38, 1<<40 - 4}[p.n(10)]
	return base + uint64(i)
}

func (p *play) ran() uint32 { return []uint32{1, 1, 2, 2, 3, 4, 5, 1 << 31, 0}[p.n(9)] }

// outer is an ID that a gNB might use: mostly one that it was shown.
func (p *play) outer() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.seen) > 0 && !p.one(1, 8) {
		return p.seen[p.n(len(p.seen))]
	}
	return uint64(p.n(5))<<32 | uint64(p.n(8))
}

func (p *play) codes() ngap.Code {
	common := []ngap.Code{0, 1, 4, 9, 9, 10, 12, 13, 14, 15, 15, 15, 15, 20, 20, 21, 22, 23, 24, 25, 25, 35, 36, 40, 40, 41, 41, 42, 45, 46, 46, 46, 46, 51, 57, 58, 59, 65, 81}
	if p.one(1, 5) {
		return ngap.Code(p.n(96))
	}
	return common[p.n(len(common))]
}

// extra adds IEs that some rule looks at.
func (p *play) extra(pdu *ngap.PDU, id func() uint64, guami func() ngap.GUAMI) {
	add := func(ie ngap.IEID, v []byte) {
		if pdu.Find(ie) < 0 || p.mutates {
			pdu.Add(ie, ngap.Ignore, v)
		}
	}
	var list []ngap.Connection
	for range 1 + p.n(4) {
		c := ngap.Connection{AMF: id(), RAN: p.ran(), HasAMF: p.one(2, 3), HasRAN: p.one(2, 3)}
		list = append(list, c)
	}
	if p.one(1, 2) {
		list = append(list, list[0])
	}
	stmsi := ngap.STMSI{Set: uint16(1 + p.n(3)), Pointer: uint8(1 + p.n(4)), TMSI: uint32(p.n(4))}
	for _, ie := range []struct {
		id   ngap.IEID
		when bool
		v    func() []byte
	}{
		{ngap.IENewAMFUENGAPID, pdu.Code == 40 && p.one(1, 2), func() []byte { return ngap.AppendAMFUENGAPID(nil, id()) }},
		{ngap.IESourceAMFUENGAPID, pdu.Code == 25, func() []byte { return ngap.AppendAMFUENGAPID(nil, id()) }},
		{ngap.IEAMFUENGAPID2, p.one(1, 12), func() []byte { return ngap.AppendAMFUENGAPID(nil, id()) }},
		{ngap.IEUENGAPIDs, pdu.Code == 41, func() []byte {
			return ngap.UENGAPIDs{AMF: id(), RAN: p.ran(), HasRAN: p.one(3, 4)}.Append(nil)
		}},
		{ngap.IEResetType, pdu.Code == 20 && pdu.Kind == ngap.Initiating, func() []byte {
			if p.one(1, 4) {
				return ngap.AppendResetAll(nil)
			}
			return ngap.AppendResetPart(nil, list)
		}},
		{ngap.IECause, p.one(1, 2), func() []byte {
			return ngap.AppendCause(nil, []ngap.Cause{ngap.CauseUnknownLocalUENGAPID, ngap.CauseInconsistentRemoteUENGAPID, ngap.CauseNormalRelease}[p.n(3)])
		}},
		{ngap.IENASPDU, pdu.Code == 46 || pdu.Code == 4 || p.one(1, 8), func() []byte {
			return ngap.AppendOctets(nil, unhex([]string{"7e004d09", "7e00440a", "7e005600", ""}[p.n(4)]))
		}},
		{ngap.IENGAPMessage, pdu.Code == 36, func() []byte {
			return ngap.AppendOctets(nil, [][]byte{initial(p.ran(), nil), initial(p.ran(), &stmsi), reset(nil), {1, 2}}[p.n(4)])
		}},
		{ngap.IEAMFSetID, pdu.Code == 36 || p.one(1, 20), func() []byte { return ngap.AppendAMFSetID(nil, uint16(1+p.n(3))) }},
		{ngap.IEOldAMF, p.one(1, 10), func() []byte { return ngap.AppendName(nil, "amf-1") }},
		{ngap.IEFiveGSTMSI, p.one(1, 8), func() []byte { return ngap.AppendSTMSI(nil, stmsi) }},
		{ngap.IEServedGUAMIList, pdu.Code == 0 && p.one(1, 2), func() []byte {
			return ngap.AppendServedGUAMIs(nil, []ngap.ServedGUAMI{{GUAMI: guami(), Backup: []byte("amf-2")}})
		}},
		{ngap.IERelativeAMFCapacity, pdu.Code == 0 && p.one(1, 2), func() []byte { return ngap.AppendCapacity(nil, uint8(p.n(256))) }},
		{ngap.IEUnavailableGUAMIList, pdu.Code == 1, func() []byte {
			return ngap.AppendUnavailableGUAMIs(nil, []ngap.UnavailableGUAMI{{GUAMI: guami(), Backup: []byte("amf-3")}})
		}},
		{ngap.IEAMFTrafficLoadReductionIndication, pdu.Code == 22 && p.one(1, 2), func() []byte { return ngap.AppendLoadReduction(nil, 50) }},
		{ngap.IERoutingID, p.one(1, 12), func() []byte { return ngap.AppendOctets(nil, []byte{byte(p.n(3))}) }},
	} {
		if ie.when {
			add(ie.id, ie.v())
		}
	}
}

// pdu is any message of a side.
func (p *play) pdu(id func() uint64, guami func() ngap.GUAMI) []byte {
	var m ngap.PDU
	c, k := p.codes(), ngap.Initiating
	if p.one(1, 3) {
		k = ngap.Kind(p.n(3))
	}
	if c == ngap.CodeInitialUEMessage && k == ngap.Initiating && p.one(7, 8) {
		var s *ngap.STMSI
		if p.one(1, 2) {
			s = &ngap.STMSI{Set: uint16(1 + p.n(2)), Pointer: uint8(1 + p.n(3)), TMSI: uint32(p.n(4))}
		}
		return p.damage(initial(p.ran(), s))
	}
	m.New(c, k)
	if p.one(7, 8) {
		m.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, id()))
	}
	if p.one(7, 8) {
		m.Add(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, p.ran()))
	}
	p.extra(&m, id, guami)
	return p.damage(m.Append(nil))
}

// damage changes, cuts or lengthens octets, when the game is such a one.
func (p *play) damage(b []byte) []byte {
	if !p.mutates || p.one(2, 3) {
		return b
	}
	switch p.n(4) {
	case 0:
		return b[:p.n(len(b)+1)]
	case 1:
		return append(b, make([]byte, p.n(9))...)
	default:
		b = slices.Clone(b)
		for range 1 + p.n(3) {
			b[p.n(min(len(b), 256))] ^= byte(1 << p.n(8))
		}
	}
	return b
}

func (p *play) put(q *peer, data []byte) {
	if q != nil && len(data) > 0 {
		_ = q.assoc.Send(sctp.Message{Stream: uint16(len(data) % 4), PPID: sctp.PPIDNGAP, Data: data}) // it may be down
	}
}

func (p *play) someGNB() *peer {
	if len(p.gnbs) == 0 {
		return nil
	}
	return p.gnbs[p.n(len(p.gnbs))]
}

func (p *play) someAMF() (*amf, *peer) {
	a := p.amfs[p.n(len(p.amfs))]
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(a.peers) == 0 {
		return a, nil
	}
	return a, a.peers[len(a.peers)-1-p.n(min(len(a.peers), 3))]
}

// join associates a gNB, perhaps with the ID of another, from an address that was
// used before, perhaps.
func (p *play) join() {
	if len(p.gnbs) > 12 {
		return
	}
	a, err := p.net.Dial(context.Background(), sctp.At(uint16(p.n(2)*40000), address(2, 1+p.n(5))), sctp.At(n2.DefaultPort, address(0, 1)), sctp.Defaults())
	if err != nil {
		return
	}
	g := p.newPeer("gNB", a, p.asGNB)
	p.gnbs = append(p.gnbs, g)
	if p.one(7, 8) {
		p.put(g, setupOf(uint32(7+p.n(4))))
	}
}

// asGNB learns IDs, and answers some messages as a gNB does.
func (p *play) asGNB(q *peer, data []byte) {
	var m ngap.PDU
	if err := m.Walk(data); err != nil {
		p.Errorf("a gNB got %x: %v", data, err)
		return
	}
	p.may(&m, ngap.RAN)
	if id, at, err := m.AMFUENGAPID(); err == nil && at >= 0 && m.Code != ngap.CodeErrorIndication {
		p.seen = append(p.seen, id)
	}
	if v, ok := m.Value(ngap.IEUENGAPIDs); ok && m.Code == ngap.CodeUEContextReleaseCommand {
		if i, err := ngap.ReadUENGAPIDs(v); err == nil && i.HasRAN && i.RAN%2 == 0 {
			p.put(q, message(m.Code, ngap.Successful, i.AMF, i.RAN))
		}
	}
}

// asAMF answers NG Setup, and some first messages of UEs.
func (p *play) asAMF(a *amf) func(q *peer, data []byte) {
	return func(q *peer, data []byte) {
		var m ngap.PDU
		if err := m.Walk(data); err != nil {
			p.Errorf("AMF %d got %x: %v", a.id, data, err)
			return
		}
		p.may(&m, ngap.AMF)
		ran, at, err := m.RANUENGAPID()
		if v, ok := m.Value(ngap.IESourceAMFUENGAPID); ok && m.Code == ngap.CodePathSwitchRequest {
			id, _ := ngap.ReadAMFUENGAPID(v)
			if p.claimed == nil {
				p.claimed = make(map[claim]bool)
			}
			p.claimed[claim{a.id, id, ran}] = true
		}
		if m.Code != ngap.CodePathSwitchRequest && !p.mutates && isUE(m.Code) {
			if id, at, err := m.AMFUENGAPID(); err == nil && at >= 0 && int(id%4) != a.id && !(m.Code == ngap.CodeUplinkNASTransport && p.claimed[claim{a.id, id, ran}]) {
				p.Errorf("AMF %d got %s with the ID %#x of another: %x", a.id, m.Name(), id, data)
			}
		}
		if v, ok := m.Value(ngap.IEResetType); ok && m.Code == ngap.CodeNGReset && !p.mutates {
			_, list, _ := ngap.ReadResetType(v, nil)
			if slices.ContainsFunc(list, func(c ngap.Connection) bool { return c.HasAMF && int(c.AMF%4) != a.id }) {
				p.Errorf("AMF %d got an NG Reset with the ID of another: %x", a.id, data)
			}
		}
		if m.Code == ngap.CodeInitialUEMessage && err == nil && at >= 0 && ran%3 != 0 {
			p.served++
			p.put(q, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, uint64(p.served%9*4+a.id)|uint64(ran%2)<<35, ran, nas))
		}
	}
}

// isUE reports whether a procedure's messages to an AMF hold its ID.
func isUE(c ngap.Code) bool {
	row := ngap.Lookup(c)
	return row != nil && row.Association == ngap.UE && c != ngap.CodeInitialUEMessage && c != ngap.CodeRANCPRelocationIndication
}

// may checks that a message is one that this side may get.
func (p *play) may(m *ngap.PDU, side ngap.Side) {
	if id, twice := m.Repeated(); twice {
		p.Errorf("%s came with %s twice", m.Name(), id)
	}
	row := ngap.Lookup(m.Code)
	if row == nil {
		return
	}
	if starts := row.Initiator&^side != 0; row.Message(m.Kind) == "" || m.Kind == ngap.Initiating && !starts {
		p.Errorf("%s came to the side %s", m.Name(), side)
	}
}

// change is a change of configuration.
func (p *play) change() {
	c := p.cfg.Clone()
	switch p.n(8) {
	case 0:
		c.AMFs = slices.Delete(c.AMFs, 0, 1)
	case 1:
		c.AMFs = nil
	case 2:
		c.AMFs[p.n(3)].AllowAttach = p.one(1, 2)
	case 3:
		c.OnLoss = n2.OnLoss(p.n(4))
	case 4:
		c.IndexBits = uint8(3 + p.n(6))
	case 5:
		c.Transparent = !c.Transparent
	case 6:
		c.AMFs[p.n(3)].Remote.Addrs = []netip.Addr{address(1, 1+p.n(4))}
	case 7:
		c.NoAffinity, c.Hash = p.one(1, 2), p.one(1, 2)
	}
	if err := p.gw.Apply(p.cfg, c, time.Now()); err != nil {
		p.Errorf("%v", err)
	}
}

// move is one thing that happens.
func (p *play) move() {
	guami := func() ngap.GUAMI { return ngap.GUAMI{PLMN: home, Region: 1, Set: 1, Pointer: uint8(p.n(6))} }
	switch p.n(16) {
	case 0, 1:
		p.join()
	case 2, 3, 4, 5, 6:
		p.put(p.someGNB(), p.pdu(p.outer, guami))
	case 7, 8, 9, 10, 11:
		a, q := p.someAMF()
		p.put(q, p.pdu(func() uint64 { return p.amfID(a.id) }, guami))
	case 12:
		time.Sleep(time.Duration(1+p.n(100)) * 7 * time.Millisecond)
	case 13:
		if p.one(1, 2) {
			p.change()
		} else {
			time.Sleep(time.Duration(1+p.n(200)) * time.Second / 2)
		}
	case 14:
		if g := p.someGNB(); g != nil && p.one(1, 2) {
			p.gnbs = slices.DeleteFunc(p.gnbs, func(q *peer) bool { return q == g })
			if p.one(1, 2) {
				g.assoc.Close()
			} else {
				g.assoc.Abort("gone")
			}
		}
	case 15:
		if _, q := p.someAMF(); q != nil && p.one(1, 2) {
			q.assoc.Abort("killed")
		} else if p.one(1, 4) {
			p.net.Vanish(address(2, 1+p.n(5)))
		}
	}
	if p.one(1, 2) {
		p.settle()
	}
}

func playAll(t *testing.T, in []byte, seed uint64) {
	p := &play{in: in, rnd: rand.New(rand.NewPCG(seed, 1))}
	p.mutates = p.one(1, 2)
	run(t, 3, func(c *n2.Config) {
		c.Transparent, c.IndexBits = p.one(1, 6), uint8(3+p.n(6))
		c.OnLoss, c.SetupFirst = n2.OnLoss(p.n(4)), p.one(1, 6)
		c.Stale, c.EarlyRelease = n2.Stale(p.n(3)), time.Second
		c.Probe = time.Duration(p.n(2)) * 3 * time.Second
	}, func(b *bed) {
		p.bed = b
		for i, a := range b.amfs {
			a.guamis[0].Set = uint16(1 + i/2)
			a.play = p.asAMF(a)
		}
		p.join()
		for n := 0; n < 200 && (len(p.in) > 0 || n < 150); n++ {
			p.move()
		}
		b.settle()
		b.endsClean(p.gnbs)
	})
}

// endsClean has the gNBs leave and the gateway stop: the account balances before,
// nothing is left after.
func (b *bed) endsClean(gnbs []*peer) {
	b.Helper()
	if c := b.gw.Conservation(); c.Balance() != 0 {
		b.Errorf("not balanced by %d: %+v", c.Balance(), c)
	}
	for _, g := range gnbs {
		g.assoc.Close()
	}
	b.sleep(2 * time.Minute)
	b.gw.Stop()
	synctest.Wait()
	for _, l := range b.gw.Leaks() {
		b.Errorf("left: %s", l)
	}
}

// Nothing that peers send, and no order in which they come and go, crashes the
// gateway, unbalances its account, reaches a side that may not get it, brings an
// AMF another's ID, or leaves anything behind.
func FuzzPeers(f *testing.F) {
	f.Add([]byte{}, uint64(1))
	f.Add([]byte("11A0"), uint64(63))   // an uplink while the AMF is asked to switch the path of an ID that it never gave
	f.Add([]byte("10000"), uint64(215)) // an AMF gets another remote while a Handover Request of the one before waits
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) { playAll(t, in, seed) })
}

// Some games are played every time; N2_GAMES says how many.
// Facts: N8-09
func TestPeersThatDoAnything(t *testing.T) {
	games := 40
	if n, err := strconv.Atoi(os.Getenv("N2_GAMES")); err == nil {
		games = n
	}
	for seed := range games {
		if !t.Run(strconv.Itoa(seed), func(t *testing.T) { playAll(t, nil, uint64(seed)) }) {
			return
		}
	}
}
