package n2_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/lab/ngmsg"
	"poolgw/n2"
	"poolgw/sctp"
)

// realStack is an SCTP stack that whole-gateway tests run over.
type realStack struct {
	name    string
	options sctp.Options
	slow    time.Duration // times longer than it takes on an idle machine
	udp     uint16        // of the gateway; the AMFs have the ports after it
}

// emulated are options for a machine whose clock runs well and whose processor
// does not.
func emulated() sctp.Options {
	o := sctp.Defaults()
	o.RTOInitial, o.RTOMin, o.RTOMax, o.AssocMaxRetrans = time.Second, 500*time.Millisecond, 2*time.Second, 6
	return o
}

var (
	kernelStack    = realStack{name: "kernel", options: emulated(), slow: 4}
	userspaceStack = realStack{name: "userspace", options: sctp.Defaults(), slow: 3}
	udpStack       = realStack{name: "userspace-udp", options: sctp.Defaults(), slow: 3, udp: 9899}
)

func (s realStack) open(amf int) (sctp.Transport, error) {
	if s.name == "kernel" {
		return sctp.Kernel()
	}
	o := sctp.UserspaceOptions{Shared: true}
	if s.udp != 0 {
		o.UDPPort = s.udp + uint16(amf)
	}
	return sctp.Userspace(o)
}

// onStacks runs a test once over each stack, in a process of its own.
func onStacks(t *testing.T, stacks []realStack, f func(t *testing.T, s realStack)) {
	for _, s := range stacks {
		t.Run(s.name, func(t *testing.T) {
			_, err := sctp.Kernel()
			switch {
			case s.name == "kernel" && err != nil:
				t.Skipf("in the virtual machine instead (TestRealInVM): %v", err)
			case s.name == "userspace" && err == nil:
				t.Skip("this kernel has SCTP: it aborts what the userspace stack opens over IP at the same address")
			}
			if alone(t) {
				f(t, s)
			}
		})
	}
}

var bothStacks = []realStack{kernelStack, userspaceStack}

// asAMF makes this test binary an AMF over the stack with that name.
const asAMF, numberOfAMF = "POOLGW_TEST_AMF", "POOLGW_TEST_AMF_NUMBER"

