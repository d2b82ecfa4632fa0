package load

import (
	"fmt"
	"slices"
	"time"
)

// Held is how the processor under test held its speed during a load, by a yardstick.
type Held struct {
	Known     bool
	Usual     float64 // pieces of the yardstick's work a second at which the capacity comes through
	Mean      float64 // during the load, as a part of that
	Least     float64 // in the slowest second of it, as a part of that
	Stolen    float64 // the part of the load's time that the host gave to others
	Explained uint64  // PDUs the kernel dropped at the gateway's sockets while the processors were too slow for the load
}

// String is a line of a report.
func (h Held) String() string {
	if !h.Known {
		return "no yardstick: how the processor held its speed is not known"
	}
	return fmt.Sprintf("yardstick on the gateway's processor: %.0f %% of its pace at the capacity, %.0f %% in the slowest second, %.1f %% taken by the host; %d PDUs were lost while it was too slow for the load, or the generator's stood still",
		100*h.Mean, 100*h.Least, 100*h.Stolen, h.Explained)
}

// lossAt is what a while was like at whose end the kernel had dropped so many more.
type lossAt struct {
	when time.Time
	n    uint64
	busy float64       // what the process under test had of a processor in the last looks
	late time.Duration // of the generator, at most, in the last looks
}

// leastPaces are how many paces a look for the capacity must have.
const leastPaces = 4

// perPiece is how many PDUs come through for each piece of the yardstick's work: of each
// look, with the paces that lie in it, the median. 0: too few paces.
func perPiece(looks []capacityLook, paces []pace) float64 {
	var all []float64
	for _, l := range looks {
		var in []float64
		for _, p := range paces {
			if !p.until.Add(-p.took).Before(l.from) && !p.until.After(l.to) {
				in = append(in, p.rate)
			}
		}
		if m := mean(in); len(in) >= leastPaces && m > 0 {
			all = append(all, l.rate/m)
		}
	}
	if len(all) < len(looks) || len(all) == 0 {
		return 0
	}
	return median(all)
}

// holds judges a load of so many PDUs a second where per of them come through for each piece
// of the yardstick's work; capacity is what came through at most.
func holds(per, capacity, offered float64, paces []pace, losses []lossAt) Held {
	h := Held{Known: per > 0 && capacity > 0 && len(paces) > 0, Least: 1}
	if !h.Known {
		return h
	}
	h.Usual = capacity / per
	var took time.Duration
	second := min(len(paces), int(time.Second/paceTook))
	for i, p := range paces {
		h.Mean += p.rate * p.took.Seconds()
		h.Stolen += p.stolen * p.took.Seconds()
		took += p.took
		if i+1 >= second {
			h.Least = min(h.Least, mean(rates(paces[i+1-second:i+1]))/h.Usual)
		}
	}
	h.Mean, h.Stolen = ratio(h.Mean, took.Seconds()*h.Usual), ratio(h.Stolen, took.Seconds())
	if offered <= mostExplained*capacity {
		h.Explained = explained(per, offered, paces, losses)
	}
	return h
}

// A processor falls behind with a load where less comes through at its pace. The gateway's
// buffers hold some 0.2 s of a load near its limit; a yardstick is exact to a few percent,
// so that half of that explains a loss. It does not where the gateway left its processor to
// others, whatever the yardstick says.
const (
	explains      = 0.1  // seconds of the load that wait
	mostWait      = 0.3  // of them
	mostExplained = 0.95 // of the capacity: above, a few percent are all there is
	leastBusy     = 0.85 // of its processor that the gateway had, with what the host took
	// A generator that stood still sends what is due at once: more than the load was to be.
	stoodStill = 50 * time.Millisecond
)

// explained counts the losses for which the machine was too slow.
func explained(per, offered float64, paces []pace, losses []lossAt) (n uint64) {
	waits, wait := make([]float64, len(paces)), 0.0
	for i, p := range paces {
		wait = min(mostWait, max(0, wait+p.took.Seconds()*(1-ratio(per*p.rate, offered))))
		waits[i] = wait
	}
	for _, l := range losses {
		i, _ := slices.BinarySearchFunc(paces, l.when, func(p pace, t time.Time) int { return p.until.Compare(t) })
		i = min(i, len(paces)-1)
		behind := i >= 0 && max(waits[i], waits[max(0, i-1)]) >= explains && l.busy+max(paces[i].stolen, paces[max(0, i-1)].stolen) >= leastBusy
		if behind || l.late >= stoodStill {
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

// mean is 0 of nothing.
func mean(list []float64) (m float64) {
	for _, x := range list {
		m += x / float64(len(list))
	}
	return m
}
