package load

import (
	"strings"
	"testing"
	"time"
)

// Only looks during which something was dropped are kept, each with what happened since the
// one before, and no more than a report holds.
func TestWatcher(t *testing.T) {
	var dropped uint64 = 7
	cpu := time.Second
	w := newWatcher(func() uint64 { return dropped }, func() time.Duration { return cpu })
	r := &Result{}
	for i, d := range []uint64{0, 5, 0, 9} {
		r.Sent, r.Received, dropped, cpu = r.Sent+100, r.Received+90, dropped+d, cpu+time.Duration(i)*10*time.Millisecond
		w.look(time.Duration(i+1)*100*time.Millisecond, r, time.Duration(i)*time.Millisecond)
	}
	want := []Look{{200 * time.Millisecond, 100 * time.Millisecond, 100, 90, 5, 10 * time.Millisecond, time.Millisecond},
		{400 * time.Millisecond, 100 * time.Millisecond, 100, 90, 9, 30 * time.Millisecond, 3 * time.Millisecond}}
	if len(w.bad) != 2 || w.bad[0] != want[0] || w.bad[1] != want[1] {
		t.Errorf("%v, want %v", w.bad, want)
	}
	if got, want := losses(w.bad), "  until 0.2 s, 100 ms: sent 100, received 90, dropped 5; the gateway had 10 % of a processor, the generator was 1000 us late\n"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q first", got, want)
	}
	for range 2 * mostLooks {
		dropped++
		w.look(time.Second, r, 0)
	}
	if len(w.bad) != mostLooks || !strings.HasSuffix(losses(w.bad), "  …\n") {
		t.Errorf("%d looks are kept", len(w.bad))
	}
}