func TestMain(m *testing.M) {
	name := os.Getenv(asAMF)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := serveAMF(name); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serveAMF(name string) error {
	for _, s := range []realStack{kernelStack, userspaceStack, udpStack} {
		if s.name != name {
			continue
		}
		var i int
		fmt.Sscan(os.Getenv(numberOfAMF), &i)
		t, err := s.open(i)
		if err != nil {
			return err
		}
		return n2sim.ServeAMF(os.Stdin, os.Stdout, t)
	}
	return fmt.Errorf("no stack %q", name)
}

// real is a gateway with gNBs in this process and AMFs in processes of their own,
// over a stack that real peers have.
type real struct {
	*place
	stack     realStack
	transport sctp.Transport
	gw        *n2.Gateway
	cfg       n2.Config
	ran       *n2sim.RAN
	others    []*n2sim.RAN
	amfs      []*n2sim.AMFProcess
	log       lockedBuffer
}

type realConfig struct {
	capacities []uint8 // of the AMFs; AMF i is at link i, with the second link 10+i too
	second     bool
	behaviour  n2sim.Behaviour
	habits     n2sim.Habits
	gateway    func(c *n2.Config)
	ran        func(r *real, c *n2sim.RANConfig)
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var lo = netip.MustParseAddr("127.0.0.1")

const realGNBs = 3

// startReal returns when every gNB has every AMF.
func startReal(t *testing.T, s realStack, c realConfig) *real {
	t.Helper()
	var links []int
	for i := range c.capacities {
		if links = append(links, i+1); c.second {
			links = append(links, 11+i)
		}
	}
	r := &real{place: newPlace(t, links...), stack: s, cfg: n2.Default()}
	var err error
	if r.transport, err = s.open(0); err != nil { // it knows the addresses that are there now
		t.Skip(err)
	}
	r.cfg.Enabled, r.cfg.SCTP = true, s.options
	r.cfg.Binds = []n2.Bind{{Name: "ran", Listen: sctp.At(n2.DefaultPort, lo), Transport: n2.Transport{Encapsulation: s.udp}}}
	t.Cleanup(r.end)
	for i, capacity := range c.capacities {
		r.addAMF(i+1, capacity, c.second)
	}
	if c.gateway != nil {
		c.gateway(&r.cfg)
	}
	r.gw = n2.New(n2.Options{Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		Transport: func(n2.Transport) (sctp.Transport, string, error) { return r.transport, "", nil }})
	if err := r.gw.Start(r.cfg); err != nil {
		t.Fatal(err)
	}
	rc := r.ranConfig(c.behaviour)
	for id := 1; id <= realGNBs; id++ {
		rc.GNBs = append(rc.GNBs, n2sim.GNBConfig{ID: uint32(id), Name: fmt.Sprintf("gnb-%d", id), Local: sctp.At(0, lo), TAC: 1, Habits: c.habits})
	}
	if c.ran != nil {
		c.ran(r, &rc)
	}
	r.ran = n2sim.NewRAN(rc)
	r.ran.Start()
	for i := range r.amfs {
		r.amfIsUp(i)
	}
	r.until("the gNBs are up", 15*time.Second, func() bool { return r.up() == realGNBs })
	return r
}

func (r *real) ranConfig(b n2sim.Behaviour) n2sim.RANConfig {
	o := r.stack.options
	o.Encapsulation = r.stack.udp
	return n2sim.RANConfig{Transport: r.transport, AMF: r.cfg.Binds[0].Listen, Options: o, PLMN: simPLMN,
		Slices: []ngmsg.Slice{{SST: 1, SD: ngmsg.NoSD}}, Seed: 1, Behaviour: b}
}

func (r *real) addAMF(i int, capacity uint8, second bool) {
	r.Helper()
	remote, local := []netip.Addr{there(i)}, []netip.Addr{here(i)}
	if second {
		remote, local = append(remote, there(10+i)), append(local, here(10+i))
	}
	c := amfConfig(nil, sctp.At(n2.DefaultPort, remote...), i, capacity)
	c.Options = r.stack.options
	m := n2.AMF{ID: uint8(i), Name: c.Name, Remote: c.Listen, Local: local, Capacity: -1, AllowAttach: true}
	if r.stack.udp != 0 {
		c.Options.Encapsulation, m.Transport.Encapsulation = r.stack.udp, r.stack.udp+uint16(i)
	}
	r.cfg.AMFs = append(r.cfg.AMFs, m)
	r.amfs = append(r.amfs, nil)
	r.startAMF(i-1, c)
}

// startAMF starts the process of an AMF: a new one, or anew. Each life gives 5G-TMSIs
// of its own: UEs keep those of the life before.
func (r *real) startAMF(i int, c n2sim.AMFConfig) {
	r.Helper()
	c.FirstTMSI += 1 << 16
	p, err := n2sim.StartAMFProcess(r.command(asAMF+"="+r.stack.name, fmt.Sprintf("%s=%d", numberOfAMF, i+1)), c)
	if err != nil {
		r.Fatal(err)
	}
	r.amfs[i] = p
}

func (r *real) end() {
	for _, o := range append(r.others, r.ran) {
		if o != nil {
			o.Stop()
		}
	}
	if r.gw != nil {
		r.gw.Stop()
	}
	for _, a := range r.amfs {
		if a != nil {
			a.Thaw()
			a.Kill()
		}
	}
	if r.Failed() {
		r.Log(r.log.String())
	}
}

func (r *real) up() (n int) {
	for i := range r.ran.GNBs() {
		if r.ran.GNB(i).Truth().Up {
			n++
		}
	}
	return n
}

// until waits for something, as long as the stack may take.
func (r *real) until(what string, patience time.Duration, f func() bool) {
	r.Helper()
	patience *= r.stack.slow
	for end := time.Now().Add(patience); !f(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			r.Fatalf("not within %s: %s; UEs %v, served %v", patience, what, r.ran.Phases(), r.ran.Served())
		}
	}
}

// truth is what AMF i says of itself.
func (r *real) truth(i int) n2sim.AMFTruth { return r.order(i, "truth") }

func (r *real) order(i int, what string) n2sim.AMFTruth {
	r.Helper()
	t, err := r.amfs[i].Do(what)
	if err != nil {
		r.Fatalf("AMF %d: %v", i+1, err)
	}
	return t
}

func (r *real) snapshot() n2.Snapshot {
	r.Helper()
	s, err := r.gw.Snapshot(context.Background())
	if err != nil {
		r.Fatal(err)
	}
	return s
}

// amfIsUp waits until every gNB has an association with AMF i.
func (r *real) amfIsUp(i int) {
	r.Helper()
	r.until(fmt.Sprintf("every gNB has AMF %d", i+1), 40*time.Second, func() bool {
		s := r.snapshot()
		return s.Pool.AMFs[i].Associations >= realGNBs
	})
}

func total(served map[string]int) (n int) {
	for _, k := range served {
		n += k
	}
	return n
}

// allServed waits until every one of n UEs is registered, none at the AMF with
// that name.
func (r *real) allServed(what string, patience time.Duration, n int, but string) {
	r.Helper()
	r.until(what, patience, func() bool {
		s := r.ran.Served()
		return total(s) == n && s[but] == 0
	})
}

// newcomers registers n UEs more and returns how many each AMF took.
func (r *real) newcomers(n int, first uint32) map[string]int {
	r.Helper()
	before := r.ran.Served()
	for _, u := range r.ran.Add(n, first) {
		u.Register()
	}
	r.allServed("newcomers are served", 30*time.Second, total(before)+n, "")
	took := r.ran.Served()
	for name, k := range before {
		took[name] -= k
	}
	return took
}

// atRest lets UEs finish and judges: the account is exact, every message came to
// whom it was for.
func (r *real) atRest() n2.Conservation {
	r.Helper()
	r.ran.Rest()
	r.until("UEs are idle", 40*time.Second, func() bool {
		p := r.ran.Phases()
		return p["connected"]+p["requesting"]+p["updating"]+p["registering"]+p["leaving"] == 0
	})
	var c n2.Conservation
	var g n2sim.GNBTruth
	r.until("everything has arrived", 10*time.Second, func() bool {
		c, g = r.gw.Conservation(), r.gnbTruth()
		return c.Balance() == 0 && c.Queued == 0 && c.FromGNB == g.Sent && c.ToGNB == g.Got && r.snapshot().UEs == int64(g.Contexts)
	})
	r.Logf("the account: %+v", c)
	if u := r.ran.Truth(); u.WrongAMF+u.WrongUE+u.Unreadable+g.Unexpected+g.Unreadable > 0 {
		r.Errorf("misrouted: %+v %+v", u, g)
	}
	for i := range r.amfs {
		if t := r.truth(i); t.WrongUE+t.Unreadable > 0 {
			r.Errorf("misrouted: %+v", t)
		}
	}
	return c
}

// gnbTruth is the sum over all gNBs.
func (r *real) gnbTruth() (g n2sim.GNBTruth) {
	for _, o := range append(r.others, r.ran) {
		for i := range o.GNBs() {
			t := o.GNB(i).Truth()
			g.Sent, g.Got, g.Unexpected, g.Unreadable = g.Sent+t.Sent, g.Got+t.Got, g.Unexpected+t.Unexpected, g.Unreadable+t.Unreadable
			g.UnknownUE, g.Contexts, g.Errors = g.UnknownUE+t.UnknownUE, g.Contexts+t.Contexts, g.Errors+t.Errors
		}
	}
	return g
}
