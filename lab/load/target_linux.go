package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/ns"
)

// Target is what is measured, with the generator that is connected to it.
type Target struct {
	Name      string
	Generator *Generator
	process   *Process
	dir       string
	pid       int           // when the process is not ours
	web       uint16        // of the metrics; 0: none
	bound, up time.Duration // since the process's start, and since its sockets were there
}

// bringUpTime is how long the gateway may take until all BVCs are up.
const bringUpTime = 60 * time.Second

// StartGateway writes the configuration of a gateway, runs argv with "-c FILE"
// behind it, and brings the generator's nodes up with it. o's addresses of the
// gateway are chosen.
func StartGateway(ctx context.Context, o Options, argv []string, core, procs int) (*Target, error) {
	t := &Target{Name: filepath.Base(argv[0])}
	return t, t.start(ctx, &o, func(file string) ([]string, []byte, error) {
		ports, err := freeTCP(3)
		if err != nil {
			return nil, nil, err
		}
		config := t.Generator.gatewayConfig(ports[0], ports[1])
		if o.Own {
			t.web = ports[2]
			config += metricsConfig(t.web)
		}
		return append(argv[:len(argv):len(argv)], "-c", file), []byte(config), nil
	}, core, procs)
}

// StartRelay runs argv with the path of a RelayConfig behind it.
func StartRelay(ctx context.Context, o Options, argv []string, core int) (*Target, error) {
	o.Bare = true
	t := &Target{Name: "relay"}
	return t, t.start(ctx, &o, func(file string) ([]string, []byte, error) {
		b, err := json.Marshal(t.Generator.RelayConfig())
		return append(argv[:len(argv):len(argv)], file), b, err
	}, core, 1)
}

// Connect brings the generator's nodes up with a gateway that runs; pid is its
// process, 0 when it is not known.
func Connect(ctx context.Context, o Options, pid int) (*Target, error) {
	g, err := New(o)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, g.Interrupt)
	t := &Target{Name: "gateway", Generator: g, pid: pid}
	if err := t.bringUp(ctx); err != nil {
		t.Stop()
		return nil, err
	}
	return t, nil
}

func (t *Target) start(ctx context.Context, o *Options, make func(file string) (argv []string, config []byte, err error), core, procs int) (err error) {
	defer func() {
		if err != nil {
			t.Stop()
		}
	}()
	ends, err := freeUDP(2, gatewayAddr(o.IPv6))
	if err != nil {
		return err
	}
	o.ToBSSs, o.ToSGSNs = ends[0], ends[1]
	if t.Generator, err = New(*o); err != nil {
		return err
	}
	context.AfterFunc(ctx, t.Generator.Interrupt)
	if t.dir, err = os.MkdirTemp("", "poolgw-load-"); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	file := filepath.Join(t.dir, "tested.cfg")
	argv, config, err := make(file)
	if err == nil {
		err = os.WriteFile(file, config, 0o600)
	}
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	start := time.Now()
	if t.process, err = StartProcess(argv, core, procs); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, bringUpTime)
	defer cancel()
	t.waitBound(wait, start)
	if err = t.bringUp(ctx); err == nil {
		t.up = time.Since(start) - t.bound
	}
	return err
}

// bringUp waits for the BVCs; for a relay, which has none, until it passes
// something on.
func (t *Target) bringUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bringUpTime)
	defer cancel()
	if t.process != nil {
		defer context.AfterFunc(t.process.life, cancel)()
	}
	err := t.Generator.BringUp(ctx)
	for err == nil && t.Generator.manager == nil {
		r, e := t.Generator.Run(Load{Rate: 1000, Duration: 50 * time.Millisecond}, nil)
		if e != nil || r.Received > 0 {
			return e
		}
		err = ctx.Err()
	}
	if err != nil && t.process != nil && t.process.Died() != nil {
		return t.process.Died()
	}
	return err
}

// CPU is the CPU time of the process under test so far; 0 if unknown.
func (t *Target) CPU() time.Duration {
	if t.process != nil {
		return t.process.CPU()
	}
	return ProcessCPU(t.pid)
}

// Run measures one load.
func (t *Target) Run(l Load) (*Result, error) {
	r, err := t.Generator.Run(l, t.CPU)
	if err == nil && t.process != nil {
		err = t.process.Died()
	}
	return r, err
}

// errInterrupted tells that a proof has not come to its end.
var errInterrupted = errors.New("load: interrupted")

// whole is Run, and an error when it was interrupted.
func (t *Target) whole(l Load) (*Result, error) {
	r, err := t.Run(l)
	if err == nil && t.Generator.ended.Load() {
		err = errInterrupted
	}
	return r, err
}

