package ns

import (
	"net/netip"
	"time"

	"poolgw/ns/fr"
)

// A remote over Frame Relay is an AddrPort like those over UDP, so that the
// same tables and queues serve both: its port is the DLCI, its address that of
// the peer in GRE, 0.0.0.0 on a line. DLCI 0 is the local management.

func frRemote(dlci uint16) netip.AddrPort { return netip.AddrPortFrom(netip.IPv4Unspecified(), dlci) }

// remote is where the NS-VC goes.
func (c VCConfig) remote() netip.AddrPort {
	switch c.Link {
	case LinkFR:
		return frRemote(c.DLCI)
	case LinkFRGRE:
		return netip.AddrPortFrom(c.Remote.Addr(), c.DLCI)
	}
	return c.Remote
}

// opens tells whether the bind has what it takes to be open.
func (b *BindConfig) opens() bool {
	if b.Link == LinkFR {
		return b.FRNetIf != ""
	}
	return b.Listen.IsValid()
}

// bindOf returns the open bind of a configured NS-VC, which on a line names
// the device and not the bind.
func (s *Stack) bindOf(c VCConfig) *bind {
	if c.Link != LinkFR {
		if b := s.binds[c.Bind]; b != nil && b.cfg.Link == c.Link {
			return b
		}
		return nil
	}
	for _, b := range s.binds {
		if b.cfg.Link == LinkFR && b.cfg.FRNetIf == c.Bind {
			return b
		}
	}
	return nil
}

// How often the state of a line's device is looked at, and how soon what the
// device had no room for is tried again.
const (
	carrierPeriod = time.Second
	retryPeriod   = 20 * time.Millisecond
)

// Carrier is what a Conn of a line offers besides: whether the device is there
// and running, and its MTU in octets, 0 when unknown. It looks, and takes up
// again a device that has come back. Only the loop calls it.
type Carrier interface {
	Carrier() (up bool, mtu int)
}

// BusyError is what WriteBatch of a line returns when the device has no room.
type BusyError struct{ Err error }

func (e *BusyError) Error() string { return "ns: the device has no room: " + e.Err.Error() }
func (e *BusyError) Unwrap() error { return e.Err }

// frBind is the part of a bind that Frame Relay needs beside. It belongs to the loop.
type frBind struct {
	stack *Stack
	bind  *bind
	lmi   *fr.Link // LinkFR only
	up    bool     // the device runs
	mtu   int      // longest NS PDU
	timer timer    // of the LMI
	check timer    // of the carrier
	retry timer    // of what waits for room
}

func newFRBind(s *Stack, b *bind) *frBind {
	f := &frBind{stack: s, bind: b, mtu: fr.MTU}
	f.timer = timer{owner: f, kind: timerLMI}
	f.check = timer{owner: f, kind: timerCarrier}
	f.retry = timer{owner: f, kind: timerRetry}
	if b.cfg.Link == LinkFR {
		role := fr.User
		if b.cfg.FRNetwork {
			role = fr.Network
		}
		f.lmi = fr.NewLink(role, fr.Defaults(), f)
	}
	return f
}

// start looks at the device and begins the LMI.
func (f *frBind) start(now time.Time) {
	if f.lmi != nil {
		f.carrier(now)
	}
}

func (f *frBind) stop() {
	for _, t := range []*timer{&f.timer, &f.check, &f.retry} {
		f.stack.timers.stop(t)
	}
}

func (f *frBind) expired(now time.Time, kind timerKind) {
	switch kind {
	case timerLMI:
		f.lmi.Expire(now)
		f.arm()
	case timerCarrier:
		f.carrier(now)
	case timerRetry: // Flush follows
	}
}

// arm sets the timer to what the LMI waits for.
func (f *frBind) arm() {
	if at, armed := f.lmi.Deadline(); armed {
		f.stack.timers.set(&f.timer, at)
		return
	}
	f.stack.timers.stop(&f.timer)
}

