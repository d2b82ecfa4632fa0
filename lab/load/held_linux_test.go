package load

import (
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pacesOf are paces one after another, from a moment on.
func pacesOf(start time.Time, rates ...float64) (list []pace) {
	for i, r := range rates {
		list = append(list, pace{until: start.Add(time.Duration(i+1) * paceTook), took: paceTook, rate: r})
	}
	return list
}

// TestExplained: a loss is the machine's where the processor was too slow for so long before
// that much of the load had to wait, by the yardstick, and the gateway had that processor;
// or where the generator's stood still. Else it is the gateway's.
func TestExplained(t *testing.T) {
	start := time.Now()
	const ms = time.Millisecond
	for _, c := range []struct {
		name    string
		offered float64
		rates   []float64
		stolen  float64 // of the last pace
		loss    lossAt
		want    uint64
	}{
		{"at its usual pace", 90, []float64{100, 100, 100, 100}, 0, lossAt{busy: 1}.after(700 * ms), 0},
		{"a little slower, but fast enough for the load", 90, []float64{91, 91, 91, 91, 91, 91, 91, 91}, 0, lossAt{busy: 1}.after(2000 * ms), 0},
		{"slower by a fifth for a second", 90, []float64{100, 80, 80, 80, 80}, 0, lossAt{busy: 1}.after(1200 * ms), 7},
		{"the same, while the gateway slept", 90, []float64{100, 80, 80, 80, 80}, 0, lossAt{busy: 0.5}.after(1200 * ms), 0},
		{"the same, while the host had the rest", 90, []float64{100, 80, 80, 80, 80}, 0.4, lossAt{busy: 0.5}.after(1200 * ms), 7},
		{"by a fifth for a quarter of a second: the buffers hold that", 90, []float64{100, 80, 100, 100}, 0, lossAt{busy: 1}.after(400 * ms), 0},
		{"half as fast for a quarter of a second", 90, []float64{100, 50, 100, 100}, 0, lossAt{busy: 1}.after(400 * ms), 7},
		{"just after that", 90, []float64{100, 50, 100, 100}, 0, lossAt{busy: 1}.after(600 * ms), 7},
		{"long after that", 90, []float64{100, 50, 150, 150, 150, 100, 100, 100}, 0, lossAt{busy: 1}.after(1900 * ms), 0},
		{"before that", 90, []float64{100, 100, 100, 50}, 0, lossAt{busy: 1}.after(400 * ms), 0},
		{"never more than the buffers hold waits", 90, []float64{10, 10, 10, 10, 10, 10, 100, 200, 200, 200, 100, 100}, 0, lossAt{busy: 1}.after(2950 * ms), 0},
		{"slow, but the load is small", 40, []float64{50, 50, 50, 50, 50, 50}, 0, lossAt{busy: 1}.after(1000 * ms), 0},
		{"after the last pace", 90, []float64{100, 50}, 0, lossAt{busy: 1}.after(600 * ms), 7},
		{"the generator stood still", 90, []float64{100, 100, 100, 100}, 0, lossAt{busy: 1, late: 60 * ms}.after(700 * ms), 7},
		{"it was a little late", 90, []float64{100, 100, 100, 100}, 0, lossAt{busy: 1, late: 40 * ms}.after(700 * ms), 0},
		{"nothing is known", 90, nil, 0, lossAt{busy: 1}.after(1000 * ms), 0},
	} {
		paces := pacesOf(start, c.rates...)
		if len(paces) > 0 {
			paces[len(paces)-1].stolen = c.stolen
		}
		c.loss.when, c.loss.n = start.Add(time.Duration(c.loss.n)), 7
		if n := explained(1, c.offered, paces, []lossAt{c.loss}); n != c.want {
			t.Errorf("%s: %d explained, want %d", c.name, n, c.want)
		}
	}
}

// after is the loss d after the beginning.
func (l lossAt) after(d time.Duration) lossAt { l.n = uint64(d); return l }

func TestHolds(t *testing.T) {
	start := time.Now()
	paces := pacesOf(start, 100, 50, 100, 50, 100, 100, 100, 100)
	paces[1].stolen = 0.4
	losses := []lossAt{{when: start.Add(400 * time.Millisecond), n: 5, busy: 0.9}, {when: start.Add(100 * time.Millisecond), n: 3, busy: 1}}
	h := holds(2, 200, 180, paces, losses)
	if !h.Known || h.Usual != 100 || h.Mean != 0.875 || h.Least != 0.75 || h.Explained != 5 || h.Stolen < 0.0499 || h.Stolen > 0.0501 {
		t.Errorf("%+v", h)
	}
	if got := h.String(); !strings.Contains(got, "88 % of its pace at the capacity, 75 % in the slowest second, 5.0 % taken by the host; 5 PDUs were lost while") {
		t.Error(got)
	}
	if h := holds(2, 200, 196, paces, losses); h.Explained != 0 {
		t.Errorf("98 %% of the capacity: %+v", h)
	}
	if h := holds(2, 200, 180, paces[1:3], losses); h.Least != 0.75 {
		t.Errorf("less than a second: %+v", h)
	}
	for _, h := range []Held{{}, holds(0, 200, 180, paces, losses), holds(2, 0, 180, paces, losses), holds(2, 200, 180, nil, losses)} {
		if got := h.String(); h.Known || h.Explained != 0 || !strings.Contains(got, "not known") {
			t.Errorf("%+v: %s", h, got)
		}
	}
}

// TestPerPiece: what comes through is set beside the paces of the same while.
func TestPerPiece(t *testing.T) {
	start := time.Now()
	at := func(d time.Duration) time.Time { return start.Add(d) }
	paces := pacesOf(start, 50, 50, 50, 50, 900, 100, 100, 100, 100, 900, 60, 60, 60, 60, 60)
	looks := capacityLooks{{from: at(0), to: at(1100 * time.Millisecond), rate: 100}, {from: at(1200 * time.Millisecond), to: at(2300 * time.Millisecond), rate: 200},
		{from: at(2450 * time.Millisecond), to: at(4 * time.Second), rate: 180}}
	if per := perPiece(looks, paces); per != 2 {
		t.Errorf("%v PDUs for a piece, want 2 of 2, 2 and 3", per)
	}
	if looks.rate() != 180 {
		t.Error(looks.rate())
	}
	looks[2].to = at(3400 * time.Millisecond)
	if per := perPiece(looks, paces); per != 0 {
		t.Errorf("%v PDUs for a piece of three paces", per)
	}
	if per := perPiece(nil, paces); per != 0 {
		t.Errorf("%v PDUs for a piece of no look", per)
	}
}

// TestLossOnASlowerMachine: what was lost while the processor was too slow is the
// measurement's matter, any other loss the gateway's.
func TestLossOnASlowerMachine(t *testing.T) {
	for _, c := range []struct {
		received  uint64
		explained uint64
		scale     float64
		gateway   bool // at fault
		unproven  bool
		goal      string
		through   string
	}{
		{2700, 0, 1, false, false, "must 0", "3000/s come through"},
		{2600, 100, 1, false, true, "must 0; not proven: the machine was too slow (yardstick)", "3000/s come through"},
		{2600, 99, 1, true, false, "must 0", "3000/s come through"},
		{2600, 0, 1, true, false, "must 0", "3000/s come through"},
		{2700, 0, 0.8, false, false, "must 0; of the slowest second only", "2400/s come through in the processor's slowest second (yardstick), 3000/s else"},
	} {
		s := &Sustained{Capacity: 3000, Busy: 2, Left: 1000, Over: 2, Share: 0.9, Scale: c.scale, Calm: proofOf(2700, c.received, 0), Held: Held{Known: true, Explained: c.explained}, Flood: proofOf(2000, 1000, 1000)}
		if (s.Err() != nil) != c.gateway || (s.Unproven() != nil) != c.unproven || s.slowed() != c.unproven {
			t.Errorf("%+v: gateway %v, measurement %v", c, s.Err(), s.Unproven())
		}
		if row := s.Table()[0]; row.Goal != c.goal || row.Reference != c.through || strings.Contains(row.Ours, "before") {
			t.Errorf("%+v: row %+v", c, row)
		}
		if table := s.Table()[1]; table.Goal != "must 0" {
			t.Errorf("%+v: the overload was one: %q", c, table.Goal)
		}
		if s.again() != c.unproven {
			t.Errorf("%+v: again %v", c, s.again())
		}
		for _, fault := range []func(p *Proof){func(p *Proof) { p.Result.WrongBSS++ }, func(p *Proof) { p.Dead++ }} {
			bad := *s
			r := *s.Calm.Result
			bad.Calm.Result = &r
			if fault(&bad.Calm); bad.again() || bad.Err() == nil {
				t.Errorf("%+v: %+v is tried again", c, bad.Calm)
			}
		}
		s.Unsteady = append(s.Unsteady, s.last())
		if s.again() {
			t.Errorf("%+v: a third try", c)
		}
		if row, want := s.Table()[0], "before, at 2700/s, "; !strings.Contains(row.Ours, want) || !strings.Contains(s.String(), "the machine does not hold its speed: 3000/s") {
			t.Errorf("%+v: %s, %v", c, row.Ours, s)
		}
	}
}

// TestYardstick has it measure this machine: paces without gaps, a rate that a machine can
// have, nothing left over.
func TestYardstick(t *testing.T) {
	core := ChooseCores().Tested
	if core < 0 {
		t.Skip("one processor only")
	}
	goroutines, descriptors, procs := runtime.NumGoroutine(), countFiles(t), runtime.GOMAXPROCS(0)
	began := time.Now()
	y, err := startYardstick(core)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * paceTook)
	paces, err := y.since(began)
	last := time.Now()
	y.end()
	if err != nil || len(paces) < 2 {
		t.Fatalf("%v, %v", paces, err)
	}
	for i, p := range paces {
		if p.took < paceTook || p.rate < 10 || p.rate > 1e6 || p.stolen < 0 || p.stolen > 1 || i > 0 && p.until.Add(-p.took).Sub(paces[i-1].until) > paceTook {
			t.Errorf("pace %d: %+v", i, p)
		}
	}
	if again, _ := y.since(last.Add(time.Hour)); len(again) != 0 {
		t.Errorf("%v ended in an hour", again)
	}
	for end := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(end); {
		time.Sleep(time.Millisecond) // it has ended, but may not be gone
	}
	if g, d := runtime.NumGoroutine(), countFiles(t); g > goroutines || d > descriptors {
		t.Errorf("%d goroutines after %d, %d descriptors after %d", g, goroutines, d, descriptors)
	}
	if runtime.GOMAXPROCS(0) != procs {
		t.Errorf("GOMAXPROCS %d after %d", runtime.GOMAXPROCS(0), procs)
	}
	if y, err := startYardstick(1023); err == nil {
		y.end()
		t.Error("there are 1024 processors?")
	}
}

func countFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestCalmLoadIsWhatItWasToBe: what the generator could not send, and a capacity that was the
// generator's, prove nothing.
func TestCalmLoadIsWhatItWasToBe(t *testing.T) {
	for _, c := range []struct {
		sent     uint64
		share    float64
		scale    float64
		lossy    bool
		unproven string
	}{
		{2700, 0.95, 1, false, ""},
		{2650, 0.95, 1, false, ""},
		{2600, 0.95, 1, false, "did not get to 90 %: it sent 87 %"},
		{2600, 0.95, 1, true, ""},
		{2160, 0.95, 0.8, false, ""},
		{2090, 0.95, 0.8, false, "did not get to 90 %: it sent 87 %"},
		{1350, 0.95, 0.5, false, "carries 50 % of the capacity in its slowest second"},
		{2700, 0.44, 1, false, "had 44 % of a processor when"},
		{2700, 0.44, 1, true, ""},
		{2700, 0, 1, false, "had 0 % of a processor when"},
	} {
		s := &Sustained{Part: 0.9, Lossy: c.lossy, Share: c.share, Capacity: 3000, Busy: 2, Left: 1000, Over: 2, Scale: c.scale, Calm: proofOf(c.sent, c.sent, 0), Flood: proofOf(2000, 1000, 1000)}
		err := s.Unproven()
		if (err != nil) != (c.unproven != "") || err != nil && !strings.Contains(err.Error(), c.unproven) || s.Err() != nil {
			t.Errorf("%+v: %v, %v", c, err, s.Err())
		}
		if goal := s.Table()[0].Goal; (err != nil) != strings.Contains(goal, "not proven") || (c.scale < 1) != strings.Contains(goal, "slowest second") && err == nil {
			t.Errorf("%+v: goal %q", c, goal)
		}
	}
}

