package cli

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"poolgw/config"
	"poolgw/n2"
	"poolgw/nri"
	"poolgw/vty"
)

// amfCommands are the node "amf N".
func (p *program) amfCommands() []vty.Command {
	in := []vty.Node{nodeAMF}
	local := "From which of our addresses; without any, the one that routes to the AMF"
	remote := []string{"Where the AMF is; several addresses make it multi-homed", ip4Help, ip6Help, sctpPort}
	nris := func(what string) []string {
		return []string{nriHelp, what, "The value, or the first of the range", "The last of the range"}
	}
	cmds := []vty.Command{
		{Nodes: inConfig, Syntax: "amf <1-254>", Help: []string{amfHelp, amfNum + ", also the index in pool-unique IDs: keep it"},
			Run: p.enter(nodeAMF, amfKey, func(e *edit) error {
				if id := e.key.(uint8); e.c.N2.AMF(id) == nil {
					e.c.N2.AMFs = append(e.c.N2.AMFs, n2.AMF{ID: id, Capacity: -1, AllowAttach: true})
				}
				return nil
			})},
		{Nodes: inConfig, Syntax: "no amf <1-254>", Help: []string{no, amfHelp, amfNum}, Run: p.removalN2(removeAMF)},
		{Nodes: in, Syntax: "name NAME", Help: []string{"Name of the AMF", "The name"},
			Run: p.amf(func(e *edit, a *n2.AMF) error { a.Name = e.args[0]; return nil })},
		{Nodes: in, Syntax: "no name", Help: []string{no, "A name made of the number"},
			Run: p.amf(func(_ *edit, a *n2.AMF) error { a.Name = ""; return nil })},
		{Nodes: in, Syntax: "remote (A.B.C.D|X:X::X:X) [<1-65535>]", Help: remote,
			Run: p.amf(func(e *edit, a *n2.AMF) error { return e.addEnd(&a.Remote, amfNode(a.ID)) })},
		{Nodes: in, Syntax: "remote (A.B.C.D|X:X::X:X) <1-65535> udp-encapsulation <1-65535>", Help: append(remote[:4:4], encapHelp, encapPort),
			Run: p.amf(func(e *edit, a *n2.AMF) error {
				a.Transport.Encapsulation = e.uint16(2)
				return e.addEnd(&a.Remote, amfNode(a.ID))
			})},
		{Nodes: in, Syntax: "no remote [(A.B.C.D|X:X::X:X)]", Help: []string{no, "One address less, or none left", ip4Help, ip6Help},
			Run: p.amf(func(e *edit, a *n2.AMF) error { return e.delEnd(&a.Remote) })},
		{Nodes: in, Syntax: "local (A.B.C.D|X:X::X:X)", Help: []string{local, ip4Help, ip6Help},
			Run: p.amf(func(e *edit, a *n2.AMF) error {
				addr, err := netip.ParseAddr(e.args[0])
				if addr = addr.Unmap(); err == nil && !slices.Contains(a.Local, addr) {
					a.Local = append(a.Local, addr)
				}
				return err
			})},
		{Nodes: in, Syntax: "no local [(A.B.C.D|X:X::X:X)]", Help: []string{no, "One address less, or none left", ip4Help, ip6Help}, Run: p.amf(delLocal)},
		{Nodes: in, Syntax: "nri add <0-65535> [<0-65535>]", Help: nris("Add a value or a range; without any, the GUAMIs that the AMF announces"),
			Run: p.amf(func(e *edit, a *n2.AMF) error { return e.changeNRI(a, nri.Set.AddAMF, "add") })},
		{Nodes: in, Syntax: "nri del <0-65535> [<0-65535>]", Help: nris("Remove a value or a range"),
			Run: p.amf(func(e *edit, a *n2.AMF) error { return e.changeNRI(a, nri.Set.DelAMF, "remove") })},
		{Nodes: in, Syntax: "relative-capacity <0-255>", Help: []string{"Share of the UEs that have no owner", "In relation to the other AMFs'; 0: none"},
			Run: p.amf(func(e *edit, a *n2.AMF) error { a.Capacity = int(e.uint16(0)); return nil })},
		{Nodes: in, Syntax: "no relative-capacity", Help: []string{no, "As the AMF announces"},
			Run: p.amf(func(_ *edit, a *n2.AMF) error { a.Capacity = -1; return nil })},
		{Nodes: in, Syntax: "allow-attach", Help: []string{"Take new UEs"},
			Run: p.amf(func(e *edit, a *n2.AMF) error { return e.attachAMF(a, true) })},
		{Nodes: in, Syntax: "no allow-attach", Help: []string{no, "Take no new UEs, to empty the AMF"},
			Run: p.amf(func(e *edit, a *n2.AMF) error { return e.attachAMF(a, false) })},
		{Nodes: inEnable, Syntax: "drain amf <1-254>", Help: []string{drainHelp, amfHelp, amfNum}, Run: p.edit(drainAMF(false))},
		{Nodes: inEnable, Syntax: "undrain amf <1-254>", Help: []string{undrainHelp, amfHelp, amfNum}, Run: p.edit(drainAMF(true))},
	}
	return append(cmds, transportCommands(in, p.amf, func(a *n2.AMF) *n2.Transport { return &a.Transport })...)
}

