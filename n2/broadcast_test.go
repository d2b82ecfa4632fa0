package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// simple is a message with no more than what is given.
func simple(c ngap.Code, k ngap.Kind, ies ...ngap.IE) []byte {
	var p ngap.PDU
	p.New(c, k)
	for _, ie := range ies {
		p.Add(ie.ID, ie.Criticality, ie.Value)
	}
	return p.Append(nil)
}

func warning(message, serial uint16) []ngap.IE {
	return []ngap.IE{{ID: ngap.IEMessageIdentifier, Value: []byte{byte(message >> 8), byte(message)}},
		{ID: ngap.IESerialNumber, Value: []byte{byte(serial >> 8), byte(serial)}}}
}

// Two AMFs send the same warning: each gets its own answer, in the order of the
// requests, and another message's answer goes to who sent that one.
// Facts: N6-58
func TestWarningsAreAnsweredToTheRequester(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		g := b.up(7)
		for _, id := range []int{2, 0, 1} {
			w := warning(1, 1)
			if id == 1 {
				w = warning(1, 2)
			}
			b.amfs[id].last().send(0, simple(ngap.CodeWriteReplaceWarningRequest, ngap.Initiating, w...))
			g.want(ngap.CodeWriteReplaceWarningRequest, ngap.Initiating)
		}
		for _, step := range []struct {
			serial uint16
			amf    int
		}{{2, 1}, {1, 2}, {1, 0}} {
			g.send(0, simple(ngap.CodeWriteReplaceWarningRequest, ngap.Successful, warning(1, step.serial)...))
			b.amfs[step.amf].last().want(ngap.CodeWriteReplaceWarningRequest, ngap.Successful)
		}
		g.send(0, simple(ngap.CodeWriteReplaceWarningRequest, ngap.Successful, warning(1, 1)...)) // nobody asked
		for _, a := range b.amfs {
			a.last().wantNothing()
		}
		if n := b.gw.Conservation().Dropped[n2.DropNobody.String()]; n != 1 {
			t.Errorf("%d answers that nobody asked for", n)
		}
	})
}

// What concerns every AMF goes to every AMF, what concerns one to exactly one.
// Facts: N6-62
func TestToAllAndToOne(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		g := b.up(7)
		for _, c := range []ngap.Code{ngap.CodePWSFailureIndication, ngap.CodePWSRestartIndication} {
			g.send(0, simple(c, ngap.Initiating))
			for _, a := range b.amfs {
				a.last().want(c, ngap.Initiating)
			}
		}
		for _, c := range []ngap.Code{ngap.CodeUplinkRANConfigurationTransfer, ngap.CodeUplinkRIMInformationTransfer} {
			g.send(0, simple(c, ngap.Initiating))
			got := 0
			for _, a := range b.amfs {
				got += len(a.last().got)
				a.last().got = nil
			}
			if got != 1 {
				t.Errorf("%s reached %d AMFs", c, got)
			}
		}
	})
}

// Paging reaches the gNBs that serve the area.
// Facts: N9-24
func TestPagingIsTargeted(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		page := func(tac byte) []byte {
			return simple(ngap.CodePaging, ngap.Initiating, ngap.IE{ID: ngap.IETAIListForPaging, Criticality: ngap.Ignore,
				Value: []byte{0, 0x00, 0xf1, 0x10, 0, 0, tac}})
		}
		b.amfs[0].last().send(0, page(1)) // the captured gNB's TAC
		g.want(ngap.CodePaging, ngap.Initiating)
		b.amfs[0].last().send(0, page(2))
		g.wantNothing()
	})
}

// An NRPPa answer, and a report of time, goes to the AMF that used its Routing ID.
// Facts: N6-64, N9-05, N9-47, N9-76, N9-77
func TestRoutingID(t *testing.T) {
	for _, c := range []struct{ down, up ngap.Code }{
		{ngap.CodeDownlinkNonUEAssociatedNRPPaTransport, ngap.CodeUplinkNonUEAssociatedNRPPaTransport},
		{ngap.CodeTimingSynchronisationStatusRequest, ngap.CodeTimingSynchronisationStatusReport},
	} {
		run(t, 2, nil, func(b *bed) {
			g := b.up(7)
			for i, a := range b.amfs {
				a.last().send(0, simple(c.down, ngap.Initiating, routingID(string(rune('a'+i)))))
				g.want(c.down, ngap.Initiating)
			}
			for i, a := range b.amfs {
				g.send(0, simple(c.up, ngap.Initiating, routingID(string(rune('a'+i)))))
				a.last().want(c.up, ngap.Initiating)
			}
			g.send(0, simple(c.up, ngap.Initiating, routingID("z")))
			b.amfs[0].last().want(c.up, ngap.Initiating)
		})
	}
}

// A procedure that this release does not know goes by its UE, else as one that
// belongs to no UE; what it holds stays as it is.
// Facts: N7-03
func TestUnknownProcedure(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		x := ngap.IE{ID: 60000, Criticality: ngap.Ignore, Value: []byte("new")}
		g.send(1, message(200, ngap.Initiating, outer, 1, x))
		p := a.last().wantIDs(200, ngap.Initiating, 1, 1)
		if v, _ := p.Value(60000); string(v) != "new" {
			t.Errorf("%q", v)
		}
		a.last().send(1, message(200, ngap.Successful, 1, 1, x))
		g.wantIDs(200, ngap.Successful, outer, 1)
		b.amfs[1].last().send(0, simple(201, ngap.Initiating, x))
		g.want(201, ngap.Initiating)
		g.send(0, simple(201, ngap.Successful, x))
		b.amfs[1].last().want(201, ngap.Successful)
		// Not of this pool's business.
		g.send(1, message(200, ngap.Initiating, outer, 2))
		g.want(ngap.CodeErrorIndication, ngap.Initiating)
	})
}

