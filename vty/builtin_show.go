package vty

import (
	"os"
	"strings"
	"time"
)

const helpText = `This VTY provides help at any place: press '?'.

 ?      shows what can be typed next; directly behind a word, what the word
        could become
 TAB    completes a word
 list   prints all commands of the present node

Words may be abbreviated as long as they are unambiguous. "no" before a setting
undoes it. "exit" leaves a node, "end" all configuration nodes, and within them
"do COMMAND" runs a command of the enable mode. A configuration command that the
present node does not know is looked for in the nodes above it.
`

func cmdHelp(s *Session, _ Args) error {
	s.Printf("%s", helpText)
	return nil
}

func cmdList(s *Session, a Args) error {
	for _, c := range s.tree.nodes[s.Node()].commands {
		switch {
		case a.Has(0) && c.listed(s.expert):
			s.Printf("  %s  %s\n", c.flag(), c.Syntax)
		case !a.Has(0) && c.visible(s.expert):
			s.Printf("  %s\n", c.Syntax)
		}
	}
	return nil
}

// listed tells whether "list with-flags" shows the command: deprecated ones too.
func (c *command) listed(expert bool) bool {
	return c.Flags&Hidden == 0 && (expert || c.Flags&Expert == 0)
}

var attributes = []struct {
	flag Flags
	sign string
	doc  string
}{
	{Expert, "^", "This command is shown in expert mode only"},
	{Deprecated, "d", "This command is deprecated: it works, but is not shown elsewhere"},
}

func (c *command) flag() string {
	for _, a := range attributes {
		if c.Flags&a.flag != 0 {
			return a.sign
		}
	}
	return "."
}

func cmdAttributes(s *Session, a Args) error {
	if len(a) == 0 || a[0] == "global" {
		s.Printf("Global attributes:\n")
		for _, x := range attributes {
			s.Printf("  %s  %s\n", x.sign, x.doc)
		}
	}
	for _, of := range []string{"library", "application"} {
		if len(a) == 0 || a[0] == of {
			s.Printf("%s specific attributes:\n  (no attributes)\n", strings.ToUpper(of[:1])+of[1:])
		}
	}
	return nil
}

func cmdRunningConfig(s *Session, p Program, _ Args) error {
	s.Printf("\nCurrent configuration:\n!\n")
	if err := p.RunningConfig(s); err != nil {
		return err
	}
	s.Printf("end\n")
	return nil
}

func cmdStartupConfig(s *Session, p Program, _ Args) error { return p.StartupConfig(s) }

func cmdVersion(s *Session, p Program, _ Args) error {
	text := strings.TrimRight(p.Version(), "\n")
	if !strings.HasPrefix(text, p.Name()) {
		text = p.Name() + " " + text
	}
	s.Printf("%s\n", text)
	return nil
}

func cmdUptime(s *Session, p Program, _ Args) error {
	d := time.Since(s.tree.started)
	s.Printf("%s has been running for %dd %dh %dm %ds\n", p.Name(),
		d/(24*time.Hour), d/time.Hour%24, d/time.Minute%60, d/time.Second%60)
	return nil
}

func cmdPID(s *Session, _ Args) error {
	s.Printf("%d\n", os.Getpid())
	return nil
}

func cmdOnlineHelp(s *Session, p Program, _ Args) error {
	if h, ok := p.(interface{ OnlineHelp() string }); ok {
		s.Printf("%s\n", strings.TrimRight(h.OnlineHelp(), "\n"))
		return nil
	}
	s.Printf("%s has no documentation on line; see \"help\" and \"list\".\n", p.Name())
	return nil
}

func cmdHistory(s *Session, _ Args) error {
	for _, line := range s.term.History() {
		s.Printf("  %s\n", line)
	}
	return nil
}

// cmdWho marks the session that holds the configuration lock by a star.
func cmdWho(s *Session, _ Args) error {
	for _, v := range s.term.Who() {
		mark := " "
		if s.tree.lock.heldBy(v.ID) {
			mark = "*"
		}
		s.Printf("%svty[%d] connected from %s.\n", mark, v.ID, v.Remote)
	}
	return nil
}
