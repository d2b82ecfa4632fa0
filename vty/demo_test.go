package vty_test

import (
	"errors"
	"io"
	"net/netip"
	"path"

	"poolgw/vty"
)

// A program of its own for the tests: a switch with ports and lanes. Its
// commands say what they were called with.

const (
	portNode = vty.Node("config-port")
	laneNode = vty.Node("config-lane")
)

func say(s *vty.Session, syntax string, a vty.Args) error {
	s.Printf("ran %s", syntax)
	if len(a) > 0 {
		s.Printf(" with %q", []string(a))
	}
	if s.Key() != nil {
		s.Printf(" in %v", s.Key())
	}
	s.Printf("\n")
	return nil
}

// cmd is a command that says what it was called with.
func cmd(nodes []vty.Node, syntax string, help ...string) vty.Command {
	return vty.Command{Nodes: nodes, Syntax: syntax, Help: help,
		Run: func(s *vty.Session, a vty.Args) error { return say(s, syntax, a) }}
}

// entering is cmd for a command that goes to a node, whose key is its first value.
func entering(from []vty.Node, n vty.Node, syntax string, help ...string) vty.Command {
	c := cmd(from, syntax, help...)
	c.Run = func(s *vty.Session, a vty.Args) error {
		err := say(s, syntax, a)
		s.Enter(n, string(n)+" "+a[0])
		return err
	}
	return c
}

func flagged(f vty.Flags, c vty.Command) vty.Command {
	c.Flags = f
	return c
}

func failing(nodes []vty.Node, syntax string, err error, help ...string) vty.Command {
	return vty.Command{Nodes: nodes, Syntax: syntax, Help: help,
		Run: func(*vty.Session, vty.Args) error { return err }}
}

func demoTree() *vty.Tree {
	t := vty.NewTree()
	t.Node(vty.NodeDef{Name: portNode, Prompt: "(config-port)", Parent: vty.ConfigNode},
		vty.NodeDef{Name: laneNode, Prompt: "(config-lane)", Parent: portNode})
	show := []vty.Node{vty.ViewNode, vty.EnableNode}
	enable, config := []vty.Node{vty.EnableNode}, []vty.Node{vty.ConfigNode}
	port, lane := []vty.Node{portNode}, []vty.Node{laneNode}
	t.Add(
		cmd(show, "show port all [stats]", "Show", "Ports", "All ports", "With counters"),
		cmd(show, "show port <1-48> [stats]", "Show", "Ports", "Number", "With counters"),
		cmd(show, "show portal NAME", "Show", "A portal", "Its name"),
		cmd(show, "show machine NAME", "Show", "State machines", "Name of one"),
		cmd(show, "show machine all", "Show", "State machines", "All of them"),
		cmd(show, "show memory (total|free|DEPTH) (full|brief)", "Show", "Memory", "Sum", "What is free", "Depth of the tree",
			"Everything", "A summary"),
		cmd(show, "logp (main|radio|radius) (debug|info) .TEXT", "Log a line", "Category", "Category", "Category", "Level", "Level", "The line"),
		failing(enable, "fail", errors.New("port is on fire"), "Fail"),
		failing(enable, "fail raw", vty.Raw("Port is on fire!"), "Fail", "Without sign"),
		flagged(vty.Expert, cmd(show, "prod <1-3>", "Prod the hardware", "How hard")),
		flagged(vty.Hidden, cmd(enable, "secret word", "A secret", "Word")),
		flagged(vty.Deprecated, cmd(enable, "showtime", "An old command")),
	)
	t.Add(
		entering(config, portNode, "port <1-48>", "Configure a port", "Number"),
		cmd(config, "no port <1-48>", "Undo", "Remove a port", "Number"),
		cmd(config, "title WORD", "Set the title", "Title"),
		cmd(config, "password (8|) WORD", "Set the password", "An encrypted one follows", "Password"),
		cmd(config, "password LINE", "Set the password", "Password"),
		cmd(config, "limit <0-10>", "Limit", "Low"),
		cmd(config, "limit <5-20>", "Limit", "High"),
		cmd(config, "range <0-32767> [<0-32767>]", "A range", "First", "Last"),
		cmd(config, "timer (t1|t2|t2-retries) <0-65535>", "Set a timer", "First timer", "Second timer", "Its retries", "Value"),
		cmd(config, "affinity (self|all|<0-4294967295>|THREAD) MASK [delay]", "Pin a thread", "This", "All", "By number", "By name", "Mask", "Later"),
		cmd(config, "route A.B.C.D/M A.B.C.D", "Add a route", "Network", "Gateway"),
		cmd(config, "route6 X:X::X:X/M X:X::X:X", "Add a route", "Network", "Gateway"),
		cmd(config, "latch", "Latch all ports"),
		cmd(config, "tie WORD", "Tie the switch", "To what"),
		cmd(config, "trim <-10-10> [(fast|slow)] [now]", "Trim", "By", "Quickly", "Slowly", "At once"),
	)
	t.Add(
		cmd(port, "speed <1-4294967295>", "Set the speed", "bit/s"),
		cmd(port, "description .TEXT", "Describe the port", "Text"),
		cmd(port, "listen (A.B.C.D|X:X::X:X) <1-65535>", "Listen", "IPv4 address", "IPv6 address", "Port"),
		cmd(port, "label WORD", "Label the port", "Text"),
		cmd(port, "tie WORD WORD", "Tie the port", "To what", "And to what"),
		cmd(port, "up", "Switch it on"),
		cmd(port, "no up", "Undo", "Switch it off"),
		failing(port, "burn", errors.New("port is on fire"), "Fail"),
		entering(port, laneNode, "lane <0-7>", "Configure a lane of the port", "Number"),
		cmd(lane, "weight <0-254>", "Set the weight", "Share of the traffic that this lane carries, relative to the other lanes of its port; 0 means none"),
	)
	return t
}

