package vty

import (
	"errors"
	"fmt"
	"strconv"
)

var errNoTerminal = errors.New("not in a file")

// interactive makes a command refuse to run from a file.
func interactive(h Handler) Handler {
	return func(s *Session, a Args) error {
		if s.term == nil {
			return errNoTerminal
		}
		return h(s, a)
	}
}

// withProgram is for commands that need the program.
func withProgram(h func(s *Session, p Program, a Args) error) Handler {
	return interactive(func(s *Session, a Args) error {
		p := s.term.Program()
		if p == nil {
			return errors.New("no program behind this terminal")
		}
		return h(s, p, a)
	})
}

// everywhere are the commands of every node.
var everywhere = []Command{
	{Syntax: "help", Help: []string{"Description of the interactive help system"}, Run: interactive(cmdHelp)},
	{Syntax: "list [with-flags]", Help: []string{"Print command list", "With the attributes of each command"}, Run: interactive(cmdList)},
	{Syntax: "show vty-attributes", Help: []string{docShow, docAttributes}, Run: interactive(cmdAttributes)},
	{Syntax: "show vty-attributes (application|library|global)",
		Help: []string{docShow, docAttributes, "Those of the program's commands", "Those of its libraries' commands", "Those that any command can have"},
		Run:  interactive(cmdAttributes)},
	{Syntax: "exit", Help: []string{"Exit current mode and down to previous mode"}, Run: cmdExit},
}

// privileged are the commands of EnableNode and of every configuration node.
var privileged = []Command{
	{Syntax: "write terminal", Help: []string{docWrite, "Show it"}, Run: withProgram(cmdRunningConfig)},
	{Syntax: "write file [PATH]", Help: []string{docWrite, "Save it in a file", "Name of the file; without one, the file that was read"}, Run: withProgram(cmdWriteFile)},
	{Syntax: "write memory", Help: []string{docWrite, "Save it in the file that was read"}, Run: withProgram(cmdWrite)},
	{Syntax: "write force", Help: []string{docWrite, "Save it although the program would not start with it"}, Run: withProgram(cmdWriteForce)},
	{Syntax: "write", Help: []string{docWrite}, Run: withProgram(cmdWrite)},
	{Syntax: "show running-config", Help: []string{docShow, "Running configuration"}, Run: withProgram(cmdRunningConfig)},
}

// ofConfig are further commands of configuration nodes.
var ofConfig = []Command{
	{Syntax: "end", Help: []string{"End current mode and change to enable mode"}, Run: cmdEnd},
}

const (
	docShow       = "Show running system information"
	docAttributes = "Meaning of the flags of \"list with-flags\""
	docWrite      = "Save or show the running configuration"
	docTerminal   = "Set terminal line parameters"
	docNo         = "Negate a command or set its defaults"
)

var (
	inView       = []Node{ViewNode}
	inEnable     = []Node{EnableNode}
	inViewEnable = []Node{ViewNode, EnableNode}
)

// ofNodes are the built-in commands of particular nodes.
var ofNodes = []Command{
	{Nodes: inView, Syntax: "enable [expert-mode]", Help: []string{"Turn on privileged mode command", "Show also the commands for experts"}, Run: interactive(cmdEnable)},
	{Nodes: inEnable, Syntax: "disable", Help: []string{"Turn off privileged mode command"}, Run: interactive(cmdDisable)},
	{Nodes: inEnable, Syntax: "configure [terminal]", Help: []string{"Configuration from vty interface", "Configuration terminal"}, Run: interactive(cmdConfigure)},
	{Nodes: inEnable, Syntax: "copy running-config startup-config", Help: []string{"Copy configuration", "The running configuration", "To the file that was read"}, Run: withProgram(cmdCopy)},
	{Nodes: inEnable, Syntax: "shutdown", Flags: Expert, Help: []string{"Stop the program"}, Run: withProgram(cmdShutdown)},
	{Nodes: inEnable, Syntax: "echo .MESSAGE", Flags: Expert, Help: []string{"Echo a message back to the vty", "The message"}, Run: cmdEcho},
	{Nodes: inEnable, Syntax: "show startup-config", Help: []string{docShow, "Contents of the configuration file"}, Run: withProgram(cmdStartupConfig)},
	{Nodes: inViewEnable, Syntax: "show version", Help: []string{docShow, "Version of the program"}, Run: withProgram(cmdVersion)},
	{Nodes: inViewEnable, Syntax: "show uptime", Help: []string{docShow, "How long the program has been running"}, Run: withProgram(cmdUptime)},
	{Nodes: inViewEnable, Syntax: "show pid", Help: []string{docShow, "Process ID of the program"}, Run: cmdPID},
	{Nodes: inViewEnable, Syntax: "show online-help", Help: []string{docShow, "Where to read more"}, Run: withProgram(cmdOnlineHelp)},
	{Nodes: []Node{ViewNode, EnableNode, ConfigNode}, Syntax: "show history", Help: []string{docShow, "The lines typed in this session"}, Run: interactive(cmdHistory)},
	{Nodes: inViewEnable, Syntax: "terminal length <0-512>", Help: []string{docTerminal, "Lines shown before --More--", "Number of lines (0 for no pausing)"}, Run: interactive(cmdLength)},
	{Nodes: inViewEnable, Syntax: "terminal no length", Help: []string{docTerminal, docNo, "Lines as the terminal says"}, Run: interactive(cmdNoLength)},
	{Nodes: inEnable, Syntax: "terminal monitor", Help: []string{docTerminal, "Show the log here"}, Run: interactive(cmdMonitor(true))},
	{Nodes: inEnable, Syntax: "terminal no monitor", Help: []string{docTerminal, docNo, "Don't show the log here"}, Run: interactive(cmdMonitor(false))},
	{Nodes: inViewEnable, Syntax: "who", Help: []string{"Display who is on vty"}, Run: interactive(cmdWho)},
}

