package load

import (
	"bytes"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"poolgw/bssgp"
	"poolgw/ns"
)

// manager is the NS and BVC management of all nodes: one NS stack in a
// goroutine of its own. As in a network the BSSs bring up: NS, then BVCI 0 is
// reset, then the cell (TS 48.018 8.4), then flow control is told; the SGSNs
// answer.
type manager struct {
	stack    *ns.Stack
	config   ns.Config
	entities map[uint16]*entity // by NSEI
	want     int                // BVCs: of each cell one at its BSS and one at each SGSN
	up       atomic.Int64       // of them, unblocked
	alive    atomic.Int64       // NSEs that can carry data
	down     atomic.Uint64      // times that an NS-VC went down
	statuses atomic.Uint64      // STATUS PDUs that came
	running  bool
	stop     chan struct{}
	done     chan struct{}
}

// entity is the NSE of a node toward the gateway and its BVCs.
type entity struct {
	m    *manager
	role bssgp.BVCRole
	nse  *ns.NSE
	sig  *bssgp.BVC
	ptp  map[uint16]*bssgp.BVC
	tag  uint8
	// early holds what came before NS was up here too: it could not be answered
	// yet, and the gateway would wait for T2, 10 s, before it resets again.
	early []pdu
}

// Timers of the procedures, short for what they may be (TS 48.018 table 12.1).
const procedureTimer = 2 * time.Second

func newManager(g *Generator) (*manager, error) {
	m := &manager{entities: map[uint16]*entity{}, stop: make(chan struct{}), done: make(chan struct{}),
		want:   len(g.cells)*(1+len(g.opt.SGSNs)) + g.opt.Others*len(g.opt.SGSNs),
		config: ns.Config{Timers: ns.DefaultTimers(), TxQueueMax: 4096}}
	for _, t := range []ns.Timer{ns.TnsAlive, ns.TnsReset, ns.TsnsProv} {
		m.config.Timers[t] = 1 // s: the gateway may start after us
	}
	m.config.Timers[ns.TnsTest] = g.opt.Keepalive
	for i, n := range g.nodes {
		m.config.Binds = append(m.config.Binds, ns.BindConfig{Name: bindName(i), Link: ns.LinkUDP, Listen: n.local,
			SigWeight: 1, DataWeight: 1})
		if m.entities[n.nsei] != nil {
			return nil, fmt.Errorf("load: NSEI %d is there twice", n.nsei)
		}
		e := &entity{m: m, role: bssgp.RoleSGSN, ptp: map[uint16]*bssgp.BVC{}}
		dialect := ns.DialectStaticAlive
		if n.dir == Up {
			e.role, dialect = bssgp.RoleBSS, g.opt.Dialect
			for c := n.index * g.opt.Cells; c < (n.index+1)*g.opt.Cells; c++ {
				cell := g.cellID(c)
				e.addBVC(n.nsei, g.bvci(c), &cell)
			}
		}
		e.sig = bssgp.NewBVC(bssgp.BVCConfig{NSEI: n.nsei, Role: e.role, Owner: e, Timers: bssgp.Every(procedureTimer)})
		m.entities[n.nsei] = e
		m.config.NSEs = append(m.config.NSEs, nseConfig(n, bindName(i), dialect))
	}
	m.stack = ns.NewStack(ns.Options{Network: taps(g.nodes), Workers: 1, Upper: m})
	return m, nil
}

func nseConfig(n *node, bind string, d ns.Dialect) ns.NSEConfig {
	c := ns.NSEConfig{NSEI: n.nsei, Dialect: d}
	if d == ns.DialectSNS {
		c.SNSBinds, c.SNSRemotes = []string{bind}, []netip.AddrPort{n.peer}
		return c
	}
	vc := ns.VCConfig{Link: ns.LinkUDP, Bind: bind, Remote: n.peer, SigWeight: 1, DataWeight: 1}
	if d == ns.DialectIPAccess {
		vc.NSVCI, vc.HasNSVCI = n.nsei, true
	}
	c.VCs = []ns.VCConfig{vc}
	return c
}

func (e *entity) addBVC(nsei, bvci uint16, cell *bssgp.CellID) *bssgp.BVC {
	v := bssgp.NewBVC(bssgp.BVCConfig{NSEI: nsei, BVCI: bvci, Role: e.role, Owner: e, Cell: cell,
		Timers: bssgp.Every(procedureTimer)})
	e.ptp[bvci] = v
	return v
}

// start begins; once it has, it does nothing.
func (m *manager) start() error {
	if m.running {
		return nil
	}
	if err := m.stack.Apply(m.config, time.Now()); err != nil {
		return fmt.Errorf("load: NS: %w", err)
	}
	m.running = true
	go m.loop()
	return nil
}

// loop serves the stack; a tenth of a second is precise enough for its timers.
func (m *manager) loop() {
	defer close(m.done)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		m.stack.Flush()
		select {
		case g := <-m.stack.Control():
			m.stack.Handle(time.Now(), g)
		case now := <-tick.C:
			m.stack.Expire(now)
			for _, e := range m.entities {
				e.expire(now)
			}
		case <-m.stop:
			_ = m.stack.Close()
			return
		}
	}
}

