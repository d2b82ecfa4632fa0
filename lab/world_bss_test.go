package lab

import (
	"net/netip"
	"testing"
	"time"

	"poolgw/bssgp"
	"poolgw/lab/simnet"
	"poolgw/nri"
	"poolgw/ns"
)

// busy is a behaviour with something of everything.
var busyBehaviour = Behaviour{Start: 5 * time.Second, Data: 2 * time.Second, OldPTMSI: 0.5,
	Leave: time.Minute, NewSIM: 0.3, Move: 30 * time.Second, Suspend: time.Minute, Away: 3 * time.Second}

func TestAttachAndData(t *testing.T) {
	for _, d := range []ns.Dialect{ns.DialectStaticAlive, ns.DialectIPAccess, ns.DialectSNS} {
		t.Run(dialectName(d), func(t *testing.T) {
			c := worldConfig{dialect: d, bsss: 2, subscribers: 50, sgsn: SGSNConfig{T3312: 20 * time.Second},
				faults:    simnet.Faults{Delay: 10 * time.Millisecond},
				behaviour: Behaviour{Start: 5 * time.Second, Data: 2 * time.Second, OldPTMSI: 0.5}}
			inWorld(t, c, func(w *world) {
				w.run(90 * time.Second)
				w.wantAllRegistered()
				w.wantClean()
				w.wantConserved()
				m, s := w.ms(), w.sgsns[0].Truth()
				if m.Attaches != 100 || s.SGSN.Attaches != 100 || s.Registered != 100 || s.Contexts != 100 {
					t.Errorf("attaches %d, SGSN %+v", m.Attaches, s)
				}
				if m.Identities == 0 || m.Identities == 100 {
					t.Errorf("%d identities asked: want those with an old P-TMSI", m.Identities)
				}
				if m.RAUs < 200 || m.Echoed < 3000 {
					t.Errorf("RAUs %d, echoes %d: too few", m.RAUs, m.Echoed)
				}
			})
		})
	}
}

// On a bad network everything is repeated until it succeeds, and the record
// tells what was lost.
func TestBadNetwork(t *testing.T) {
	c := worldConfig{seed: 5, dialect: ns.DialectIPAccess, bsss: 2, subscribers: 50,
		faults: simnet.Faults{Loss: 0.03, Duplicate: 0.02, Reorder: 0.05, ReorderBy: 3 * time.Second,
			Delay: 20 * time.Millisecond, Jitter: 30 * time.Millisecond},
		sgsn:      SGSNConfig{T3312: 30 * time.Second, Reallocate: 0.5},
		behaviour: Behaviour{Start: 5 * time.Second, Data: 2 * time.Second, Retry: 5 * time.Second}}
	inWorld(t, c, func(w *world) {
		w.run(5 * time.Minute)
		w.net.SetFaults(simnet.Faults{})
		w.run(90 * time.Second)
		w.wantAllRegistered()
		w.wantConserved()
		m := w.ms()
		if m.Lost == 0 || m.Retries == 0 || m.Disordered == 0 || m.Duplicates == 0 {
			t.Errorf("a bad network is not seen: %+v", m)
		}
		if m.WrongSGSN+m.Unintelligible > 0 {
			t.Errorf("the network is bad, not wrong: %+v", m)
		}
	})
}

// Subscribers move between the cells of two BSSs at one SGSN, leave, suspend;
// nothing is lost.
func TestMovesLeavesSuspends(t *testing.T) {
	c := worldConfig{dialect: ns.DialectSNS, bsss: 2, subscribers: 50, behaviour: busyBehaviour,
		faults: simnet.Faults{Delay: 5 * time.Millisecond},
		sgsn:   SGSNConfig{T3312: 40 * time.Second, Reallocate: 0.3, Page: 200 * time.Millisecond}}
	inWorld(t, c, func(w *world) {
		w.run(5 * time.Minute)
		w.wantConserved()
		m, s := w.ms(), w.sgsns[0].Truth().SGSN
		if m.Lost+m.WrongSGSN+m.Disordered+m.GaveUp > 0 {
			t.Errorf("subscribers: %+v", m)
		}
		if m.Moves < 100 || m.Detaches < 50 || m.PowerOffs < 20 || m.Suspends < 50 || s.Flushes == 0 || s.FlushAcks != s.Flushes {
			t.Errorf("too little happened: %+v %+v", m, s)
		}
		if s.Pagings < 1000 || s.PagingsAnswered < s.Pagings*8/10 {
			t.Errorf("%d pagings, %d answered", s.Pagings, s.PagingsAnswered)
		}
		wantSuspensions(t, w, m.Suspends)
		for _, s := range w.subscribers() {
			if s.State == "registered" && (!s.HasPTMSI || s.TLLI != nri.LocalTLLI(s.PTMSI)) {
				t.Errorf("registered without the local TLLI of its P-TMSI: %+v", s)
			}
		}
	})
}

func wantSuspensions(t *testing.T, w *world, begun uint64) {
	t.Helper()
	var acks, resumed, bad uint64
	for _, b := range w.bsss {
		c := b.Truth().BSS
		acks, resumed = acks+c.SuspendAcks, resumed+c.ResumeAcks
		bad += c.SuspendNacks + c.ResumeNacks + c.SuspendUnanswered
	}
	if bad > 0 || acks+5 < begun || resumed+10 < begun {
		t.Errorf("%d suspends: %d acknowledged, %d resumed, %d refused or unanswered", begun, acks, resumed, bad)
	}
}

