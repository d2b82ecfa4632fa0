package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"time"

	"poolgw/config"
	"poolgw/ctrl"
	"poolgw/logging"
	"poolgw/metrics"
	"poolgw/vty"
)

// vtyPort makes the VTY server follow the configuration.
type vtyPort struct {
	server *vty.Server
	log    *slog.Logger
	addrs  []netip.AddrPort
}

func (p *vtyPort) Apply(_, new *config.Config, _ time.Time) error {
	want := new.VTY.BindsOrDefault()
	for i, a := range want {
		if slices.Contains(p.addrs, a) {
			continue
		}
		if err := p.server.Listen(a); err != nil {
			for _, done := range want[:i] {
				if !slices.Contains(p.addrs, done) {
					p.server.Unlisten(done)
				}
			}
			return &portError{"VTY", "line vty", a, err}
		}
	}
	for _, a := range p.addrs {
		if !slices.Contains(want, a) {
			p.server.Unlisten(a)
		}
	}
	for _, a := range want {
		if !slices.Contains(p.addrs, a) {
			p.log.Log(context.Background(), logging.LevelNotice, fmt.Sprintf("Available via telnet %s %d", a.Addr(), a.Port()))
		}
	}
	p.addrs = slices.Clone(want)
	p.server.SetSettings(vtySettings(new))
	return nil
}

// vtySettings turns the configuration's words into the server's.
func vtySettings(c *config.Config) vty.Settings {
	return vty.Settings{
		Hostname:       c.HostnameOrDefault(),
		Banner:         banner(c.Banner),
		Login:          c.VTY.Login,
		Password:       c.VTY.Password,
		EnablePassword: c.VTY.EnablePassword,
		TerminalLength: c.VTY.TerminalLength,
		IdleTimeout:    time.Duration(c.VTY.IdleTimeout) * time.Second,
		MaxSessions:    int(c.Gb.Limits.VTYSessions),
		Advanced:       c.VTY.AdvancedVTY,
	}
}

// bannerLimit bounds what is read of a banner file, in octets.
const bannerLimit = 16 << 10

func banner(b config.Banner) string {
	if b.None {
		return ""
	}
	if b.File == "" {
		return "Welcome to the PoolGW VTY interface\n\n" + versionText() + "\n"
	}
	f, err := os.Open(b.File)
	if err != nil {
		return ""
	}
	defer f.Close()
	text := make([]byte, bannerLimit)
	n, _ := f.Read(text)
	return string(text[:n])
}

// ctrlPort makes the CTRL interface follow the configuration.
type ctrlPort struct{ server *ctrl.Server }

func (p ctrlPort) Apply(_, new *config.Config, _ time.Time) error {
	at := new.Ctrl.BindOrDefault()
	return portFault("CTRL", "ctrl", at, p.server.Listen(at))
}

// metricsPort makes the metrics endpoint follow the configuration.
type metricsPort struct {
	server *metrics.Server
	log    *slog.Logger
}

func (p metricsPort) Apply(old, new *config.Config, _ time.Time) error {
	m := new.Metrics
	if err := p.server.Listen(m.Bind); err != nil {
		return portFault("metrics", "metrics", m.Bind, err)
	}
	p.server.Profile(m.Pprof)
	switch {
	case m.Pprof && m.Bind.IsValid() && m != old.Metrics:
		p.log.Log(context.Background(), logging.LevelNotice, "profiles are served", "at", "http://"+m.Bind.String()+"/debug/pprof/")
	case !m.Pprof && old.Metrics.Pprof:
		p.log.Log(context.Background(), logging.LevelNotice, "profiles are served no more")
	}
	return nil
}

// listenError tells that a port of the management plane can't be had.
type listenError struct {
	what string
	err  error
}

func (e *listenError) Error() string {
	var p *portError
	if errors.As(e.err, &p) {
		return p.Error()
	}
	return fmt.Sprintf("%s: %v", e.what, e.err)
}

func (e *listenError) Unwrap() error { return e.err }

// portError is the reason, with what an operator can change.
type portError struct {
	what, node string
	at         netip.AddrPort
	err        error
}

// portFault is nil when err is.
func portFault(what, node string, at netip.AddrPort, err error) error {
	if err == nil {
		return nil
	}
	return &portError{what, node, at, err}
}

// portFaults are the faults that an operator meets, in words.
var portFaults = []struct {
	errno syscall.Errno
	text  string
}{
	{syscall.EADDRINUSE, "is in use: another program, or another poolgw, has it"},
	{syscall.EADDRNOTAVAIL, "is no address of this machine"},
	{syscall.EACCES, "is not permitted: ports below 1024 need the capability CAP_NET_BIND_SERVICE"},
}

func (e *portError) Error() string {
	cause := e.err
	if op := (*net.OpError)(nil); errors.As(cause, &op) {
		cause = op.Err // the rest is said here
	}
	reason := fmt.Sprintf("can't be listened at: %v", cause)
	for _, f := range portFaults {
		if errors.Is(e.err, f.errno) {
			reason = f.text
		}
	}
	return fmt.Sprintf("%s: %s %s; change it by node %s, bind ADDRESS PORT", e.what, e.at, reason, e.node)
}

func (e *portError) Unwrap() error { return e.err }
