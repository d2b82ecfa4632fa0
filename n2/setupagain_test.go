package n2_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/sctp"
)

// A gNB that sets up NG once more has no UE any more (8.7.1), and no AMF has one
// of it: on the old association, on a new one, and after SCTP's restart.
// Facts: N2-06, N4-02
func TestSetupAgainErases(t *testing.T) {
	for _, c := range []struct {
		how   string
		again func(b *bed, g *peer) *peer
	}{
		{"the same association", func(b *bed, g *peer) *peer { g.send(0, setupOf(7)); return g }},
		{"a new association", func(b *bed, g *peer) *peer { g.assoc.Abort("restart"); b.settle(); return b.gnb(7) }},
		{"SCTP restart", func(b *bed, g *peer) *peer {
			local := g.assoc.Local()
			b.net.Vanish(address(2, 1)) // without a word
			a, err := b.net.Dial(context.Background(), local, sctp.At(n2.DefaultPort, address(0, 1)), sctp.Defaults())
			if err != nil {
				b.Fatal(err)
			}
			p := b.newPeer("gNB 1 again", a, nil)
			b.sleep(time.Second)
			b.settle()
			if s := b.snapshot(); s.UEs != 0 || s.GNB("001-01-7") != nil {
				b.Errorf("after the restart %d UEs", s.UEs)
			}
			p.send(0, setupOf(7))
			return p
		}},
	} {
		t.Run(c.how, func(t *testing.T) {
			run(t, 2, nil, func(b *bed) {
				g := b.up(7)
				_, outer := b.ue(g, 1, 1)
				g = c.again(b, g)
				b.sleep(time.Second)
				b.settle()
				g.want(ngap.CodeNGSetupRequest, ngap.Successful)
				for _, a := range b.amfs {
					if len(a.peers) != 2 || a.peers[0].down == nil {
						t.Errorf("AMF %d has %d associations, the first ended by %v", a.id, len(a.peers), a.peers[0].down)
					}
					a.last().want(ngap.CodeNGSetupRequest, ngap.Initiating)
				}
				g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
				g.want(ngap.CodeErrorIndication, ngap.Initiating)
				if s := b.snapshot(); s.UEs != 0 || len(s.GNBs) != 1 {
					t.Errorf("%d UEs of %d gNBs", s.UEs, len(s.GNBs))
				}
				b.ue(g, 1, 1)
			})
		})
	}
}

// UE Retention Information would promise the AMF that contexts outlive an NG
// Setup: it is taken out of the gNB's request, and of the replay.
// Facts: N2-07
func TestRetentionReachesNoAMF(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.associate()
		var p ngap.PDU
		if p.Walk(setupOf(7)) != nil {
			t.Fatal("walk")
		}
		p.Add(ngap.IEUERetentionInformation, ngap.Ignore, []byte{0})
		g.send(0, p.Append(nil))
		for range 2 {
			if got := b.amfs[0].last().next().data; !bytes.Equal(got, setupOf(7)) {
				t.Errorf("the AMF got %x", got)
			}
			b.amfs[0].last().assoc.Abort("restart")
			b.sleep(3 * time.Second)
		}
		g.got = nil
	})
}

// An AMF says nothing that counts before it has answered NG Setup.
// Facts: N4-01
func TestAMFBeforeNGSetup(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		b.amfs[0].silent = true
		g := b.gnb(7)
		a := b.amfs[0].last()
		a.want(ngap.CodeNGSetupRequest, ngap.Initiating)
		a.send(0, simple(ngap.CodePaging, ngap.Initiating, ngap.IE{ID: ngap.IETAIListForPaging, Value: []byte{0, 0x00, 0xf1, 0x10, 0, 0, 1}}))
		a.want(ngap.CodeErrorIndication, ngap.Initiating)
		a.send(0, overloadStart(0))
		a.want(ngap.CodeErrorIndication, ngap.Initiating)
		g.wantNothing()
		a.send(0, b.amfs[0].setupResponse())
		g.want(ngap.CodeNGSetupRequest, ngap.Successful)
		if got := b.count(g, 1, 1, nobody); got[1] != 1 {
			t.Errorf("%v", got)
		}
		a.send(0, b.amfs[0].setupResponse()) // once more: nobody asked, and an answer gets none
		a.wantNothing()
		if n := b.gw.Conservation().Dropped[n2.DropOrder.String()]; n != 3 {
			t.Errorf("%d PDUs out of order", n)
		}
	})
}

