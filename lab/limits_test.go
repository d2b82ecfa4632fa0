package lab

import (
	"reflect"
	"testing"
	"time"

	"poolgw/bssgp"
	"poolgw/lab/gmm"
	"poolgw/lab/llc"
	"poolgw/lab/simnet"
	"poolgw/ns"
)

// The same seed gives the same run: one BSS, one SGSN, a network with delay.
func TestSameSeedSameRun(t *testing.T) {
	run := func(seed uint64) (all []SubscriberTruth) {
		inWorld(t, worldConfig{seed: seed, dialect: ns.DialectStaticAlive, bsss: 1, subscribers: 20, behaviour: busyBehaviour,
			faults: simnet.Faults{Delay: 10 * time.Millisecond, Loss: 0.02},
			sgsn:   SGSNConfig{T3312: 20 * time.Second, Reallocate: 0.5}}, func(w *world) {
			w.run(2 * time.Minute)
			all = w.subscribers()
		})
		return all
	}
	one := run(1)
	if !reflect.DeepEqual(one, run(1)) {
		t.Error("two runs with one seed differ")
	}
	if reflect.DeepEqual(one, run(2)) {
		t.Error("two seeds give the same run")
	}
}

// An SGSN takes no more subscribers than it may, whoever asks.
func TestContextsAreBounded(t *testing.T) {
	c := worldConfig{dialect: ns.DialectStaticAlive, bsss: 1, subscribers: 50, sgsn: SGSNConfig{MaxContexts: 10},
		behaviour: Behaviour{OldPTMSI: 0.5}}
	inWorld(t, c, func(w *world) {
		w.run(30 * time.Second)
		s := w.sgsns[0].Truth()
		if s.Contexts > 10 || s.SGSN.Refused == 0 {
			t.Errorf("%+v", s)
		}
		if n := w.states()["registered"]; n != s.Registered || n == 0 {
			t.Errorf("%d registered, the SGSN says %d", n, s.Registered)
		}
	})
}

// A silent subscriber is forgotten after T3312 and the grace, one that answers
// nothing after its tries.
func TestSilentSubscribersAreForgotten(t *testing.T) {
	c := worldConfig{dialect: ns.DialectStaticAlive, bsss: 1, subscribers: 10, sgsn: SGSNConfig{T3312: 30 * time.Second}}
	inWorld(t, c, func(w *world) {
		w.run(10 * time.Second)
		w.net.Cut(bssAddr(0), sgsnAddr(0))
		w.run(30*time.Second + implicitGrace)
		if s := w.sgsns[0].Truth(); s.Contexts != 0 || s.SGSN.ImplicitDetaches != 10 {
			t.Errorf("%+v", s)
		}
		if n := w.reg.Counts()[101]; n != 0 {
			t.Errorf("%d are served", n)
		}
		w.net.Heal()
		w.run(5 * time.Minute)
		w.wantAllRegistered()
	})
}

// wire is an SGSN's inside with one peer and one cell, driven by hand.
type wire struct {
	*sgsn
	nse *ns.NSE
	now time.Time
}

func newWire(flowControl bool) *wire {
	w := &wire{NewSGSN(SGSNConfig{NSEI: 101, Register: NewRegister(10, nil)}).core, new(ns.NSE), time.Unix(1000, 0)}
	w.NewNSE(w.nse)
	w.UnitData(w.now, w.nse, 0, bssgp.AppendBVCReset(nil, 2, bssgp.CauseOMIntervention, &bssgp.CellID{}, nil))
	if flowControl {
		w.flow()
	}
	return w
}

func (w *wire) flow() {
	f := bssgp.FlowControlBVC{BucketSize: 1000, LeakRate: 1000, MSBmax: 1000, MSLeakRate: 1000}
	w.UnitData(w.now, w.nse, 2, f.Append(nil))
}

// gets delivers a GMM message of a subscriber.
func (w *wire) gets(t *testing.T, tlli uint32, m gmm.Message) {
	t.Helper()
	b, err := m.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	u := llc.UI{SAPI: llc.SAPIGMM, Protected: true, Info: b}
	w.UnitData(w.now, w.nse, 2, bssgp.AppendULUnitdata(nil, tlli, bssgp.QoS{}, bssgp.CellID{}, u.Append(nil)))
}

