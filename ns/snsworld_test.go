package ns

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// snsWorld is a BSS and an SGSN, two stacks with IP-SNS, NSE 2001, and a network
// between them that does something to one of their SNS PDUs.
type snsWorld struct {
	t         *testing.T
	core, ran *rig
	count     int // SNS PDUs so far
	victim    int // which one; counts from 0
	fate      fate
	held      []heldFrame
}

type heldFrame struct {
	frame
	to    *rig
	after int       // when so many SNS PDUs were sent …
	until time.Time // … or then
}

// fate is what happens to a PDU.
type fate struct {
	name   string
	copies int
	after  int           // held until so many SNS PDUs have overtaken it
	delay  time.Duration // or so long
}

var fates = []fate{
	{"lost", 0, 0, 0},
	{"twice", 2, 0, 0},
	{"overtaken", 1, 1, sec},
	{"late", 1, 99, 4 * sec},                         // its repetition is first
	{"twice, the second very late", 2, 99, 14 * sec}, // another procedure has been since
}

// newSNSWorld has the SGSN at a and b, of which a is a default bind, and the BSS
// at c and d, of which c is a bind of its NSE.
func newSNSWorld(t *testing.T, victim int, f fate, ip func(side, i int) netip.AddrPort) *snsWorld {
	w := &snsWorld{t: t, victim: victim, fate: f}
	w.core = newRig(t, func(c *Config) {
		c.Bind("a").Listen, c.Bind("b").Listen = ip(0, 1), ip(0, 2)
		must(t, c.SetAcceptSNS("a", true))
		must(t, c.AddDefaultBind("a"))
	})
	w.ran = newRig(t, func(c *Config) {
		for i, n := range []string{"c", "d"} {
			must(t, c.AddBind(LinkUDP, n))
			must(t, c.SetListen(n, ip(3, i+1)))
		}
		must(t, c.AddNSE(2001, RoleBSS))
		must(t, c.AddSNSBind(2001, "c"))
		must(t, c.AddSNSRemote(2001, ip(0, 1)))
	})
	return w
}

func ipv4At(side, i int) netip.AddrPort { return ap(fmt.Sprintf("10.0.%d.%d:23000", side, i)) }
func ipv6At(side, i int) netip.AddrPort { return ap(fmt.Sprintf("[2001:db8:%d::%d]:23000", side, i)) }

// run lets d pass.
func (w *snsWorld) run(d time.Duration) {
	for range d / sec {
		for range 10 {
			w.deliver(w.ran, w.core)
			w.deliver(w.core, w.ran)
			w.release()
		}
		w.ran.sleep(sec)
		w.core.sleep(sec)
	}
}

func (w *snsWorld) deliver(from, to *rig) {
	for _, f := range from.frames() {
		if PDUType(f.b[0]) < PDUSNSAck {
			w.hand(f, to)
			continue
		}
		n := w.count
		if w.count++; n != w.victim {
			w.hand(f, to)
			continue
		}
		for i := range w.fate.copies {
			if w.fate.after > 0 && i == w.fate.copies-1 {
				w.held = append(w.held, heldFrame{f, to, n + 1 + w.fate.after, w.core.now.Add(w.fate.delay)})
				continue
			}
			w.hand(f, to)
		}
	}
}

func (w *snsWorld) release() {
	for i, h := range w.held {
		if w.count >= h.after || !w.core.now.Before(h.until) {
			w.held = slices.Delete(w.held, i, i+1)
			w.hand(h.frame, h.to)
			return
		}
	}
}

func (w *snsWorld) hand(f frame, to *rig) {
	for name, b := range to.s.binds {
		if b.local == f.to {
			to.writeBytes(name, f.from, f.b)
		}
	}
}

