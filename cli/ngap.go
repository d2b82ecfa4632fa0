package cli

import (
	"slices"

	"poolgw/config"
	"poolgw/n2"
	"poolgw/vty"
)

const (
	ngapHelp    = "The N2 gateway: 5G's gNBs on one side, AMFs on the other"
	amfPoolHelp = "The pool of AMFs"
	amfHelp     = "A member of the pool of AMFs"
	amfNum      = "Its number"
)

// ngapCommands are the node "ngap", beside those that are made of tables.
func (p *program) ngapCommands() []vty.Command {
	in := []vty.Node{nodeNGAP}
	stale := []string{amfPoolHelp, "What marks a 5G-S-TMSI as one that its AMF does not know"}
	quirk := []string{"What a gNB needs that can't read newer messages", "ID of the gNB, or its name"}
	rto := []string{sctpHelp, "Time until what is not acknowledged is sent again"}
	set := func(f func(e *edit, c *n2.Config)) vty.Handler { return p.set(func(e *edit) { f(e, &e.c.N2) }) }
	def := n2.Default()
	cmds := []vty.Command{
		{Nodes: inConfig, Syntax: "ngap", Help: []string{ngapHelp},
			Run: p.enter(nodeNGAP, func(vty.Args) any { return nil }, func(e *edit) error { e.c.N2.Enabled = true; return nil })},
		{Nodes: inConfig, Syntax: "no ngap", Help: []string{no, "No N2 gateway; the nodes amf stay"}, Run: p.removalN2(removeNGAP)},
		{Nodes: in, Syntax: "bind NAME", Help: []string{"Where gNBs associate", "Its name"},
			Run: p.enter(nodeNGAPBind, func(a vty.Args) any { return a[0] }, func(e *edit) error {
				if name := e.key.(string); e.c.N2.Bind(name) == nil {
					e.c.N2.Binds = append(e.c.N2.Binds, n2.Bind{Name: name})
				}
				return nil
			})},
		{Nodes: in, Syntax: "no bind NAME", Help: []string{no, "Where gNBs associate", "Its name"}, Run: p.removalN2(removeNGAPBind)},
		{Nodes: in, Syntax: "amf-name NAME", Help: []string{"AMF Name that the gNBs see", "The name"},
			Run: set(func(e *edit, c *n2.Config) { c.Name = e.args[0] })},
		{Nodes: in, Syntax: "no amf-name", Help: []string{no, n2.DefaultName}, Run: set(func(_ *edit, c *n2.Config) { c.Name = def.Name })},
		{Nodes: in, Syntax: "pool stale (reject|off)",
			Help: append(stale[:2:2], "A Registration or Service Reject with 5GMM cause 9 or 10", "Nothing"),
			Run: set(func(e *edit, c *n2.Config) {
				c.EarlyRelease, c.Stale = 0, n2.StaleReject
				if e.args[0] == "off" {
					c.Stale = n2.StaleOff
				}
			})},
		{Nodes: in, Syntax: "pool stale early-release <1-60000>",
			Help: append(stale[:2:2], "Such a reject, or a release soon after the UE came", "Milliseconds"),
			Run: set(func(e *edit, c *n2.Config) {
				c.Stale, c.EarlyRelease = n2.StaleEarlyRelease, millis(e.uint32(0))
			})},
		{Nodes: in, Syntax: "no pool stale", Help: []string{no, amfPoolHelp, "A reject marks it"},
			Run: set(func(_ *edit, c *n2.Config) { c.Stale, c.EarlyRelease = def.Stale, def.EarlyRelease })},
		{Nodes: in, Syntax: "pool affinity", Help: []string{amfPoolHelp, "A UE goes to the AMF that owns its 5G-S-TMSI"},
			Run: set(func(_ *edit, c *n2.Config) { c.NoAffinity = false })},
		{Nodes: in, Syntax: "no pool affinity", Help: []string{no, amfPoolHelp, "Every UE is a new one"},
			Run: set(func(_ *edit, c *n2.Config) { c.NoAffinity = true })},
		{Nodes: in, Syntax: "gnb-quirk ID strip-unknown-ies",
			Help: append(quirk[:2:2], "It gets NG Setup Responses with the IEs of Release 15 alone"), Run: set(addQuirk)},
		{Nodes: in, Syntax: "no gnb-quirk ID", Help: []string{no, quirk[0], quirk[1]},
			Run: set(func(e *edit, c *n2.Config) {
				c.Quirks = slices.DeleteFunc(c.Quirks, func(q n2.Quirk) bool { return q.GNB == e.args[0] })
			})},
		{Nodes: in, Syntax: "sctp rto initial <1-600000> min <1-600000> max <1-600000>",
			Help: append(rto[:2:2], "At first", msHelp, "At least", msHelp, "At most", msHelp),
			Run: set(func(e *edit, c *n2.Config) {
				s := &c.SCTP
				s.RTOInitial, s.RTOMin, s.RTOMax = millis(e.uint32(0)), millis(e.uint32(1)), millis(e.uint32(2))
				e.laterAssociations()
			})},
		{Nodes: in, Syntax: "no sctp rto", Help: []string{no, sctpHelp, "Initial 500, min 200, max 2000 ms"},
			Run: set(func(e *edit, c *n2.Config) {
				s := &c.SCTP
				s.RTOInitial, s.RTOMin, s.RTOMax = def.SCTP.RTOInitial, def.SCTP.RTOMin, def.SCTP.RTOMax
				e.laterAssociations()
			})},
	}
	cmds = append(cmds, p.ngapChoiceCommands()...)
	return append(cmds, p.ngapValueCommands()...)
}

func addQuirk(e *edit, c *n2.Config) {
	if q := (n2.Quirk{GNB: e.args[0]}); !slices.Contains(c.Quirks, q) {
		c.Quirks = append(c.Quirks, q)
	}
}

// laterAssociations says when a parameter of SCTP takes effect.
func (e *edit) laterAssociations() { e.warn("Note: it holds for associations from now on") }

// removeNGAP leaves the members, which are nodes of their own, and the limits.
func removeNGAP(e *edit) error {
	c := &e.c.N2
	if !c.Enabled {
		return refuse("There is no node ngap")
	}
	e.tellGNBs(func(n2.GNBState) bool { return true })
	def := n2.Default()
	def.AMFs, def.Limits = c.AMFs, c.Limits
	*c = def
	return nil
}

func writeNGAP(w *writer, c *config.Config) {
	n, def := &c.N2, n2.Default()
	if !n.Enabled {
		return
	}
	w.line("ngap")
	for i := range n.Binds {
		writeNGAPBind(w, &n.Binds[i])
	}
	w.lineIf(n.Name != def.Name, " amf-name %s", n.Name)
	writeNGAPChoices(w, n, &def)
	writeNGAPValues(w, n, &def)
	for _, q := range n.Quirks {
		w.line(" gnb-quirk %s strip-unknown-ies", q.GNB)
	}
	w.lineIf(n.NoAffinity, " no pool affinity")
	w.lineIf(n.Stale == n2.StaleOff, " pool stale off")
	w.lineIf(n.Stale == n2.StaleEarlyRelease, " pool stale early-release %d", n.EarlyRelease.Milliseconds())
	s, d := &n.SCTP, &def.SCTP
	w.lineIf(s.RTOInitial != d.RTOInitial || s.RTOMin != d.RTOMin || s.RTOMax != d.RTOMax, " sctp rto initial %d min %d max %d",
		s.RTOInitial.Milliseconds(), s.RTOMin.Milliseconds(), s.RTOMax.Milliseconds())
}
