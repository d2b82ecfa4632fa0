package ns

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// FuzzSNS plays a script against NSE 101 in the BSS role and dynamic NSEs in the
// SGSN role: well-formed SNS PDUs in any order, with few endpoints, weights and
// transactions so that they meet; time; an operator who changes binds, weights
// and endpoints. After each step everything fits together (checkSNS), and in the
// end an honest SGSN and an honest BSS come up.
func FuzzSNS(f *testing.F) {
	f.Add([]byte("\x00\x13\x00\x00\x00\x10\x00\x00\x00\x0f\x01\x12\x00\x11\x01\x00"))
	for _, g := range golden {
		f.Add(unhex(g.hex))
	}
	for i := range 40 { // bring-up of both, then changes
		b := []byte{0, 0, 7, 0, 0, 4, 0, 0, 3, 1, 0, 0x31, 1, 0, 6, 0, 1, 0, 3, 1, 0, 0x11, 1, 0, 4, 0, 0}
		for j := range 20 {
			b = append(b, byte(i*7+j*3), byte(i*31+j*11), byte(i+j), byte(j*i*5))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, in []byte) { playSNS(t, in, nil) })
}

// playSNS plays a script and counts after how many steps an NSE was in a state.
func playSNS(t *testing.T, in []byte, states map[string]int) {
	s := &snsScript{rig: newRig(t, snsFuzzConfig(t), Limits{DynamicNSEs: 2, VCsPerNSE: 4}), in: in}
	defer s.s.Close()
	for n := 0; n < 150 && len(s.in) > 0; n++ {
		s.step()
		s.turn()
		s.checkSNS()
		for _, e := range s.s.nses {
			if states != nil {
				states[e.role.String()+" "+e.sns.state.String()]++
			}
		}
	}
	s.honestPeers()
}

// Scripts by chance: quicker than the fuzzer, and every state is reached.
func TestSNSScripts(t *testing.T) {
	scripts := 300
	if n, err := strconv.Atoi(os.Getenv("POOLGW_SNS_SCRIPTS")); err == nil {
		scripts = n
	}
	rnd, states := rand.NewChaCha8([32]byte{48, 16}), map[string]int{}
	for i := range scripts {
		in := make([]byte, 400)
		_, _ = rnd.Read(in)
		t.Run(strconv.Itoa(i), func(t *testing.T) { playSNS(t, in, states) })
		if t.Failed() {
			return
		}
	}
	for _, r := range snsStateRigs {
		if name := map[uint16]string{101: "BSS ", 2001: "SGSN "}[r.nsei] + r.state; states[name] < scripts/2 && name != "SGSN UNCONFIGURED" {
			t.Errorf("%s: %d times", name, states[name])
		}
	}
	t.Logf("%v", states)
}

func snsFuzzConfig(t *testing.T) func(c *Config) {
	return func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "a"))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
		must(t, c.SetAcceptSNS("b", true))
		must(t, c.AddDefaultBind("b"))
	}
}

type snsScript struct {
	*rig
	in []byte
}

func (s *snsScript) next() (b int) {
	if len(s.in) > 0 {
		b, s.in = int(s.in[0]), s.in[1:]
	}
	return b
}

var snsFuzzPeers = []string{sgsn1, "10.0.1.1:7770", sgsn2, bss}

func (s *snsScript) step() {
	switch op := s.next(); {
	case op%8 < 5:
		from, bind := snsFuzzPeers[s.next()%4], []string{"a", "b"}[op>>3&1]
		if s.s.binds[bind] != nil {
			s.deliver(bind, from)
		}
	case op%16 == 5:
		s.sleep(time.Duration(s.next()) * sec / 4)
	case op%16 == 13:
		s.honest(s.next())
	default:
		s.operator()
	}
}

