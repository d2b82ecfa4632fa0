package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/lab"
	"poolgw/nri"
	"poolgw/ns"
	"poolgw/vty"
)

// Faults of the process and of its machine, with subscribers served through the
// gateway all the while.

// ring is a gateway with two SGSNs and two BSSs around it.
type ring struct {
	t        *testing.T
	file     string
	gw       *process
	c        *vty.Client
	vty, web int // ports
	ctrl     int
	sgsns    []*lab.SGSN
	bsss     []*lab.BSS
	addrs    map[string]netip.AddrPort
}

const ringConfig = `log stderr
 logging level lglobal info
line vty
 no login
 bind 127.0.0.1 VTY
ctrl
 bind 127.0.0.1 CTRL
metrics
 bind 127.0.0.1 WEB
gbproxy
 nri bitlen 10
sgsn nsei 101
 nri add 1 341
sgsn nsei 102
 nri add 342 682
ns
 timer tns-test 1
 timer tns-alive 1
 timer tns-alive-retries 2
 bind udp core
  listen CORE
 bind udp ran
  listen RAN
  accept-ipaccess
  accept-dynamic-ip-sns
 ip-sns-default bind ran
 nse 101
  nsvc udp core SGSN1
 nse 102
  ip-sns-bind core
  ip-sns-remote SGSN2
`

// newRing starts everything, with the configuration file in dir.
func newRing(t *testing.T, dir string) *ring {
	t.Helper()
	r := &ring{t: t, file: filepath.Join(dir, "poolgw.cfg"), vty: freePort(t, "tcp"), web: freePort(t, "tcp"), ctrl: freePort(t, "tcp"),
		addrs: map[string]netip.AddrPort{}}
	words := []string{"VTY", strconv.Itoa(r.vty), "CTRL", strconv.Itoa(r.ctrl), "WEB", strconv.Itoa(r.web)}
	for _, name := range []string{"CORE", "RAN", "SGSN1", "SGSN2", "BSS1", "BSS2"} {
		a := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(freePort(t, "udp")))
		r.addrs[name] = a
		words = append(words, name, strings.ReplaceAll(a.String(), ":", " "))
	}
	r.must(os.WriteFile(r.file, []byte(strings.NewReplacer(words...).Replace(ringConfig)), 0o600))
	r.startGateway()
	r.startLab()
	r.until("everybody is served", 20*time.Second, func() bool { return r.registered() == ringSubscribers })
	r.served(time.Second)
	return r
}

func (r *ring) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *ring) startGateway() {
	r.t.Helper()
	r.gw = start(r.t, "-c", r.file)
	r.gw.running(r.t)
	r.c = dialVTY(r.t, r.vty)
}

// ringSubscribers is their number, half of them at each BSS.
const ringSubscribers = 20

func (r *ring) startLab() {
	reg, timers := lab.NewRegister(10, nil), ns.DefaultTimers()
	timers[ns.TnsAlive], timers[ns.TnsTest], timers[ns.TnsAliveRetries] = 1, 1, 2
	for i, own := range []nri.Range{{First: 1, Last: 341}, {First: 342, Last: 682}} {
		c := lab.SGSNConfig{NSEI: uint16(101 + i), Listen: []netip.AddrPort{r.addrs[fmt.Sprint("SGSN", i+1)]}, Timers: &timers,
			Network: &ns.KernelUDP{}, Register: reg, NRI: nri.Set{own}, Seed: uint64(i), Dynamic: i == 1}
		if i == 0 {
			c.Links = []lab.Link{{NSEI: 101, Dialect: ns.DialectStaticAlive, Remotes: []netip.AddrPort{r.addrs["CORE"]}}}
		}
		r.sgsns = append(r.sgsns, lab.NewSGSN(c))
		r.must(r.sgsns[i].Start())
		r.t.Cleanup(r.sgsns[i].Stop)
	}
	for i, dialect := range []ns.Dialect{ns.DialectIPAccess, ns.DialectSNS} {
		nsei := uint16(2001 + i)
		r.bsss = append(r.bsss, lab.NewBSS(lab.BSSConfig{NSEI: nsei, Listen: []netip.AddrPort{r.addrs[fmt.Sprint("BSS", i+1)]},
			Link:   lab.Link{Dialect: dialect, NSVCI: nsei, Remotes: []netip.AddrPort{r.addrs["RAN"]}},
			Timers: &timers, Network: &ns.KernelUDP{}, Register: reg, FlowControl: time.Second, Seed: uint64(nsei),
			Cells:       []lab.Cell{{BVCI: nsei, RAI: [6]byte{0x62, 0xf2, 0x24, 0x10, byte(i), 1}, CI: nsei}},
			Subscribers: ringSubscribers / 2, FirstID: uint32(1 + ringSubscribers/2*i),
			Behaviour: lab.Behaviour{Data: 200 * time.Millisecond, Start: 500 * time.Millisecond, OldPTMSI: 0.5, Retry: time.Second}}))
		r.must(r.bsss[i].Start())
		r.t.Cleanup(r.bsss[i].Stop)
	}
}

