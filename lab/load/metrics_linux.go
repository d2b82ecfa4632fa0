package load

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Metrics are what a process tells at its metrics endpoint, by name with labels.
type Metrics map[string]float64

// errNoMetrics tells that the process has no metrics endpoint that we know.
var errNoMetrics = errors.New("load: the process under test has no metrics")

// told is what a process tells at a path of its metrics endpoint.
func told(port uint16, path string) ([]byte, error) {
	if port == 0 {
		return nil, errNoMetrics
	}
	c, at := http.Client{Timeout: 30 * time.Second}, fmt.Sprintf("http://%s%s", netip.AddrPortFrom(gatewayAddr(false), port), path)
	resp, err := c.Get(at)
	for end := time.Now().Add(10 * time.Second); errors.Is(err, syscall.ECONNREFUSED) && time.Now().Before(end); resp, err = c.Get(at) {
		time.Sleep(20 * time.Millisecond) // it has begun, but does not listen yet
	}
	if err != nil {
		return nil, fmt.Errorf("load: metrics: %w", err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	if err != nil {
		return nil, fmt.Errorf("load: %s: %w", path, err)
	}
	return b, nil
}

func readMetrics(port uint16) (Metrics, error) {
	b, err := told(port, "/metrics")
	if err != nil {
		return nil, err
	}
	m := Metrics{}
	for line := range strings.Lines(string(b)) {
		if i := strings.LastIndexByte(line, ' '); i > 0 && line[0] != '#' {
			m[line[:i]], _ = strconv.ParseFloat(line[i+1:len(line)-1], 64)
		}
	}
	return m, nil
}

// heapAlloc is what a heap profile with debug=1 says of the octets in use.
var heapAlloc = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)$`)

// liveHeap has the process collect its garbage, twice for what has finalizers, and
// returns the octets of heap that are in use then.
func liveHeap(port uint16) (live float64, err error) {
	for range 2 {
		b, err := told(port, "/debug/pprof/heap?gc=1&debug=1")
		if err != nil {
			return 0, err
		}
		m := heapAlloc.FindSubmatch(b)
		if m == nil {
			return 0, errors.New("load: the heap's profile tells no HeapAlloc")
		}
		live, _ = strconv.ParseFloat(string(m[1]), 64)
	}
	return live, nil
}

// Sum adds the series whose names with labels match a regular expression whole.
func (m Metrics) Sum(pattern string) (total float64) {
	re := regexp.MustCompile("^(?:" + pattern + ")$")
	for name, v := range m {
		if re.MatchString(name) {
			total += v
		}
	}
	return total
}

// Size is what a process holds.
type Size struct {
	Goroutines, Descriptors int
	Live, Resident          float64 // octets; Live is the heap that is in use
	Pause                   float64 // s, the longest of the garbage collector's
}

func (m Metrics) size() Size {
	return Size{int(m["go_goroutines"]), int(m["process_open_fds"]), m["go_gc_heap_live_bytes"],
		m["process_resident_memory_bytes"], m[`go_gc_duration_seconds{quantile="1"}`]}
}

func (s Size) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %.1f MB live, %.1f MB resident", s.Goroutines, s.Descriptors, s.Live/1e6, s.Resident/1e6)
}

// looks at a process that has nothing to do, for what each look itself takes.
const looks = 4

// measured is a process that tells how big it is.
type measured interface {
	Metrics() (Metrics, error)
	// LiveHeap has it collect its garbage and returns the octets in use then.
	LiveHeap() (float64, error)
}

// smallest is the size of a process that has nothing to do.
func smallest(p measured) (least Size, last Metrics, err error) {
	live, err := p.LiveHeap()
	for i := 0; i < looks && err == nil; i++ {
		if last, err = p.Metrics(); err != nil {
			break
		}
		s := last.size()
		if i == 0 {
			least = s
		}
		least.Goroutines, least.Descriptors = min(least.Goroutines, s.Goroutines), min(least.Descriptors, s.Descriptors)
		least.Resident, least.Pause = min(least.Resident, s.Resident), s.Pause
	}
	least.Live = live
	return least, last, err
}

// udpTables are where the kernel lists UDP sockets.
var udpTables = []string{"/proc/net/udp", "/proc/net/udp6"}

// kernelName is an address as the kernel writes it there.
func kernelName(a netip.AddrPort) string {
	var b strings.Builder
	octets := a.Addr().AsSlice()
	for four := range slices.Chunk(octets, 4) {
		fmt.Fprintf(&b, "%08X", binary.NativeEndian.Uint32(four))
	}
	return fmt.Sprintf("%s:%04X", b.String(), a.Port())
}

// kernelDrops counts the sockets of these addresses, and what the kernel has dropped there
// because their owner did not read it in time.
func kernelDrops(addrs ...netip.AddrPort) (sockets int, drops uint64) {
	want := map[string]bool{}
	for _, a := range addrs {
		want[kernelName(a)] = true
	}
	for _, table := range udpTables {
		text, _ := os.ReadFile(table) // a kernel without IPv6 has no such table
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) < 13 || !want[f[1]] {
				continue
			}
			n, _ := strconv.ParseUint(f[12], 10, 64)
			sockets, drops = sockets+1, drops+n
		}
	}
	return sockets, drops
}

// Metrics reads the gateway's, if it is ours.
func (t *Target) Metrics() (m Metrics, err error) {
	t.meanwhile(func() { m, err = readMetrics(t.web) })
	return m, err
}

// LiveHeap is the octets of the gateway's heap that are in use, if it is ours.
func (t *Target) LiveHeap() (live float64, err error) {
	t.meanwhile(func() { live, err = liveHeap(t.web) })
	return live, err
}

// meanwhile does what may take long while the nodes listen, else NS-VCs are given up.
func (t *Target) meanwhile(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	for {
		select {
		case <-done:
			return
		default:
			t.Generator.receive(5)
		}
	}
}

// KernelDrops is what the kernel has dropped at the gateway's sockets.
func (t *Target) KernelDrops() uint64 {
	_, n := kernelDrops(t.Generator.opt.ToBSSs, t.Generator.opt.ToSGSNs)
	return n
}
