package lab

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"poolgw/nri"
	"poolgw/ns"
)

// rig is a demonstration without processes: what the gateway says is made here.
type rig struct {
	*demo
	t    *testing.T
	pool gwPool
	ns   gwNS
}

func newRig(t *testing.T) *rig {
	t.Helper()
	o, err := Options{GatewayBinary: "x", Out: io.Discard, Subscribers: 8}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDemo(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.end() })
	r := &rig{demo: d, t: t}
	r.pool.BitLen, r.pool.Window = planBitLen, planWindow
	r.ns.Binds = []gwBind{{Local: d.plan.toSGSNs}, {Local: d.plan.toBSSs, AcceptIPAccess: true, AcceptSNS: true}}
	for i, s := range d.sgsns {
		r.pool.SGSNs = append(r.pool.SGSNs, gwSGSN{NSEI: s.NSEI(), NRI: s.cfg.NRI.String(), AllowAttach: true, Up: true})
		r.ns.NSEs = append(r.ns.NSEs, gwNSE{NSEI: s.NSEI(), VCs: []gwVC{{Local: d.plan.toSGSNs, Remote: d.plan.sgsnAddrs[i]}}})
		d.reg.setMember(s.NSEI(), s.cfg.NRI, true, time.Now().Add(-time.Hour))
	}
	return r
}

// look is what observe does after it has asked; now and later are times.
func (r *rig) look(now time.Time) *view {
	v := &view{states: map[string]int{"registered": 8}}
	r.lookAtBSSs(v)
	r.lookAtSGSNs(v)
	for i := range v.members {
		v.members[i].truth.Running = true
	}
	r.take(v, &r.pool, &r.ns)
	r.follow(v, &r.pool, now)
	r.excuse(v, now)
	r.measure(v, now)
	r.compare(v)
	return v
}

func (r *rig) wants(v *view, notes_ ...string) {
	r.t.Helper()
	got := strings.Join(notes(v), "\n")
	if got != strings.Join(notes_, "\n") {
		r.t.Errorf("notes:\n%s\nwant:\n%s", got, strings.Join(notes_, "\n"))
	}
}

// A removed SGSN stays in the table, owns nothing, and may come back.
func TestSGSNRemoved(t *testing.T) {
	r := newRig(t)
	now := time.Now()
	r.wants(r.look(now))
	tlli := nri.LocalTLLI(nri.WithNRI(0, 5, planBitLen))
	if !r.reg.wrong(tlli, 102, now) {
		t.Fatal("an NRI of SGSN 101 is right at 102")
	}
	r.sgsns[1].core.count.WrongSGSN = 3 // before the removal is seen
	r.pool.SGSNs = r.pool.SGSNs[1:]
	v := r.look(now)
	r.wants(v, "SGSN 101: it is not in the gateway's pool")
	if m := v.members[0]; m.inPool || m.mode() != "cut off" || v.members[1].wrong != 0 || r.reg.wrong(tlli, 102, now.Add(time.Hour)) {
		t.Errorf("%+v, wrong at 102: %d", m, v.members[1].wrong)
	}
	if s := table(v); !strings.Contains(s, "  101   not in the gateway's pool") || !strings.Contains(plainLines(v), "sgsn=101 state=not-in-pool serves=0") {
		t.Errorf("table:\n%s", s)
	}
	for _, c := range v.checks[:1] {
		if !c.holds {
			t.Errorf("%+v", c)
		}
	}
	v.members[0].serves, v.members[0].cutFor = 1, 76*time.Second
	if s := drainedEmpty(v); s != "SGSN 101 still serves 1" {
		t.Errorf("a removed SGSN that serves: %q", s)
	}
	r.pool.SGSNs = append(r.pool.SGSNs, gwSGSN{NSEI: 101, AllowAttach: true, Up: true}, gwSGSN{NSEI: 110, NRI: "9"})
	v = r.look(now)
	r.wants(v, "SGSN 110 of the gateway's pool is none of the lab's", "SGSN 101 has no NRI at the gateway: its subscribers do not find back to it")
	if !v.members[0].inPool || v.members[0].joinedFor != 0 || r.history[101].joined != now {
		t.Errorf("back: %+v", v.members[0])
	}
}