// demo is the Program behind the tree.
type demo struct{ saved, down bool }

func (d *demo) Name() string    { return "Demo" }
func (d *demo) Version() string { return "version 1\nby nobody" }
func (d *demo) RunningConfig(w io.Writer) error {
	_, err := io.WriteString(w, "port 1\n up\n")
	return err
}

func (d *demo) StartupConfig(w io.Writer) error {
	if !d.saved {
		return errors.New("demo.cfg: no such file")
	}
	return d.RunningConfig(w)
}

func (d *demo) Save(name string, force bool) (string, error) {
	switch {
	case path.IsAbs(name):
		return "", errors.New("only below the configuration's folder")
	case name == "" && force:
		return "demo.cfg by force", nil
	case name == "":
		name = "demo.cfg"
	}
	d.saved = true
	return name, nil
}

func (d *demo) Shutdown() { d.down = true }

// screen is the terminal of a test session.
type screen struct {
	vty.Headless
	id      int
	room    *room
	length  int
	monitor bool
	answers []bool // to AskPassword
	lines   []string
}

// room holds the sessions of a test.
type room struct {
	tree    *vty.Tree
	prog    *demo
	conf    vty.Settings
	screens []*screen
}

func newRoom() *room { return &room{tree: demoTree(), prog: &demo{}} }

// open begins a session, which writes to out.
func (r *room) open(out io.Writer) (*vty.Session, *screen) {
	c := &screen{Headless: vty.Headless{Out: out, Prog: r.prog}, id: len(r.screens), room: r}
	r.screens = append(r.screens, c)
	return vty.NewSession(r.tree, c), c
}

func (c *screen) ID() int                { return c.id }
func (c *screen) Settings() vty.Settings { return c.room.conf }
func (c *screen) History() []string      { return c.lines }
func (c *screen) SetLength(n int)        { c.length = n }
func (c *screen) Monitor(on bool)        { c.monitor = on }

func (c *screen) Remote() netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(40000+c.id))
}

func (c *screen) AskPassword(string) (bool, error) {
	if len(c.answers) == 0 {
		return false, vty.ErrInterrupted
	}
	ok := c.answers[0]
	c.answers = c.answers[1:]
	return ok, nil
}

func (c *screen) Who() []vty.Visitor {
	var v []vty.Visitor
	for _, x := range c.room.screens {
		v = append(v, vty.Visitor{ID: x.id, Remote: x.Remote(), Self: x == c})
	}
	return v
}
