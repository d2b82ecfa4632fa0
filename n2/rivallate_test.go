package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// lateProof is the time that a gNB has to prove that it lives, as "show timer" and the
// manual give it: heartbeat-interval and three times rto initial.
func lateProof(c *n2.Config) time.Duration { return c.SCTP.HeartbeatInterval + 3*c.SCTP.RTOInitial }

// patient has associations that outlive the proof of a gNB by far: what ends one is the
// proof.
func patient(c *n2.Config) { c.SCTP.AssocMaxRetrans, c.SCTP.PathMaxRetrans = 20, 20 }

// The path to the gNB that has the ID fails, another comes with that ID, and the path
// is back: while the time of the proof runs, the first one has the ID still, however
// late its acknowledgement; when that is over, it has not, and hears that its
// association has ended.
// Facts: N6-68
func TestLateProofOfLife(t *testing.T) {
	proof := func() time.Duration { c := n2.Default(); return lateProof(&c) }()
	for _, c := range []struct {
		back  time.Duration // after the other came
		lives bool
	}{{100 * time.Millisecond, true}, {proof / 2, true}, {proof - 100*time.Millisecond, true}, {proof + 300*time.Millisecond, false},
		{2 * proof, false}} {
		run(t, 1, patient, func(b *bed) {
			old := b.up(7)
			b.ue(old, 1, 1)
			b.net.Cut(address(2, 1), address(0, 1))
			other := b.gnb(7)
			b.sleep(c.back - 20*time.Millisecond) // gnb waited so long
			b.net.Heal(address(2, 1), address(0, 1))
			b.sleep(proof)
			b.settle()
			if c.lives {
				b.keptTheID(old, other)
			} else {
				b.lostTheID(old, other)
			}
			if t.Failed() {
				t.Fatalf("the path was back after %v of %v", c.back, proof)
			}
		})
	}
}

// keptTheID: the other one is refused, and the UE of the first is served.
func (b *bed) keptTheID(old, other *peer) {
	b.Helper()
	other.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
	old.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)
	a := b.amfs[0].last()
	a.wantNothing()
	old.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, 1<<32|1, 1, nas))
	a.wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
	if s := b.snapshot(); s.UEs != 1 || s.Counts.SameIDRefused != 1 || s.Counts.SameIDTaken != 0 {
		b.Errorf("%d UEs, %+v", s.UEs, s.Counts)
	}
}

// lostTheID: the other one is served, the UE of the first is gone with its association,
// and when that gNB comes again it is the one that is refused.
func (b *bed) lostTheID(old, other *peer) {
	b.Helper()
	other.want(ngap.CodeNGSetupRequest, ngap.Successful)
	b.sleep(5 * time.Second) // its next heartbeat
	b.settle()
	if old.down == nil {
		b.Error("the gNB that lost its ID has its association still")
	}
	other.send(1, initial(1, nil))
	b.where().last()
	if s := b.snapshot(); s.UEs != 1 || s.Counts.SameIDTaken != 1 || s.Counts.SameIDRefused != 0 || len(s.GNBs) != 1 {
		b.Errorf("%d UEs, %d gNBs, %+v", s.UEs, len(s.GNBs), s.Counts)
	}
	again := b.gnb(7)
	b.sleep(3 * time.Second)
	b.settle()
	again.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
}

// A gNB that takes SCTP's time and answers by NGAP late, or never, lives.
func TestLateAnswerOfARival(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		old := b.up(7)
		other := b.gnb(7)
		b.sleep(10 * time.Second)
		b.settle()
		other.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
		old.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)
		old.send(0, simple(ngap.CodeAMFConfigurationUpdate, ngap.Successful))
		old.send(1, initial(1, nil))
		b.amfs[0].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
		old.wantNothing()
	})
}
