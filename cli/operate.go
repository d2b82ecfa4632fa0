package cli

import (
	"poolgw/gb"
	"poolgw/vty"
)

// operateCommands act on the running gateway; drain and undrain are edits, so
// that a restart doesn't undo them once they are written.
func (p *program) operateCommands() []vty.Command {
	peer := []string{"Delete a BSS, or what is left of one", nseiNum}
	vc := "A virtual connection"
	return []vty.Command{
		{Nodes: inEnable, Syntax: "drain sgsn nsei <0-65534>",
			Help: []string{drainHelp, sgsnHelp, nseiHelp, nseiNum}, Run: p.edit(attach(false))},
		{Nodes: inEnable, Syntax: "undrain sgsn nsei <0-65534>",
			Help: []string{undrainHelp, sgsnHelp, nseiHelp, nseiNum}, Run: p.edit(attach(true))},
		{Nodes: inEnable, Syntax: "delete-gbproxy-peer <0-65534> bvci <2-65534>",
			Help: append(peer[:2:2], "One of its BVCs", "BVCI"), Run: p.deleteBVC},
		{Nodes: inEnable, Syntax: "delete-gbproxy-peer <0-65534> (only-bvc|only-nsvc|all) [dry-run]",
			Help: append(peer[:2:2], "Its BVCs", "Its NS-VCs", "Both", "Only say what would be deleted"), Run: p.deletePeer},
		{Nodes: inEnable, Syntax: "nsvc <0-65535> (block|unblock|reset)",
			Help: []string{vc, "NSVCI", "Take it out of service", "Take it into service", "Bring it up anew"},
			Run:  p.operateVC},
		{Nodes: inEnable, Syntax: "nse <0-65535> restart-sns",
			Help: []string{nseHelp, nseiNum, "Begin its IP-SNS procedures anew"},
			Run:  p.operate(func(a vty.Args) error { return p.Gateway.RestartSNS(nseiKey(a).(uint16)) })},
		{Nodes: inEnable, Syntax: "nsvc nsei <0-65535> force-unconfigured", Flags: vty.Expert,
			Help: []string{vc, "Those of an NSE", nseiNum, "Begin anew; a dynamic NSE is deleted"},
			Run:  p.operate(func(a vty.Args) error { return p.Gateway.ForceUnconfigured(nseiKey(a).(uint16)) })},
		{Nodes: inEnable, Syntax: "sgsn-pool nsf fixed NAME", Flags: vty.Expert,
			Help: []string{poolHelp, "How subscribers without an owner are spread", "All go to one SGSN", "Its name"},
			Run:  p.operate(func(a vty.Args) error { return p.fixSelection(a[0]) })},
		{Nodes: inEnable, Syntax: "sgsn-pool nsf normal", Flags: vty.Expert,
			Help: []string{poolHelp, "How subscribers without an owner are spread", "By the weights"},
			Run:  p.operate(func(vty.Args) error { return p.Gateway.FixSelection("") })},
	}
}

// operate makes a command that needs the gateway.
func (p *program) operate(f func(a vty.Args) error) vty.Handler {
	return func(_ *vty.Session, a vty.Args) error {
		if p.Gateway == nil {
			return errNoGateway
		}
		return f(a)
	}
}

// attach sets allow-attach of the SGSN that the command names.
func attach(allow bool) editor {
	return func(e *edit) error {
		nsei := e.uint16(0)
		s := sgsnOf(e.c, nsei)
		if s == nil {
			return errNoSGSN(nsei)
		}
		e.allowAttach(s, allow)
		return nil
	}
}

func (p *program) operateVC(s *vty.Session, a vty.Args) error {
	return p.operate(func(a vty.Args) error {
		nsvci := nseiKey(a).(uint16)
		switch a[1] {
		case "block":
			return p.Gateway.BlockVC(nsvci)
		case "unblock":
			return p.Gateway.UnblockVC(nsvci)
		}
		return p.Gateway.ResetVC(nsvci)
	})(s, a)
}

// fixSelection takes a name that an SGSN has.
func (p *program) fixSelection(name string) error {
	if p.Store != nil {
		for _, s := range p.Store.Current().Gb.SGSNs {
			if s.Name == name {
				return p.Gateway.FixSelection(name)
			}
		}
	}
	return refuse("There is no SGSN with the name %s", name)
}

func (p *program) deleteBVC(s *vty.Session, a vty.Args) error {
	return p.operate(func(a vty.Args) error {
		return p.Gateway.DeleteBVC(nseiKey(a).(uint16), nseiKey(a[1:]).(uint16))
	})(s, a)
}

var deleteModes = map[string]gb.DeleteMode{"only-bvc": gb.DeleteBVCs, "only-nsvc": gb.DeleteNSVCs, "all": gb.DeleteAll}

func (p *program) deletePeer(s *vty.Session, a vty.Args) error {
	if p.Gateway == nil {
		return errNoGateway
	}
	dry := a.Has(2)
	bvcs, vcs, err := p.Gateway.DeletePeer(nseiKey(a).(uint16), deleteModes[a[1]], dry)
	if err != nil {
		return err
	}
	done := "Deleted"
	if dry {
		done = "Would delete"
	}
	if a[1] != "only-nsvc" {
		s.Printf("%s %d BVC\n", done, bvcs)
	}
	if a[1] != "only-bvc" {
		s.Printf("%s %d NS-VC\n", done, vcs)
	}
	return nil
}
