package cli

import (
	"context"
	"slices"

	"poolgw/gb"
	"poolgw/ns"
	"poolgw/vty"
)

// fsmShows show state machines, in libosmocore's form.
func (p *program) fsmShows() []vty.Command {
	var cmds []vty.Command
	for _, c := range []struct{ syntax, doc string }{{"all", "All of them"}, {"NAME", "Of one class: BSSGP-BVC, GPRS-NS2-VC, GPRS-NS2-SNS-BSS, GPRS-NS2-SNS-SGSN"}} {
		help := []string{showHelp, "State machines", c.doc}
		cmds = append(cmds,
			vty.Command{Nodes: inView, Syntax: "show fsm-instances " + c.syntax, Help: help, Run: func(s *vty.Session, a vty.Args) error {
				list, err := p.machines(arg(a, 0))
				if err != nil {
					return err
				}
				var w writer
				for i := range list {
					textMachine(&w, &list[i])
				}
				_, err = s.Write(w.Bytes())
				return err
			}},
			vty.Command{Nodes: inView, Syntax: "show fsm-instances " + c.syntax + " json", Help: append(help[:3:3], jsonHelp), Run: func(s *vty.Session, a vty.Args) error {
				list, err := p.machines(arg(a, 0))
				if err != nil {
					return err
				}
				return writeJSON(s, list)
			}})
	}
	return cmds
}

// machines returns those of a class; "": all.
func (p *program) machines(class string) ([]ns.Machine, error) {
	switch {
	case p.Gateway == nil:
		return nil, errNoGateway
	case class != "" && !slices.Contains(gb.MachineClasses, class):
		return nil, vty.Raw("Error: FSM with name '" + class + "' doesn't exist!")
	}
	ctx, cancel := context.WithTimeout(context.Background(), snapshotTimeout)
	defer cancel()
	list, err := p.Gateway.Machines(ctx)
	return slices.DeleteFunc(list, func(m ns.Machine) bool { return class != "" && m.Class != class }), err
}

func textMachine(w *writer, m *ns.Machine) {
	w.line("FSM Instance Name: '%s(%s)', ID: '%s'", m.Class, m.ID, m.ID)
	w.line(" Log-Level: 'INFO', State: '%s'", m.State)
	w.lineIf(m.Timer != 0, " Timer: %d", m.Timer)
}
