package lab

import (
	"time"

	"poolgw/bssgp"
	"poolgw/lab/gmm"
	"poolgw/lab/llc"
	"poolgw/nri"
)

// ctxState is a state of a subscriber's context in an SGSN:
//
//	(none) --attach, P-TMSI unknown--> identifying --identity--> accepting
//	(none) --attach with IMSI, or known P-TMSI----------------> accepting
//	accepting --complete, or anything with the new P-TMSI--> registered
//	registered --update with a new P-TMSI--> accepting
//	accepting, registered --detach--> detached --attach--> registered, accepting
//	any --cancel location, tries used up, silence--> (none)
type ctxState uint8

const (
	ctxIdentifying ctxState = iota
	ctxAccepting
	ctxRegistered
	ctxDetached
)

// mmContext is a subscriber in an SGSN.
type mmContext struct {
	imsi     string
	state    ctxState
	ptmsi    uint32 // with hasPTMSI
	former   uint32 // the P-TMSI before; valid until the complete
	hasPTMSI bool
	hasFormr bool
	tlli     uint32 // where downlink PDUs go
	oldTLLI  uint32 // the one before
	tell     int    // in so many more DL-UNITDATA
	at       *peer
	bvci     uint16
	cell     bssgp.CellID
	leaving  bool // has a NULL-NRI P-TMSI: completes go elsewhere

	repeat   []byte // the GMM message that awaits its answer
	tries    int
	retryDue time.Time
	gone     time.Time // implicit detach

	suspended bool
	suspRef   uint8
	paging    bool
	lastSeq   uint32
	nu        [16]uint16
	place     int // in sgsn.reg; -1: not there
}

// attached tells that the subscriber is served.
func (x *mmContext) attached() bool { return x.state == ctxAccepting || x.state == ctxRegistered }

func (x *mmContext) deadline() time.Time { return earliest(x.retryDue, x.gone) }

// lookup finds the context of a TLLI.
func (c *sgsn) lookup(tlli uint32) *mmContext {
	if ptmsi, ok := nri.PTMSI(tlli); ok {
		if x := c.byPTMSI[ptmsi]; x != nil {
			return x
		}
	}
	return c.byTLLI[tlli]
}

// known makes the context of an IMSI, or returns the one there is.
func (c *sgsn) known(imsi string) *mmContext {
	x := c.byIMSI[imsi]
	if x == nil {
		x = &mmContext{imsi: imsi, place: -1}
		c.byIMSI[imsi] = x
	}
	return x
}

// full tells, and counts, that no further context may be made.
func (c *sgsn) full() bool {
	if len(c.byIMSI)+len(c.byTLLI) < c.cfg.MaxContexts {
		return false
	}
	c.count.Refused++
	return true
}

// setState changes the state and keeps the list of registered subscribers.
func (c *sgsn) setState(x *mmContext, s ctxState) {
	x.state = s
	switch {
	case s == ctxRegistered && x.place < 0:
		x.place = len(c.reg)
		c.reg = append(c.reg, x)
	case s != ctxRegistered:
		c.unlist(x)
	}
}

func (c *sgsn) unlist(x *mmContext) {
	if x.place < 0 {
		return
	}
	last := c.reg[len(c.reg)-1]
	c.reg[x.place], last.place = last, x.place
	c.reg = c.reg[:len(c.reg)-1]
	x.place = -1
}

// tellOldTLLI is in how many DL-UNITDATA a change of TLLI is told.
const tellOldTLLI = 2

// drop forgets a subscriber.
func (c *sgsn) drop(x *mmContext) {
	c.unlist(x)
	c.timers.set(x, time.Time{})
	if c.byIMSI[x.imsi] == x {
		delete(c.byIMSI, x.imsi)
	}
	if c.byTLLI[x.tlli] == x {
		delete(c.byTLLI, x.tlli)
	}
	c.free(x.ptmsi, x.hasPTMSI, x)
	c.free(x.former, x.hasFormr, x)
	c.cfg.Register.purge(x.imsi, c.out)
}

func (c *sgsn) free(ptmsi uint32, has bool, x *mmContext) {
	if has && c.byPTMSI[ptmsi] == x {
		delete(c.byPTMSI, ptmsi)
	}
}

// moveTo notes where a subscriber is.
func (c *sgsn) moveTo(x *mmContext, l *uplink) {
	from, was := x.bvci, x.at
	c.address(x, l.tlli)
	x.at, x.bvci, x.cell = l.peer, l.bvci, l.cell
	if x.state == ctxRegistered && was == l.peer && from != l.bvci {
		c.flush(x, from)
	}
}

// address sets the TLLI of downlink PDUs.
func (c *sgsn) address(x *mmContext, tlli uint32) {
	if x.tlli != tlli && c.byTLLI[x.tlli] == x {
		delete(c.byTLLI, x.tlli)
	}
	if nri.Key(x.tlli) != nri.Key(tlli) && x.tlli != 0 {
		x.oldTLLI, x.tell = x.tlli, tellOldTLLI
	}
	x.tlli = tlli
}

