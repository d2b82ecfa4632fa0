package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"poolgw/sctp"
)

// N2Target is what is measured, with the gNBs and AMFs around it.
type N2Target struct {
	Name      string
	Generator *N2
	process   *Process
	dir       string
	web       uint16 // of the metrics; 0: none
	vty       uint16 // 0: none
	up        time.Duration
	again     int // NG Setup Failures until then
}

// StartN2Gateway writes the configuration of a gateway, runs argv with "-c FILE"
// behind it, and brings gNBs and AMFs up with it. o's transport and places are
// chosen.
func StartN2Gateway(ctx context.Context, o N2Options, choice sctp.Choice, argv []string, core, procs int) (*N2Target, error) {
	t := &N2Target{Name: filepath.Base(argv[0])}
	return t, t.start(ctx, o, choice, func(file string) ([]string, []byte, error) {
		ports, err := freeTCP(3)
		if err != nil {
			return nil, nil, err
		}
		config := t.Generator.gatewayConfig(choice, ports[0], ports[1])
		if o.Own {
			t.vty, t.web = ports[0], ports[2]
			config += metricsConfig(t.web)
		}
		return append(argv[:len(argv):len(argv)], "-c", file), []byte(config), nil
	}, core, procs)
}

// StartN2Relay runs argv with the path of an N2RelayConfig behind it.
func StartN2Relay(ctx context.Context, o N2Options, choice sctp.Choice, argv []string, core, procs int) (*N2Target, error) {
	o.Static = true
	t := &N2Target{Name: "relay"}
	return t, t.start(ctx, o, choice, func(file string) ([]string, []byte, error) {
		b, err := json.Marshal(t.Generator.relayConfig(choice))
		return append(argv[:len(argv):len(argv)], file), b, err
	}, core, procs)
}

func (t *N2Target) start(ctx context.Context, o N2Options, choice sctp.Choice,
	make func(file string) (argv []string, config []byte, err error), core, procs int) (err error) {
	defer func() {
		if err != nil {
			t.Stop()
		}
	}()
	if o.Transport, _, err = sctp.Choose(choice, sctp.UserspaceOptions{Shared: true}); err != nil {
		return err
	}
	first := uint16(10000 + rand.IntN(50000)) // the stacks of other processes don't see each other's ports
	o.Gateway, o.FirstAMF = sctp.At(first, loopback), first+1
	if t.Generator, err = NewN2(o); err != nil {
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
	if t.process, err = StartProcess(argv, core, procs); err != nil {
		return err
	}
	return t.bringUp(ctx)
}

// bringUpWay is what each association to an AMF may take longer.
const bringUpWay = 20 * time.Millisecond

// bringUp tries until the process listens, and everybody is up.
func (t *N2Target) bringUp(outer context.Context) error {
	ctx, cancel := context.WithTimeout(outer, bringUpTime+time.Duration(t.Generator.ways())*bringUpWay)
	defer cancel()
	defer context.AfterFunc(t.process.life, cancel)()
	for start := time.Now(); ; {
		err := t.Generator.BringUp(ctx)
		if err == nil {
			t.up, t.again = time.Since(start), t.Generator.Refused()
			return nil
		}
		if died := t.process.Died(); died != nil {
			return died
		}
		if outer.Err() != nil {
			return errors.New("load: interrupted before all were up")
		}
		if t.Generator.broken() {
			return fmt.Errorf("%w (has another SCTP stack the same addresses? a network of its own: unshare --net sh -c 'ip link set lo up && …')", err)
		}
		if ctx.Err() != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// broken says that an association ended: it can't be brought up any more.
func (g *N2) broken() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fault != nil
}

// Run measures one load.
func (t *N2Target) Run(l N2Load) (*N2Result, error) {
	r, err := t.Generator.Run(l, N2Figures{t.process.CPU, func() uint64 { return ProcessMemory(t.process.Pid()) }})
	if died := t.process.Died(); died != nil {
		err = died
	}
	r.Up, r.Again = t.up, t.again
	return r, err
}

// whole is Run, and an error when it was interrupted.
func (t *N2Target) whole(l N2Load) (*N2Result, error) {
	r, err := t.Run(l)
	if err == nil && t.Generator.ended.Load() {
		err = errInterrupted
	}
	return r, err
}

// Stop ends the process and the generator.
func (t *N2Target) Stop() {
	if t.Generator != nil {
		t.Generator.Close()
	}
	if t.process != nil {
		t.process.Stop()
	}
	if t.dir != "" {
		_ = os.RemoveAll(t.dir) // a temporary folder
	}
}

// amf is where an AMF listens.
func (g *N2) amf(i int) netip.AddrPort {
	return netip.AddrPortFrom(g.opt.Addr, g.opt.FirstAMF+uint16(i))
}

func (g *N2) relayConfig(choice sctp.Choice) N2RelayConfig {
	c := N2RelayConfig{Transport: choice, Listen: netip.AddrPortFrom(g.opt.Gateway.Addrs[0], g.opt.Gateway.Port)}
	for i := range g.opt.AMFs {
		c.AMFs = append(c.AMFs, g.amf(i))
	}
	return c
}

func (g *N2) gatewayConfig(choice sctp.Choice, vty, ctrl uint16) string {
	var b strings.Builder
	f := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	ip := func(a netip.AddrPort) string { return fmt.Sprintf("%s %d", a.Addr(), a.Port()) }
	b.WriteString(managementConfig(vty, ctrl))
	f("log stderr\n logging level set-all error\nlimits\n new-ues 1000000\nngap\n sctp heartbeat-interval %d\n bind ran", g.opt.SCTP.HeartbeatInterval.Milliseconds())
	f("  listen %s\n  transport %s", ip(netip.AddrPortFrom(g.opt.Gateway.Addrs[0], g.opt.Gateway.Port)), choice)
	for i := range g.opt.AMFs {
		f("amf %d\n remote %s\n local %s\n transport %s\n allow-attach", i+1, ip(g.amf(i)), g.opt.Addr, choice)
	}
	return b.String()
}

// ProcessMemory is how many octets of a process are resident; 0 when there is no
// such process.
func ProcessMemory(pid int) uint64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(b, []byte("\nVmRSS:"))
	f := bytes.Fields(rest)
	if len(f) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseUint(string(f[0]), 10, 64)
	return kilobytes << 10
}
