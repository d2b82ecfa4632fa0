package load

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// threadOnly tells whether a thread of this process may run on that processor only.
func threadOnly(tid, core int) bool {
	var set unix.CPUSet
	return unix.SchedGetaffinity(tid, &set) == nil && set.Count() == 1 && set.IsSet(core)
}

// eventually waits for what takes its time on a busy machine.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestBusy: busy loops take the time of their processor, and of no other, until they end;
// no goroutine or setting is left over, and no thread on that processor.
func TestBusy(t *testing.T) {
	all := AllCores()
	for _, core := range []int{all[len(all)-1], -1} {
		procs, goroutines := runtime.GOMAXPROCS(0), runtime.NumGoroutine()
		b, err := startBusy(2, core)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.tids) != 2 || b.tids[0] == b.tids[1] || runtime.GOMAXPROCS(0) != procs+2 {
			t.Errorf("threads %v, GOMAXPROCS %d", b.tids, runtime.GOMAXPROCS(0))
		}
		for _, tid := range b.tids {
			file := fmt.Sprintf("/proc/self/task/%d/stat", tid)
			eventually(t, "200 ms of CPU time", func() bool { return statCPU(file) >= 200*time.Millisecond })
			if core >= 0 && !threadOnly(tid, core) {
				t.Errorf("thread %d runs elsewhere than on processor %d", tid, core)
			}
		}
		b.end()
		var used [2]time.Duration
		for i := range used {
			for _, tid := range b.tids {
				used[i] += statCPU(fmt.Sprintf("/proc/self/task/%d/stat", tid)) // 0 if it is no more
			}
			time.Sleep(300 * time.Millisecond)
		}
		if used[1]-used[0] > 100*time.Millisecond {
			t.Errorf("%s of CPU time after the end", used[1]-used[0])
		}
		if runtime.GOMAXPROCS(0) != procs || runtime.NumGoroutine() > goroutines {
			t.Errorf("left over: GOMAXPROCS %d after %d, %d goroutines after %d", runtime.GOMAXPROCS(0), procs, runtime.NumGoroutine(), goroutines)
		}
	}
	if len(all) < 2 {
		return
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks { // those that the run time made meanwhile
		var tid int
		if _, err := fmt.Sscan(task.Name(), &tid); err != nil || threadOnly(tid, all[len(all)-1]) {
			t.Errorf("thread %s stays on the processor of the busy loops: %v", task.Name(), err)
		}
	}
}

// A processor that there is not is an error, and no loop runs on.
func TestBusyNowhere(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	if b, err := startBusy(2, 1023); err == nil {
		b.end()
		t.Skip("there are 1024 processors")
	}
	if runtime.GOMAXPROCS(0) != procs {
		t.Errorf("GOMAXPROCS %d after %d", runtime.GOMAXPROCS(0), procs)
	}
}

// proofOf is one of a second.
func proofOf(sent, received, kernel uint64) Proof {
	r := &Result{Duration: time.Second, Sent: sent, Received: received, Prompt: received}
	return Proof{Result: r, Keepalives: Keepalives{Asked: 23, Answered: 23, Heard: 23, Replied: 23, Known: true, KernelDrops: kernel}}
}

// TestOverloadIsOfWhatIsLeft: an overload is judged by what comes through beside the busy
// loops. Whether it was one is the measurement's matter, what it did the gateway's.
func TestOverloadIsOfWhatIsLeft(t *testing.T) {
	dead := proofOf(2000, 1000, 1000)
	dead.Dead = 1
	for _, c := range []struct {
		name     string
		left     float64
		over     float64
		flood    Proof
		percent  string
		unproven []string
		gateway  bool // at fault
	}{
		{"200 % of what is left, less than the whole", 1000, 2, proofOf(2000, 1000, 1000), "at 200 % (2000/s)", nil, false},
		{"half of it", 2000, 2, proofOf(2000, 1500, 500), "at 100 % (2000/s)", []string{"did not get to 200 %: it sent 100 %"}, false},
		{"a little less", 1000, 2, proofOf(1901, 1000, 901), "at 190 % (1901/s)", nil, false},
		{"too little less", 1000, 2, proofOf(1890, 1000, 890), "at 189 % (1890/s)", []string{"did not get to 200 %: it sent 189 %"}, false},
		{"all of it carried", 1000, 2, proofOf(2000, 2000, 0), "at 100 % (2000/s)", []string{"did not get to 200 %: it sent 100 %", "there was no overload"}, false},
		{"more carried than before", 1000, 2, proofOf(2000, 1250, 750), "at 160 % (2000/s)", []string{"did not get to 200 %: it sent 160 %"}, false},
		{"more carried, more sent", 1000, 2, proofOf(2200, 1100, 1100), "at 200 % (2200/s)", nil, false},
		{"neither", 2000, 2, proofOf(2000, 2000, 0), "at 100 % (2000/s)", []string{"did not get to 200 %", "there was no overload"}, false},
		{"no overload asked for", 1000, 0.4, proofOf(400, 400, 0), "at 40 % (400/s)", nil, false},
		{"an NS-VC down", 1000, 2, dead, "at 200 % (2000/s)", nil, true},
	} {
		s := &Sustained{Capacity: 3000, Scale: 1, Share: 0.9, Busy: 2, Left: c.left, Over: c.over, Calm: proofOf(2700, 2700, 0), Flood: c.flood}
		rate := c.over * c.left
		if c.over > 1 {
			rate *= spare
		}
		if l := s.overload(SustainOptions{Duration: time.Second}); l.Rate != rate || l.Duration != time.Second {
			t.Errorf("%s: load %+v", c.name, l)
		}
		said := fmt.Sprint(s.Unproven())
		for _, want := range c.unproven {
			if !strings.Contains(said, want) {
				t.Errorf("%s: not %q: %s", c.name, want, said)
			}
		}
		if (s.Unproven() != nil) != (c.unproven != nil) || (s.Err() != nil) != c.gateway {
			t.Errorf("%s: measurement %v, gateway %v", c.name, s.Unproven(), s.Err())
		}
		carried := max(c.left, float64(c.flood.Result.Received))
		row := s.Table()[1]
		if (row.Goal == "must 0") != (c.unproven == nil) || !strings.Contains(row.Reference, fmt.Sprintf("%.0f/s come through", carried)) {
			t.Errorf("%s: row %+v", c.name, row)
		}
		if text := s.String(); !strings.Contains(text, fmt.Sprintf("capacity with 2 busy loops on the gateway's processor: %.0f PDUs", c.left)) ||
			!strings.Contains(text, c.percent) || !strings.Contains(text, fmt.Sprintf("(%d/s, %.0f %% of the capacity)", c.flood.Result.Received, 100*float64(c.flood.Result.Received)/carried)) || !strings.Contains(text, "at 90 % (2700/s)") {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}