// Stop ends the process, if it is ours, and the generator.
func (t *Target) Stop() {
	if t.process != nil {
		t.process.Stop()
	}
	if t.Generator != nil {
		t.Generator.Close()
	}
	if t.dir != "" {
		_ = os.RemoveAll(t.dir) // a temporary folder
	}
}

// RelayConfig is what a relay between the generator's nodes needs.
func (g *Generator) RelayConfig() RelayConfig {
	c := RelayConfig{Segment: g.opt.Segment, ToBSSs: g.opt.ToBSSs, ToSGSNs: g.opt.ToSGSNs, FirstBVCI: g.opt.FirstBVCI, BitLen: g.opt.BitLen,
		Owners: g.owners()}
	for i := range g.cells {
		c.BSSs = append(c.BSSs, g.bss(i/g.opt.Cells).local)
	}
	for i := range g.opt.SGSNs {
		c.SGSNs = append(c.SGSNs, g.sgsn(i).local)
	}
	return c
}

// managementConfig is what every gateway's configuration begins with.
func managementConfig(vty, ctrl uint16) string {
	at := gatewayAddr(false)
	return fmt.Sprintf("! written by poolgw load\nline vty\n no login\n bind %s %d\nctrl\n bind %s %d\n", at, vty, at, ctrl)
}

func metricsConfig(port uint16) string {
	return fmt.Sprintf("metrics\n bind %s %d\n pprof\n", gatewayAddr(false), port)
}

// gatewayConfig is the gateway's configuration. It has only what osmo-gbproxy
// knows too, so that this can be measured as well, unless Options.Segment is set.
func (g *Generator) gatewayConfig(vty, ctrl uint16) string { return gatewayConfigOf(vty, ctrl, g) }

// gatewayConfigOf is that of several generators, whose gateway's ends are the same.
func gatewayConfigOf(vty, ctrl uint16, all ...*Generator) string {
	g := all[0]
	var b strings.Builder
	f := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	ip := func(a netip.AddrPort) string { return fmt.Sprintf("%s %d", a.Addr(), a.Port()) }
	b.WriteString(managementConfig(vty, ctrl))
	f("log stderr\n logging level set-all error\ngbproxy\n nri bitlen %d", g.opt.BitLen)
	for _, s := range sgsns(all) {
		f("sgsn nsei %d\n allow-attach", s.NSEI)
		for _, r := range s.NRI.VTY() {
			f(" nri add %s", r)
		}
	}
	f("ns\n timer tns-test %d", g.opt.Keepalive)
	trains := ""
	if g.opt.Segment {
		trains = "\n  udp-segmentation"
	}
	f(" bind udp sgsns\n  listen %s%s\n bind udp bsss\n  listen %s%s", ip(g.opt.ToSGSNs), trains, ip(g.opt.ToBSSs), trains)
	f("  accept-ipaccess\n  accept-dynamic-ip-sns\n ip-sns-default bind bsss")
	for _, s := range sgsns(all) {
		f(" nse %d\n  nsvc udp sgsns %s", s.NSEI, ip(s.Addr))
	}
	for _, g := range all {
		for i := range g.opt.BSSs {
			if g.opt.Dialect == ns.DialectStaticAlive {
				f(" nse %d\n  nsvc udp bsss %s", g.bss(i).nsei, ip(g.bss(i).local))
			}
		}
	}
	return b.String()
}

func sgsns(of []*Generator) (all []SGSN) {
	for _, g := range of {
		all = append(all, g.opt.SGSNs...)
	}
	return all
}

// gatewayAddr is the loopback address of a gateway that we start. Each process
// has its own: the ports there are free as long as nobody else has that address,
// and no socket of the generator gets one by chance. (IPv6 has one for all.)
func gatewayAddr(ipv6 bool) netip.Addr {
	if ipv6 {
		return netip.IPv6Loopback()
	}
	pid := os.Getpid()
	return netip.AddrFrom4([4]byte{127, byte(128 | pid>>16), byte(pid >> 8), byte(pid)})
}

// freeUDP returns n different free ports of a.
func freeUDP(n int, a netip.Addr) (ends []netip.AddrPort, err error) {
	for range n {
		fd, end, err := openUDP(netip.AddrPortFrom(a, 0))
		if err != nil {
			return nil, err
		}
		defer unix.Close(fd) // all at once: so they differ
		ends = append(ends, end)
	}
	return ends, nil
}

// freeTCP returns n different free ports of the IPv4 gatewayAddr.
func freeTCP(n int) (ports []uint16, err error) {
	for range n {
		l, err := net.Listen("tcp4", netip.AddrPortFrom(gatewayAddr(false), 0).String())
		if err != nil {
			return nil, fmt.Errorf("load: no free port: %w", err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).AddrPort().Port())
	}
	return ports, nil
}
