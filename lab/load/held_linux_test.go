package load

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// pacesOf are paces one after another, from a moment on.
func pacesOf(start time.Time, rates ...float64) (list []pace) {
	for i, r := range rates {
		list = append(list, pace{until: start.Add(time.Duration(i+1) * paceTook), took: paceTook, rate: r})
	}
	return list
}

// TestExplained: a loss is the machine's where the processor was too slow for so long before
// that much of the load had to wait, by the yardstick; else it is the gateway's.
func TestExplained(t *testing.T) {
	start := time.Now()
	for _, c := range []struct {
		name  string
		part  float64
		rates []float64
		at    time.Duration
		want  uint64
	}{
		{"at its usual pace", 0.9, []float64{100, 100, 100, 100}, 700 * time.Millisecond, 0},
		{"a little slower, but fast enough for the load", 0.9, []float64{91, 91, 91, 91, 91, 91, 91, 91}, 2 * time.Second, 0},
		{"slower by a fifth for a second", 0.9, []float64{100, 80, 80, 80, 80}, 1200 * time.Millisecond, 7},
		{"by a fifth for a quarter of a second: the buffers hold that", 0.9, []float64{100, 80, 100, 100}, 400 * time.Millisecond, 0},
		{"half as fast for a quarter of a second", 0.9, []float64{100, 50, 100, 100}, 400 * time.Millisecond, 7},
		{"just after that", 0.9, []float64{100, 50, 100, 100}, 600 * time.Millisecond, 7},
		{"long after that", 0.9, []float64{100, 50, 150, 150, 150, 100, 100, 100}, 1900 * time.Millisecond, 0},
		{"before that", 0.9, []float64{100, 100, 100, 50}, 400 * time.Millisecond, 0},
		{"never more than the buffers hold waits", 0.9, []float64{10, 10, 10, 10, 10, 10, 100, 200, 200, 200, 100, 100}, 2950 * time.Millisecond, 0},
		{"slow, but the load is small", 0.4, []float64{50, 50, 50, 50, 50, 50}, time.Second, 0},
		{"after the last pace", 0.9, []float64{100, 50}, 600 * time.Millisecond, 7},
		{"nothing is known", 0.9, nil, time.Second, 0},
	} {
		if n := explained(100, pacesOf(start, c.rates...), c.part, []lossAt{{start.Add(c.at), 7}}); n != c.want {
			t.Errorf("%s: %d explained, want %d", c.name, n, c.want)
		}
	}
}

func TestHolds(t *testing.T) {
	start := time.Now()
	paces := pacesOf(start, 100, 50, 100, 50, 100, 100, 100, 100)
	paces[1].stolen = 0.4
	h := holds(pacesOf(start, 90, 100, 200), paces, 0.9, []lossAt{{start.Add(400 * time.Millisecond), 5}, {start.Add(100 * time.Millisecond), 3}})
	if h.Usual != 100 || h.Mean != 0.875 || h.Least != 0.75 || h.Explained != 5 || h.Stolen < 0.0499 || h.Stolen > 0.0501 {
		t.Errorf("%+v", h)
	}
	if got := h.String(); !strings.Contains(got, "88 % of its pace at the capacity, 75 % in the slowest second, 5.0 % taken by the host; 5 PDUs were lost while") {
		t.Error(got)
	}
	if got := (Held{}).String(); !strings.Contains(got, "not known") {
		t.Error(got)
	}
}

// TestLossOnASlowerMachine: what was lost while the processor was too slow is the
// measurement's matter, any other loss the gateway's.
func TestLossOnASlowerMachine(t *testing.T) {
	for _, c := range []struct {
		received  uint64
		explained uint64
		pace      float64
		gateway   bool // at fault
		unproven  bool
		goal      string
		through   string
	}{
		{2700, 0, 1, false, false, "must 0", "3000/s come through"},
		{2600, 100, 1, false, true, "must 0; not proven: the processor was too slow (yardstick)", "3000/s come through"},
		{2600, 99, 1, true, false, "must 0", "3000/s come through"},
		{2600, 0, 1, true, false, "must 0", "3000/s come through"},
		{2700, 0, 0.5, false, false, "must 0", "1500/s come through in the processor's slowest second (yardstick), 3000/s else"},
	} {
		s := &Sustained{Capacity: 3000, Busy: 2, Left: 1000, Over: 2, Pace: c.pace, Calm: proofOf(2700, c.received, 0), Held: Held{Known: true, Explained: c.explained}, Flood: proofOf(2000, 1000, 1000)}
		if (s.Err() != nil) != c.gateway || (s.Unproven() != nil) != c.unproven || s.slowed() != c.unproven {
			t.Errorf("%+v: gateway %v, measurement %v", c, s.Err(), s.Unproven())
		}
		if row := s.Table()[0]; row.Goal != c.goal || row.Reference != c.through || strings.Contains(row.Ours, "before") {
			t.Errorf("%+v: row %+v", c, row)
		}
		if table := s.Table()[1]; table.Goal != "must 0" {
			t.Errorf("%+v: the overload was one: %q", c, table.Goal)
		}
		s.Unsteady = append(s.Unsteady, s.last())
		if row, want := s.Table()[0], "before, at 2700/s, "; !strings.Contains(row.Ours, want) || !strings.Contains(s.String(), "does not hold its speed: 3000/s") {
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
	goroutines, descriptors := runtime.NumGoroutine(), countFiles(t)
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