// honest is a bring-up as it should be, or the answer to what we have asked.
func (s *snsScript) honest(how int) {
	x := s.s.nses[101].sns
	switch {
	case s.s.binds["a"] == nil || s.s.binds["b"] == nil || x.path.bind == nil || x.path.bind.closed:
	case how%4 == 0 && x.state == snsLocal:
		s.write(x.path.bind.name, x.path.remote.String(), fmt.Sprintf("0c04820065%02x", x.proc.id))
	case how%4 == 1 && s.s.nses[2001] != nil:
		s.write("b", bss, fmt.Sprintf("0c048207d1%02x", s.s.nses[2001].sns.proc.id))
	case how%4 < 2:
		s.write(x.path.bind.name, x.path.remote.String(), []string{sizeAck101, configAck101, sgsnConfig}[:[]int{3, 3, 2, 1}[how>>2%4]]...)
	default:
		s.write("b", bss, []string{"12048207d10a01070004080002", conf2001, confAck}[:[]int{3, 3, 2, 1}[how>>2%4]]...)
	}
}

func (s *snsScript) deliver(bind, from string) {
	s.frames()
	pdu := s.pdu()
	s.writeBytes(bind, ap(from), pdu.Append(nil))
	acks := 0
	for _, f := range s.frames() {
		p, err := Parse(f.b)
		if err != nil {
			s.t.Fatalf("sent %x: %v", f.b, err)
		}
		if p.Type == PDUSNSAck {
			acks++
		}
	}
	if acks > 1 {
		s.t.Fatalf("%d SNS-ACKs", acks)
	}
}

// pdu makes a PDU of a few octets of the script.
func (s *snsScript) pdu() PDU {
	what, how := s.next(), s.next()
	p := PDU{Type: PDUSNSAck + PDUType(what%8), Has: ies(IENSEI), NSEI: []uint16{101, 2001, 2002, 101}[what>>3&3],
		TransID: uint8(how % 4), EndFlag: how&1 != 0, Reset: how&2 == 0, MaxNSVCs: uint16(how % 8), IPv4Count: uint16(how >> 4 % 4)}
	switch {
	case p.Type == PDUSNSSize:
		p.Has |= ies(IEResetFlag, IEMaxNSVCs, IEIPv4Count)
		return p
	case p.Type == PDUSNSDelete && how>>6 == 3:
		p.Has |= ies(IEIPAddress)
		p.IP = ap(sgsn1).Addr()
		return p
	case (p.Type == PDUSNSAck || p.Type == PDUSNSConfigAck || p.Type == PDUSNSSizeAck) && how>>6 == 3:
		p.Has |= ies(IECause)
		p.Cause = CauseProtocolError
	}
	var list []Endpoint
	for range how >> 3 % 4 {
		e := s.next()
		list = append(list, Endpoint{ap(snsFuzzPeers[e%4]), uint8(e >> 2 % 3), uint8(e >> 4 % 3)})
	}
	p.setEndpoints(list)
	return p
}

func (s *snsScript) operator() {
	what, how := s.next(), s.next()
	name := []string{"a", "b"}[how&1]
	c := s.cfg.Clone()
	var err error
	switch what % 9 {
	case 0:
		err = c.AddSNSBind(101, name)
	case 1:
		if len(c.NSE(101).SNSBinds) > 1 || how > 200 {
			err = c.RemoveSNSBind(101, name)
		}
	case 2:
		err = c.AddDefaultBind(name)
	case 3:
		err = c.RemoveDefaultBind(name)
	case 4:
		err = c.SetSNSWeights(name, []uint8{1, 1, 2, 3, 0, 1, 2, 3}[how>>1%8], []uint8{1, 1, 2, 3, 0, 1, 2, 3}[how>>4%8])
	case 5:
		if how > 200 {
			err = c.ClearListen(name)
		}
	case 6:
		err = c.SetListen(name, ap([]string{atA, atB, "10.0.0.3:23000"}[how>>1%3]))
	case 7:
		if err = c.AddSNSRemote(101, ap(sgsn2)); err != nil {
			err = c.RemoveSNSRemote(101, ap(sgsn2))
		}
	case 8:
		_ = s.s.RestartSNS([]uint16{101, 2001}[how&1], s.now)
		return
	}
	if err == nil {
		must(s.t, s.s.Apply(c, s.now))
		s.cfg = c
	}
}