func (r *ring) registered() (n int) {
	for _, s := range r.sgsns {
		n += s.Truth().Registered
	}
	return n
}

func (r *ring) until(what string, d time.Duration, ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(d); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("not within %v: %s\nBSSs: %+v %+v\nlog:\n%s", d, what, r.bsss[0].Truth(), r.bsss[1].Truth(), &r.gw.err)
		}
	}
}

// served wants subscribers of both BSSs to get their echoes during d, and none
// lost.
func (r *ring) served(d time.Duration) {
	r.t.Helper()
	for i, was := range r.echoes(d) {
		now := r.bsss[i].Truth().MS
		if n := now.Echoed - was.Echoed; n < uint64(d/time.Second)*10 || now.Lost != was.Lost {
			r.t.Errorf("BSS %d: %d echoes in %v, lost %d", 2001+i, n, d, now.Lost-was.Lost)
		}
	}
}

// echoes returns what each BSS's subscribers had counted before d passed.
func (r *ring) echoes(d time.Duration) (before []lab.MSCounters) {
	for _, b := range r.bsss {
		before = append(before, b.Truth().MS)
	}
	time.Sleep(d)
	return before
}

// back waits until both BSSs' subscribers have echoes again.
func (r *ring) back(within time.Duration) {
	r.t.Helper()
	before := r.echoes(0)
	r.until("subscribers of both BSSs are served", within, func() bool {
		return r.bsss[0].Truth().MS.Echoed > before[0].Echoed+20 && r.bsss[1].Truth().MS.Echoed > before[1].Echoed+20
	})
	for _, b := range r.bsss {
		if m := b.Truth().MS; m.WrongSGSN+m.Unintelligible != 0 {
			r.t.Errorf("BSS %d: %+v", b.Truth().NSEI, m)
		}
	}
}

// metric reads a metric without labels.
func (r *ring) metric(name string) float64 {
	r.t.Helper()
	resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/metrics", r.web))
	r.must(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	r.must(err)
	m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text)
	if m == nil {
		r.t.Fatalf("no metric %s", name)
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	r.must(err)
	return v
}

// logged wants a text in the log, which comes through a pipe.
func (r *ring) logged(text string) {
	r.t.Helper()
	r.until("a log line "+text, 5*time.Second, func() bool { return strings.Contains(r.gw.err.String(), text) })
}

// Killed and started anew under traffic, the gateway serves within seconds: it
// answers what it does not know, and nobody needs its whole test procedure to
// find out.
func TestFaultGatewayKilled(t *testing.T) {
	t.Parallel()
	r := newRing(t, t.TempDir())
	was := r.metric("process_start_time_seconds")
	r.gw.cmd.Process.Kill()
	<-r.gw.done
	r.startGateway()
	r.back(20 * time.Second)
	r.logged("poolgw runs")
	if r.metric("process_start_time_seconds") <= was {
		t.Error("the same start time")
	}
	time.Sleep(time.Second)
	r.served(time.Second)
}

// Stopped for five seconds, longer than its peers wait for an NS-ALIVE-ACK.
func TestFaultGatewayStopped(t *testing.T) {
	t.Parallel()
	r := newRing(t, t.TempDir())
	r.must(r.gw.cmd.Process.Signal(syscall.SIGSTOP))
	time.Sleep(5 * time.Second)
	r.must(r.gw.cmd.Process.Signal(syscall.SIGCONT))
	r.back(20 * time.Second)
	r.logged("the gateway was held up")
	if n := r.metric("poolgw_gb_stalls_total"); n < 1 {
		t.Errorf("%v stalls", n)
	}
}

// descriptors sets a process's limit and returns the one before.
func descriptors(t *testing.T, pid int, n uint64) uint64 {
	t.Helper()
	var old unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: old.Max}, nil); err != nil {
		t.Fatal(err)
	}
	return old.Cur
}