// agree tells whether both sides have the same endpoints, with their weights,
// and the NS-VCs between all of them.
func (w *snsWorld) agree() error {
	b, s := w.ran.nse(2001), w.core.nse(2001)
	switch {
	case b == nil || s == nil || b.SNS.State != "CONFIGURED" || s.SNS.State != "CONFIGURED":
		return fmt.Errorf("BSS %+v, SGSN %+v", b, s)
	case !sameEndpoints(b.SNS.Local, s.SNS.Remote), !sameEndpoints(s.SNS.Local, b.SNS.Remote):
		return fmt.Errorf("BSS has %v, SGSN knows %v; SGSN has %v, BSS knows %v", b.SNS.Local, s.SNS.Remote, s.SNS.Local, b.SNS.Remote)
	}
	for _, n := range []*NSEState{b, s} {
		if len(n.VCs) != len(n.SNS.Local)*len(n.SNS.Remote) || !n.Alive {
			return fmt.Errorf("%d NS-VCs, alive %v", len(n.VCs), n.Alive)
		}
		for _, v := range n.VCs {
			i := indexOf(n.SNS.Remote, v.Remote)
			if v.State != "UNBLOCKED" || i < 0 || v.SigWeight != n.SNS.Remote[i].SigWeight || v.DataWeight != n.SNS.Remote[i].DataWeight {
				return fmt.Errorf("NS-VC %+v", v)
			}
		}
	}
	return nil
}

func sameEndpoints(a, b []Endpoint) bool {
	order := func(x, y Endpoint) int { return x.Addr.Compare(y.Addr) }
	a, b = slices.Clone(a), slices.Clone(b)
	slices.SortFunc(a, order)
	slices.SortFunc(b, order)
	return slices.Equal(a, b)
}

// snsStories are what happens, step by step, 8 s apart, and how many endpoints
// the BSS and the SGSN have in the end.
var snsStories = []struct {
	name      string
	steps     []func(t *testing.T, ran, core func(func(*Config)))
	bss, sgsn int
}{
	{"bring-up", nil, 1, 1},
	{"BSS", []step{
		func(t *testing.T, ran, _ func(func(*Config))) {
			ran(func(c *Config) { must(t, c.AddSNSBind(2001, "d")) })
		},
		func(t *testing.T, ran, _ func(func(*Config))) {
			ran(func(c *Config) { must(t, c.SetSNSWeights("d", 7, 8)) })
		},
		func(t *testing.T, ran, _ func(func(*Config))) {
			ran(func(c *Config) { must(t, c.RemoveSNSBind(2001, "c")) })
		},
	}, 1, 1},
	{"SGSN", []step{
		func(t *testing.T, _, core func(func(*Config))) {
			core(func(c *Config) { must(t, c.AddDefaultBind("b")) })
		},
		func(t *testing.T, _, core func(func(*Config))) {
			core(func(c *Config) { must(t, c.SetSNSWeights("b", 7, 8)) })
		},
		func(t *testing.T, _, core func(func(*Config))) {
			core(func(c *Config) { must(t, c.RemoveDefaultBind("a")) })
		},
	}, 1, 1},
	{"both at once", []step{
		func(t *testing.T, ran, core func(func(*Config))) {
			ran(func(c *Config) { must(t, c.AddSNSBind(2001, "d")) })
			core(func(c *Config) { must(t, c.AddDefaultBind("b")) })
		},
		func(t *testing.T, ran, core func(func(*Config))) {
			ran(func(c *Config) { must(t, c.SetSNSWeights("d", 7, 8)); must(t, c.SetSNSWeights("c", 0, 8)) })
			core(func(c *Config) { must(t, c.SetSNSWeights("a", 3, 4)) })
		},
		func(t *testing.T, ran, core func(func(*Config))) {
			ran(func(c *Config) { must(t, c.ClearListen("c")) })
			core(func(c *Config) { must(t, c.RemoveDefaultBind("b")) })
		},
	}, 1, 1},
	{"to and fro", []step{
		func(t *testing.T, ran, core func(func(*Config))) {
			ran(func(c *Config) { must(t, c.AddSNSBind(2001, "d")) })
		},
		func(t *testing.T, ran, core func(func(*Config))) {
			ran(func(c *Config) { must(t, c.RemoveSNSBind(2001, "d")) })
		},
		func(t *testing.T, ran, core func(func(*Config))) {
			ran(func(c *Config) { must(t, c.AddSNSBind(2001, "d")) })
		},
	}, 2, 1},
}

type step = func(t *testing.T, ran, core func(func(*Config)))

