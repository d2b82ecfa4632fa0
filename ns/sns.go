package ns

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"
)

// IP sub-network service, TS 48.016 6.2.6 and 7.4b. Two roles, one machine each:
//
//	BSS role (toward SGSNs)                    SGSN role (toward BSSs)
//
//	UNCONFIGURED ◀─────────────┐               UNCONFIGURED ◀───────────────┐
//	  │ bind and endpoint      │ no candidate    │ SIZE (SIZE-ACK)          │
//	  ▼                        │                 ▼                          │
//	BSS_SIZE ──── SIZE ───▶ next endpoint      SGSN_WAIT_CONFIG ──timeout───┤
//	  │ SIZE-ACK               ▲                 │ last CONFIG (CONFIG-ACK) │
//	  ▼                        │                 ▼                          │
//	BSS_CONFIG_BSS ─retries────┤               SGSN_WAIT_CONFIG_ACK ─retries┤
//	  │ CONFIG-ACK             │                 │ CONFIG-ACK               │
//	  ▼                        │                 ▼                          │
//	BSS_CONFIG_SGSN ─timeout───┤               CONFIGURED ──────────────────┘
//	  │ last CONFIG            │                     signalling lost
//	  ▼                        │               a dynamic NSE is deleted instead
//	CONFIGURED ────────────────┘
//	          signalling lost
//
// From CONFIGURED, in either role, LOCAL_PROCEDURE and back: snslocal.go.
//
// In the SGSN role a SIZE with the reset flag begins anew from every state.

// snsState is a state of either machine.
type snsState uint8

const (
	snsUnconfigured snsState = iota
	snsSize
	snsConfigBSS
	snsConfigSGSN
	snsWaitConfig
	snsWaitConfigAck
	snsConfigured
	snsLocal
)

var snsStateNames = [...]string{"UNCONFIGURED", "BSS_SIZE", "BSS_CONFIG_BSS", "BSS_CONFIG_SGSN",
	"SGSN_WAIT_CONFIG", "SGSN_WAIT_CONFIG_ACK", "CONFIGURED", "LOCAL_PROCEDURE"}

func (s snsState) String() string { return name(snsStateNames[:], "state", uint8(s)) }

// snsTimerNumbers are what shows call the timer of a state.
var snsTimerNumbers = [...]int{snsSize: 1, snsConfigBSS: 2, snsConfigSGSN: 3, snsWaitConfigAck: 4, snsLocal: 5}

// sns is the IP-SNS part of an NSE. It belongs to the loop.
type sns struct {
	nse       *NSE
	state     snsState
	timer     timer
	tries     int
	binds     []string         // BSS role, and SGSN role when configured
	endpoints []netip.AddrPort // BSS role: the SGSN's initial ones
	candidate int              // BSS role: counts through binds x endpoints
	idle      bool             // BSS role: SNSNoEndpoints was told

	path     path            // on which the procedures run
	faced    netip.Addr      // the remote that our endpoints have to face
	local    []localEndpoint // as the peer knows, or is being told
	told     int             // of local, in SNS-CONFIGs that were acknowledged
	remote   []Endpoint
	maxVCs   int // announced: by us as BSS, by the BSS as SGSN
	maxPeers int // remote endpoints that may be announced
	v6       bool

	proc    snsProc    // snsLocal: what runs
	trans   uint8      // our last transaction
	refused []Endpoint // what the peer did not take
	answers answers    // to the peer's ADD, DELETE, CHANGEWEIGHT
	early   []held     // what waits for the mesh
}

// localEndpoint is one of our endpoints, on an open bind.
type localEndpoint struct {
	bind *bind
	Endpoint
}

func newSNS(n *NSE) *sns {
	x := &sns{nse: n}
	x.timer = timer{owner: x, kind: timerSNS}
	return x
}

func (x *sns) stack() *Stack { return x.nse.stack }

// configured tells whether the endpoints are exchanged.
func (x *sns) configured() bool { return x.state >= snsConfigured }

// to changes the state; the timer is armed anew or stopped.
func (x *sns) to(next snsState, now time.Time, armed bool) {
	s := x.stack()
	if x.state != next {
		s.log.Info("SNS state", "cat", "lns", "nse", x.nse, "from", x.state.String(), "to", next.String())
	}
	x.state, x.tries = next, 0
	s.timers.stop(&x.timer)
	if armed {
		x.arm(now)
	}
}

func (x *sns) arm(now time.Time) {
	s := x.stack()
	s.timers.set(&x.timer, now.Add(s.cfg.Timers.duration(TsnsProv)))
}

