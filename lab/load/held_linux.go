package load

import (
	"fmt"
	"slices"
	"time"
)

// Held is how the processor under test held its speed during a load, by a yardstick that
// has nothing to do with the process under test.
type Held struct {
	Known     bool
	Usual     float64 // pieces of the yardstick's work a second while the capacity was measured
	Mean      float64 // during the load, as a part of that
	Least     float64 // in the slowest second of it, as a part of that
	Stolen    float64 // the part of the load's time that the host gave to others
	Explained uint64  // PDUs the kernel dropped at the gateway's sockets while the processor was too slow for the load
}

// String is a line of a report.
func (h Held) String() string {
	if !h.Known {
		return "no yardstick: how the processor held its speed is not known"
	}
	return fmt.Sprintf("yardstick on the gateway's processor: %.0f %% of its pace at the capacity, %.0f %% in the slowest second, %.1f %% taken by the host; %d PDUs were lost while it was too slow for the load",
		100*h.Mean, 100*h.Least, 100*h.Stolen, h.Explained)
}

// lossAt is when the kernel dropped so many.
type lossAt struct {
	when time.Time
	n    uint64
}

// holds judges a load of part of the capacity: usual is the processor's pace when that was
// measured, paces are those of the load.
func holds(usual []pace, paces []pace, part float64, losses []lossAt) Held {
	h := Held{Known: true, Usual: median(rates(usual)), Least: 1}
	var took time.Duration
	for i, p := range paces {
		h.Mean += p.rate * p.took.Seconds()
		h.Stolen += p.stolen * p.took.Seconds()
		took += p.took
		if second := paces[max(0, i-int(time.Second/paceTook)+1) : i+1]; len(second) == int(time.Second/paceTook) {
			h.Least = min(h.Least, ratio(mean(rates(second)), h.Usual))
		}
	}
	h.Mean, h.Stolen = ratio(h.Mean, took.Seconds()*h.Usual), ratio(h.Stolen, took.Seconds())
	h.Explained = explained(h.Usual, paces, part, losses)
	return h
}

// A processor that carries the capacity at its usual pace falls behind with a part of it
// where its pace is less than that part. The gateway's buffers hold some 0.2 s of such a
// load, so that a loss is explained from a quarter of that on.
const (
	explains = 0.05 // seconds of the load that wait
	mostWait = 0.25
)

// explained counts the losses while that much of the load had to wait.
func explained(usual float64, paces []pace, part float64, losses []lossAt) (n uint64) {
	waits, wait := make([]float64, len(paces)), 0.0
	for i, p := range paces {
		wait = min(mostWait, max(0, wait+p.took.Seconds()*(1-ratio(p.rate, part*usual))))
		waits[i] = wait
	}
	for _, l := range losses {
		i, _ := slices.BinarySearchFunc(paces, l.when, func(p pace, t time.Time) int { return p.until.Compare(t) })
		if i = min(i, len(paces)-1); i >= 0 && (waits[i] >= explains || waits[max(0, i-1)] >= explains) {
			n += l.n
		}
	}
	return n
}

func rates(paces []pace) (list []float64) {
	for _, p := range paces {
		list = append(list, p.rate)
	}
	return list
}

func mean(list []float64) (m float64) {
	for _, x := range list {
		m += x / float64(len(list))
	}
	return m
}
