package stats

import (
	"context"
	"testing"
)

// BenchmarkTick is one second's work for 4500 groups of 11 counters, those of 500
// cells at 8 SGSNs.
func BenchmarkTick(b *testing.B) {
	g := &Group{Name: "gbproxy:peer", Level: "peer", Counters: make([]Counter, 11)}
	values := make([]uint64, 11)
	r := NewRegistry(func(_ context.Context, _ Query, visit Visit) error {
		for i := range 4500 {
			visit(g, uint32(i), "", values)
		}
		return nil
	})
	b.ReportAllocs()
	for i := range b.N {
		values[0], values[3] = uint64(i), uint64(2*i)
		if err := r.Tick(context.Background(), int64(i)); err != nil {
			b.Fatal(err)
		}
	}
}
