//go:build usrsctp && cgo && linux

package n2_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/lab/ngmsg"
	"poolgw/n2"
	"poolgw/sctp"
)

// asAMF makes this test binary an AMF.
const asAMF = "POOLGW_TEST_AMF"

func TestMain(m *testing.M) {
	if os.Getenv(asAMF) == "" {
		os.Exit(m.Run())
	}
	t, err := sctp.Userspace(sctp.UserspaceOptions{Shared: true})
	if err == nil {
		err = n2sim.ServeAMF(os.Stdin, os.Stdout, t)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// real is a gateway with gNBs in this process and AMFs in processes of their own,
// over the userspace stack.
type real struct {
	*testing.T
	stack sctp.Transport
	gw    *n2.Gateway
	cfg   n2.Config
	ran   *n2sim.RAN
	amfs  []*n2sim.AMFProcess
	log   lockedBuffer
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

const realPort = 38500 // of the gateway; those of the AMFs follow

func startReal(t *testing.T, capacities []uint8, b n2sim.Behaviour, change func(*n2.Config)) *real {
	t.Helper()
	stack, err := sctp.Userspace(sctp.UserspaceOptions{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	r := &real{T: t, stack: stack, cfg: n2.Default()}
	r.cfg.Enabled = true
	r.cfg.Binds = []n2.Bind{{Name: "ran", Listen: sctp.At(realPort, lo)}}
	for i, capacity := range capacities {
		c := amfConfig(nil, sctp.At(uint16(realPort+1+i), lo), i+1, capacity)
		r.amfs = append(r.amfs, r.startAMF(c))
		r.cfg.AMFs = append(r.cfg.AMFs, n2.AMF{ID: uint8(i + 1), Name: c.Name, Remote: c.Listen, Local: []netip.Addr{lo}, Capacity: -1, AllowAttach: true})
	}
	if change != nil {
		change(&r.cfg)
	}
	r.gw = n2.New(n2.Options{Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		Transport: func(n2.Transport) (sctp.Transport, string, error) { return stack, "", nil }})
	if err := r.gw.Start(r.cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.end)
	rc := n2sim.RANConfig{Transport: stack, AMF: r.cfg.Binds[0].Listen, Options: sctp.Defaults(), PLMN: simPLMN,
		Slices: []ngmsg.Slice{{SST: 1, SD: ngmsg.NoSD}}, Seed: 1, Behaviour: b}
	for id := 1; id <= 3; id++ {
		rc.GNBs = append(rc.GNBs, n2sim.GNBConfig{ID: uint32(id), Name: fmt.Sprintf("gnb-%d", id), Local: sctp.At(0, lo), TAC: 1})
	}
	r.ran = n2sim.NewRAN(rc)
	r.ran.Start()
	r.until("the gNBs are up", 15*time.Second, func() bool { return r.up() == 3 })
	time.Sleep(time.Second) // the last AMF's answer
	return r
}

func (r *real) startAMF(c n2sim.AMFConfig) *n2sim.AMFProcess {
	r.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asAMF+"=1")
	p, err := n2sim.StartAMFProcess(cmd, c)
	if err != nil {
		r.Fatal(err)
	}
	return p
}

func (r *real) end() {
	r.ran.Stop()
	r.gw.Stop()
	for _, a := range r.amfs {
		a.Thaw()
		a.Kill()
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

// until waits for something.
func (r *real) until(what string, patience time.Duration, f func() bool) {
	r.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			r.Fatalf("not within %s: %s; UEs %v, served %v", patience, what, r.ran.Phases(), r.ran.Served())
		}
	}
}

// servedBut tells whether every one of n UEs is registered, at AMFs other than name.
func (r *real) servedBut(name string, n int) func() bool {
	return func() bool {
		sum := 0
		served := r.ran.Served()
		for _, k := range served {
			sum += k
		}
		return sum == n && served[name] == 0
	}
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
	time.Sleep(time.Second)
	c := r.gw.Conservation()
	var g n2sim.GNBTruth
	for i := range r.ran.GNBs() {
		t := r.ran.GNB(i).Truth()
		g.Sent, g.Got, g.Unexpected, g.Unreadable = g.Sent+t.Sent, g.Got+t.Got, g.Unexpected+t.Unexpected, g.Unreadable+t.Unreadable
	}
	if c.Balance() != 0 || c.Queued != 0 || c.FromGNB != g.Sent || c.ToGNB != g.Got {
		r.Errorf("the gateway's account %+v, balance %d; gNBs sent %d and got %d", c, c.Balance(), g.Sent, g.Got)
	}
	if u := r.ran.Truth(); u.WrongAMF+u.WrongUE+u.Unreadable+g.Unexpected+g.Unreadable > 0 {
		r.Errorf("misrouted: %+v %+v", u, g)
	}
	for _, a := range r.amfs {
		if t, err := a.Do("truth"); err != nil || t.WrongUE+t.Unreadable > 0 {
			r.Errorf("%v %+v", err, t)
		}
	}
	return c
}
