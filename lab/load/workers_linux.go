package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Workers is what two workers carry beside one.
type Workers struct {
	Why      string // it was not measured
	One, Two float64
}

// workerCores is how many processors it takes: two generators, for one is
// slower than two workers, and two workers.
const workerCores = 4

// RunWorkers measures a gateway with one worker and with two on the processors cores, if
// they are enough.
func RunWorkers(ctx context.Context, o Options, argv []string, cores []int, d time.Duration) (*Workers, error) {
	if len(cores) < workerCores {
		return &Workers{Why: fmt.Sprintf("%d processors, %d are needed", len(cores), workerCores)}, nil
	}
	w := &Workers{}
	var err error
	if w.One, err = runPair(ctx, o, argv, cores, 1, d); err == nil {
		w.Two, err = runPair(ctx, o, argv, cores, 2, d)
	}
	return w, err
}

// AllCores are the processors that this process may use.
func AllCores() (list []int) {
	var set unix.CPUSet
	_ = unix.SchedGetaffinity(0, &set) // none then
	for i := range 1024 {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	return list
}

// runPair has two generators saturate one gateway: with cores 0 and 1 the generators, with
// those behind the gateway's workers. It returns the PDUs a second of both.
func runPair(ctx context.Context, o Options, argv []string, cores []int, workers int, d time.Duration) (float64, error) {
	p, err := startPair(ctx, o, argv, cores[2:2+workers], workers)
	if err != nil {
		return 0, err
	}
	defer p.stop()
	if err := p.each(func(i int, t *Target) error { return errors.Join(pin(0, cores[i]), t.BringUp(ctx)) }); err != nil {
		return 0, err
	}
	var results [2]*Result
	err = p.each(func(i int, t *Target) (err error) {
		if err = errors.Join(pin(0, cores[i]), t.WarmUp()); err == nil {
			results[i], err = t.Run(Load{Window: saturation, Duration: d})
		}
		if err == nil {
			err = results[i].Err(1)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return results[0].Rate() + results[1].Rate(), nil
}

// pair is one gateway between two generators.
type pair struct {
	targets [2]*Target
	dir     string
}

// newPair makes the generators: their numbers and NRIs differ.
func newPair(o Options) (*pair, error) {
	p := &pair{}
	ends, err := freeUDP(2, gatewayAddr(o.IPv6))
	if err == nil {
		o.ToBSSs, o.ToSGSNs = ends[0], ends[1]
		err = o.complete()
	}
	if err != nil {
		return nil, err
	}
	all := ShareNRIs(2*len(o.SGSNs), o.BitLen)
	for i := range p.targets {
		mine := o
		mine.SGSNs = all[i*len(o.SGSNs) : (i+1)*len(o.SGSNs)]
		mine.Others, mine.Seed = o.BSSs*o.Cells, o.Seed+uint64(i)
		mine.FirstNSEI, mine.FirstBVCI = o.FirstNSEI+uint16(i*o.BSSs), o.FirstBVCI+uint16(i*o.BSSs*o.Cells)
		g, err := New(mine)
		if err != nil {
			p.stop()
			return nil, err
		}
		p.targets[i] = &Target{Name: "gateway", Generator: g}
	}
	return p, nil
}

// startPair starts the gateway with the nodes of both.
func startPair(ctx context.Context, o Options, argv []string, cores []int, workers int) (p *pair, err error) {
	if p, err = newPair(o); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.stop()
		}
	}()
	ports, err := freeTCP(2)
	if err != nil {
		return p, err
	}
	if p.dir, err = os.MkdirTemp("", "poolgw-load-"); err != nil {
		return p, fmt.Errorf("load: %w", err)
	}
	file := filepath.Join(p.dir, "tested.cfg")
	text := gatewayConfigOf(ports[0], ports[1], p.targets[0].Generator, p.targets[1].Generator)
	if err = os.WriteFile(file, []byte(text), 0o600); err != nil {
		return p, fmt.Errorf("load: %w", err)
	}
	process, err := StartProcessOn(append(argv[:len(argv):len(argv)], "-c", file), cores, workers)
	if err != nil {
		return p, err
	}
	p.targets[0].process, p.targets[1].process = process, process
	for start := time.Now(); time.Since(start) < bringUpTime && ctx.Err() == nil && process.Died() == nil; time.Sleep(time.Millisecond) {
		if n, _ := kernelDrops(p.targets[0].Generator.opt.ToBSSs); n >= workers {
			return p, nil
		}
	}
	return p, errors.Join(process.Died(), errors.New("load: the gateway did not open its sockets"))
}

// each runs f for both at once, each on a thread of its own.
func (p *pair) each(f func(i int, t *Target) error) error {
	var wg sync.WaitGroup
	var errs [2]error
	for i, t := range p.targets {
		wg.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends with its processor
			errs[i] = f(i, t)
		})
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

func (p *pair) stop() {
	for _, t := range p.targets {
		if t != nil {
			if t.process != nil && t.process.life.Err() == nil {
				t.process.Stop()
			}
			t.Generator.Close()
		}
	}
	if p.dir != "" {
		_ = os.RemoveAll(p.dir) // a temporary folder
	}
}

// BringUp brings the generator's nodes up, as Start… do.
func (t *Target) BringUp(ctx context.Context) error { return t.bringUp(ctx) }
