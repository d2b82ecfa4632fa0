package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"poolgw/config"
	"poolgw/logging"
	"poolgw/n2"
	"poolgw/sctp"
)

// n2Part makes the N2 gateway follow the configuration: it runs while there is a
// node ngap.
type n2Part struct {
	gateway *n2.Gateway
	stacks  *sctpStacks
}

// traceDir is the folder of traces: below the state folder that systemd gives,
// else beside the configuration.
func traceDir(configFile string) string {
	if state := os.Getenv("STATE_DIRECTORY"); filepath.IsAbs(state) {
		return filepath.Join(state, "traces")
	}
	dir, err := filepath.Abs(filepath.Dir(configFile))
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "traces")
}

func newN2Part(configFile string, log *slog.Logger) *n2Part {
	s := &sctpStacks{log: log.With("cat", "sctp"), told: make(map[string]bool)}
	return &n2Part{gateway: n2.New(n2.Options{Transport: s.transport, TraceDir: traceDir(configFile), Log: log}), stacks: s}
}

func (p *n2Part) Apply(old, new *config.Config, now time.Time) error {
	if err := p.stacks.configure(&new.N2); err != nil {
		return n2Fault(err) // before any bind is closed for it
	}
	switch {
	case new.N2.Enabled && old.N2.Enabled:
		return n2Fault(p.gateway.Apply(old.N2, new.N2, now))
	case new.N2.Enabled:
		return n2Fault(p.gateway.Start(new.N2))
	case old.N2.Enabled:
		p.gateway.Stop()
	}
	return p.gateway.Idle(new.N2)
}

// sctpStacks gives transports. The userspace stack is one for the process, with
// one UDP port; it begins when it is first needed.
type sctpStacks struct {
	log *slog.Logger

	mu      sync.Mutex
	options sctp.UserspaceOptions
	started *sctp.UserspaceOptions // what the userspace stack runs with
	told    map[string]bool
}

// configure sets what the userspace stack is started with; what it runs with stays.
func (s *sctpStacks) configure(c *n2.Config) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := userspaceOptions(c)
	if s.started != nil && *s.started != o && usesUserspace(c) {
		if s.started.UDPPort == o.UDPPort {
			return errors.New("whether the userspace stack has peers at this machine's loopback is decided when it begins: write it to the file, and start anew")
		}
		_, err := sctp.Userspace(o)
		return err
	}
	s.options = o
	return nil
}

// usesUserspace reports whether a bind or an AMF goes over the userspace stack.
func usesUserspace(c *n2.Config) bool {
	over := func(x n2.Transport, used bool) bool {
		_, err := sctp.Kernel()
		return used && (x.Choice == sctp.OnlyUserspace || x.Choice == sctp.Auto && err != nil)
	}
	return c.Enabled && (slices.ContainsFunc(c.Binds, func(b n2.Bind) bool { return over(b.Transport, len(b.Listen.Addrs) > 0) }) ||
		slices.ContainsFunc(c.AMFs, func(a n2.AMF) bool { return over(a.Transport, len(a.Remote.Addrs) > 0) }))
}

// userspaceOptions: the UDP port is that of the binds, else of the AMFs. An
// association to this machine itself means that its other end is another stack
// here, which must not be disturbed.
func userspaceOptions(c *n2.Config) (o sctp.UserspaceOptions) {
	here := func(addrs []netip.Addr) {
		for _, a := range addrs {
			o.Shared = o.Shared || a.IsLoopback()
		}
	}
	for i := range c.Binds {
		b := &c.Binds[i]
		if e := b.Transport.Encapsulation; e != 0 {
			o.UDPPort = e
		}
		here(b.Listen.Addrs)
	}
	for i := range c.AMFs {
		a := &c.AMFs[i]
		if e := a.Transport.Encapsulation; e != 0 && o.UDPPort == 0 {
			o.UDPPort = e
		}
		here(a.Remote.Addrs)
	}
	return o
}

// transport is n2.Options.Transport; each answer is logged once.
func (s *sctpStacks) transport(t n2.Transport) (sctp.Transport, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := sctp.Available(t.Choice, t.Encapsulation != 0); err != nil {
		return nil, "", err // says it of both stacks; Choose would only start the second
	}
	found, reason, err := sctp.Choose(t.Choice, s.options)
	if err != nil {
		return nil, "", err
	}
	if key := found.Name() + reason; !s.told[key] {
		s.told[key] = true
		attrs := []any{"transport", found.Name(), "asked", t.Choice.String()}
		if reason != "" {
			attrs = append(attrs, "reason", reason)
		}
		s.log.Log(context.Background(), logging.LevelNotice, "SCTP", attrs...)
	}
	if found.Name() == sctp.OnlyUserspace.String() {
		o := s.options
		if r := sctp.UserspaceRoom(); s.started == nil && r.Octets < r.Asked {
			s.log.Warn("the kernel gives packets of SCTP less room than asked for: raise net.core.rmem_max, or give CAP_NET_ADMIN", "octets", r.Octets, "asked", r.Asked)
		}
		s.started, found = &o, exclusive{found}
	}
	return found, reason, nil
}

// n2Faults are the faults of binds that an operator meets, in words.
var n2Faults = []struct {
	errno syscall.Errno
	text  string
}{
	{syscall.EADDRINUSE, "the address is in use: another program, or another poolgw, has it"},
	{syscall.EADDRNOTAVAIL, "it is no address of this machine; userspace SCTP needs one that an interface has (ip address add …)"},
	{syscall.EACCES, "not permitted: run as root, or give the capability CAP_NET_RAW (userspace) or CAP_NET_BIND_SERVICE (ports below 1024)"},
	{syscall.EPERM, "not permitted: the userspace stack needs root or CAP_NET_RAW; transport udp-encapsulation does not"},
}

// n2Fault words an error of the gateway's start or change: one line, with what
// to do.
func n2Fault(err error) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(strings.ReplaceAll(err.Error(), "sctp: ", ""), "\n", "; ")
	for _, f := range n2Faults {
		if errors.Is(err, f.errno) {
			head, _, _ := strings.Cut(text, ": bind")
			head, _, _ = strings.Cut(head, ": the userspace stack")
			head, _, _ = strings.Cut(head, "; the userspace stack")
			text = fmt.Sprintf("%s: %s", head, f.text)
		}
	}
	return &n2Error{text, err}
}

type n2Error struct {
	text string
	err  error
}

func (e *n2Error) Error() string { return e.text }
func (e *n2Error) Unwrap() error { return e.err }