func (t *Tree) addBuiltins() {
	t.addAll(everywhere, ViewNode, EnableNode, ConfigNode)
	t.addAll(privileged, EnableNode, ConfigNode)
	t.addAll(ofConfig, ConfigNode)
	for _, c := range ofNodes {
		t.Add(c)
	}
}

// addCommon gives a new configuration node what all of them have.
func (t *Tree) addCommon(name Node) {
	t.addAll(everywhere, name)
	t.addAll(privileged, name)
	t.addAll(ofConfig, name)
}

func (t *Tree) addAll(commands []Command, nodes ...Node) {
	for _, c := range commands {
		c.Nodes = nodes
		t.add(c, true)
	}
}

func cmdExit(s *Session, _ Args) error {
	if !s.tree.isConfig(s.Node()) {
		s.quit = true
	}
	s.leave()
	return nil
}

func cmdEnd(s *Session, _ Args) error {
	s.End()
	return nil
}

func cmdEnable(s *Session, a Args) error {
	if encoded := s.term.Settings().EnablePassword; encoded != "" {
		ok, err := s.term.AskPassword(encoded)
		if errors.Is(err, ErrInterrupted) {
			return nil
		}
		if err != nil {
			return err
		}
		if !ok {
			return Raw("% Bad enable passwords, too many failures!")
		}
	}
	s.stack = []frame{{node: EnableNode}}
	s.expert = a.Has(0)
	return nil
}

func cmdDisable(s *Session, _ Args) error {
	s.stack = []frame{{node: ViewNode}}
	s.expert = false
	return nil
}

func cmdConfigure(s *Session, _ Args) error {
	if err := s.tree.lock.acquire(s); err != nil {
		return err
	}
	s.Enter(ConfigNode, nil)
	return nil
}

func cmdWrite(s *Session, p Program, _ Args) error { return save(s, p, "", false) }

func cmdWriteFile(s *Session, p Program, a Args) error { return save(s, p, a[0], false) }

func cmdWriteForce(s *Session, p Program, _ Args) error { return save(s, p, "", true) }

func cmdCopy(s *Session, p Program, _ Args) error { return save(s, p, "", false) }

func save(s *Session, p Program, path string, force bool) error {
	path, err := p.Save(path, force)
	if err != nil {
		return err
	}
	s.Printf("Configuration saved to %s\n", path)
	return nil
}

func cmdShutdown(_ *Session, p Program, _ Args) error {
	p.Shutdown()
	return nil
}

func cmdEcho(s *Session, a Args) error {
	s.Printf("%s\n", a[0])
	return nil
}

func cmdLength(s *Session, a Args) error {
	n, err := strconv.Atoi(a[0])
	if err != nil {
		return fmt.Errorf("length: %w", err)
	}
	s.term.SetLength(n)
	return nil
}

func cmdNoLength(s *Session, _ Args) error {
	s.term.SetLength(-1)
	return nil
}

func cmdMonitor(on bool) Handler {
	return func(s *Session, _ Args) error {
		s.term.Monitor(on)
		return nil
	}
}