// The NRIs of an SGSN are what the gateway takes them for.
func TestNRIsFollow(t *testing.T) {
	r := newRig(t)
	now := time.Now()
	r.look(now)
	r.pool.SGSNs[0].NRI = "7"
	r.look(now)
	if got := r.sgsns[0].cfg.NRI.String(); got != "7" {
		t.Errorf("SGSN 101 gives %s", got)
	}
	later := now.Add(time.Hour)
	for v, want := range map[nri.V]bool{5: false, 7: true} {
		if got := r.reg.wrong(nri.LocalTLLI(nri.WithNRI(0, v, planBitLen)), 102, later); got != want {
			t.Errorf("NRI %d at SGSN 102: wrong=%t", v, got)
		}
	}
	r.pool.BitLen = 6
	r.wants(r.look(now), "the gateway's NRIs have 6 bits, the SGSNs' 10")
}

// What an SGSN takes with it is told apart from what is lost.
func TestLossIsSorted(t *testing.T) {
	r := newRig(t)
	now := time.Now()
	lost := func(n uint64) { r.bsss[0].core.lostBy[103] = n }
	r.look(now)
	r.ns.NSEs[2].VCs[0].BlockedBy = byOperator
	r.wants(r.look(now), "SGSN 103: its NS-VC is blocked by the operator")
	lost(4)
	r.look(now.Add(5 * time.Second))
	r.ns.NSEs[2].VCs[0].BlockedBy = ""
	lost(5)
	v := r.look(now.Add(12 * time.Second))
	if m := v.members[2]; m.lost != 0 || m.took != 5 {
		t.Errorf("lost %d, took %d", m.lost, m.took)
	}
	lost(7) // long after
	v = r.look(now.Add(time.Minute))
	if m := v.members[2]; m.lost != 2 || m.took != 5 || noLoss(v) != "2 echoes with SGSN 103" {
		t.Errorf("lost %d, took %d: %s", m.lost, m.took, noLoss(v))
	}
	r.ns.NSEs[2].VCs = nil
	r.wants(r.look(now), "SGSN 103: the gateway has no NS-VC to it")
}

func TestBSSsCutOff(t *testing.T) {
	r := newRig(t)
	r.ns.Binds[1].AcceptSNS = false
	r.wants(r.look(time.Now()), "the gateway does not accept all BSSs")
	r.ns.Binds = r.ns.Binds[:1]
	v := r.look(time.Now())
	r.wants(v, "the gateway does not listen at "+r.plan.toBSSs.String()+" for BSSs")
	if c := v.checks[1]; c.excuse == "" || c.failed() {
		t.Errorf("%+v", c)
	}
}

// Without the gateway's answer the figures of before are shown.
func TestGatewayMute(t *testing.T) {
	r := newRig(t)
	r.last = r.look(time.Now())
	r.last.members[1].gw.Bound = 77
	v := &view{}
	r.lookAtSGSNs(v)
	r.remember(v, io.EOF)
	if v.members[1].gw.Bound != 77 || !v.members[1].inPool || !strings.Contains(v.deaf, "does not answer (EOF)") {
		t.Errorf("%+v", v)
	}
}

// A killed SGSN's port is kept; if it is taken nevertheless, that is told and
// tried again.
func TestRevivedOnItsPort(t *testing.T) {
	at, err := freeUDP(1)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSGSN(SGSNConfig{NSEI: 102, Listen: at, Network: &ns.KernelUDP{}, Register: NewRegister(10, nil)})
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	o := Options{KillAfter: 20 * time.Second, Revive: 20 * time.Second}
	var h history
	h.killing(s, o, 20*time.Second)
	listen := func() (*net.UDPConn, error) { return net.ListenUDP("udp", net.UDPAddrFromAddrPort(at[0])) }
	if c, err := listen(); err == nil || s.Running() {
		c.Close()
		t.Fatal("the port of a killed SGSN is free")
	}
	h.release()
	c, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	h.killing(s, o, 40*time.Second)
	if h.reviving != "its port is taken" {
		t.Errorf("hindered by %q", h.reviving)
	}
	c.Close()
	h.killing(s, o, 41*time.Second)
	if h.reviving != "" || !s.Running() {
		t.Errorf("not revived: %q", h.reviving)
	}
}
