package n2_test

import (
	"maps"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// drops are the PDUs that went nowhere, by class and reason.
func (b *bed) drops(class string) map[string]uint64 { return b.snapshot().Conservation.ByClass[class] }

func (b *bed) wantDrops(when string, want map[string]map[string]uint64) {
	b.Helper()
	got := b.snapshot().Conservation.ByClass
	if len(got) != len(want) {
		b.Errorf("%s: dropped %v, not %v", when, got, want)
		return
	}
	for class := range want {
		if !maps.Equal(got[class], want[class]) {
			b.Errorf("%s: dropped %v, not %v", when, got, want)
		}
	}
}

// kinds counts what a peer got, by procedure.
func (p *peer) kinds() map[ngap.Code]int {
	n := make(map[ngap.Code]int)
	for _, r := range p.got {
		var pdu ngap.PDU
		if err := pdu.Walk(r.data); err != nil {
			p.b.Fatal(err)
		}
		n[pdu.Code]++
	}
	p.got = nil
	return n
}

// One AMF reads slowly, and there is no other. New sessions are refused first, each
// counted as such, while what established UEs send waits; when there is no room for
// that either, a release and an answer still have some. All that waited comes, and
// then new UEs are served again.
func TestNewSessionsGiveWayFirst(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, talker := b.ue(g, 1, 1)
		_, leaver := b.ue(g, 2, 2)
		_, answerer := b.ue(g, 3, 3)
		b.clear(g)
		hear := a.last().deaf()
		data := long(ngap.CodeUplinkNASTransport, talker, 1)
		talk := g.press(200, data)

		const news = 50
		for ran := range uint32(news) {
			g.press(1, initial(100+ran, nil))
		}
		if n := g.kinds()[ngap.CodeUEContextReleaseCommand]; n != news {
			t.Errorf("%d of %d new UEs were refused", n, news)
		}
		g.press(1, urgentUE(99))
		if n := g.kinds(); len(n) != 0 {
			t.Errorf("an emergency is to wait in the long queue: %v", n)
		}
		refused := map[string]uint64{"queue_full": news}
		b.wantDrops("the queue is long", map[string]map[string]uint64{"new_session": refused})
		for ran := range uint32(news) { // as gNBs answer, with what they were told
			g.press(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, uint64(100+ran), 100+ran))
		}
		talk += g.press(100, data)
		b.wantDrops("established UEs talk", map[string]map[string]uint64{"new_session": refused})

		for b.drops("established") == nil && talk < 2000 {
			talk += g.press(1, data)
		}
		bulk := ngap.IE{ID: ngap.IENASPDU, Value: ngap.AppendOctets(nil, make([]byte, 8000))} // no smaller than what found no room
		g.press(1, message(ngap.CodeUEContextReleaseRequest, ngap.Initiating, leaver, 2, bulk))
		g.press(1, message(ngap.CodeUEContextModificationRequest, ngap.Successful, answerer, 3, bulk))
		b.wantDrops("the queue is full", map[string]map[string]uint64{"new_session": refused, "established": {"queue_full": 1}})
		if n := g.kinds(); n[ngap.CodeUEContextReleaseCommand] != 1 || len(n) != 1 {
			t.Errorf("the UE whose PDU found no room is to be released: %v", n)
		}

		hear()
		b.sleep(5 * time.Second)
		got := a.last().kinds()
		if got[ngap.CodeUplinkNASTransport] != talk-1 || got[ngap.CodeUEContextReleaseRequest] != 1 ||
			got[ngap.CodeUEContextModificationRequest] != 1 || got[ngap.CodeInitialUEMessage] != 1 {
			t.Errorf("of %d sent the AMF got %v", talk-1, got)
		}
		if s := b.snapshot(); s.Counts.Stalled != 0 || s.Counts.LostAMFs != 0 {
			t.Errorf("%+v", s.Counts)
		}
		b.serves(g, 1000)
	})
}

// Limits drop new sessions alone, counted as such.
func TestLimitDropsNewSessions(t *testing.T) {
	run(t, 1, func(c *n2.Config) { c.Limits.NewUEs = 5 }, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		for ran := range uint32(100) {
			g.press(1, initial(100+ran, nil))
			g.press(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		}
		refused := g.kinds()[ngap.CodeUEContextReleaseCommand]
		b.wantDrops("too many new UEs", map[string]map[string]uint64{"new_session": {"limit": uint64(refused)}})
		got := a.last().kinds()
		if refused < 50 || got[ngap.CodeInitialUEMessage] != 100-refused || got[ngap.CodeUplinkNASTransport] != 100 {
			t.Errorf("%d refused, the AMF got %v", refused, got)
		}
	})
}
