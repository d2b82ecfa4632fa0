package load

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
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

func readMetrics(port uint16) (Metrics, error) {
	if port == 0 {
		return nil, errNoMetrics
	}
	c, at := http.Client{Timeout: 30 * time.Second}, fmt.Sprintf("http://%s/metrics", netip.AddrPortFrom(gatewayAddr(false), port))
	resp, err := c.Get(at)
	for end := time.Now().Add(10 * time.Second); errors.Is(err, syscall.ECONNREFUSED) && time.Now().Before(end); resp, err = c.Get(at) {
		time.Sleep(20 * time.Millisecond) // it has begun, but does not listen yet
	}
	if err != nil {
		return nil, fmt.Errorf("load: metrics: %w", err)
	}
	defer resp.Body.Close()
	m := Metrics{}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if i := strings.LastIndexByte(lines.Text(), ' '); i > 0 && lines.Text()[0] != '#' {
			m[lines.Text()[:i]], _ = strconv.ParseFloat(lines.Text()[i+1:], 64)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("load: metrics: %w", err)
	}
	return m, nil
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
	live := m["go_memstats_next_gc_bytes"] / (1 + m["go_gc_gogc_percent"]/100) // the collector begins when so much more is there
	return Size{int(m["go_goroutines"]), int(m["process_open_fds"]), live,
		m["process_resident_memory_bytes"], m[`go_gc_duration_seconds{quantile="1"}`]}
}

func (s Size) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %.1f MB live, %.1f MB resident", s.Goroutines, s.Descriptors, s.Live/1e6, s.Resident/1e6)
}

// Looks until the collector has run: fewest, and most when it does not.
const fewestLooks, mostLooks = 8, 60

// smallest looks until the collector has run twice. To look takes memory, which has it
// run; what it found live while there was load is too much.
func smallest(read func() (Metrics, error)) (least Size, last Metrics, err error) {
	const cycles = "go_gc_duration_seconds_count"
	var first float64
	for i := range mostLooks {
		if last, err = read(); err != nil {
			return least, nil, err
		}
		s := last.size()
		if i == 0 {
			least, first = s, last[cycles]
		}
		least.Live, least.Resident = min(least.Live, s.Live), min(least.Resident, s.Resident)
		least.Goroutines, least.Descriptors = min(least.Goroutines, s.Goroutines), min(least.Descriptors, s.Descriptors)
		least.Pause = s.Pause
		if i >= fewestLooks && last[cycles] >= first+2 {
			break
		}
	}
	return least, last, nil
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

// Metrics reads the gateway's, if it is ours. The nodes listen meanwhile: with many BVCs
// it takes long enough for NS-VCs to be given up.
func (t *Target) Metrics() (m Metrics, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		m, err = readMetrics(t.web)
	}()
	for {
		select {
		case <-done:
			return m, err
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