// checkSNS looks whether the parts of the stack fit together.
func (r *rig) checkSNS() {
	r.t.Helper()
	for _, n := range r.s.sortedNSEs() {
		if err := r.snsFault(n); err != nil {
			r.t.Fatalf("NSE %d in %s: %v", n.nsei, n.sns.state, err)
		}
	}
	for _, b := range r.s.binds {
		for a, v := range b.vcs {
			if v.bind != b || v.remote != a || v.gone || !slices.Contains(v.nse.vcs, v) || r.s.nses[v.nse.nsei] != v.nse {
				r.t.Fatalf("stray NS-VC %s", v)
			}
		}
	}
}

func (r *rig) snsFault(n *NSE) error {
	x := n.sns
	waits := x.state != snsUnconfigured && x.state != snsConfigured
	switch {
	case waits && x.timer.pos == 0:
		return fmt.Errorf("waits without a timer")
	case x.state == snsConfigured && x.timer.pos != 0:
		return fmt.Errorf("a timer runs")
	case n.Alive() != (n.share.Load() != nil && n.share.Load().carries()):
		return fmt.Errorf("alive %v", n.Alive())
	case x.configured() && n.share.Load().sigSum == 0:
		return fmt.Errorf("no signalling")
	case len(n.vcs) > r.s.limits.VCsPerNSE || len(x.local)*len(x.remote) > r.s.limits.VCsPerNSE && x.configured():
		return fmt.Errorf("%d NS-VCs", len(n.vcs))
	case x.state == snsConfigured && !sameEndpoints(endpointsOf(x.wantedThatFit()), endpointsOf(x.local)):
		return fmt.Errorf("wants %v, has %v", endpointsOf(x.wanted()), endpointsOf(x.local))
	}
	for _, v := range n.vcs {
		i := x.remoteIndex(v.remote)
		pending := x.state == snsLocal && x.proc.kind == procAdd && x.proc.list[0].bind == v.bind
		switch {
		case v.bind.closed || r.s.binds[v.bind.name] != v.bind:
			return fmt.Errorf("%s on a closed bind", v)
		case !x.configured() && v.current() != stUnconfigured:
			return fmt.Errorf("%s is %s", v, v.current())
		case x.configured() && (i < 0 || !x.hasLocal(v.bind) && !pending):
			return fmt.Errorf("%s is not in the mesh", v)
		case x.configured() && (v.sigWeight != x.remote[i].SigWeight || v.dataWeight != x.remote[i].DataWeight):
			return fmt.Errorf("%s has other weights", v)
		}
	}
	return nil
}

// wantedThatFit is what the configuration wants but for what the peer refused or
// there is no room for.
func (x *sns) wantedThatFit() (list []localEndpoint) {
	todo, unfit := x.changes(x.wanted())
	for _, w := range x.wanted() {
		i := localIndex(x.local, w.Addr)
		switch {
		case localIndex(unfit, w.Addr) >= 0, i < 0 && slices.Contains(x.refused, w.Endpoint):
		case i >= 0 && localIndex(todo[procWeight], w.Addr) < 0:
			list = append(list, x.local[i])
		default:
			list = append(list, w)
		}
	}
	return list
}

// honestPeers: the operator puts all in order, and everybody comes up.
func (s *snsScript) honestPeers() {
	s.edit(func(c *Config) {
		fresh := Config{Timers: c.Timers, TxQueueMax: c.TxQueueMax}
		for i, name := range []string{"a", "b"} {
			must(s.t, fresh.AddBind(LinkUDP, name))
			must(s.t, fresh.SetListen(name, ap([]string{atA, atB}[i])))
		}
		snsFuzzConfig(s.t)(&fresh)
		*c = fresh
	})
	s.sleep(20 * time.Minute) // nobody answers
	for _, n := range s.s.sortedNSEs() {
		if !n.persistent {
			s.t.Fatalf("%s is still there", n)
		}
	}
	s.wantSNS(101, "BSS_SIZE")
	s.frames()
	s.write("a", sgsn1, sizeAck101, configAck101, sgsnConfig)
	s.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	s.write("b", bss, "12048207d10a01070004080001", conf2001, confAck)
	s.wantVCs(2001, "UNBLOCKED")
	s.checkSNS()
}