// An SGSN sends no downlink PDU in a cell before flow control came (TS 48.018
// 8.2).
func TestNoDownlinkBeforeFlowControl(t *testing.T) {
	w := newWire(false)
	w.gets(t, 0xc0000001, gmm.Message{Type: gmm.RAURequest})
	if c := w.count; c.NoFlowControl != 1 || c.DLUnitdata != 0 || c.RAURejects != 1 {
		t.Errorf("before flow control: %+v", c)
	}
	w.flow()
	w.gets(t, 0xc0000001, gmm.Message{Type: gmm.RAURequest})
	if c := w.count; c.NoFlowControl != 1 || c.DLUnitdata != 1 {
		t.Errorf("after flow control: %+v", c)
	}
}

// A repeated request gets the same answer: one P-TMSI, one attach.
func TestRepeatedAttachRequest(t *testing.T) {
	w := newWire(true)
	for range 3 {
		w.gets(t, 0x78000001, gmm.Message{Type: gmm.AttachRequest, IMSI: "262420000000001"})
	}
	if c := w.count; c.Attaches != 1 || c.Reallocations != 1 || c.DLUnitdata != 3 || len(w.byPTMSI) != 1 {
		t.Errorf("%+v, %d P-TMSIs", c, len(w.byPTMSI))
	}
}

// A BSS delivers to the two last TLLIs of a subscriber: the SGSN repeats an
// accept on that of the request.
func TestTwoLastTLLIs(t *testing.T) {
	b := NewBSS(BSSConfig{NSEI: 1, Cells: []Cell{{BVCI: 2}}, Subscribers: 1, FirstID: 1, Register: NewRegister(10, nil)})
	m := b.core.sorted()[0]
	for tlli := uint32(1); tlli < 10; tlli++ {
		m.use(tlli)
		m.use(tlli)
	}
	if c := b.core.byTLLI; len(c) != 2 || c[9] != m || c[8] != m {
		t.Errorf("%v", c)
	}
	b.core.forget(m)
	if len(b.core.byTLLI)+len(b.core.all)+len(b.core.answers) != 0 {
		t.Errorf("left: %+v", b.core.byTLLI)
	}
}

// FuzzSubscriber and FuzzSGSN feed what another side may send.
func FuzzSubscriber(f *testing.F) {
	for _, m := range []gmm.Message{{Type: gmm.AttachAccept, Timer: time.Minute}, {Type: gmm.RAUReject, Cause: 10},
		{Type: gmm.DetachRequest, Reattach: true}, {Type: gmm.IdentityRequest, Identity: 1}} {
		b, _ := m.Append(nil)
		u := llc.UI{SAPI: llc.SAPIGMM, FromSGSN: true, Protected: true, Info: b}
		f.Add(uint8(1), u.Append(nil))
	}
	u := llc.UI{SAPI: llc.SAPILL3, FromSGSN: true, Protected: true, Info: ping{reply: true, subscriber: 1, seq: 1}.append(nil)}
	f.Add(uint8(2), u.Append(nil))
	f.Fuzz(func(t *testing.T, state uint8, frame []byte) {
		b := NewBSS(BSSConfig{NSEI: 1, Cells: []Cell{{BVCI: 2}}, Subscribers: 1, FirstID: 1, Register: NewRegister(10, nil)})
		m := b.core.sorted()[0]
		m.state = msState(state % 5)
		now := time.Unix(1000, 0)
		m.downlink(now, frame)
		m.expire(now.Add(time.Hour))
		if len(b.core.byTLLI) > 2 {
			t.Errorf("%d TLLIs of one subscriber", len(b.core.byTLLI))
		}
	})
}

func FuzzSGSN(f *testing.F) {
	f.Add(uint16(0), bssgp.AppendBVCReset(nil, 2, bssgp.CauseOMIntervention, &bssgp.CellID{}, nil))
	f.Add(uint16(2), bssgp.AppendULUnitdata(nil, 0x78000001, bssgp.QoS{}, bssgp.CellID{}, []byte{1, 0xc0, 1, 8, 1}))
	f.Add(uint16(0), bssgp.AppendSuspend(nil, 0xc0000001, bssgp.RAI{}))
	f.Fuzz(func(t *testing.T, bvci uint16, pdu []byte) {
		s := NewSGSN(SGSNConfig{NSEI: 101, Register: NewRegister(10, nil)})
		n := new(ns.NSE)
		s.core.NewNSE(n)
		now := time.Unix(1000, 0)
		s.core.UnitData(now, n, 0, bssgp.AppendBVCReset(nil, 2, bssgp.CauseOMIntervention, &bssgp.CellID{}, nil))
		s.core.UnitData(now, n, bvci, pdu)
		s.core.expire(now.Add(time.Hour))
	})
}