// send sends an SNS PDU on the path of the procedures.
func (x *sns) send(p PDU) { x.stack().reply(x.path, p) }

func (s *Stack) reply(to path, p PDU) {
	s.sendPDU(to.bind, to.remote, to.bind.vcs[to.remote], &p)
}

// sendConfig sends the next part of our list, most often all of it.
func (x *sns) sendConfig() {
	p := buildSNS(PDUSNSConfig, x.nse.nsei, nil)
	list := x.local[x.told:min(x.told+snsListMax, len(x.local))]
	p.EndFlag = x.told+len(list) == len(x.local)
	p.setEndpoints(endpointsOf(list))
	x.send(p)
}

// configAcked tells whether the peer has all of our list; else the next part
// goes out.
func (x *sns) configAcked(now time.Time) (all bool) {
	x.told = min(x.told+snsListMax, len(x.local))
	if x.told == len(x.local) {
		return true
	}
	x.tries = 0
	x.arm(now)
	x.sendConfig()
	return false
}

// reset forgets what a run of the procedures has brought, NS-VCs included.
func (x *sns) reset(now time.Time) {
	s := x.stack()
	s.timers.stop(&x.timer)
	x.state = snsUnconfigured
	x.remote, x.local, x.refused, x.told, x.proc = nil, nil, nil, 0, snsProc{}
	x.answers = answers{}
	x.dropEarly()
	s.deleteVCs(x.nse, now)
}

// localEndpoints lists the open binds of one family as endpoints; on a bind
// with the unspecified address the one is taken that faces remote.
func (x *sns) localEndpoints(names []string, remote netip.Addr) (list []localEndpoint) {
	for _, name := range names {
		b := x.stack().binds[name]
		if b == nil || b.is4() != remote.Is4() {
			continue
		}
		a, err := x.stack().facing(b, remote)
		if err != nil {
			x.stack().log.Warn("no local address toward remote", "cat", "lns", "bind", name, "remote", remote, "err", err)
			continue
		}
		list = append(list, localEndpoint{b, Endpoint{Addr: a, SigWeight: b.cfg.SigWeight, DataWeight: b.cfg.DataWeight}})
	}
	return list[:min(len(list), x.stack().limits.VCsPerNSE)]
}

func weightSums[E any](list []E, weights func(E) (sig, data uint8)) (sig, data int) {
	for _, e := range list {
		s, d := weights(e)
		sig += int(s)
		data += int(d)
	}
	return sig, data
}

func remoteWeights(e Endpoint) (sig, data uint8)     { return e.SigWeight, e.DataWeight }
func localWeights(l localEndpoint) (sig, data uint8) { return l.SigWeight, l.DataWeight }

// facing returns the address of b that remote sees.
func (s *Stack) facing(b *bind, remote netip.Addr) (netip.AddrPort, error) {
	if !b.local.Addr().IsUnspecified() {
		return b.local, nil
	}
	ask := kernelLocalToward
	if r, ok := s.network.(Router); ok {
		ask = r.LocalToward
	}
	a, err := ask(remote)
	return netip.AddrPortFrom(a, b.local.Port()), err
}

var errNoRoute = errors.New("ns: no route")

// kernelLocalToward asks the kernel by connecting a UDP socket, which sends
// nothing.
func kernelLocalToward(remote netip.Addr) (netip.Addr, error) {
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(remote, 9)))
	if err != nil {
		return netip.Addr{}, err
	}
	defer c.Close()
	if a, ok := c.LocalAddr().(*net.UDPAddr); ok {
		return a.AddrPort().Addr().Unmap(), nil
	}
	return netip.Addr{}, errNoRoute
}

// mesh makes and starts the NS-VCs between every local and every remote
// endpoint; the one of the procedures stays only if it is among them.
func (x *sns) mesh(now time.Time) {
	s := x.stack()
	x.to(snsConfigured, now, false)
	x.dropOthers(now)
	for _, r := range x.remote {
		x.meshRemote(r, now)
	}
	s.post(x.nse, EventSNSConfigured)
	x.nse.recompute(now)
	s.early, x.early = append(s.early, x.early...), nil
	x.next(now) // what has changed meanwhile
}

// dropOthers deletes the NS-VCs that are not in the mesh.
func (x *sns) dropOthers(now time.Time) {
	for _, v := range slices.Clone(x.nse.vcs) {
		if x.remoteIndex(v.remote) < 0 || !x.hasLocal(v.bind) {
			x.stack().deleteVC(v, now)
		}
	}
}

