package cli

import (
	"strconv"

	"poolgw/config"
	"poolgw/vty"
)

// hostCommands are what stands in the node config itself.
func (p *program) hostCommands() []vty.Command {
	return []vty.Command{
		{Nodes: inConfig, Syntax: "hostname WORD",
			Help: []string{"Name of the gateway in the prompt", "The name"},
			Run:  p.set(func(e *edit) { e.c.Hostname = e.args[0] })},
		{Nodes: inConfig, Syntax: "no hostname [HOSTNAME]",
			Help: []string{no, "Name of the gateway in the prompt", "The name, for completeness"},
			Run:  p.set(func(e *edit) { e.c.Hostname = "" })},

		{Nodes: inConfig, Syntax: "password WORD",
			Help: []string{"Password of the VTY", "The password, which is hashed at once"},
			Run:  p.setPassword(func(v *config.VTY) *string { return &v.Password })},
		{Nodes: inConfig, Syntax: "password (8|9) WORD",
			Help: []string{"Password of the VTY", "A traditional crypt hash follows",
				"A hash as poolgw writes it follows", "The hash"},
			Run: p.set(func(e *edit) { e.c.VTY.Password = e.args[0] + " " + e.args[1] })},
		{Nodes: inConfig, Syntax: "no password",
			Help: []string{no, "Password of the VTY"},
			Run:  p.set(func(e *edit) { e.c.VTY.Password = "" })},
		{Nodes: inConfig, Syntax: "enable password WORD",
			Help: []string{enableHelp, "Password for the enable node", "The password, which is hashed at once"},
			Run:  p.setPassword(func(v *config.VTY) *string { return &v.EnablePassword })},
		{Nodes: inConfig, Syntax: "enable password (8|9) WORD",
			Help: []string{enableHelp, "Password for the enable node", "A traditional crypt hash follows",
				"A hash as poolgw writes it follows", "The hash"},
			Run: p.set(func(e *edit) { e.c.VTY.EnablePassword = e.args[0] + " " + e.args[1] })},
		{Nodes: inConfig, Syntax: "no enable password",
			Help: []string{no, enableHelp, "Password for the enable node"},
			Run:  p.set(func(e *edit) { e.c.VTY.EnablePassword = "" })},

		{Nodes: inConfig, Syntax: "banner motd default",
			Help: []string{bannerHelp, motdHelp, "poolgw's own text"},
			Run:  p.set(func(e *edit) { e.c.Banner = config.Banner{} })},
		{Nodes: inConfig, Syntax: "banner motd file [FILE]",
			Help: []string{bannerHelp, motdHelp, "The text of a file", "The file, read at each connection"},
			Run:  p.set(func(e *edit) { e.c.Banner = config.Banner{File: arg(e.args, 0)} })},
		{Nodes: inConfig, Syntax: "no banner motd",
			Help: []string{no, bannerHelp, motdHelp},
			Run:  p.set(func(e *edit) { e.c.Banner = config.Banner{None: true} })},

		{Nodes: inConfig, Syntax: "service terminal-length <0-512>",
			Help: []string{serviceHelp, "Rows before --More--, for every session", "Rows; 0: no --More--"},
			Run:  p.set(func(e *edit) { e.c.VTY.TerminalLength = int(e.uint16(0)) })},
		{Nodes: inConfig, Syntax: "no service terminal-length [<0-512>]",
			Help: []string{no, serviceHelp, "As many rows as the terminal says", "Rows, for completeness"},
			Run:  p.set(func(e *edit) { e.c.VTY.TerminalLength = -1 })},
		{Nodes: inConfig, Syntax: "service advanced-vty",
			Help: []string{serviceHelp, "Sessions begin in the enable node"},
			Run:  p.set(func(e *edit) { e.c.VTY.AdvancedVTY = true })},
		{Nodes: inConfig, Syntax: "no service advanced-vty",
			Help: []string{no, serviceHelp, "Sessions begin in the view node"},
			Run:  p.set(func(e *edit) { e.c.VTY.AdvancedVTY = false })},
	}
}

// Words that stand in many commands.
const (
	no          = "Undo, or back to the default"
	enableHelp  = "The enable node"
	bannerHelp  = "What a session sees first"
	motdHelp    = "Message of the day"
	serviceHelp = "For every session"
	showHelp    = "Show the state"
	jsonHelp    = "As JSON, for programs"
)

// arg returns argument i, "" when it is absent.
func arg(a vty.Args, i int) string {
	if a.Has(i) {
		return a[i]
	}
	return ""
}

// setPassword makes the command that keeps the hash of a password. Hashing takes
// its time, and is done before the transaction.
func (p *program) setPassword(field func(v *config.VTY) *string) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		enc, err := vty.EncodePassword(a[0])
		if err != nil {
			return err
		}
		return p.edit(func(e *edit) error { *field(&e.c.VTY) = enc; return nil })(s, nil)
	}
}

func writeHost(w *writer, c *config.Config) {
	w.lineIf(c.Hostname != "", "hostname %s", c.Hostname)
	w.lineIf(c.VTY.Password != "", "password %s", c.VTY.Password)
	w.lineIf(c.VTY.EnablePassword != "", "enable password %s", c.VTY.EnablePassword)
	w.lineIf(c.VTY.AdvancedVTY, "service advanced-vty")
	w.lineIf(c.VTY.TerminalLength >= 0, "service terminal-length %s", strconv.Itoa(c.VTY.TerminalLength))
	w.lineIf(c.Banner.None, "no banner motd")
	w.lineIf(c.Banner.File != "", "banner motd file %s", c.Banner.File)
	w.line("!")
}
