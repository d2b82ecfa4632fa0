package lab

import (
	"testing"
	"time"

	"poolgw/bssgp"
	"poolgw/lab/gmm"
	"poolgw/lab/llc"
	"poolgw/nri"
)

// air is a BSS that only writes down what one subscriber sends.
type air struct {
	t    *testing.T
	m    *ms
	now  time.Time
	sent []sentFrame
	down bool
}

type sentFrame struct {
	at   time.Duration // since the start
	tlli uint32
	msg  gmm.Message // zero for user data
}

var airStart = time.Unix(1000, 0)

func (a *air) uplink(now time.Time, m *ms, tlli uint32, frame []byte) {
	u, err := llc.Parse(frame)
	if err != nil {
		a.t.Fatal(err)
	}
	f := sentFrame{at: now.Sub(airStart), tlli: tlli}
	if u.SAPI == llc.SAPIGMM {
		if f.msg, err = gmm.Parse(u.Info, true); err != nil {
			a.t.Fatal(err)
		}
	}
	a.sent = append(a.sent, f)
}

func (a *air) suspend(time.Time, *ms)        {}
func (a *air) resume(time.Time, *ms)         {}
func (a *air) move(time.Time, *ms)           {}
func (a *air) serving(string) (uint16, bool) { return 101, true }
func (a *air) answersTo(*ms, uint32)         {}
func (a *air) ready(*ms) bool                { return !a.down }
func (a *air) lost(uint16)                   {}

var (
	homeRA  = bssgp.MakeRAI(262, 42, false, 4096, 1)
	otherRA = bssgp.MakeRAI(262, 42, false, 4096, 2)
)

func newAir(t *testing.T, b Behaviour) *air {
	a := &air{t: t, m: newMS(1, 1, b), now: airStart}
	a.m.at = a
	a.m.cell = &cell{Cell: Cell{BVCI: 2, RAI: homeRA}}
	a.m.start(a.now)
	return a
}

// wait lets d pass and returns what was sent meanwhile.
func (a *air) wait(d time.Duration) []sentFrame {
	a.sent = nil
	end := a.now.Add(d)
	for t := a.m.deadline(); !t.IsZero() && !t.After(end); t = a.m.deadline() {
		a.now = t
		a.m.expire(t)
	}
	a.now = end
	return a.sent
}

// hears gives the subscriber a message of the SGSN and returns its answers.
func (a *air) hears(m gmm.Message) []sentFrame {
	a.t.Helper()
	b, err := m.Append(nil)
	if err != nil {
		a.t.Fatal(err)
	}
	u := llc.UI{SAPI: llc.SAPIGMM, FromSGSN: true, Protected: true, Info: b}
	a.sent = nil
	a.m.downlink(a.now, u.Append(nil))
	return a.sent
}

func (a *air) want(got []sentFrame, typ gmm.Type, tlli uint32) gmm.Message {
	a.t.Helper()
	if len(got) != 1 || got[0].msg.Type != typ || got[0].tlli != tlli {
		a.t.Fatalf("sent %+v, want one %v with TLLI %08x", got, typ, tlli)
	}
	return got[0].msg
}

func accept(t gmm.Type, ptmsi uint32, rai gmm.RAI, timer time.Duration) gmm.Message {
	return gmm.Message{Type: t, PTMSI: &ptmsi, RAI: rai, Timer: timer}
}

const aPTMSI = 0xc0123456

// attached is a subscriber with the P-TMSI aPTMSI.
func attached(t *testing.T, b Behaviour) *air {
	a := newAir(t, b)
	got := a.wait(time.Second)
	if len(got) != 1 || nri.KindOf(got[0].tlli) != nri.Random || got[0].msg.IMSI != a.m.imsi {
		t.Fatalf("attach without P-TMSI: %+v", got)
	}
	a.want(a.hears(accept(gmm.AttachAccept, aPTMSI, gmm.RAI(homeRA), 30*time.Second)), gmm.AttachComplete, aPTMSI)
	return a
}

// The TLLI of each message, TS 23.003 2.6.
func TestTLLIRules(t *testing.T) {
	a := attached(t, Behaviour{})
	if m := a.want(a.wait(30*time.Second), gmm.RAURequest, aPTMSI); m.Update != gmm.PeriodicUpdating {
		t.Errorf("periodic update is of type %d", m.Update)
	}
	if got := a.hears(gmm.Message{Type: gmm.RAUAccept, RAI: gmm.RAI(homeRA), Timer: 30 * time.Second}); len(got) != 0 {
		t.Errorf("an accept without P-TMSI is answered by %+v", got)
	}
	a.m.cell = &cell{Cell: Cell{BVCI: 3, RAI: otherRA}}
	a.sent = nil
	a.m.arrived(a.now, gmm.RAI(homeRA))
	if m := a.want(a.sent, gmm.RAURequest, 0x80123456); m.Update != gmm.RAUpdating || m.OldRAI != gmm.RAI(homeRA) {
		t.Errorf("update in another routing area: %+v", m)
	}
	a.want(a.hears(accept(gmm.RAUAccept, 0xc0999999, gmm.RAI(otherRA), 0)), gmm.RAUComplete, 0xc0999999)
	if got := a.wait(time.Hour); len(got) != 0 {
		t.Errorf("a deactivated T3312 runs: %+v", got)
	}
}