// Out of descriptors: who is served stays served, a bind is refused with the
// reason, the VTY takes the client that waits as soon as there are some.
func TestFaultDescriptorLimit(t *testing.T) {
	t.Parallel()
	r := newRing(t, t.TempDir())
	pid := r.gw.cmd.Process.Pid
	r.metric("poolgw_vty_sessions") // its connection is closed or idle, but not new
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	r.must(err)
	before := descriptors(t, pid, uint64(len(open)))

	for _, cmd := range []string{"enable", "configure terminal", "ns", "bind udp more"} {
		_, err := r.c.Run(cmd)
		r.must(err)
	}
	listen := fmt.Sprintf("listen 127.0.0.1 %d", freePort(t, "udp"))
	if out, err := r.c.Run(listen); err == nil || !strings.Contains(out+err.Error(), "too many open files") {
		t.Errorf("%s: %v\n%s", listen, err, out)
	}
	waiting, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", r.vty))
	r.must(err)
	defer waiting.Close()
	r.served(time.Second)
	r.logged("VTY can't accept")
	descriptors(t, pid, before)
	r.must(waiting.SetReadDeadline(time.Now().Add(5 * time.Second)))
	if n, err := waiting.Read(make([]byte, 100)); n == 0 {
		t.Errorf("the client that waited hears nothing: %v", err)
	}
	if _, err := r.c.Run(listen); err != nil {
		t.Error(err)
	}
	if n := r.metric("poolgw_vty_failed_accepts_total"); n < 1 {
		t.Errorf("%v failed accepts", n)
	}
}

// A limit that does not even do for the binds is an error of the start.
func TestFaultDescriptorLimitAtStart(t *testing.T) {
	t.Parallel()
	text := "MGMT\nns\n"
	for i := range 30 {
		text += fmt.Sprintf(" bind udp b%d\n  listen 127.0.0.1 %d\n", i, freePort(t, "udp"))
	}
	c := poolgw(t, "-c", writeFile(t, fill(t, text)))
	c.Args = append([]string{"sh", "-c", `ulimit -n 20; exec "$0" "$@"`}, c.Args...)
	c.Path = "/bin/sh"
	out, err := c.CombinedOutput()
	if c.ProcessState == nil || c.ProcessState.ExitCode() != exitConfig || !strings.Contains(string(out), "too many open files") {
		t.Errorf("%v\n%s", err, out)
	}
}

