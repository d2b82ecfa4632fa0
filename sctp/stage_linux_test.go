package sctp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/sctp"
)

// stage is two network namespaces, a and b, with two links between them: at
// link i a has 10.99.i.1 and b 10.99.i.2.
type stage struct {
	*testing.T
	space [2]string
}

const a, b = 0, 1

func newStage(t *testing.T) *stage {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not root: no network namespaces")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("no ip command (Debian: iproute2)")
	}
	s := &stage{T: t}
	for i := range s.space {
		s.space[i] = fmt.Sprintf("sctp%d%c", os.Getpid(), 'a'+i)
		s.ip("netns", "add", s.space[i])
		t.Cleanup(func() { exec.Command("ip", "netns", "del", s.space[i]).Run() })
		s.ip("-n", s.space[i], "link", "set", "lo", "up")
	}
	for link := 1; link <= 2; link++ {
		name := fmt.Sprintf("v%d", link)
		s.ip("-n", s.space[a], "link", "add", name, "type", "veth", "peer", "name", name, "netns", s.space[b])
		for i := range s.space {
			s.ip("-n", s.space[i], "addr", "add", fmt.Sprintf("10.99.%d.%d/24", link, i+1), "dev", name)
			s.ip("-n", s.space[i], "addr", "add", fmt.Sprintf("fd99:%d::%d/64", link, i+1), "dev", name, "nodad")
			s.ip("-n", s.space[i], "link", "set", name, "up")
		}
	}
	return s
}

func (s *stage) ip(args ...string) {
	s.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		s.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// cut makes a link a black hole: its packets go to a station that isn't there.
func (s *stage) cut(links ...int) { s.wrongStation("replace", links) }

func (s *stage) restore(links ...int) { s.wrongStation("del", links) }

func (s *stage) wrongStation(verb string, links []int) {
	s.Helper()
	for _, link := range links {
		for i := range s.space {
			args := []string{"-n", s.space[i], "neigh", verb, fmt.Sprintf("10.99.%d.%d", link, 2-i), "dev", fmt.Sprintf("v%d", link)}
			if verb == "replace" {
				args = append(args, "lladdr", "02:00:00:00:00:99", "nud", "permanent")
			}
			s.ip(args...)
		}
	}
}

// watchSources looks at what leaves a, until it is asked how many packets there were
// and how many of them had the source address of another link than they took.
func (s *stage) watchSources() func() (all, wrong int) {
	s.Helper()
	fd := s.packetSocket(a)
	return func() (all, wrong int) {
		defer unix.Close(fd)
		p := make([]byte, 65536)
		for {
			n, from, err := unix.Recvfrom(fd, p, unix.MSG_DONTWAIT)
			if err != nil {
				return all, wrong
			}
			ll, ok := from.(*unix.SockaddrLinklayer)
			if !ok || ll.Pkttype != unix.PACKET_OUTGOING || n < 20 || p[0] != 0x45 || p[9] != unix.IPPROTO_SCTP && p[9] != unix.IPPROTO_UDP {
				continue
			}
			if all++; p[14] != p[18] { // 10.99.LINK.x both
				wrong++
			}
		}
	}
}

// packetSocket is a socket in that namespace which sees every IPv4 packet.
func (s *stage) packetSocket(where int) int {
	s.Helper()
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		s.Fatal(err)
	}
	defer own.Close()
	other, err := os.Open("/run/netns/" + s.space[where])
	if err != nil {
		s.Fatal(err)
	}
	defer other.Close()
	if err := unix.Setns(int(other.Fd()), unix.CLONE_NEWNET); err != nil {
		s.Fatal(err)
	}
	const ethPAll = 0x0300 // in network byte order: only so does it see what leaves
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, ethPAll)
	if back := unix.Setns(int(own.Fd()), unix.CLONE_NEWNET); back != nil {
		s.Fatal(back) // the thread ends with this goroutine
	}
	runtime.UnlockOSThread()
	if err != nil {
		s.Fatal(err)
	}
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16<<20)
	return fd
}

// process is a node in one of the namespaces.
type process struct {
	*stage
	name  string
	cmd   *exec.Cmd
	in    io.Writer
	lines chan string
	early []string // came before something that was waited for
}

