package n2_test

import (
	"fmt"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

const warn = ngap.CodeWriteReplaceWarningRequest

// tmgi is an MBS Session ID: a TMGI of the home PLMN.
func tmgi(n int) ngap.IE {
	return ngap.IE{ID: ngap.IEMBSSessionID, Criticality: ngap.Reject, Value: []byte{0, byte(n >> 16), byte(n >> 8), byte(n), 0x00, 0xf1, 0x10}}
}

// flood sends n messages without a pause.
func (p *peer) flood(n int, one func(i int) []byte) {
	p.b.Helper()
	for i := range n {
		if err := p.assoc.Send(sctpMessage(one(i))); err != nil {
			p.b.Fatal(err)
		}
		if i%200 == 199 {
			p.b.settle()
		}
	}
	p.b.settle()
}

// An AMF that sends more requests than its share, all of which the gNB leaves without
// answer: it is refused, the other AMF's requests pass, alike ones too, and both get
// their answers.
// Facts: N6-80
func TestEveryAMFHasItsShareOfRequests(t *testing.T) {
	for _, c := range []struct {
		name  string
		share int // of two AMFs
		one   func(i int) []byte
	}{
		{"different", 2048, func(i int) []byte { return simple(warn, ngap.Initiating, warning(uint16(i), 1)...) }},
		{"alike", 128, func(int) []byte { return simple(warn, ngap.Initiating, warning(1, 1)...) }},
		{"of sessions", 2048, func(i int) []byte {
			return simple(ngap.CodeBroadcastSessionSetupRequest, ngap.Initiating, tmgi(i))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, 2, nil, func(b *bed) {
				g := b.up(7)
				hostile, other := b.amfs[0].last(), b.amfs[1].last()
				hostile.flood(c.share+50, c.one)
				if n := b.gw.Conservation().Dropped[n2.DropLimit.String()]; n != 50 || len(g.got) != c.share || len(hostile.got) != 50 {
					t.Fatalf("%d refused, %d at the gNB, %d answers; the share is %d", n, len(g.got), len(hostile.got), c.share)
				}
				g.got, hostile.got = nil, nil
				other.flood(10, c.one)
				if len(g.got) != 10 {
					t.Fatalf("%d of 10 requests of the other AMF passed", len(g.got))
				}
				g.got = nil
				other.wantNothing()
				first := c.one(0)
				first[0] = 0x20 // the answer
				g.send(0, first)
				if len(hostile.got) != 1 || len(other.got) != 0 {
					t.Errorf("the first answer: %d %d", len(hostile.got), len(other.got))
				}
				hostile.got = nil
				hostile.send(0, c.one(0)) // there is room for one
				g.next()
			})
		})
	}
}

// What a hostile AMF has remembered of Routing IDs and MBS sessions drives nothing of
// another AMF out.
// Facts: N6-80
func TestEveryAMFHasItsShareOfRoutingIDs(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		hostile, other := b.amfs[0].last(), b.amfs[1].last()
		down, up := ngap.CodeDownlinkNonUEAssociatedNRPPaTransport, ngap.CodeUplinkNonUEAssociatedNRPPaTransport
		of := func(i int) ngap.IE { return routingID(fmt.Sprint("other", i)) }
		other.flood(100, func(i int) []byte { return simple(down, ngap.Initiating, of(i)) })
		other.send(0, simple(ngap.CodeBroadcastSessionSetupRequest, ngap.Initiating, tmgi(70000)))
		g.send(0, simple(ngap.CodeBroadcastSessionSetupRequest, ngap.Successful, tmgi(70000)))
		hostile.flood(5000, func(i int) []byte { return simple(down, ngap.Initiating, routingID(fmt.Sprint(i))) })
		for range 3 { // its sessions are answered, and so do not wait
			hostile.flood(2000, func(i int) []byte { return simple(ngap.CodeBroadcastSessionSetupRequest, ngap.Initiating, tmgi(i)) })
			g.flood(2000, func(i int) []byte { return simple(ngap.CodeBroadcastSessionSetupRequest, ngap.Successful, tmgi(i)) })
		}
		hostile.got, other.got, g.got = nil, nil, nil
		g.flood(100, func(i int) []byte { return simple(up, ngap.Initiating, of(i)) })
		g.send(0, simple(ngap.CodeBroadcastSessionReleaseRequired, ngap.Initiating, tmgi(70000)))
		if len(other.got) != 101 || len(hostile.got) != 0 {
			t.Errorf("%d of 101 reached the AMF that has them, %d the other", len(other.got), len(hostile.got))
		}
	})
}

// Downlink NRPPa has no answer: nothing waits for one, however many there are.
// Facts: N6-81
func TestNRPPaWaitsForNoAnswer(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		b.amfs[0].last().flood(1000, func(int) []byte {
			return simple(ngap.CodeDownlinkNonUEAssociatedNRPPaTransport, ngap.Initiating, routingID("x"))
		})
		if len(g.got) != 1000 {
			t.Errorf("%d of 1000 passed", len(g.got))
		}
		b.sleep(time.Hour)
		if n := b.snapshot().Counts.RequestsLate; n != 0 {
			t.Errorf("%d waited", n)
		}
	})
}

// Requests that the gNB does not answer are forgotten after "timer request", counted
// and told; an answer before that reaches the AMF, one after it nobody.
// Facts: N6-81
func TestRequestWithoutAnswer(t *testing.T) {
	for _, guard := range []time.Duration{n2.DefaultRequest, 4 * time.Second} {
		run(t, 1, func(c *n2.Config) { c.RequestGuard = guard }, func(b *bed) {
			g, a := b.up(7), b.amfs[0].last()
			ask := func(id uint16) {
				a.send(0, simple(warn, ngap.Initiating, warning(id, 1)...))
				g.want(warn, ngap.Initiating)
			}
			answer := func(id uint16) { g.send(0, simple(warn, ngap.Successful, warning(id, 1)...)) }
			ask(1)
			ask(2)
			b.sleep(guard - time.Second)
			ask(3)
			answer(2)
			a.want(warn, ngap.Successful)
			b.sleep(3*time.Second + guard/4)
			if n := b.snapshot().Counts.RequestsLate; n != 1 {
				t.Errorf("%d requests have waited too long", n)
			}
			answer(1)
			a.wantNothing()
			if guard > 20*time.Second { // else its time has come, too
				answer(3)
				a.want(warn, ngap.Successful)
			}
			if n := b.gw.Conservation().Dropped[n2.DropNobody.String()]; n != 1 {
				t.Errorf("%d answers that nobody asked for", n)
			}
			if b.log.count("the gNB has not answered requests of AMFs") == 0 {
				t.Error("the log tells nothing of it")
			}
		})
	}
}