// meshRemote makes and starts the NS-VCs to one remote endpoint.
func (x *sns) meshRemote(r Endpoint, now time.Time) {
	for _, l := range x.local {
		if v := x.meshVC(l, r, now); v != nil {
			v.event(now, evStart)
		}
	}
}

// meshLocal makes and starts the NS-VCs from one local endpoint.
func (x *sns) meshLocal(l localEndpoint, now time.Time) {
	for _, r := range x.remote {
		if v := x.meshVC(l, r, now); v != nil {
			v.event(now, evStart)
		}
	}
}

// meshVC makes or finds one NS-VC; nil when there can't be one.
func (x *sns) meshVC(l localEndpoint, r Endpoint, now time.Time) *VC {
	s, v := x.stack(), l.bind.vcs[r.Addr]
	switch {
	case l.bind.closed:
		return nil
	case v == nil && len(x.nse.vcs) >= s.limits.VCsPerNSE:
		l.bind.drop(DropLimitVCs)
		return nil
	case v == nil:
		v = s.newVC(x.nse, l.bind, r.Addr, now)
	case v.nse != x.nse:
		l.bind.drop(DropConflict)
		s.warn(now, "SNS endpoint belongs to another NSE", "nse", x.nse, "remote", r.Addr, "other", v.nse)
		return nil
	}
	v.initiator = true
	v.sigWeight, v.dataWeight = r.SigWeight, r.DataWeight
	return v
}

func (x *sns) hasLocal(b *bind) bool {
	return slices.ContainsFunc(x.local, func(l localEndpoint) bool { return l.bind == b })
}

func (x *sns) remoteIndex(a netip.AddrPort) int {
	return indexOf(x.remote, a)
}

// takeRemote adds the endpoints of an SNS-CONFIG, which may come in several
// and may come again; it returns the cause why not.
func (x *sns) takeRemote(p *PDU) (Cause, bool) {
	list := p.IPv4
	if x.v6 {
		list = p.IPv6
	}
	if len(list) == 0 && (len(p.IPv4) > 0 || len(p.IPv6) > 0) {
		return x.countCause(), false
	}
	for _, e := range list {
		if i := x.remoteIndex(e.Addr); i >= 0 {
			x.remote[i] = e
			continue
		}
		if len(x.remote) >= x.maxPeers {
			return x.countCause(), false
		}
		x.remote = append(x.remote, e)
	}
	if !p.EndFlag {
		return 0, true
	}
	return x.checkRemote()
}

// countCause is the cause for a wrong number of endpoints.
func (x *sns) countCause() Cause {
	if x.v6 {
		return CauseInvalidIPv6Count
	}
	return CauseInvalidIPv4Count
}

// checkRemote judges the complete list.
func (x *sns) checkRemote() (Cause, bool) {
	if len(x.remote) == 0 {
		return x.countCause(), false
	}
	if sig, data := weightSums(x.remote, remoteWeights); sig == 0 || data == 0 {
		return CauseInvalidWeights, false
	}
	if len(x.remote)*len(x.local) > x.maxVCs {
		return CauseInvalidNSVCs, false
	}
	return 0, true
}

// ackConfig answers an SNS-CONFIG that came on from; cause is nil for success.
func (x *sns) ackConfig(from path, cause *Cause) {
	x.stack().reply(from, buildSNS(PDUSNSConfigAck, x.nse.nsei, cause))
}

// ackAgain answers an SNS-CONFIG that comes again because our answer was lost.
// One that tells something new comes out of turn.
func (x *sns) ackAgain(from path, p *PDU) {
	for _, e := range p.Endpoints() {
		if x.remoteIndex(e.Addr) < 0 {
			cause := CauseNotCompatible
			x.ackConfig(from, &cause)
			return
		}
	}
	x.ackConfig(from, nil)
}

// fail ends a run of the procedures and tells so.
func (x *sns) fail(now time.Time, why string) {
	x.stack().warn(now, "SNS failed", "nse", x.nse, "state", x.state.String(), "reason", why)
	x.stack().post(x.nse, EventSNSFailure)
}

// signallingLost: no NS-VC carries signalling any more.
func (x *sns) signallingLost(now time.Time) {
	if !x.configured() || x.nse.share.Load().sigSum > 0 {
		return
	}
	x.fail(now, "all signalling NS-VCs are lost")
	if x.nse.role == RoleSGSN {
		x.sgsnGiveUp(now)
		return
	}
	x.candidate++
	x.begin(now)
}

func (x *sns) expired(now time.Time, _ timerKind) {
	switch {
	case x.state == snsLocal:
		x.procExpired(now)
	case x.nse.role == RoleSGSN:
		x.sgsnExpired(now)
	default:
		x.bssExpired(now)
	}
}