// Who sends what only the other side may send is told so, and nobody else gets
// it: every procedure, every kind, both sides.
func TestDirection(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a := b.amfs[0]
		tried := 0
		for _, row := range ngap.Procedures() {
			for k := ngap.Initiating; k <= ngap.Unsuccessful; k++ {
				if row.Message(k) == "" || row.Code == ngap.CodeErrorIndication || row.Code == ngap.CodePrivateMessage {
					continue
				}
				ran := row.Initiator&ngap.RAN != 0
				amf := row.Initiator&ngap.AMF != 0
				if k != ngap.Initiating {
					ran, amf = amf, ran
				}
				for _, c := range []struct {
					may      bool
					from, to *peer
				}{{ran, g, a.last()}, {amf, a.last(), g}} {
					if c.may {
						continue
					}
					tried++
					c.from.send(0, message(row.Code, k, 1, 1))
					c.from.want(ngap.CodeErrorIndication, ngap.Initiating)
					c.to.wantNothing()
				}
			}
		}
		if n := b.gw.Conservation().Dropped[n2.DropDirection.String()]; int(n) != tried || tried < 80 {
			t.Errorf("%d of %d refused", n, tried)
		}
	})
}

// What can't be read is answered, counted, and reaches nobody.
// Facts: N6-47, N6-50
func TestMalformed(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a := b.amfs[0].last()
		good := message(ngap.CodeUplinkNASTransport, ngap.Initiating, 1<<32|1, 1, nas)
		n := 0
		for i := range good {
			g.send(1, good[:i])
			n++
			p := g.want(ngap.CodeErrorIndication, ngap.Initiating)
			v, _ := p.Value(ngap.IECause)
			if c, err := ngap.ReadCause(v); err != nil || c != ngap.CauseTransferSyntaxError {
				t.Errorf("%d octets: cause %v %v", i, c, err)
			}
		}
		a.wantNothing()
		if got := b.gw.Conservation().Dropped[n2.DropMalformed.String()]; int(got) != n {
			t.Errorf("%d of %d counted", got, n)
		}
		// An Error Indication is never answered by one (10.5).
		g.send(0, simple(ngap.CodeErrorIndication, ngap.Initiating))
		g.send(0, unhex("00094005")) // cut
		a.send(0, simple(ngap.CodeErrorIndication, ngap.Initiating))
		g.wantNothing()
		a.wantNothing()
	})
}

// An Error Indication about a UE reaches the other end with that end's IDs, and
// both forget the UE (10.6).
// Facts: N6-48, N9-09
func TestErrorIndicationAboutAUE(t *testing.T) {
	cause := ngap.IE{ID: ngap.IECause, Criticality: ngap.Ignore, Value: ngap.AppendCause(nil, ngap.CauseUnknownLocalUENGAPID)}
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		for ran := uint32(1); ran <= 2; ran++ {
			a, outer := b.ue(g, ran, 7)
			if ran == 1 {
				g.send(1, message(ngap.CodeErrorIndication, ngap.Initiating, outer, ran, cause))
				a.last().wantIDs(ngap.CodeErrorIndication, ngap.Initiating, 7, ran)
			} else {
				a.last().send(1, message(ngap.CodeErrorIndication, ngap.Initiating, 7, ran, cause))
				g.wantIDs(ngap.CodeErrorIndication, ngap.Initiating, outer, ran)
			}
			g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, ran, nas))
			g.want(ngap.CodeErrorIndication, ngap.Initiating)
			a.last().wantNothing()
		}
	})
}

// The silent failure: SCTP lives, NGAP does not. The probe finds it.
// Facts: N8-12
func TestProbe(t *testing.T) {
	run(t, 2, func(c *n2.Config) { c.Probe = 10 * time.Second }, func(b *bed) {
		g := b.up(7)
		a := b.amfs[0].last()
		b.amfs[1].answerProbes = true
		b.settle()
		b.sleep(25 * time.Second)
		b.settle()
		if a.down == nil {
			t.Error("AMF 1 is silent and still used")
		}
		if b.amfs[1].peers[0].down != nil {
			t.Error("AMF 2 answers and was given up")
		}
		g.got = nil
	})
}

// Without a path to an AMF the association ends by SCTP's time-outs, and the UEs
// are released.
// Facts: N6-70
func TestBlackHole(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		_, o1 := b.ue(g, 1, 1)
		b.net.Cut(address(1, int(o1>>32)), address(0, 2))
		b.sleep(10 * time.Second)
		b.settle()
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		b.net.Heal(address(1, int(o1>>32)), address(0, 2))
		b.sleep(40 * time.Second)
		b.settle()
		if got := b.count(g, 100, 10, nobody); got[1] != 5 || got[2] != 5 {
			t.Errorf("after the cut new UEs went to %v", got)
		}
	})
}
