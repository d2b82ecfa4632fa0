package load

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Pauses are those of a process's garbage collector since it began: the upper bounds
// of the buckets of the run time's histogram. On a machine that others use too a
// pause is mostly their turn: threads are stopped that do not run.
type Pauses struct {
	Count     uint64
	P99, Most time.Duration
}

var pauseBucket = regexp.MustCompile(`^go_sched_pauses_total_gc_seconds_bucket\{le="([^"]+)"\}$`)

func (m Metrics) pauses() (p Pauses) {
	type bucket struct {
		le  float64 // s
		sum uint64  // of the pauses up to that
	}
	var all []bucket
	for name, v := range m {
		if f := pauseBucket.FindStringSubmatch(name); f != nil {
			if le, err := strconv.ParseFloat(f[1], 64); err == nil && !math.IsInf(le, 1) {
				all = append(all, bucket{le, uint64(v)})
			}
		}
	}
	slices.SortFunc(all, func(a, b bucket) int {
		if a.le < b.le {
			return -1
		}
		return 1
	})
	p.Count = uint64(m["go_sched_pauses_total_gc_seconds_count"])
	for _, b := range slices.Backward(all) {
		d := time.Duration(b.le * float64(time.Second))
		if b.sum >= p.Count {
			p.Most = d
		}
		if b.sum*100 >= p.Count*99 {
			p.P99 = d
		}
	}
	return p
}