// Every SNS PDU of every story, from the first SNS-SIZE on, is lost, repeated,
// overtaken: in the end both sides agree, and when all is exchanged the loss of
// one PDU never makes SNS fail.
//
// Facts: G1.6-10, G1.6-39, G1.6-40, G1.6-45, G1.6-49
func TestSNSEveryPDULostRepeatedReordered(t *testing.T) {
	for _, story := range snsStories {
		for _, f := range fates {
			t.Run(story.name+"/"+f.name, func(t *testing.T) {
				cases := 0
				for ; tellStory(t, story.steps, story.bss, story.sgsn, cases, f, ipv4At); cases++ {
				}
				if want := 6 + 2*len(story.steps); cases < want {
					t.Errorf("%d PDUs, want at least %d", cases, want)
				}
			})
		}
	}
}

// As above over IPv6, without a victim.
//
// Facts: G1.6-01, G1.6-39
func TestSNSStoriesOverIPv6(t *testing.T) {
	for _, story := range snsStories {
		tellStory(t, story.steps, story.bss, story.sgsn, -1, fate{}, ipv6At)
	}
}

// tellStory returns whether there was a victim.
func tellStory(t *testing.T, steps []step, bss, sgsn, victim int, f fate, ip func(side, i int) netip.AddrPort) bool {
	t.Helper()
	w := newSNSWorld(t, victim, f, ip)
	defer w.ran.s.Close()
	defer w.core.s.Close()
	w.run(16 * sec)
	restart := victim == 0 && f.delay > 3*sec // a late SNS-SIZE is a restart to the SGSN; the BSS finds out by its test procedure
	if restart {
		w.run(100 * sec)
	}
	if err := w.agree(); err != nil {
		t.Fatalf("PDU %d: bring-up: %v", victim, err)
	}
	w.ran.events, w.core.events = nil, nil
	for i, do := range steps {
		do(t, w.ran.edit, w.core.edit)
		w.run(cmp.Or(map[bool]time.Duration{true: 30 * sec}[i == len(steps)-1], 8*sec))
	}
	if err := w.agree(); err != nil {
		t.Fatalf("PDU %d: %v", victim, err)
	}
	for _, e := range slices.Concat(w.ran.events, w.core.events) {
		if e == "sns failure 2001" || e == "failure 2001" {
			t.Errorf("PDU %d: %s", victim, e)
		}
	}
	if n, m := len(w.ran.nse(2001).SNS.Local), len(w.core.nse(2001).SNS.Local); n != bss || m != sgsn {
		t.Errorf("PDU %d: %d and %d endpoints, want %d and %d", victim, n, m, bss, sgsn)
	}
	return w.count > victim && victim >= 0
}

// While endpoints come and go by procedures, nothing that either side sends is
// lost: signalling, nor data of 16 subscribers. Only a bind that is closed under
// a peer loses what it was sending.
//
// Facts: G1.6-52
func TestSNSChangesLoseNothing(t *testing.T) {
	for _, story := range snsStories[1:] {
		if story.name == "both at once" {
			continue // closes a bind
		}
		t.Run(story.name, func(t *testing.T) {
			w := newSNSWorld(t, -1, fate{}, ipv4At)
			w.run(5 * sec)
			w.ran.events, w.core.events = nil, nil
			sent := 0
			for _, do := range story.steps {
				do(t, w.ran.edit, w.core.edit)
				for range 20 {
					for i := range 16 {
						for _, r := range []*rig{w.ran, w.core} {
							r.s.Send(r.s.NSE(2001), uint16(i%2*1000), uint32(i), []byte{byte(i)})
							r.s.Flush()
						}
						sent++
					}
					w.deliver(w.ran, w.core)
					w.deliver(w.core, w.ran)
				}
				w.run(2 * sec)
			}
			for _, r := range []*rig{w.ran, w.core} {
				got := 0
				for _, e := range r.events {
					if strings.HasPrefix(e, "data 2001/") {
						got++
					}
				}
				if got != sent || sent != 16*20*len(story.steps) {
					t.Errorf("%d of %d came", got, sent)
				}
			}
			if err := w.agree(); err != nil {
				t.Error(err)
			}
		})
	}
}
