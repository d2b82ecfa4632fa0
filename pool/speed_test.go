package pool

import (
	"fmt"
	"testing"
	"time"
)

func TestRouteAllocatesNothing(t *testing.T) {
	p := threeSGSNs(t)
	p.Member(103).SetDown(1)
	requests := []Request{
		{Identity: TLLI, Value: withNRI(400, 1)},
		{Identity: TLLI, Value: withNRI(900, 1), Now: time.Hour},
		{Identity: TLLI, Value: withNRI(600, 1), PLMN: home, Pin: To(101)},
		{Identity: TLLI, Value: 0x78000001},
		{Key: 99},
		{},
	}
	if n := testing.AllocsPerRun(100, func() {
		for i := range requests {
			var ex Exclude
			r := requests[i]
			r.Exclude = &ex
			if d := p.Route(&r); d.Member != nil && !d.Owned() {
				ex.Add(d.Member)
				p.Route(&r)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// States change while workers route: for the race detector, and that nobody is
// sent to a member that was never up.
func TestRouteWhileStatesChange(t *testing.T) {
	p := threeSGSNs(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 2000 {
			p.Member(101).SetDown(time.Duration(i))
			p.Member(101).SetUp()
		}
	}()
	for i := uint32(0); ; i++ {
		select {
		case <-done:
			return
		default:
		}
		if d := p.Route(&Request{Identity: TLLI, Value: withNRI(305, i)}); d.Reason == ByNRI && d.Member.ID != 101 {
			t.Fatalf("%+v", d)
		}
	}
}

func BenchmarkRoute(b *testing.B) {
	p := threeSGSNs(b)
	for name, r := range map[string]Request{
		"owned":  {Identity: TLLI, Value: withNRI(400, 1)},
		"null":   {Identity: TLLI, Value: withNRI(600, 1), PLMN: home},
		"pinned": {Identity: TLLI, Value: 0x78000001, Pin: To(102)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Route(&r)
			}
		})
	}
	for _, n := range []int{3, 16, 256} {
		for kind, w := range map[string][]uint16{"equal": equal(n), "unequal": unequal(n)} {
			b.Run(fmt.Sprintf("hash/%d/%s", n, kind), func(b *testing.B) { benchHash(b, newWeighted(b, w)) })
		}
	}
}

func benchHash(b *testing.B, p *Pool) {
	b.ReportAllocs()
	i := uint32(0)
	for b.Loop() {
		p.Route(&Request{Identity: TLLI, Value: 0x78000000 + i})
		i++
	}
}