// An AMF that refuses is asked again after the time that it said, not before; the
// gNB that another AMF serves is not concerned, and the cause can be seen.
// Facts: N6-36, N8-06
func TestTimeToWaitIsKept(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		b.amfs[0].silent = true
		g := b.gnb(7)
		a := b.amfs[0].last()
		a.want(ngap.CodeNGSetupRequest, ngap.Initiating)
		a.send(0, simple(ngap.CodeNGSetupRequest, ngap.Unsuccessful,
			ngap.IE{ID: ngap.IECause, Criticality: ngap.Ignore, Value: ngap.AppendCause(nil, ngap.CauseUnknownPLMN)},
			ngap.IE{ID: ngap.IETimeToWait, Criticality: ngap.Ignore, Value: ngap.AppendTimeToWait(nil, 20*time.Second)}))
		g.want(ngap.CodeNGSetupRequest, ngap.Successful)
		s := b.snapshot()
		if o := s.GNB("001-01-7"); o == nil || !strings.Contains(o.AMFs[0].Refused, "unknown-PLMN-or-SNPN") {
			t.Errorf("%+v", o)
		}
		b.sleep(19 * time.Second)
		b.settle()
		if n := len(b.amfs[0].peers); n != 1 {
			t.Errorf("%d associations within the time to wait", n)
		}
		b.sleep(2 * time.Second)
		b.settle()
		if n := len(b.amfs[0].peers); n != 2 {
			t.Errorf("%d associations after it", n)
		}
	})
}

// The pauses between attempts grow to half a minute, and are not the same for two
// gNBs: else a thousand would dial at once.
// Facts: N8-11
func TestPausesGrow(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		b.up(7)
		b.up(8)
		b.amfs[0].refuse = true
		for i := range 2 {
			b.amfs[0].peers[i].assoc.Abort("restart")
		}
		b.sleep(5 * time.Minute)
		b.settle()
		began := map[byte][]time.Time{} // by gNB
		for _, p := range b.amfs[0].peers[2:] {
			v, _ := p.want(ngap.CodeNGSetupRequest, ngap.Initiating).Value(ngap.IEGlobalRANNodeID)
			began[v[len(v)-1]] = append(began[v[len(v)-1]], p.since)
		}
		for id, at := range began {
			if len(at) < 10 {
				t.Fatalf("gNB %d: %d attempts", id, len(at))
			}
			for i := 1; i < len(at); i++ {
				pause, want := at[i].Sub(at[i-1]), min(time.Second<<i, 30*time.Second)
				if pause < want*3/4 || pause > want*5/4+100*time.Millisecond {
					t.Errorf("gNB %d: pause %d is %v, want about %v", id, i, pause, want)
				}
			}
		}
		alike := 0
		for i := range 10 {
			if began[7][i].Sub(began[8][i]).Abs() < 10*time.Millisecond {
				alike++
			}
		}
		if alike > 5 {
			t.Errorf("%d of 10 attempts of both gNBs at one time", alike)
		}
	})
}

// Two IDs of gNBs are one when type, PLMN, length and value are.
// Facts: N6-69
func TestIDsOfGNBs(t *testing.T) {
	for _, c := range []struct {
		what, hex string // Global RAN Node ID by hand: gNB, 001-01, 32 bits, 00000007
		same      bool
	}{
		{"the same", "00 00f110 50 00000007", true},
		{"another value", "00 00f110 50 00000008", false},
		{"another PLMN", "00 99f907 50 00000007", false},
		{"another length", "00 00f110 10 000007", false}, // 24 bits
		{"another type", "40 00f110 00 000070", false},   // ng-eNB: 20 bits
	} {
		t.Run(c.what, func(t *testing.T) {
			run(t, 1, nil, func(b *bed) {
				b.up(7)
				g := b.associate()
				var p ngap.PDU
				if p.Walk(setupOf(7)) != nil {
					t.Fatal("walk")
				}
				p.Replace(ngap.IEGlobalRANNodeID, ngap.Reject, unhex(c.hex))
				g.send(0, p.Append(nil))
				b.sleep(3 * time.Second)
				b.settle()
				k := ngap.Successful
				if c.same {
					k = ngap.Unsuccessful
				}
				g.want(ngap.CodeNGSetupRequest, k)
			})
		})
	}
}

// wantLogged checks that some line of the log holds each text.
func (b *bed) wantLogged(texts ...string) {
	b.Helper()
	for _, text := range texts {
		if b.log.count(text) == 0 {
			b.Errorf("no %q in the log: %q", text, *b.log.lines)
		}
	}
}

// Two AMFs with one Set and Pointer in a PLMN: UEs of the one would come to the
// other.
// Facts: N6-72
func TestEqualPointersAreWarnedOf(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		b.amfs[0].guamis[0].Pointer = 2
		b.amfs[0].guamis[0].Region = 9
		b.up(7)
		b.wantLogged("two AMFs have one AMF Pointer")
	})
}

// Who had PDUs traced, and till when, stands in the log.
// Facts: N6-74
func TestTracesAreLogged(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		b.up(7)
		if _, err := b.gw.StartTrace(context.Background(), n2.TraceOrder{GNB: "001-01-7", Packets: 10, Unmasked: true}); err != nil {
			t.Fatal(err)
		}
		b.wantLogged("WARN trace begins gnb=001-01-7", "unmasked=true")
		b.gw.StopTraces(context.Background())
		b.wantLogged("WARN trace ends")
	})
}