// flush tells the BSS that the subscriber left a cell (TS 48.018 8.1).
func (c *sgsn) flush(x *mmContext, from uint16) {
	c.count.Flushes++
	f := bssgp.FlushLL{TLLI: x.tlli, OldBVCI: from, NewBVCI: &x.bvci}
	x.at.send(0, x.tlli, f.Append(nil))
}

// allocate gives a subscriber a new P-TMSI of our NRIs, in offload of the
// NULL-NRIs. The former one stays valid until the complete.
func (c *sgsn) allocate(x *mmContext) {
	c.free(x.former, x.hasFormr, x)
	x.former, x.hasFormr = x.ptmsi, x.hasPTMSI
	x.ptmsi, x.hasPTMSI = c.freePTMSI(), true
	c.byPTMSI[x.ptmsi] = x
	c.count.Reallocations++
	x.leaving = c.offload
	if c.offload {
		c.count.NullNRIs++
	}
}

func (c *sgsn) freePTMSI() uint32 {
	set := c.cfg.NRI
	if c.offload {
		set = c.cfg.Register.Null
	}
	for {
		p := nri.LocalTLLI(c.rng.Uint32())
		if n := set.Len(); n > 0 {
			p = nri.WithNRI(p, nth(set, c.rng.IntN(n)), c.cfg.Register.BitLen)
		}
		if c.byPTMSI[p] == nil {
			return p
		}
	}
}

// nth returns the i-th value of a set.
func nth(s nri.Set, i int) nri.V {
	for _, r := range s {
		if i < r.Len() {
			return r.First + nri.V(i)
		}
		i -= r.Len()
	}
	return 0
}

// gmm sends a GMM message to a subscriber.
func (c *sgsn) gmm(x *mmContext, m gmm.Message) []byte {
	b, err := m.Append(nil)
	if err != nil {
		panic("lab: own GMM message: " + err.Error())
	}
	c.llc(x, llc.SAPIGMM, b)
	return b
}

// ask sends a message that wants an answer, and again until it comes.
func (c *sgsn) ask(now time.Time, x *mmContext, m gmm.Message) {
	x.repeat, x.tries = c.gmm(x, m), 1
	x.retryDue = now.Add(t3350)
	c.timers.set(x, x.deadline())
}

func (c *sgsn) answered(x *mmContext) {
	x.repeat, x.retryDue = nil, time.Time{}
	c.timers.set(x, x.deadline())
}

// contextDue runs a subscriber's timers.
func (c *sgsn) contextDue(now time.Time, x *mmContext) {
	if !x.gone.IsZero() && !x.gone.After(now) {
		c.count.ImplicitDetaches++
		c.drop(x)
		return
	}
	if !x.retryDue.IsZero() && !x.retryDue.After(now) {
		if x.tries == t3350Tries {
			c.count.GaveUp++
			c.drop(x)
			return
		}
		x.tries++
		c.count.Retries++
		x.retryDue = now.Add(t3350)
		c.llc(x, llc.SAPIGMM, x.repeat)
	}
	c.timers.set(x, x.deadline())
}

// heard puts off the implicit detach.
func (c *sgsn) heard(now time.Time, x *mmContext) {
	x.gone = now.Add(c.t3312() + implicitGrace)
	c.timers.set(x, x.deadline())
}

func (c *sgsn) t3312() time.Duration {
	if c.offload {
		return offloadT3312
	}
	return c.cfg.T3312
}

// llc sends one frame to where the subscriber is.
func (c *sgsn) llc(x *mmContext, sapi uint8, info []byte) {
	u := llc.UI{SAPI: sapi, FromSGSN: true, NU: x.nu[sapi], Protected: true, Info: info}
	x.nu[sapi] = (x.nu[sapi] + 1) % 512
	old := &x.oldTLLI
	if x.tell == 0 {
		old = nil
	} else {
		x.tell--
	}
	c.unitdata(x.at, x.bvci, x.tlli, old, x.imsi, u.Append(nil))
}

// unitdata sends a DL-UNITDATA, if the cell may have any. old is the TLLI that the
// subscriber had until lately, if that is to be told.
func (c *sgsn) unitdata(p *peer, bvci uint16, tlli uint32, old *uint32, imsi string, frame []byte) {
	cell := p.cells[bvci]
	switch {
	case cell == nil || cell.bvc.State() != bssgp.BVCUnblocked:
		c.count.NoCell++
		return
	case !cell.flowControl:
		c.count.NoFlowControl++
		return
	}
	d := bssgp.DLUnitdata{TLLI: tlli, QoS: bssgp.QoS{0, 0, 4}, Lifetime: 1000, LLC: frame}
	d.IMSI, _ = bssgp.ParseIMSI(imsi)
	if old != nil {
		d.OldTLLI = old
		c.cfg.Register.gaveUp(*old)
	}
	c.count.DLUnitdata++
	p.send(bvci, tlli, d.Append(nil))
}