// carrier looks at the device: the LMI runs while it does.
func (f *frBind) carrier(now time.Time) {
	f.stack.timers.set(&f.check, now.Add(carrierPeriod))
	up, mtu := true, 0
	if c, ok := f.bind.conns[0].(Carrier); ok {
		up, mtu = c.Carrier()
	}
	f.setMTU(now, mtu)
	if up == f.up {
		return
	}
	f.up = up
	f.stack.log.Warn("Frame Relay device", "cat", "lns", "bind", f.bind.name, "device", f.bind.cfg.FRNetIf, "running", up)
	if up {
		f.lmi.Start(now)
	} else {
		f.lmi.Stop(now)
	}
	f.arm()
}

// setMTU takes the MTU of the device, which holds frames with their address.
func (f *frBind) setMTU(now time.Time, device int) {
	mtu := fr.MTU
	if device > fr.AddressLen {
		mtu = min(mtu, device-fr.AddressLen)
	}
	if mtu == f.mtu {
		return
	}
	f.stack.log.Warn("MTU of bind", "cat", "lns", "bind", f.bind.name, "before", f.mtu, "now", mtu)
	f.mtu = mtu
	for _, v := range f.bind.vcs {
		v.nse.recompute(now)
	}
}

// receive takes a frame of DLCI 0.
func (f *frBind) receive(now time.Time, info []byte) {
	if err := f.lmi.Receive(now, info); err != nil {
		f.bind.drop(DropLMI)
		f.stack.warn(now, "LMI message without effect", "bind", f.bind.name, "role", f.lmi.State().Role, "err", err)
	}
	f.arm()
}

// SendLMI queues a frame of DLCI 0.
func (f *frBind) SendLMI(info []byte) {
	if f.bind.closed {
		return
	}
	m := f.bind.out.slotFor(frRemote(fr.LMI), nil)
	m.Buf = append(m.Buf, info...)
	m.N = len(m.Buf)
}

// LinkChanged logs; the DLCIs are told one by one.
func (f *frBind) LinkChanged(_ time.Time, up bool) {
	f.stack.log.Warn("Frame Relay link", "cat", "lns", "bind", f.bind.name, "device", f.bind.cfg.FRNetIf, "up", up)
}

// DLCIChanged starts the NS-VC of a DLCI that has become active; it goes
// unconfigured with it.
func (f *frBind) DLCIChanged(now time.Time, dlci uint16, active bool) {
	f.stack.log.Warn("DLCI", "cat", "lns", "bind", f.bind.name, "device", f.bind.cfg.FRNetIf, "dlci", dlci, "active", active)
	v := f.bind.vcs[frRemote(dlci)]
	if v == nil {
		return
	}
	ev := evForce
	if active {
		ev = evStart
	}
	v.event(now, ev)
}

// carries tells whether an NS-VC can start: on a line when its DLCI is active.
func (b *bind) carries(remote netip.AddrPort) bool {
	return b.fr == nil || b.fr.lmi == nil || b.fr.lmi.Active(remote.Port())
}

// attach makes the DLCI of an NS-VC known to the LMI, detach the contrary.
func (b *bind) attach(now time.Time, v *VC) {
	if b.fr != nil && b.fr.lmi != nil {
		b.fr.lmi.Add(now, v.remote.Port())
	}
}

func (b *bind) detach(v *VC) {
	if b.fr != nil && b.fr.lmi != nil {
		b.fr.lmi.Remove(v.remote.Port())
	}
}

// isLMI tells whether a datagram from a belongs to the local management.
func (b *bind) isLMI(a netip.AddrPort) bool { return b.lmi && a.Port() == fr.LMI }

// mtu is the longest NS PDU that goes out on the bind, in octets.
func (b *bind) mtu() int {
	if b.fr == nil {
		return udpMTU
	}
	return b.fr.mtu
}