// smallDisk mounts a file system of few octets.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("not tried with a full disk: mounting one needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// The disk is full on "write": the old file stays whole, the operator reads why,
// and the next "write" succeeds when there is room.
func TestFaultDiskFull(t *testing.T) {
	t.Parallel()
	r := newRing(t, smallDisk(t))
	old, err := os.ReadFile(r.file)
	r.must(err)
	filler := filepath.Join(filepath.Dir(r.file), "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	_, err = r.c.Run("enable")
	r.must(err)
	if out, err := r.c.Run("write"); err == nil || !strings.Contains(out+err.Error(), "no space left on device") {
		t.Errorf("write: %v\n%s", err, out)
	}
	r.logged("configuration not saved")
	if n := r.metric("poolgw_config_failed_saves_total"); n != 1 {
		t.Errorf("%v failed saves", n)
	}
	if now, err := os.ReadFile(r.file); err != nil || string(now) != string(old) {
		t.Errorf("the file changed: %v\n%s", err, now)
	}
	r.served(time.Second)
	r.must(os.Remove(filler))
	if out, err := r.c.Run("write"); err != nil {
		t.Errorf("write: %v\n%s", err, out)
	}
	if now, _ := os.ReadFile(r.file); !strings.Contains(string(now), "configuration saved from vty") {
		t.Errorf("not written:\n%s", now)
	}
}

// VTY clients that take all sessions, never read, or are cut off while they
// configure hold up neither subscribers nor other operators.
func TestFaultVTYClients(t *testing.T) {
	t.Parallel()
	r := newRing(t, t.TempDir())
	address := fmt.Sprintf("127.0.0.1:%d", r.vty)
	dial := func() *net.TCPConn {
		c, err := net.Dial("tcp4", address)
		r.must(err)
		t.Cleanup(func() { c.Close() })
		return c.(*net.TCPConn)
	}
	holder := dial()
	io.WriteString(holder, "enable\r\nconfigure terminal\r\n")
	for said, one := "", make([]byte, 1); !strings.HasSuffix(said, "(config)# "); said += string(one) {
		_, err := holder.Read(one)
		r.must(err)
	}
	_, err := r.c.Run("enable")
	r.must(err)
	if out, err := r.c.Run("configure terminal"); err == nil || !strings.Contains(out+err.Error(), "VTY configuration is locked by vty") {
		t.Errorf("two configure: %v\n%s", err, out)
	}
	deaf := dial()
	go func() {
		for err := error(nil); err == nil; _, err = io.WriteString(deaf, "show running-config\r\n") {
		}
	}()
	for range 13 { // with the others these are 16
		dial()
	}
	r.until("all sessions are in use", 5*time.Second, func() bool { return r.metric("poolgw_vty_sessions") == 16 })
	seventeenth := dial()
	said, _ := io.ReadAll(seventeenth)
	if !strings.Contains(string(said), "% All 16 VTY sessions are in use.") {
		t.Errorf("the seventeenth hears %q", said)
	}
	r.logged("VTY session refused")
	if n := r.metric("poolgw_vty_refused_sessions_total"); n != 1 {
		t.Errorf("%v refused sessions", n)
	}
	r.served(time.Second)
	r.must(holder.SetLinger(0)) // as when the client's machine restarts
	holder.Close()
	r.until("the lock is free", 5*time.Second, func() bool { _, err := r.c.Run("configure terminal"); return err == nil })
	r.logged("VTY session ended")
}

// freeAddr is an address of the loopback that nobody has.
func freeAddr(t *testing.T) []netip.AddrPort {
	return []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(freePort(t, "udp")))}
}

// Peers come back from other addresses, an SGSN restarts, the whole pool goes and
// comes back: nobody types a command.
func TestFaultPeersOnTheKernel(t *testing.T) {
	t.Parallel()
	r := newRing(t, t.TempDir())
	for _, b := range r.bsss {
		r.must(b.Reconnect(freeAddr(t)))
	}
	r.back(20 * time.Second)
	r.logged("comes from another address")
	if n := r.metric("poolgw_gb_ns_moves_total"); n != 2 {
		t.Errorf("%v moves", n)
	}
	r.must(r.sgsns[0].Restart())
	r.back(20 * time.Second)
	for _, s := range r.sgsns {
		s.Stop()
	}
	r.logged("the pool is down")
	for _, s := range r.sgsns {
		r.must(s.Start())
	}
	r.back(20 * time.Second)
	for _, b := range r.bsss { // the pool's fate is not theirs
		if c := b.Truth().BSS; c.SIGResets+c.PTPResets+c.Malformed != 0 {
			t.Errorf("BSS %d: %+v", b.Truth().NSEI, c)
		}
	}
}
