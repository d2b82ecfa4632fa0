package n2_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/lab/tshark"
)

// What gNBs, gateway and AMFs say to each other in a day with every procedure of
// the simulators is NGAP and NAS to tshark too, and there are as many PDUs as
// the gateway counted. A broken PDU is found.
func TestWholeIsNGAPToTshark(t *testing.T) {
	var pdus [][]byte
	var counted uint64
	runWhole(t, wholeConfig{capacities: []uint8{100, 100}, rans: 1, gnbs: 2, ran: inactive(time.Second)}, func(w *whole) {
		w.everyProcedure(w.rans[0])
		w.net.Tap(nil) // and what it wrote may be read
		for _, p := range w.packets {
			pdus = append(pdus, p.Data)
		}
		c := w.gw.Conservation()
		counted = c.FromGNB + c.FromAMF + c.ToGNB + c.ToAMF
	})
	if uint64(len(pdus)) != counted || counted < 200 {
		t.Errorf("%d PDUs were sent, the gateway counted %d", len(pdus), counted)
	}
	broken := slices.Clone(pdus[0])
	broken = broken[:len(broken)-3]
	frames := tshark.DissectNGAP(t, append(pdus, broken), "ngap.procedureCode", "nas_5gs.mm.message_type")
	found := make(map[string]bool)
	for i, f := range frames {
		bad := f.Malformed || !strings.Contains(f.Protocols, "ngap")
		if last := i == len(pdus); bad != last {
			t.Errorf("%x: %s %s", append(pdus, broken)[i], f.Protocols, f.Expert)
		}
		for _, code := range strings.Split(f.Field("ngap.procedureCode"), ",") {
			found[code] = true
		}
	}
	for _, code := range []string{"0", "1", "4", "11", "12", "13", "14", "15", "20", "21", "22", "23", "24", "25", "35", "41", "42", "46"} {
		if !found[code] {
			t.Errorf("no PDU of procedure %s", code)
		}
	}
}

func (w *whole) everyProcedure(r *n2sim.RAN) {
	us := r.Add(6, 1)
	step := func(f func(i int, u *n2sim.UE)) {
		for i, u := range us {
			f(i, u)
		}
		time.Sleep(300 * time.Millisecond)
	}
	g, h := r.GNB(0), r.GNB(1)
	step(func(_ int, u *n2sim.UE) { u.Register() })
	step(func(i int, u *n2sim.UE) {
		switch from := u.GNB(); {
		case i < 2 && from == g:
			h.PathSwitch(u)
		case i < 2:
			g.PathSwitch(u)
		case i < 4 && from == g:
			g.Handover(u, h)
		}
	})
	step(func(_ int, u *n2sim.UE) { u.Echo() })
	time.Sleep(3 * time.Second)
	step(func(i int, u *n2sim.UE) { w.amfs[0].Page(u.MSIN()) })
	time.Sleep(3 * time.Second)
	step(func(_ int, u *n2sim.UE) { u.Periodic() })
	time.Sleep(time.Second)
	w.amfs[0].Overload(0, 20)
	w.amfs[0].OverloadStop()
	for _, a := range w.amfs { // the pool is told when all are
		a.Overload(0, 20)
		a.OverloadStop()
	}
	g.Update("another name")
	w.amfs[1].Configure(60, amfConfig(nil, w.cfg.AMFs[1].Remote, 2, 0).GUAMIs)
	step(func(_ int, u *n2sim.UE) { u.Service() })
	g.Reset()
	w.amfs[0].ResetAll()
	time.Sleep(time.Second)
	w.amfs[0].Unavailable("amf-2")
	step(func(_ int, u *n2sim.UE) { u.Deregister() })
	time.Sleep(time.Second)
}
