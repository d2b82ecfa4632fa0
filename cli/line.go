package cli

import (
	"fmt"
	"net/netip"
	"slices"

	"poolgw/config"
	"poolgw/gb"
	"poolgw/vty"
)

// lineCommands are the node "line vty".
func (p *program) lineCommands() []vty.Command {
	in := []vty.Node{nodeLine}
	return []vty.Command{
		{Nodes: inConfig, Syntax: "line vty",
			Help: []string{"Sessions", "Telnet sessions"},
			Run:  goTo(nodeLine)},
		{Nodes: in, Syntax: "login", Help: []string{"Ask for the password"},
			Run: p.set(func(e *edit) { e.c.VTY.Login = true })},
		{Nodes: in, Syntax: "no login", Help: []string{no, "Ask for no password"},
			Run: p.set(func(e *edit) { e.c.VTY.Login = false })},
		{Nodes: in, Syntax: "bind (A.B.C.D|X:X::X:X) [<0-65535>]",
			Help: []string{"Listen at an address; several are possible", ip4Help, ip6Help, "TCP port, 4246 by default"},
			Run:  p.edit(addVTYBind)},
		{Nodes: in, Syntax: "no bind (A.B.C.D|X:X::X:X) [<0-65535>]",
			Help: []string{no, "Listen at an address no more", ip4Help, ip6Help, "TCP port, 4246 by default"},
			Run:  p.edit(removeVTYBind)},
		{Nodes: in, Syntax: "idle-timeout <0-86400>",
			Help: []string{"End sessions in which nothing is typed", "Seconds; 0: never"},
			Run:  p.set(func(e *edit) { e.c.VTY.IdleTimeout = e.uint32(0) })},
		{Nodes: in, Syntax: "no idle-timeout", Help: []string{no, "Sessions may stay for ever"},
			Run: p.set(func(e *edit) { e.c.VTY.IdleTimeout = 0 })},
		{Nodes: in, Syntax: "session-limit <1-1024>",
			Help: []string{"How many sessions there may be (also: limits, vty-sessions)", "Sessions"},
			Run:  p.set(func(e *edit) { e.c.Gb.Limits.VTYSessions = e.uint32(0) })},
		{Nodes: in, Syntax: "no session-limit", Help: []string{no, "As many sessions as by default"},
			Run: p.set(func(e *edit) { e.c.Gb.Limits.VTYSessions = gb.DefaultLimits().VTYSessions })},
		{Nodes: in, Syntax: "require-login",
			Help: []string{"Refuse to listen beyond loopback without login"},
			Run:  p.set(func(e *edit) { e.c.VTY.RequireLogin = true })},
		{Nodes: in, Syntax: "no require-login",
			Help: []string{no, "Listening beyond loopback without login is but a note"},
			Run:  p.set(func(e *edit) { e.c.VTY.RequireLogin = false })},
	}
}

const (
	ip4Help = "IPv4 address"
	ip6Help = "IPv6 address"
)

func addVTYBind(e *edit) error {
	at, err := e.addrPort(0, config.DefaultVTYPort)
	if err == nil && !slices.Contains(e.c.VTY.Binds, at) {
		e.c.VTY.Binds = append(e.c.VTY.Binds, at)
	}
	return err
}

func removeVTYBind(e *edit) error {
	at, err := e.addrPort(0, config.DefaultVTYPort)
	if err != nil {
		return err
	}
	i := slices.Index(e.c.VTY.Binds, at)
	if i < 0 {
		return fmt.Errorf("the VTY does not listen at %s %d", at.Addr(), at.Port())
	}
	e.c.VTY.Binds = slices.Delete(e.c.VTY.Binds, i, i+1)
	return nil
}

func writeLine(w *writer, c *config.Config) {
	w.line("line vty")
	if c.VTY.Login {
		w.line(" login")
	} else {
		w.line(" no login")
	}
	for _, b := range c.VTY.Binds {
		w.line(" bind %s", addrPortWords(b))
	}
	w.lineIf(c.VTY.IdleTimeout != 0, " idle-timeout %d", c.VTY.IdleTimeout)
	w.lineIf(c.VTY.RequireLogin, " require-login")
	w.line("!")
}

// addrPortWords is an address as commands take it, "127.0.0.1 23000".
func addrPortWords(a netip.AddrPort) string { return fmt.Sprintf("%s %d", a.Addr(), a.Port()) }
