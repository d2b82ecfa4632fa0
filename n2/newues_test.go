package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// A capacity that an AMF changes holds for new UEs at once; those that are bound
// stay. One that is configured holds before the announced one, and 0 means that
// the AMF stands by.
// Facts: N1-03, N1-11, N1-12
func TestCapacityChanges(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		g.send(1, initial(2, nil)) // the round is over
		for _, a := range b.amfs {
			a.last().got = nil
		}
		for i, c := range []uint8{25, 0} {
			b.amfs[0].last().send(0, simple(ngap.CodeAMFConfigurationUpdate, ngap.Initiating,
				ngap.IE{ID: ngap.IERelativeAMFCapacity, Criticality: ngap.Ignore, Value: []byte{c}}))
			b.amfs[0].last().want(ngap.CodeAMFConfigurationUpdate, ngap.Successful)
			if got := b.count(g, 1000*(i+1), 100, nobody); got[1] != int(c)*20/25 {
				t.Errorf("with capacity %d of AMF 1: %v", c, got)
			}
		}
		conf := b.cfg.Clone()
		conf.AMFs[0].Capacity = 100
		if err := b.gw.Apply(b.cfg, conf, time.Now()); err != nil {
			t.Fatal(err)
		}
		b.settle()
		if got := b.count(g, 3000, 100, nobody); got[1] != 50 {
			t.Errorf("with relative-capacity 100 of AMF 1: %v", got)
		}
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
		// The AMF that stands by is there for who comes when nobody else is.
		conf.AMFs[0].Capacity, conf.AMFs[1].AllowAttach = 0, false
		if err := b.gw.Apply(b.cfg, conf, time.Now()); err != nil {
			t.Fatal(err)
		}
		b.settle()
		if got := b.count(g, 4000, 10, nobody); got[1] != 10 {
			t.Errorf("AMF 1 stands by: %v", got)
		}
		g.wantNothing()
	})
}

func unavailable(amf *amf, backup string, timer bool) []byte {
	u := ngap.UnavailableGUAMI{GUAMI: amf.guamis[0], Timer: timer}
	if backup != "" {
		u.Backup = []byte(backup)
	}
	return simple(ngap.CodeAMFStatusIndication, ngap.Initiating, ngap.IE{ID: ngap.IEUnavailableGUAMIList, Criticality: ngap.Reject,
		Value: ngap.AppendUnavailableGUAMIs(nil, []ngap.UnavailableGUAMI{u})})
}

// A GUAMI that is unavailable and has no backup: its UEs go to the AMF Set. UEs
// that are bound stay, with the timer and without.
// Facts: N1-13, N1-14
func TestUnavailableGUAMIWithoutBackup(t *testing.T) {
	for _, timer := range []bool{false, true} {
		run(t, 3, func(c *n2.Config) { c.AMFs[2].Capacity = 255 }, func(b *bed) {
			b.amfs[2].guamis[0].Set = 2
			g := b.up(7)
			s := &ngap.STMSI{Set: 1, Pointer: 1, TMSI: 1}
			a := b.amfs[0].last()
			g.send(1, initial(1, s))
			a.want(ngap.CodeInitialUEMessage, ngap.Initiating)
			a.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1, 1, nas))
			g.want(ngap.CodeDownlinkNASTransport, ngap.Initiating)
			a.send(0, unavailable(b.amfs[0], "", timer))
			if got := b.count(g, 100, 10, func(i int) *ngap.STMSI { return &ngap.STMSI{Set: 1, Pointer: 1, TMSI: uint32(2 + i)} }); got[2] != 10 {
				t.Errorf("UEs of the unavailable GUAMI went to %v", got)
			}
			g.wantNothing()
			g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, 1<<32|1, 1, nas))
			a.wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
		})
	}
}

// An AMF that is overloaded without a percentage gets no ordinary new UE, but
// those that are called, emergencies and those of high priority; one that names
// slices only is not shut for the others.
// Facts: N4-04, N4-05
func TestWhoAnOverloadedAMFGets(t *testing.T) {
	causes := map[ngap.Establishment]bool{ // by their names in TS 38.413 9.3.1.111
		ngap.EstablishmentEmergency: true, ngap.EstablishmentHighPriority: true, ngap.EstablishmentMTAccess: true,
		ngap.EstablishmentMPSPriority: true, ngap.EstablishmentMCSPriority: true,
		ngap.EstablishmentMOSignalling: false, ngap.EstablishmentMOData: false,
	}
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		b.amfs[0].last().send(0, overloadStart(0))
		ran := uint32(1)
		for c, served := range causes {
			got := b.goes(g, ran, 4, func(p *ngap.PDU) {
				p.Replace(ngap.IERRCEstablishmentCause, ngap.Ignore, ngap.AppendEstablishment(nil, c))
			})
			ran += 4
			if (got[1] > 0) != served {
				t.Errorf("cause %d: %v", c, got)
			}
		}
		// By hand: one item, with a slice list of SST 1 and nothing else.
		b.amfs[0].last().send(0, simple(ngap.CodeOverloadStart, ngap.Initiating,
			ngap.IE{ID: ngap.IEOverloadStartNSSAIList, Criticality: ngap.Ignore, Value: unhex("00 00 00 0020")}))
		if got := b.count(g, 1000, 10, nobody); got[1] != 5 {
			t.Errorf("overloaded for a slice: %v", got)
		}
	})
}

// "early-release": a release soon after the UE came says that its AMF did not
// know it; "reject" and "off" do not read that from a release, and "off" reads
// nothing from a reject either.
// Facts: N6-03, N6-04
func TestStaleByRelease(t *testing.T) {
	for _, c := range []struct {
		what   string
		mode   n2.Stale
		after  time.Duration
		reject bool // else released
		stale  bool
	}{
		{"early", n2.StaleEarlyRelease, 100 * time.Millisecond, false, true},
		{"late", n2.StaleEarlyRelease, 2 * time.Second, false, false},
		{"reject alone", n2.StaleReject, 100 * time.Millisecond, false, false},
		{"early-release sees rejects too", n2.StaleEarlyRelease, 2 * time.Second, true, true},
		{"off", n2.StaleOff, 100 * time.Millisecond, false, false},
		{"off, reject", n2.StaleOff, 100 * time.Millisecond, true, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			set := func(conf *n2.Config) {
				conf.Stale, conf.EarlyRelease, conf.AMFs[0].AllowAttach = c.mode, time.Second, false
			}
			run(t, 2, set, func(b *bed) {
				g := b.up(7)
				s := func(int) *ngap.STMSI { return &ngap.STMSI{Set: 1, Pointer: 1, TMSI: 4711} }
				a := b.amfs[0].last()
				g.send(1, initial(1, s(0)))
				a.want(ngap.CodeInitialUEMessage, ngap.Initiating)
				b.sleep(c.after)
				if c.reject {
					a.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1, 1, ngap.IE{ID: ngap.IENASPDU, Value: ngap.AppendOctets(nil, unhex("7e00440a"))}))
				} else {
					a.send(1, release(ngap.UENGAPIDs{AMF: 1, RAN: 1, HasRAN: true}))
				}
				g.got = nil
				want := 1
				if c.stale {
					want = 2
				}
				if got := b.count(g, 2, 4, s); got[want] != 4 {
					t.Errorf("went to %v", got)
				}
				g.got = nil
			})
		})
	}
}
