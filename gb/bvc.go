package gb

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"poolgw/bssgp"
)

// bvc is one end of a BVC: its state machine, which it owns, and what workers
// need of it.
type bvc struct {
	gw     *Gateway
	fsm    *bssgp.BVC
	bvci   uint16
	peer   *peer
	member *member // nil: toward a BSS
	cell   *cell   // nil: signalling
	state  atomic.Uint32
	armed  time.Time // the earliest timer that stands
	dead   bool      // taken down; timers that still stand mean nothing
	tag    uint8     // of our own FLOW-CONTROL-BVC
	mended time.Time // last reset because the SGSN did not know the BVC

	*tally
}

// mendEvery is the least time between two resets of a BVC that an SGSN says it
// does not know.
const mendEvery = 10 * time.Second

// newBVC makes the end of a BVC in state NULL, toward an SGSN if m is set.
func (g *Gateway) newBVC(bvci uint16, p *peer, m *member, c *cell) *bvc {
	b := &bvc{gw: g, bvci: bvci, peer: p, member: m, cell: c, tally: g.tallyOf(p, m, c, bvci)}
	cfg := bssgp.BVCConfig{NSEI: p.nsei, BVCI: bvci, Role: bssgp.RoleSGSN, Owner: b, Timers: &g.bvcTimers}
	if m != nil {
		cfg.Role = bssgp.RoleBSS
	}
	if c != nil && m != nil {
		cfg.Cell = c.id.Load()
	}
	b.fsm = bssgp.NewBVC(cfg)
	return b
}

// State is the machine's state; workers read it too.
func (b *bvc) State() bssgp.BVCState { return bssgp.BVCState(b.state.Load()) }

func (b *bvc) unblocked() bool { return b.State() == bssgp.BVCUnblocked }

func (b *bvc) reset(now time.Time, c bssgp.Cause) {
	b.offer()
	b.fsm.Reset(now, c)
	b.arm()
}

func (b *bvc) block(now time.Time, c bssgp.Cause) {
	_ = b.fsm.Block(now, c) // refused only where there is nothing to block
	b.arm()
}

func (b *bvc) unblock(now time.Time) {
	_ = b.fsm.Unblock(now)
	b.arm()
}

func (b *bvc) recv(now time.Time, pdu []byte) *bssgp.CheckError {
	_, e := b.fsm.Recv(now, pdu)
	b.arm()
	return e
}

// drop takes the BVC down without a word to the peer.
func (b *bvc) drop(now time.Time) {
	b.dead = true
	b.fsm.Drop(now)
	b.state.Store(uint32(bssgp.BVCNull))
	b.tellState(bssgp.BVCNull)
}

// arm sets a timer for the machine's deadline unless an earlier one stands,
// which then arms again.
func (b *bvc) arm() {
	d := b.fsm.Deadline()
	if b.dead || d.IsZero() || !b.armed.IsZero() && !d.Before(b.armed) {
		return
	}
	b.armed = d
	b.gw.timers.at(d, func(now time.Time) {
		if b.dead || !b.armed.Equal(d) {
			return
		}
		b.armed = time.Time{}
		b.fsm.Expire(now)
		b.arm()
	})
}

// SendBVC implements bssgp.BVCOwner.
func (b *bvc) SendBVC(_ *bssgp.BVC, pdu []byte) { b.gw.send(b.peer, 0, 0, pdu) }

// BVCStateChanged implements bssgp.BVCOwner.
func (b *bvc) BVCStateChanged(now time.Time, _ *bssgp.BVC, from, to bssgp.BVCState) {
	b.state.Store(uint32(to))
	if b.dead {
		return
	}
	b.tellState(to)
	switch {
	case to == bssgp.BVCBlocked:
		b.events.blocked.Add(1)
	case from == bssgp.BVCBlocked && to == bssgp.BVCUnblocked:
		b.events.unblocked.Add(1)
	}
	if b.gw.logs.pdus.Enabled(context.Background(), slog.LevelInfo) && b.gw.limit.allow(now) {
		b.gw.logs.pdus.Info("BVC state", "nsei", b.peer.nsei, "side", b.peer.side(), "bvci", b.bvci,
			"from", from, "to", to)
	}
}

// BVCReset implements bssgp.BVCOwner.
func (b *bvc) BVCReset(now time.Time, _ *bssgp.BVC, cause bssgp.Cause, locally bool) {
	if b.bvci == 0 && !b.dead {
		b.gw.agree(b)
	}
	switch g := b.gw; {
	case b.dead:
	case b.member == nil && b.cell == nil:
		g.bssSignallingReset(now, b.peer, cause)
	case b.member == nil:
		g.bssCellReset(now, b, locally)
	case b.cell == nil:
		g.sgsnSignallingReset(now, b.member, cause)
	default:
		g.sgsnCellReset(now, b, cause, locally)
	}
}

// BVCAlarm implements bssgp.BVCOwner.
func (b *bvc) BVCAlarm(_ time.Time, _ *bssgp.BVC, procedure string) {
	b.gw.alarms.Add(1)
	b.gw.log.Error("BVC procedure without an answer, it goes on with back-off", "cat", "lbssgp",
		"procedure", procedure, "nsei", b.peer.nsei, "side", b.peer.side(), "bvci", b.bvci)
}

// sorted returns the BVCs in the order of their BVCI.
func sorted(m map[uint16]*bvc) []*bvc {
	return slices.SortedFunc(maps.Values(m), func(a, b *bvc) int { return cmp.Compare(a.bvci, b.bvci) })
}

// manageBVC is the rule of all BVC management PDUs.
func (g *Gateway) manageBVC(m *message) outcome {
	bvci, _ := bssgp.ReadBVCI(m.pdu)
	if o, is := g.tooEarly(m, bvci); is {
		return o
	}
	var b *bvc
	var o outcome
	if mb := m.from.member.Load(); mb != nil {
		b, o = g.sgsnBVC(m, mb, bvci)
	} else {
		b, o = g.bssBVC(m, bvci)
	}
	if b == nil {
		return o
	}
	if m.typ == bssgp.TypeBVCReset {
		b.offer()
	}
	if e := b.recv(g.now, m.pdu); e != nil {
		return refused(dropMalformed, e.Cause)
	}
	if m.typ == bssgp.TypeBVCBlock || m.typ == bssgp.TypeBVCUnblock {
		g.bssBVCBlocked(g.now, b)
	}
	return done
}
