package load

import (
	"testing"
	"time"
)

// A histogram as the metrics tell it: 200 pauses, of which 2 were longer than 0.1 ms
// and one longer than 1 ms.
func TestPauses(t *testing.T) {
	const bucket = `go_sched_pauses_total_gc_seconds_bucket{le="`
	m := Metrics{bucket + `1e-05"}`: 100, bucket + `0.0001"}`: 198, bucket + `0.001"}`: 199, bucket + `0.01"}`: 200, bucket + `0.1"}`: 200,
		bucket + `+Inf"}`: 200, "go_sched_pauses_total_gc_seconds_count": 200}
	if p, want := m.pauses(), (Pauses{200, 100 * time.Microsecond, 10 * time.Millisecond}); p != want {
		t.Errorf("%v, want %v", p, want)
	}
	if p := (Metrics{}).pauses(); p != (Pauses{}) {
		t.Errorf("%v of nothing", p)
	}
}
