package load

import (
	"math/bits"
	"time"
)

// Histogram counts times with an error below 2 %: 64 buckets for every power
// of two nanoseconds. The zero value is empty.
type Histogram struct {
	counts [(64 - subBits) << subBits]uint32
	n      uint64
	max    time.Duration
}

const subBits = 6

func bucketOf(d time.Duration) int {
	v := uint64(max(0, d))
	shift := max(0, bits.Len64(v)-subBits-1)
	return shift<<subBits + int(v>>shift)
}

// lowest is the least time that falls into a bucket.
func lowest(bucket int) time.Duration {
	if bucket < 2<<subBits {
		return time.Duration(bucket)
	}
	shift := bucket>>subBits - 1
	return time.Duration(uint64(bucket-shift<<subBits) << shift)
}

// Add counts one time; a negative one counts as 0.
func (h *Histogram) Add(d time.Duration) {
	h.counts[bucketOf(d)]++
	h.n++
	h.max = max(h.max, d)
}

// Count is how many times were added.
func (h *Histogram) Count() uint64 { return h.n }

// Max is the greatest.
func (h *Histogram) Max() time.Duration { return h.max }

// Quantile is the time that the part q of all, 0..1, does not exceed; 0 when
// there are none.
func (h *Histogram) Quantile(q float64) time.Duration {
	want, seen := uint64(q*float64(h.n)+0.5), uint64(0)
	for i, c := range &h.counts {
		if seen += uint64(c); c > 0 && seen >= want {
			return min(lowest(i+1), h.max)
		}
	}
	return 0
}

// Merge adds all times of another one.
func (h *Histogram) Merge(o *Histogram) {
	for i, c := range &o.counts {
		h.counts[i] += c
	}
	h.n, h.max = h.n+o.n, max(h.max, o.max)
}