func TestAttachWithAnOldPTMSI(t *testing.T) {
	a := newAir(t, Behaviour{OldPTMSI: 1})
	m := a.want(a.wait(time.Second), gmm.AttachRequest, nri.ForeignTLLI(a.m.ptmsi))
	if m.PTMSI == nil || *m.PTMSI != a.m.ptmsi || m.IMSI != "" {
		t.Errorf("%+v", m)
	}
	r := a.want(a.hears(gmm.Message{Type: gmm.IdentityRequest, Identity: gmm.IdentityIMSI}), gmm.IdentityResponse, nri.ForeignTLLI(a.m.ptmsi))
	if r.IMSI != a.m.imsi {
		t.Errorf("identity %q", r.IMSI)
	}
}

// Offload as TS 23.236 4.5a.1 has it: after 4 s an update with a foreign TLLI,
// since the RAI given is no cell's.
func TestOffloadedSubscriber(t *testing.T) {
	a := attached(t, Behaviour{})
	null := nri.WithNRI(aPTMSI, 0, 10)
	nowhere := gmm.RAI(bssgp.MakeRAI(262, 42, false, 0xff00, 1))
	a.hears(accept(gmm.PTMSIReallocCommand, null, nowhere, 0))
	a.m.due[msPeriodic] = a.now.Add(4 * time.Second)
	if m := a.want(a.wait(4*time.Second), gmm.RAURequest, nri.ForeignTLLI(null)); m.OldRAI != nowhere {
		t.Errorf("%+v", m)
	}
	a.want(a.hears(gmm.Message{Type: gmm.RAUReject, Cause: gmm.CauseImplicitlyDetached}), gmm.AttachRequest, nri.ForeignTLLI(null))
}

func TestRejectsAndDetaches(t *testing.T) {
	a := attached(t, Behaviour{})
	a.wait(30 * time.Second)
	got := a.hears(gmm.Message{Type: gmm.RAUReject, Cause: gmm.CauseMSIdentityUnknown})
	if len(got) != 1 || got[0].msg.IMSI == "" || nri.KindOf(got[0].tlli) != nri.Random {
		t.Errorf("after an update was rejected with cause 9: %+v", got)
	}
	a = attached(t, Behaviour{})
	got = a.hears(gmm.Message{Type: gmm.DetachRequest, Reattach: true, Cause: gmm.CauseImplicitlyDetached})
	if len(got) != 2 || got[0].msg.Type != gmm.DetachAccept || got[0].tlli != aPTMSI ||
		got[1].msg.Type != gmm.AttachRequest || got[1].tlli != 0x80123456 {
		t.Errorf("after a detach with re-attach required: %+v", got)
	}
	a = attached(t, Behaviour{})
	a.want(a.hears(gmm.Message{Type: gmm.DetachRequest}), gmm.DetachAccept, aPTMSI)
	a.want(a.wait(6*time.Second), gmm.AttachRequest, 0x80123456)
}

// A message without answer goes out five times, T3310 apart, with one TLLI;
// then the P-TMSI is given up and T3302 waited for.
func TestRetries(t *testing.T) {
	a := newAir(t, Behaviour{OldPTMSI: 1, Retry: 15 * time.Second, Backoff: 12 * time.Minute})
	got := a.wait(90 * time.Second)
	if len(got) != 5 {
		t.Fatalf("%d requests in 90 s: %+v", len(got), got)
	}
	for i, f := range got {
		if f.tlli != got[0].tlli || f.at-got[0].at != time.Duration(i)*15*time.Second {
			t.Errorf("request %d: %+v", i, f)
		}
	}
	got = a.wait(12 * time.Minute)
	if len(got) == 0 || nri.KindOf(got[0].tlli) != nri.Random || got[0].at != 75*time.Second+12*time.Minute {
		t.Errorf("after the back-off: %+v", got)
	}
	a.down = true
	a.m.deregister(a.now, 0)
	if got := a.wait(time.Minute); len(got) != 0 {
		t.Errorf("attaches in a cell that is not up: %+v", got)
	}
}

// Echoes: order, loss, answers of the wrong SGSN, and what a detach interrupts.
func TestEchoes(t *testing.T) {
	a := attached(t, Behaviour{Data: time.Second, LostAfter: 10 * time.Second})
	a.wait(8 * time.Second)
	reply := func(seq uint32, sgsn uint16) {
		u := llc.UI{SAPI: llc.SAPILL3, FromSGSN: true, Protected: true, Info: ping{reply: true, subscriber: 1, seq: seq, sgsn: sgsn}.append(nil)}
		a.m.downlink(a.now, u.Append(nil))
	}
	n := uint64(len(a.m.outstanding))
	reply(2, 101)
	reply(1, 101) // overtaken
	reply(1, 101) // again
	reply(3, 102) // from another SGSN than the serving one
	c := a.m.count
	if c.Echoed != 3 || c.Disordered != 1 || c.Duplicates != 1 || c.WrongSGSN != 1 || c.Lost != 0 || c.Sent != n {
		t.Errorf("%+v", c)
	}
	a.m.due[msData] = time.Time{}
	a.m.outstanding = a.m.outstanding[:2]
	a.wait(11 * time.Second)
	if a.m.count.Lost != 2 || len(a.m.outstanding) != 0 {
		t.Errorf("%+v, %d awaited", a.m.count, len(a.m.outstanding))
	}
	a.m.dataDue(a.now)
	a.hears(gmm.Message{Type: gmm.DetachRequest, Reattach: true})
	if a.m.count.Interrupted != 1 {
		t.Errorf("%+v", a.m.count)
	}
}