const (
	drainHelp   = "Give a member no new subscribers, to empty it"
	undrainHelp = "Give a member new subscribers again"
)

// amfKey is the key of a node whose command has the AMF's number as first
// argument.
func amfKey(a vty.Args) any {
	n, _ := strconv.ParseUint(a[0], 10, 8)
	return uint8(n)
}

func amfNode(id uint8) string { return fmt.Sprintf("amf %d", id) }

func errNoAMF(id uint8) error { return refuse("There is no amf %d", id) }

// amf makes an editor of one that changes the AMF of the node.
func (p *program) amf(f func(e *edit, a *n2.AMF) error) vty.Handler {
	return p.edit(func(e *edit) error {
		a := e.c.N2.AMF(e.key.(uint8))
		if a == nil {
			return errGone
		}
		return f(e, a)
	})
}

func delLocal(e *edit, a *n2.AMF) error {
	if !e.args.Has(0) {
		a.Local = nil
		return nil
	}
	rest, err := without(a.Local, e.args[0])
	if err != nil {
		return err
	}
	a.Local = rest
	return nil
}

// changeNRI adds or removes the range that the arguments are; what overlaps is
// told by the findings.
func (e *edit) changeNRI(a *n2.AMF, change func(nri.Set, nri.Range) (nri.Set, error), verb string) error {
	r := e.nriRange()
	set, err := change(a.NRI, r)
	if err != nil {
		return refuse("amf %d: failed to %s NRI range: %s%s", a.ID, verb, r.Dots(), whyNot(err))
	}
	a.NRI = set
	return nil
}

// attachAMF warns when nobody is left for new UEs.
func (e *edit) attachAMF(a *n2.AMF, allow bool) error {
	a.AllowAttach = allow
	e.tellNoAMFLeft()
	return nil
}

func (e *edit) tellNoAMFLeft() {
	if !slices.ContainsFunc(e.c.N2.AMFs, func(a n2.AMF) bool { return a.AllowAttach }) {
		e.warn("Warning: no AMF takes new UEs any more")
	}
}

// drainAMF sets allow-attach of the AMF that the command names.
func drainAMF(allow bool) editor {
	return func(e *edit) error {
		id := amfKey(e.args).(uint8)
		a := e.c.N2.AMF(id)
		if a == nil {
			return errNoAMF(id)
		}
		return e.attachAMF(a, allow)
	}
}

// removeAMF tells what the member had: the edit is made all the same.
func removeAMF(e *edit) error {
	id := amfKey(e.args).(uint8)
	if e.c.N2.AMF(id) == nil {
		return errNoAMF(id)
	}
	if e.liveN2 != nil {
		if a := e.liveN2.AMF(id); a != nil && a.Bound > 0 {
			e.warn("Warning: %s served %s: released", a.Name, count(int(a.Bound), "UE"))
		}
	}
	e.c.N2.AMFs = slices.DeleteFunc(e.c.N2.AMFs, func(a n2.AMF) bool { return a.ID == id })
	e.tellNoAMFLeft()
	return nil
}

func writeAMFs(w *writer, c *config.Config) {
	for i := range c.N2.AMFs {
		a := &c.N2.AMFs[i]
		w.line("amf %d", a.ID)
		w.lineIf(a.Name != "", " name %s", a.Name)
		writeTransport(w, a.Transport, " ")
		for _, r := range a.Remote.Addrs {
			w.line(" remote %s %d", r, a.Remote.Port)
		}
		for _, l := range a.Local {
			w.line(" local %s", l)
		}
		for _, r := range a.NRI.VTY() {
			w.line(" nri add %s", r)
		}
		w.lineIf(a.Capacity >= 0, " relative-capacity %d", a.Capacity)
		if a.AllowAttach {
			w.line(" allow-attach")
		} else {
			w.line(" no allow-attach")
		}
	}
}