// An update at an SGSN that does not know the P-TMSI is rejected, the
// subscriber attaches there, and the SGSN before drops its context.
func TestUnknownPTMSIAttachesAnew(t *testing.T) {
	c := worldConfig{dialect: ns.DialectStaticAlive, sgsns: 2, bsss: 2, subscribers: 20,
		behaviour: Behaviour{Data: 2 * time.Second, Move: 20 * time.Second}}
	inWorld(t, c, func(w *world) {
		w.run(2 * time.Minute)
		m := w.ms()
		a, b := w.sgsns[0].Truth(), w.sgsns[1].Truth()
		if m.RAURejects == 0 || a.SGSN.Cancelled == 0 || b.SGSN.Cancelled == 0 {
			t.Errorf("nobody changed the SGSN: %+v", m)
		}
		if n := a.Contexts + b.Contexts; n > 40 {
			t.Errorf("%d contexts of 40 subscribers", n)
		}
		if m.Lost+m.WrongSGSN+m.GaveUp > 0 {
			t.Errorf("subscribers: %+v", m)
		}
	})
}

// A restarted SGSN knows nobody; everybody is with it again soon.
func TestSGSNRestart(t *testing.T) {
	c := worldConfig{dialect: ns.DialectIPAccess, bsss: 2, subscribers: 50,
		behaviour: Behaviour{Start: time.Second, Data: 2 * time.Second}}
	inWorld(t, c, func(w *world) {
		w.run(20 * time.Second)
		w.wantAllRegistered()
		if err := w.sgsns[0].Restart(); err != nil {
			t.Fatal(err)
		}
		if n := w.sgsns[0].Truth().Contexts; n != 0 {
			t.Errorf("%d contexts after the restart", n)
		}
		w.run(time.Minute)
		w.wantAllRegistered()
		w.wantConserved()
		if m := w.ms(); m.NetDetaches != 100 || m.Attaches != 200 {
			t.Errorf("%+v", m)
		}
	})
}

// In offload mode updates give a P-TMSI with a NULL-NRI, a RAI of no cell and a
// timer of 4 s, and the next update comes with a foreign TLLI.
func TestOffload(t *testing.T) {
	c := worldConfig{dialect: ns.DialectStaticAlive, bsss: 1, subscribers: 20, sgsn: SGSNConfig{T3312: 20 * time.Second}}
	inWorld(t, c, func(w *world) {
		w.run(10 * time.Second)
		w.wantAllRegistered()
		w.sgsns[0].Offload(true)
		w.run(25 * time.Second)
		before := w.ms().RAUs
		for _, s := range w.subscribers() {
			if v := nri.FromTMSI(s.PTMSI, 10); v != 0 {
				t.Fatalf("subscriber with NRI %d: %+v", v, s)
			}
			if s.TLLI != nri.LocalTLLI(s.PTMSI) || s.RAI.LAC() != 0xff00 {
				t.Fatalf("TLLI is not that of the P-TMSI, or the RAI is a cell's: %+v", s)
			}
		}
		w.run(8 * time.Second)
		if n := w.ms().RAUs - before; n < 30 || n > 50 {
			t.Errorf("%d updates of 20 subscribers in 8 s, want one each 4 s", n)
		}
		w.sgsns[0].Offload(false)
		w.run(30 * time.Second)
		if n := w.sgsns[0].Truth(); n.Offload || n.SGSN.NullNRIs < 40 {
			t.Errorf("%+v", n)
		}
	})
}

// Blocked cells carry nothing, and all is well when they are unblocked; so
// after a reset of one cell and of the whole BSS.
func TestBlockAndReset(t *testing.T) {
	c := worldConfig{dialect: ns.DialectStaticAlive, bsss: 1, subscribers: 10, behaviour: Behaviour{Data: time.Second}}
	inWorld(t, c, func(w *world) {
		w.run(10 * time.Second)
		b, s := w.bsss[0], w.sgsns[0]
		b.Block(11, bssgp.CauseOMIntervention)
		w.run(3 * time.Second)
		if bt, st := b.Truth(), s.Truth(); bt.Up != 1 || st.Cells != 1 || st.SGSN.Blocks != 1 {
			t.Errorf("blocked: %+v %+v", bt, st)
		}
		b.Unblock(11)
		b.ResetCell(12, bssgp.CauseEquipmentFailure)
		w.run(3 * time.Second)
		b.Reset(bssgp.CauseEquipmentFailure)
		w.run(10 * time.Second)
		if bt, st := b.Truth(), s.Truth(); bt.Up != 2 || st.Cells != 2 || st.SGSN.SIGResets == 0 || bt.FlowAcked != 2 {
			t.Errorf("after resets: %+v %+v", bt, st)
		}
		w.wantAllRegistered()
	})
}

// A BSS that comes from another address is served on.
func TestReconnect(t *testing.T) {
	for _, d := range []ns.Dialect{ns.DialectIPAccess, ns.DialectSNS} {
		t.Run(dialectName(d), func(t *testing.T) {
			c := worldConfig{dialect: d, bsss: 1, subscribers: 10, behaviour: Behaviour{Data: time.Second}}
			inWorld(t, c, func(w *world) {
				w.run(10 * time.Second)
				if err := w.bsss[0].Reconnect([]netip.AddrPort{netip.MustParseAddrPort("10.0.2.99:23000")}); err != nil {
					t.Fatal(err)
				}
				w.run(time.Minute)
				before := w.ms().Echoed
				w.run(10 * time.Second)
				if n := w.ms().Echoed - before; n < 80 {
					t.Errorf("%d echoes in 10 s from the new address", n)
				}
				w.wantAllRegistered()
			})
		})
	}
}