func (m *manager) close() {
	if m.running {
		close(m.stop)
		<-m.done
		m.running = false
	}
}

func (m *manager) ready() bool { return m.up.Load() >= int64(m.want) }

// missing says what is not there yet.
func (m *manager) missing() string {
	return fmt.Sprintf("%d of %d NSEs and %d of %d BVCs are up, %d STATUS PDUs came",
		m.alive.Load(), len(m.entities), m.up.Load(), m.want, m.statuses.Load())
}

func (e *entity) expire(now time.Time) {
	e.sig.Expire(now)
	for _, v := range e.ptp {
		v.Expire(now)
	}
}

// NewNSE implements ns.Upper.
func (m *manager) NewNSE(n *ns.NSE) any {
	e := m.entities[n.NSEI()]
	if e == nil { // the stack takes nobody that is not configured
		return nil
	}
	e.nse = n
	return e
}

// FreeNSE implements ns.Upper.
func (m *manager) FreeNSE(time.Time, *ns.NSE) {}

// Status implements ns.Upper.
func (m *manager) Status(now time.Time, n *ns.NSE, ev ns.Event) {
	e, _ := n.Owner.(*entity)
	switch {
	case e == nil:
	case ev == ns.EventVCFailure:
		m.down.Add(1)
	case ev == ns.EventFailure:
		m.alive.Add(-1)
		e.sig.Drop(now)
		for _, v := range e.ptp {
			v.Drop(now)
		}
	case ev == ns.EventRecovery:
		m.alive.Add(1)
		e.begin(now)
	}
}

// begin is when NS is up: a BSS resets, and what came before is looked at.
func (e *entity) begin(now time.Time) {
	if e.role == bssgp.RoleBSS {
		e.sig.Reset(now, bssgp.CauseOMIntervention)
	}
	early := e.early
	e.early = nil
	for _, p := range early {
		e.m.UnitData(now, e.nse, p.bvci, p.pdu)
	}
}

// pdu is one that came too early.
type pdu struct {
	bvci uint16
	pdu  []byte
}

// maxEarly is how many of them are kept.
const maxEarly = 64

// UnitData implements ns.Upper: BVC management, and what is owed to it.
func (m *manager) UnitData(now time.Time, n *ns.NSE, bvci uint16, b []byte) {
	e, _ := n.Owner.(*entity)
	t, ok := bssgp.Type(b)
	switch {
	case e == nil || !ok:
		return
	case !n.Alive():
		if len(e.early) < maxEarly {
			e.early = append(e.early, pdu{bvci, bytes.Clone(b)})
		}
		return
	}
	switch t {
	case bssgp.TypeFlowControlBVC:
		tag, _ := bssgp.ReadTag(b)
		m.stack.Send(n, bvci, 0, bssgp.AppendFlowControlBVCAck(nil, tag))
	case bssgp.TypeStatus:
		m.statuses.Add(1)
	default:
		e.manage(now, t, b)
	}
}

func (e *entity) manage(now time.Time, t bssgp.PDUType, pdu []byte) {
	bvci, _ := bssgp.ReadBVCI(pdu)
	v := e.ptp[bvci]
	if bvci == 0 {
		v = e.sig
	}
	if v == nil && t == bssgp.TypeBVCReset && e.role == bssgp.RoleSGSN {
		v = e.addBVC(e.nse.NSEI(), bvci, nil)
	}
	if v != nil {
		_, _ = v.Recv(now, pdu) // what is wrong shows in a BVC that does not come up
	}
}

// SendBVC implements bssgp.BVCOwner.
func (e *entity) SendBVC(_ *bssgp.BVC, pdu []byte) { e.m.stack.Send(e.nse, 0, 0, pdu) }

// BVCReset implements bssgp.BVCOwner: with BVCI 0 all BVCs are reset.
func (e *entity) BVCReset(now time.Time, v *bssgp.BVC, _ bssgp.Cause, _ bool) {
	if v != e.sig {
		return
	}
	for _, c := range e.ptp {
		c.Drop(now)
		if e.role == bssgp.RoleBSS {
			c.Reset(now, bssgp.CauseOMIntervention)
		}
	}
}

// BVCStateChanged implements bssgp.BVCOwner.
func (e *entity) BVCStateChanged(_ time.Time, v *bssgp.BVC, from, to bssgp.BVCState) {
	switch {
	case v == e.sig:
		return
	case from == bssgp.BVCUnblocked:
		e.m.up.Add(-1)
	case to == bssgp.BVCUnblocked:
		e.m.up.Add(1)
		e.tellFlow(v.BVCI())
	}
}

// tellFlow sends a BSS's FLOW-CONTROL-BVC, with the largest bucket that can be
// told: nothing is to be held back.
func (e *entity) tellFlow(bvci uint16) {
	if e.role != bssgp.RoleBSS {
		return
	}
	e.tag++
	const most = 0xffff * 100
	f := bssgp.FlowControlBVC{Tag: e.tag, BucketSize: most, LeakRate: most, MSBmax: most, MSLeakRate: most}
	e.m.stack.Send(e.nse, bvci, 0, f.Append(nil))
}

// BVCAlarm implements bssgp.BVCOwner.
func (e *entity) BVCAlarm(time.Time, *bssgp.BVC, string) {}