func (s *stage) start(where int, n nodeSettings) *process {
	s.Helper()
	settings, err := json.Marshal(n)
	if err != nil {
		s.Fatal(err)
	}
	cmd := exec.Command("ip", "netns", "exec", s.space[where], os.Args[0])
	cmd.Env = append(os.Environ(), nodeVariable+"="+string(settings))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		s.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	p := &process{stage: s, name: s.space[where], cmd: cmd, in: in, lines: make(chan string, 10000)}
	go func() {
		defer close(p.lines)
		for l := bufio.NewScanner(out); l.Scan(); {
			p.lines <- l.Text()
		}
	}()
	s.Cleanup(p.kill)
	p.want("ready", time.Minute)
	return p
}

// kill is kill -9.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

func (p *process) signal(sig syscall.Signal) {
	p.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.Fatal(err)
	}
}

func (p *process) do(format string, a ...any) {
	p.Helper()
	if _, err := fmt.Fprintf(p.in, format+"\n", a...); err != nil {
		p.Fatal(err)
	}
}

// want returns the line that begins with prefix, which may have come already.
// An error ends the waiting, and so does the end of the association.
func (p *process) want(prefix string, within time.Duration) string {
	p.Helper()
	for i, l := range p.early {
		if strings.HasPrefix(l, prefix) {
			p.early = slices.Delete(p.early, i, i+1)
			return l
		}
	}
	l, passed := p.await(prefix, within)
	p.early = append(p.early, passed...)
	if !strings.HasPrefix(l, prefix) {
		p.Fatalf("%s: %q did not come within %v, but %q", p.name, prefix, within, append(p.early, l))
	}
	return l
}

// forget drops what came and nobody waited for.
func (p *process) forget() { p.early = nil }

// await returns the line that begins with prefix, or the one that rules it
// out, or none, and what came before.
func (p *process) await(prefix string, within time.Duration) (line string, passed []string) {
	over := time.After(within)
	for {
		select {
		case l, ok := <-p.lines:
			switch {
			case !ok:
				return "ended", passed
			case strings.HasPrefix(l, prefix), strings.HasPrefix(l, "error"), strings.HasPrefix(l, "down"):
				return l, passed
			}
			passed = append(passed, l)
		case <-over:
			return "", passed
		}
	}
}

// pair is an association from a, port 38413, to b, port 38412, over both links
// or the first.
func (s *stage) pair(links int, n nodeSettings) (client, server *process) {
	s.Helper()
	server = s.start(b, n)
	server.do("listen %s:38412", addrs(b, links))
	server.want("listening", 10*time.Second)
	client = s.start(a, n)
	client.dialFrom(links)
	client.want("up", 30*time.Second)
	server.want("up", 30*time.Second)
	return client, server
}

func (p *process) dialFrom(links int) {
	p.Helper()
	p.do("dial %s:38413 %s:38412", addrs(a, links), addrs(b, links))
}

func addrs(where, links int) string {
	s := fmt.Sprintf("10.99.1.%d", where+1)
	if links > 1 {
		s += fmt.Sprintf("/10.99.2.%d", where+1)
	}
	return s
}

// quick are options whose failures come soon.
func quick() sctp.Options {
	o := sctp.Defaults()
	o.HeartbeatInterval, o.RTOInitial, o.RTOMin, o.RTOMax = 200*time.Millisecond, 200*time.Millisecond, 100*time.Millisecond, 400*time.Millisecond
	return o
}

// emulated are quick options for a machine whose clock runs well and whose
// processor does not.
func emulated() sctp.Options {
	o := quick()
	o.HeartbeatInterval, o.RTOInitial, o.RTOMin, o.RTOMax = 400*time.Millisecond, 500*time.Millisecond, 300*time.Millisecond, time.Second
	return o
}

// longest is how long tries+1 losses in a row take at most, with heartbeats
// alone: each waits for interval and RTO, both jittered up by half of the RTO.
func longest(o sctp.Options, tries uint16) time.Duration {
	return time.Duration(tries+1) * (o.HeartbeatInterval + 2*o.RTOMax)
}
