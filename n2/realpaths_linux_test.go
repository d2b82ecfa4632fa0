package n2_test

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/lab/n2sim"
	"poolgw/n2"
	"poolgw/sctp"
)

// One path of two is lost and comes back, then the other, toward gNBs and toward an
// AMF, while UEs register: nothing is lost, no association ends. The gNBs of a
// process can be elsewhere over the kernel's stack only: over the userspace stack
// both paths are the AMF's.
// Facts: N3-08, N6-70
func TestRealMultiHoming(t *testing.T) {
	onStacks(t, bothStacks, multiHoming)
}

func multiHoming(t *testing.T, s realStack) {
	const n = 150
	s.options.AssocMaxRetrans = 20
	kernel := s.name == kernelStack.name
	r := startReal(t, s, realConfig{capacities: []uint8{100}, second: true,
		gateway: func(c *n2.Config) {
			if kernel {
				c.Binds[0].Listen = sctp.At(n2.DefaultPort, here(1), here(11))
			}
		},
		ran: func(r *real, c *n2sim.RANConfig) {
			if !kernel {
				return
			}
			c.Transport = dialThere(r, c.Transport)
			for i := range c.GNBs {
				c.GNBs[i].Local = sctp.At(0, there(1), there(11))
			}
		}})
	paths := func(state string) (all int) {
		for _, g := range r.snapshot().GNBs {
			all += pathsIn(g.Association, state)
			for _, a := range g.AMFs {
				all += pathsIn(a.Association, state)
			}
		}
		return all
	}
	most := 2 * realGNBs
	if kernel {
		most += 2 * realGNBs
	} else {
		most += realGNBs // each gNB has one path
	}
	r.until("all paths are active", 20*time.Second, func() bool { return paths("active") == most })
	us := r.ran.Add(n, 1)
	for i, u := range us {
		switch i {
		case n / 5:
			r.cut(1)
		case 2 * n / 5:
			r.until("the lost paths are known", 40*time.Second, func() bool { return paths("inactive") > 0 })
			r.restore(1)
			r.until("they are back", 40*time.Second, func() bool { return paths("active") == most })
		case 3 * n / 5:
			r.cut(11)
		case 4 * n / 5:
			r.until("the others' loss is known", 40*time.Second, func() bool { return paths("inactive") > 0 })
			r.restore(11)
		}
		u.Register()
		time.Sleep(50 * time.Millisecond)
	}
	r.allServed("all are served", 60*time.Second, n, "")
	r.answered(n)
	r.until("all paths are active again", 60*time.Second, func() bool { return paths("active") == most })
	sn := r.snapshot()
	if u := r.ran.Truth(); u.Registrations != n || u.Lost+u.Interrupted+u.TimedOut+u.Rejected > 0 || sn.Counts.LostAMFs+sn.Counts.LostGNBs > 0 {
		t.Errorf("%+v, lost associations: %d of AMFs, %d of gNBs", u, sn.Counts.LostAMFs, sn.Counts.LostGNBs)
	}
	if a := r.truth(0); a.Setups != realGNBs || a.Errors+a.WrongIDs > 0 {
		t.Errorf("%+v", a)
	}
	for _, u := range us {
		u.Release()
	}
	r.atRest()
}

func pathsIn(a n2.Association, state string) (n int) {
	for _, p := range a.Paths {
		if p.State == state {
			n++
		}
	}
	return n
}

// elsewhere opens associations from another network namespace.
type elsewhere struct {
	sctp.Transport
	here, there int // descriptors of namespaces
}

func dialThere(r *real, t sctp.Transport) sctp.Transport {
	r.Helper()
	e := elsewhere{Transport: t}
	for _, o := range []struct {
		name string
		fd   *int
	}{{"/proc/self/ns/net", &e.here}, {"/run/netns/" + r.there, &e.there}} {
		f, err := os.Open(o.name)
		if err != nil {
			r.Fatal(err)
		}
		r.Cleanup(func() { f.Close() })
		*o.fd = int(f.Fd())
	}
	return e
}

// Dial enters the namespace for as long as it makes the socket, which stays there.
func (e elsewhere) Dial(ctx context.Context, local, remote sctp.Endpoint, o sctp.Options) (sctp.Assoc, error) {
	runtime.LockOSThread()
	if err := unix.Setns(e.there, unix.CLONE_NEWNET); err != nil {
		return nil, err
	}
	a, err := e.Transport.Dial(ctx, local, remote, o)
	if unix.Setns(e.here, unix.CLONE_NEWNET) == nil {
		runtime.UnlockOSThread() // else the thread ends with the goroutine
	}
	return a, err
}
