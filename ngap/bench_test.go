package ngap_test

import (
	"slices"
	"testing"
	"time"

	free5gc "github.com/free5gc/ngap"

	. "poolgw/ngap"
)

// route is what the forwarding path does to a PDU: walk, look for repeated IEs and
// the IDs, translate, append.
func route(p *PDU, b, out []byte) ([]byte, bool) {
	if p.Walk(b) != nil {
		return out, false
	}
	if _, twice := p.Repeated(); twice {
		return out, false
	}
	_, ran, errRAN := p.RANUENGAPID()
	id, amf, err := p.AMFUENGAPID()
	if err != nil || errRAN != nil || amf < 0 || ran < 0 {
		return out, false
	}
	p.SetAMFUENGAPID(amf, id|1<<32)
	return p.Append(out[:0]), true
}

// What a gateway routes allocates nothing, nor do the readers of identities.
func TestNoAllocation(t *testing.T) {
	var p PDU
	out := make([]byte, 0, 4096)
	for _, s := range []string{downlink, "002e4035000004000a000200010055000200010026000b0a7e0215c0ce8d01b79a7c007940135000f110000000010000f110000001eeb72e37"} {
		b := unhex(t, s)
		route(&p, b, out)
		if n := testing.AllocsPerRun(100, func() { out, _ = route(&p, b, out) }); n != 0 {
			t.Errorf("%v allocations to route %s", n, p.Name())
		}
	}
	initial, release := unhex(t, initialUE), unhex(t, "002900100000020072000400010001000f400148")
	if n := testing.AllocsPerRun(100, func() {
		if p.Walk(initial) != nil {
			t.Error("walk")
		}
		p.NAS()
		v, _ := p.Value(IEUserLocationInformation)
		ReadLocation(v)
		v, _ = p.Value(IERRCEstablishmentCause)
		ReadEstablishment(v)
	}); n != 0 {
		t.Errorf("%v allocations to read an Initial UE Message", n)
	}
	add := uint64(1 << 38)
	if n := testing.AllocsPerRun(100, func() {
		p.Walk(release)
		p.Translate(func(_ IEID, id uint64) uint64 { return id + add })
		out = p.Append(out[:0])
	}); n != 0 {
		t.Errorf("%v allocations to translate a UE Context Release Command", n)
	}
}

// timesCount is false where times say nothing.
var timesCount = true

// Routing takes at most a twentieth of the time of a decode by free5gc/ngap of the
// same octets: the least of several rounds of each, in turn.
func TestTwentyTimes(t *testing.T) {
	b := unhex(t, downlink)
	var p PDU
	out := make([]byte, 0, 4096)
	least := func(rounds []time.Duration) time.Duration { return slices.Min(rounds) }
	var ours, theirs []time.Duration
	for range 15 {
		start := time.Now()
		for range 2000 {
			out, _ = route(&p, b, out)
		}
		mid := time.Now()
		for range 100 {
			if _, err := free5gc.Decoder(b); err != nil {
				t.Fatal(err)
			}
		}
		ours, theirs = append(ours, mid.Sub(start)/2000), append(theirs, time.Since(mid)/100)
	}
	a, f := least(ours), least(theirs)
	t.Logf("routed in %v, decoded by free5gc/ngap in %v: %.0f times", a, f, float64(f)/float64(a))
	if timesCount && f < 20*a {
		t.Errorf("routed in %v, which is more than a twentieth of %v", a, f)
	}
}

func BenchmarkRoute(b *testing.B) {
	in, out := unhex(b, downlink), make([]byte, 0, 4096)
	var p PDU
	b.ReportAllocs()
	for b.Loop() {
		out, _ = route(&p, in, out)
	}
}

func BenchmarkFree5GCDecode(b *testing.B) {
	in := unhex(b, downlink)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := free5gc.Decoder(in); err != nil {
			b.Fatal(err)
		}
	}
}
