package load

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	var h Histogram
	if h.Quantile(0.5) != 0 {
		t.Error("an empty histogram has a median")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var all []time.Duration
	for range 10000 {
		d := time.Duration(rng.ExpFloat64() * float64(100*time.Microsecond))
		all = append(all, d)
		h.Add(d)
	}
	slices.Sort(all)
	for _, q := range []float64{0.001, 0.1, 0.5, 0.99, 0.999, 1} {
		want := all[max(0, int(q*float64(len(all))+0.5)-1)]
		got := h.Quantile(q)
		if got < want || float64(got) > float64(want)*1.02+2 {
			t.Errorf("quantile %g: %v, want %v", q, got, want)
		}
	}
	if h.Max() != all[len(all)-1] || h.Count() != 10000 {
		t.Errorf("max %v, count %d", h.Max(), h.Count())
	}
}

func TestHistogramBounds(t *testing.T) {
	var h Histogram
	for _, d := range []time.Duration{-1, 0, 127, 128, 1<<63 - 1} {
		h.Add(d)
		if b := bucketOf(d); lowest(b) > max(0, d) || b+1 < len(h.counts) && lowest(b+1) <= d {
			t.Errorf("%d is in bucket %d from %d", d, b, lowest(b))
		}
	}
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		seqs []uint32
		want []verdict
	}{
		{"in order", []uint32{1, 2, 3}, []verdict{inOrder, inOrder, inOrder}},
		{"a gap is no fault of order", []uint32{1, 5, 6}, []verdict{inOrder, inOrder, inOrder}},
		{"swapped", []uint32{1, 3, 2, 4}, []verdict{inOrder, inOrder, overtaken, inOrder}},
		{"twice", []uint32{1, 2, 2, 1}, []verdict{inOrder, inOrder, duplicate, duplicate}},
		{"late, then twice", []uint32{3, 1, 1}, []verdict{inOrder, overtaken, duplicate}},
		{"very late", []uint32{1, 100, 2}, []verdict{inOrder, inOrder, duplicate}},
		{"within the window", []uint32{1, 65, 2}, []verdict{inOrder, inOrder, overtaken}},
	} {
		var o order
		for i, s := range c.seqs {
			if got := o.saw(s); got != c.want[i] {
				t.Errorf("%s: PDU %d (number %d): %v, want %v", c.name, i, s, got, c.want[i])
			}
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	ends, err := freeUDP(2, gatewayAddr(false))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{BSSs: -1}, {BSSs: 10, Subscribers: 5}, {BitLen: 15}, {SGSNs: make([]SGSN, 65)},
		{SGSNs: make([]SGSN, 1)}} {
		o.ToBSSs, o.ToSGSNs = ends[0], ends[1]
		if len(o.SGSNs) == 1 {
			o.SGSNs[0].Addr = ends[0] // free, but nobody owns an NRI
		}
		if g, err := New(o); err == nil {
			g.Close()
			t.Errorf("%+v was taken", o)
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("no gateway's address, and no error")
	}
}

// The heap of a bound UE is a row where it was measured.
func TestBoundUEIsARow(t *testing.T) {
	for _, bound := range []int{0, 20000} {
		var s strings.Builder
		if _, err := (&N2Bench{Transport: "userspace", Bound: bound, Heap: 116.4}).Table().WriteTo(&s); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(s.String(), "| N2, live heap of a bound UE, userspace SCTP, 20000 UEs |  | 116 octets |  | must 250, aim 150 |") != (bound > 0) {
			t.Errorf("%d UEs: %s", bound, s.String())
		}
	}
}

// TestPairIsTwo has two generators at one gateway, without one: its configuration has the
// nodes of both, whose numbers and NRIs differ.
func TestPairIsTwo(t *testing.T) {
	p, err := newPair(Options{BSSs: 3, Cells: 2, Subscribers: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	text := gatewayConfigOf(1, 2, p.targets[0].Generator, p.targets[1].Generator)
	for what, n := range map[string]int{"sgsn nsei ": 6, "\n nse ": 12, " nsvc udp bsss": 6, "nri add": 6} {
		if got := strings.Count(text, what); got != n {
			t.Errorf("%q stands %d times, not %d, in\n%s", what, got, n, text)
		}
	}
	if a, b := p.targets[0].Generator, p.targets[1].Generator; a.bvci(5) >= b.bvci(0) || a.manager.want != 6+12*3 {
		t.Errorf("BVCIs %d and %d, %d BVCs wanted", a.bvci(5), b.bvci(0), a.manager.want)
	}
}
