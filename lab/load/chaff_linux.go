package load

import (
	"math/rand/v2"
	"runtime"
	"time"
)

// chaffRun is the number of a measurement that marks PDUs that nobody judges.
const chaffRun = 0

// startChaff begins to send what an overload has beyond what one thread can send and
// judge: up to l.Offered PDUs a second together with the judged ones, of the
// same BSSs, subscribers and sizes. It has a thread of its own, on the processor l.Core,
// whose time it takes from the process under test: it makes the overload worse. The
// function that it returns ends it and tells how many it sent.
func (g *Generator) startChaff(l Load) (end func() uint64) {
	g.soFar.Store(0)
	if l.Offered == 0 {
		return func() uint64 { return 0 }
	}
	stop, sent := make(chan struct{}), make(chan uint64)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this
		_ = pin(0, l.Core)     // where it can't, it takes the generator's time
		sent <- g.sendChaff(l.Offered, stop)
	}()
	return func() uint64 {
		close(stop)
		return <-sent
	}
}

func (g *Generator) sendChaff(offered float64, stop <-chan struct{}) (sent uint64) {
	rng, out, start := rand.New(rand.NewPCG(g.opt.Seed, 1)), newVector(), time.Now()
	for {
		select {
		case <-stop:
			return sent
		default:
		}
		due := int(offered*time.Since(start).Seconds()) - int(g.soFar.Load()+sent)
		if due < batch {
			time.Sleep(100 * time.Microsecond)
			continue
		}
		for range min(due, flood) / train {
			from := g.bss(rng.IntN(g.opt.BSSs))
			of := g.subs.ofBSS[from.index]
			for j := range train {
				index := of[rng.IntN(len(of))]
				s := &g.subs.all[index]
				t := &g.cells[s.cell].templates[Up][g.use[rng.IntN(len(g.use))]]
				out.put(j, t.write(out.room[j][:], s.tlli, probe{sub: index, dir: Up, run: chaffRun}), nil)
			}
			sent += uint64(out.send(from.fd, train))
		}
	}
}