// TestLossOfTheTestedIsItsOwn: a yardstick excuses neither what drops PDUs nor what stands
// still until its sockets are full, on whatever machine.
func TestLossOfTheTestedIsItsOwn(t *testing.T) {
	core := ChooseCores().Tested
	if core < 0 {
		t.Skip("one processor only")
	}
	for name, fault := range map[string]func(n int, d datagram) []datagram{
		"drops": func(n int, d datagram) []datagram {
			if n%50 == 0 {
				return nil
			}
			return []datagram{d}
		},
		"stands still": func(n int, d datagram) []datagram {
			if n%3000 == 0 {
				time.Sleep(300 * time.Millisecond)
			}
			return []datagram{d}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			for _, s := range []side{r.relay.bsss, r.relay.sgsns} {
				setBuffer(s.fd, unix.SO_RCVBUF, unix.SO_RCVBUF, 16<<10)
			}
			r.faulty(t, fault)
			y, err := startYardstick(core)
			if err != nil {
				t.Fatal(err)
			}
			defer y.end()
			tested, s := &Target{Generator: r.g, pid: os.Getpid()}, &Sustained{Part: 0.5, Scale: 1}
			o := SustainOptions{Load: Load{Sizes: []int{100}, Duration: 1500 * time.Millisecond}, Duration: time.Second, Part: 0.5, Out: io.Discard}
			if err := tested.calm(s, o, y); err != nil {
				t.Fatal(err)
			}
			switch h := s.Held; {
			case !h.Known:
				t.Log("the machine is too busy for a yardstick: nothing can be explained")
			case h.Usual <= 0 || h.Mean <= 0 || s.Share <= 0:
				t.Errorf("%+v", h)
			}
			if lost := s.Calm.Result.Lost(); lost == 0 || s.slowed() || s.Calm.Result.Err(0) == nil {
				t.Errorf("%d lost, %d by the kernel, %v", lost, s.Calm.KernelDrops, s.Held)
			}
			if name == "stands still" && s.Calm.KernelDrops == 0 {
				t.Error("the kernel dropped nothing: this is no test")
			}
		})
	}
}
