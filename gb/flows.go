package gb

import (
	"sync/atomic"

	"poolgw/pool"
)

// flow counts what one worker, or the loop, moved for one BVC or SGSN: PDUs and
// octets of BSSGP from the peer and to it. It fills a cache line, so that
// workers do not write each other's.
type flow struct {
	fromPDUs, fromBytes, toPDUs, toBytes atomic.Uint64
	_                                    [64 - 4*8]byte
}

// flows are the rows of a BVC or SGSN: the first is the loop's, then one for
// each worker.
type flows []flow

func newFlows(workers int) flows { return make(flows, workers+1) }

// from counts a PDU that came; worker is its number, or loopWorker.
func (f flows) from(worker, octets int) {
	r := &f[worker+1]
	r.fromPDUs.Add(1)
	r.fromBytes.Add(uint64(octets))
}

// to counts a PDU that went.
func (f flows) to(worker, octets int) {
	r := &f[worker+1]
	r.toPDUs.Add(1)
	r.toBytes.Add(uint64(octets))
}

// moved is the sum over the rows.
type moved struct{ fromPDUs, fromBytes, toPDUs, toBytes uint64 }

func (f flows) sum() (s moved) {
	for i := range f {
		s.fromPDUs += f[i].fromPDUs.Load()
		s.fromBytes += f[i].fromBytes.Load()
		s.toPDUs += f[i].toPDUs.Load()
		s.toBytes += f[i].toBytes.Load()
	}
	return s
}

// choices count decisions by reason, in rows as flows.
type choices []struct {
	n [pool.Reasons]atomic.Uint64
	_ [64 - pool.Reasons*8%64]byte
}

func newChoices(workers int) choices { return make(choices, workers+1) }

func (c choices) add(worker int, r pool.Reason) { c[worker+1].n[r].Add(1) }

// each calls f for every reason.
func (c choices) each(f func(r pool.Reason, n uint64)) {
	for r := range pool.Reason(pool.Reasons) {
		n := uint64(0)
		for i := range c {
			n += c[i].n[r].Load()
		}
		f(r, n)
	}
}
