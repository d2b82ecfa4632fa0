package cli

import (
	"poolgw/config"
	"poolgw/vty"
)

// ctrlCommands are the node "ctrl".
func (p *program) ctrlCommands() []vty.Command {
	in := []vty.Node{nodeCtrl}
	return []vty.Command{
		{Nodes: inConfig, Syntax: "ctrl", Help: []string{"The CTRL interface"}, Run: goTo(nodeCtrl)},
		{Nodes: in, Syntax: "bind (A.B.C.D|X:X::X:X) [<0-65535>]",
			Help: []string{"Listen at an address", ip4Help, ip6Help, "TCP port, 4263 by default"},
			Run: p.edit(func(e *edit) (err error) {
				e.c.Ctrl.Bind, err = e.addrPort(0, config.DefaultCtrlPort)
				return err
			})},
		{Nodes: in, Syntax: "no bind", Help: []string{no, "Listen at 127.0.0.1 4263"},
			Run: p.set(func(e *edit) { e.c.Ctrl.Bind = config.Default().Ctrl.Bind })},
	}
}

func writeCtrl(w *writer, c *config.Config) {
	w.line("ctrl")
	if b := c.Ctrl.BindOrDefault(); b.Port() == config.DefaultCtrlPort {
		w.line(" bind %s", b.Addr())
	} else {
		w.line(" bind %s", addrPortWords(b))
	}
}
