package n2sim_test

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/lab/ngmsg"
	"poolgw/lab/simsctp"
	"poolgw/sctp"
)

var (
	home   = [3]byte{0x00, 0xf1, 0x10}
	slices = []ngmsg.Slice{{SST: 1, SD: ngmsg.NoSD}}
)

// world is an AMF and some gNBs, with nothing between them.
type world struct {
	*testing.T
	net *simsctp.Network
	amf *n2sim.AMF
	ran *n2sim.RAN
}

func address(kind, n int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(kind), byte(n)}) }

func run(t *testing.T, gnbs int, change func(a *n2sim.AMFConfig, r *n2sim.RANConfig), f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, net: simsctp.New(time.Millisecond)}
		a := n2sim.AMFConfig{Transport: w.net, Listen: sctp.At(38412, address(1, 1)), Options: sctp.Defaults(), Name: "amf-1",
			GUAMIs: []ngmsg.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: 1}}, Capacity: 100, Slices: slices}
		r := n2sim.RANConfig{Transport: w.net, AMF: a.Listen, Options: sctp.Defaults(), PLMN: home, Slices: slices, Seed: 1}
		for i := 1; i <= gnbs; i++ {
			r.GNBs = append(r.GNBs, n2sim.GNBConfig{ID: uint32(i), Name: fmt.Sprintf("gnb-%d", i), Local: sctp.At(0, address(2, i)), TAC: 1})
		}
		if change != nil {
			change(&a, &r)
		}
		w.amf, w.ran = n2sim.NewAMF(a), n2sim.NewRAN(r)
		if err := w.amf.Start(); err != nil {
			t.Fatal(err)
		}
		defer time.Sleep(time.Minute) // what closes, closes
		defer w.amf.Stop(false)
		w.ran.Start()
		defer w.ran.Stop()
		w.settle()
		f(w)
		w.settle()
	})
}

func (w *world) settle() { time.Sleep(50 * time.Millisecond); synctest.Wait() }

// clean checks that neither side saw what it should not.
func (w *world) clean(gnbs int) {
	w.Helper()
	for i := range gnbs {
		if g := w.ran.GNB(i).Truth(); g.Errors+g.ErrorsSent+g.Unexpected+g.UnknownUE+g.Unreadable > 0 {
			w.Errorf("%+v", g)
		}
	}
	if a := w.amf.Truth(); a.Errors+a.WrongIDs+a.WrongUE+a.Unreadable+a.Foreign > 0 {
		w.Errorf("%+v", a)
	}
	if u := w.ran.Truth(); u.WrongAMF+u.WrongUE+u.Unreadable+u.Lost > 0 {
		w.Errorf("%+v", u)
	}
}
