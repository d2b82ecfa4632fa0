//go:build usrsctp && cgo && linux

package n2_test

import (
	"testing"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/n2"
)

const realUEs = 60

var busy = n2sim.Behaviour{Start: time.Second, Inactivity: 500 * time.Millisecond, Service: 2 * time.Second, Periodic: 5 * time.Second,
	Move: 5 * time.Second, Xn: 0.1, N2: 0.1, Talk: 0.2}

// AMFs are killed, hang with and without SCTP, come back, are drained and
// undrained, while UEs live; over the userspace stack, the AMFs in processes of their own.
func TestRealFaults(t *testing.T) {
	if !alone(t) {
		return
	}
	r := startReal(t, uneven, busy, func(c *n2.Config) { c.Probe = 2 * time.Second })
	r.ran.Add(realUEs, 1)
	r.ran.Live()
	r.until("all are served", 10*time.Second, r.servedBut("", realUEs))

	r.amfs[0].Kill()
	r.until("UEs of the killed AMF are served by others", 40*time.Second, r.servedBut("amf-1", realUEs))
	r.amfs[0] = r.startAMF(r.amfs[0].Config)
	r.until("the new AMF has gNBs", 20*time.Second, func() bool {
		a, err := r.amfs[0].Do("truth")
		return err == nil && a.Setups == 3
	})

	if err := r.amfs[1].Freeze(); err != nil {
		t.Fatal(err)
	}
	r.until("UEs of the AMF that does not answer at all are served by others", 40*time.Second, r.servedBut("amf-2", realUEs))
	if err := r.amfs[1].Thaw(); err != nil {
		t.Fatal(err)
	}

	if _, err := r.amfs[2].Do("hang"); err != nil {
		t.Fatal(err)
	}
	r.until("UEs of the AMF that answers no NGAP are served by others", 60*time.Second, r.servedBut("amf-3", realUEs))
	if _, err := r.amfs[2].Do("go on"); err != nil {
		t.Fatal(err)
	}

	time.Sleep(5 * time.Second)
	drained := r.cfg.Clone()
	drained.AMFs[0].AllowAttach = false
	if err := r.gw.Apply(r.cfg, drained, time.Now()); err != nil {
		t.Fatal(err)
	}
	before := r.ran.Served()["amf-1"]
	for _, u := range r.ran.Add(10, 1000) {
		u.Register()
	}
	r.until("newcomers are served", 20*time.Second, r.servedBut("", realUEs+10))
	if after := r.ran.Served()["amf-1"]; after > before {
		t.Errorf("the drained AMF served %d, then %d", before, after)
	}
	if err := r.gw.Apply(drained, r.cfg, time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, u := range r.ran.Add(10, 2000) {
		u.Register()
	}
	r.until("all are served", 20*time.Second, r.servedBut("", realUEs+20))
	if after := r.ran.Served()["amf-1"]; after <= before {
		t.Errorf("the undrained AMF served %d, then %d", before, after)
	}
	r.atRest()
}

// A gNB is gone and comes back, and a second one has its ID: the first stays.
func TestRealGNBs(t *testing.T) {
	if !alone(t) {
		return
	}
	r := startReal(t, uneven, n2sim.Behaviour{Inactivity: time.Second}, nil)
	us := r.ran.Add(30, 1)
	for _, u := range us {
		u.Register()
	}
	r.until("all are served", 10*time.Second, r.servedBut("", 30))
	r.ran.GNB(0).Disconnect(true)
	r.until("it is back", 20*time.Second, func() bool { g := r.ran.GNB(0).Truth(); return g.Up && g.Lost == 1 })
	time.Sleep(3 * time.Second)
	for _, u := range us {
		u.Service()
	}
	r.until("all had a service", 10*time.Second, func() bool { return r.ran.Truth().Services == 30 })
	if u := r.ran.Truth(); u.AMFChanges != 0 {
		t.Errorf("%+v", u)
	}
	r.atRest()
}
