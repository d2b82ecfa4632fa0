package metrics

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strconv"
	"sync"
	"time"
)

// profilePath is where profiles are, in the form that "go tool pprof" reads. They
// are served by ours and not by net/http/pprof, which registers itself on
// http.DefaultServeMux and bounds nothing.
const profilePath = "/debug/pprof/"

// MaxProfile bounds how long a CPU profile or a trace may take.
const MaxProfile = 60 * time.Second

// timed are the profiles that take a while: how long when the request does not
// say, and how they begin and end.
var timed = map[string]struct {
	usual time.Duration
	begin func(io.Writer) error
	end   func()
}{
	"profile": {30 * time.Second, pprof.StartCPUProfile, pprof.StopCPUProfile},
	"trace":   {time.Second, trace.Start, trace.Stop},
}

// profiler serves profiles while it is on, one at a time.
type profiler struct {
	busy sync.Mutex // held while a profile is made

	mu  sync.Mutex
	ctx context.Context // nil: off
	off context.CancelFunc
}

// Profile turns the profiles on or off: at /debug/pprof/ of the endpoint, for "go
// tool pprof". They are off at first. To turn them off ends one that is being made.
func (s *Server) Profile(on bool) {
	p := &s.profiles
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case on && p.ctx == nil:
		p.ctx, p.off = context.WithCancel(context.Background())
	case !on && p.ctx != nil:
		p.off()
		p.ctx = nil
	}
}

// enabled returns a context that ends when profiles are turned off; nil: they are off.
func (p *profiler) enabled() context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ctx
}

func (p *profiler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	on, name := p.enabled(), r.PathValue("name")
	t, timed := timed[name]
	switch known := pprof.Lookup(name); {
	case on == nil, name != "" && !timed && known == nil:
		http.NotFound(w, r)
	case name == "":
		index(w)
	case !p.busy.TryLock():
		http.Error(w, "another profile is being made", http.StatusServiceUnavailable)
	case timed:
		defer p.busy.Unlock()
		if d, ok := seconds(w, r, t.usual); ok {
			during(on, w, r, d, t.begin, t.end)
		}
	default:
		defer p.busy.Unlock()
		snapshot(w, r, known)
	}
}

func index(w io.Writer) {
	names := slices.Collect(maps.Keys(timed))
	for _, p := range pprof.Profiles() {
		names = append(names, p.Name())
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Fprintln(w, profilePath+n)
	}
}

// seconds is how long a profile is to take.
func seconds(w http.ResponseWriter, r *http.Request, usual time.Duration) (d time.Duration, ok bool) {
	n, err := strconv.ParseFloat(cmp.Or(r.FormValue("seconds"), fmt.Sprint(usual.Seconds())), 64)
	d = time.Duration(n * float64(time.Second))
	if err != nil || !(n > 0 && n <= MaxProfile.Seconds()) {
		http.Error(w, fmt.Sprintf("seconds: more than 0, at most %v", MaxProfile.Seconds()), http.StatusBadRequest)
		return 0, false
	}
	return d, true
}

// during writes what is recorded in a time, less when the client goes or profiles
// are turned off.
func during(on context.Context, w http.ResponseWriter, r *http.Request, d time.Duration, begin func(io.Writer) error, end func()) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d + writeTimeout))
	w.Header().Set("Content-Type", "application/octet-stream")
	if err := begin(w); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer end()
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	case <-on.Done():
	}
}

// snapshot writes a profile of what is now; gc=1 collects garbage before, debug=1 and
// 2 are for readers.
func snapshot(w http.ResponseWriter, r *http.Request, p *pprof.Profile) {
	debug, _ := strconv.Atoi(r.FormValue("debug"))
	if gc, _ := strconv.Atoi(r.FormValue("gc")); p.Name() == "heap" && gc > 0 {
		runtime.GC()
	}
	if debug == 0 {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	p.WriteTo(w, debug)
}
