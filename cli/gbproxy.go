package cli

import (
	"errors"
	"slices"
	"strings"

	"poolgw/config"
	"poolgw/finding"
	"poolgw/gb"
	"poolgw/nri"
	"poolgw/vty"
)

const (
	poolHelp = "The pool of SGSNs"
	nriHelp  = "Network resource identifiers"
	nullHelp = "NULL-NRIs, which an SGSN gives to subscribers that it sends away"
)

// gbproxyCommands are the node "gbproxy"; what is in osmo-gbproxy's manual
// under "network" is taken there too and written here.
func (p *program) gbproxyCommands() []vty.Command {
	cmds := []vty.Command{
		{Nodes: inConfig, Syntax: "gbproxy", Help: []string{"The Gb gateway"}, Run: goTo(nodeGbproxy)},
		{Nodes: inConfig, Syntax: "network", Flags: vty.Hidden, Help: []string{"The Gb gateway's NRIs"}, Run: goTo(nodeNetwork)},
	}
	cmds = append(cmds, p.poolCommands()...)
	cmds = append(cmds, p.poolTimerCommands()...)
	return append(cmds, p.nriCommands()...)
}

func (p *program) nriCommands() []vty.Command {
	in := []vty.Node{nodeGbproxy, nodeNetwork}
	add := []string{nriHelp, nullHelp, "Add a value or a range", "The value, or the first of the range", "The last of the range"}
	del := []string{nriHelp, nullHelp, "Remove a value or a range", "The value, or the first of the range", "The last of the range"}
	plmn := []string{"Of one network alone, told by the cell", "Mobile country code, three digits", "Mobile network code, two or three digits"}
	return []vty.Command{
		{Nodes: in, Syntax: "nri bitlen <0-15>",
			Help: []string{nriHelp, "How many bits of a TMSI they are", "Bits; 0: no pooling"},
			Run:  p.set(setBitLen)},
		{Nodes: in, Syntax: "no nri bitlen", Help: []string{no, nriHelp, "10 bits"},
			Run: p.set(func(e *edit) { e.c.Gb.BitLen = gb.Default().BitLen })},
		{Nodes: in, Syntax: "nri null add <0-32767> [<0-32767>]", Help: add, Run: p.edit(addNull)},
		{Nodes: in, Syntax: "nri null add <0-32767> [<0-32767>] plmn MCC MNC", Help: slices.Concat(add, plmn), Run: p.edit(addNull)},
		{Nodes: in, Syntax: "nri null del <0-32767> [<0-32767>]", Help: del, Run: p.edit(delNull)},
		{Nodes: in, Syntax: "nri null del <0-32767> [<0-32767>] plmn MCC MNC", Help: slices.Concat(del, plmn), Run: p.edit(delNull)},
	}
}

// setBitLen warns of what no longer fits, but not of everything when there is
// to be no pooling.
func setBitLen(e *edit) {
	e.c.Gb.BitLen = uint8(e.uint16(0))
	if e.c.Gb.BitLen == 0 {
		e.covers(surpasses)
	}
}

// nriRange returns the range that the arguments are.
func (e *edit) nriRange() nri.Range {
	r := nri.Single(e.uint16(0))
	if e.args.Has(1) {
		r.Last = e.uint16(1)
	}
	return r
}

// nullPLMN returns the network that a NULL-NRI is of: any, when none is named.
func (e *edit) nullPLMN() (nri.PLMN, error) {
	if !e.args.Has(3) {
		return nri.PLMN{}, nil
	}
	return parsePLMN(e.args[2], e.args[3])
}

func addNull(e *edit) error {
	p, err := e.nullPLMN()
	if err != nil {
		return err
	}
	r := e.nriRange()
	set, err := e.c.Gb.Null.Add(p, r)
	if err != nil {
		return refuse("nri null add: Error: failed to add NRI range: %s%s", r.Dots(), whyNot(err))
	}
	e.c.Gb.Null = set
	if r.Exceeds(e.c.Gb.BitLen) {
		e.warn("nri null add: Warning: NRI range surpasses current NRI bitlen: %s", r.Dots())
	}
	e.covers(surpasses)
	return nil
}

// whyNot is a further line that tells why a range is refused.
func whyNot(err error) string {
	if errors.Is(err, nri.ErrOrder) {
		return "\n% the first value is greater than the last"
	}
	return "\n% " + err.Error()
}

// surpasses tells a finding about NRIs beyond bitlen, which the command that
// adds them words with the range as typed.
func surpasses(f finding.Finding) bool {
	return strings.Contains(f.Text, "NRI range surpasses current NRI bitlen")
}

func delNull(e *edit) error {
	p, err := e.nullPLMN()
	if err != nil {
		return err
	}
	r := e.nriRange()
	set, err := e.c.Gb.Null.Del(p, r)
	if err != nil {
		return refuse("Error: failed to remove NRI range: %s%s", r.Dots(), whyNot(err))
	}
	e.c.Gb.Null = set
	e.covers(surpasses)
	return nil
}

// poolCommands are poolgw's own settings of the pool.
func (p *program) poolCommands() []vty.Command {
	in := []vty.Node{nodeGbproxy}
	def := gb.Default()
	set := func(f func(e *edit, c *gb.Config)) vty.Handler { return p.set(func(e *edit) { f(e, &e.c.Gb) }) }
	full := set(func(_ *edit, c *gb.Config) {
		c.FlowControlAuto, c.FlowControlRatio = def.FlowControlAuto, def.FlowControlRatio
	})
	return []vty.Command{
		{Nodes: in, Syntax: "pool bvc-flow-control-ratio <1-100>",
			Help: []string{poolHelp, "How much of a cell's capacity each SGSN is told", "Percent"},
			Run: set(func(e *edit, c *gb.Config) {
				c.FlowControlAuto, c.FlowControlRatio = false, uint8(e.uint16(0))
			})},
		{Nodes: in, Syntax: "no pool bvc-flow-control-ratio", Run: full,
			Help: []string{no, poolHelp, "Each SGSN is told a cell's whole capacity"}},
		{Nodes: in, Syntax: "pool bvc-flow-control auto",
			Help: []string{poolHelp, "How much of a cell's capacity each SGSN is told", "Its share by the weights of the SGSNs that are up"},
			Run:  set(func(_ *edit, c *gb.Config) { c.FlowControlAuto, c.FlowControlRatio = true, def.FlowControlRatio })},
		{Nodes: in, Syntax: "no pool bvc-flow-control auto", Run: full,
			Help: []string{no, poolHelp, "How much of a cell's capacity each SGSN is told", "Each its whole capacity"}},
		{Nodes: in, Syntax: "pool sgsn-reset (isolate|propagate)",
			Help: []string{poolHelp, "What the BSSs see of an SGSN's reset", "Nothing: poolgw brings the cells up there", "A reset of their own, as osmo-gbproxy does"},
			Run: set(func(e *edit, c *gb.Config) {
				c.SGSNReset = gb.ResetIsolate
				if e.args[0] == "propagate" {
					c.SGSNReset = gb.ResetPropagate
				}
			})},
		{Nodes: in, Syntax: "no pool sgsn-reset", Help: []string{no, poolHelp, "The BSSs see nothing of an SGSN's reset"},
			Run: set(func(_ *edit, c *gb.Config) { c.SGSNReset = def.SGSNReset })},
		{Nodes: in, Syntax: "pool owner-down-hold <0-3600>",
			Help: []string{poolHelp, "How long the subscribers of an SGSN that went down wait for it", "Seconds"},
			Run:  set(func(e *edit, c *gb.Config) { c.OwnerDownHold = e.uint16(0) })},
		{Nodes: in, Syntax: "no pool owner-down-hold", Help: []string{no, poolHelp, "They go to another SGSN at once"},
			Run: set(func(_ *edit, c *gb.Config) { c.OwnerDownHold = def.OwnerDownHold })},
		{Nodes: in, Syntax: "pool activity-window <1-1440>",
			Help: []string{poolHelp, "How long a subscriber counts as bound after it was seen", "Minutes"},
			Run:  set(func(e *edit, c *gb.Config) { c.ActivityWindow = e.uint16(0) })},
		{Nodes: in, Syntax: "no pool activity-window", Help: []string{no, poolHelp, "60 minutes"},
			Run: set(func(_ *edit, c *gb.Config) { c.ActivityWindow = def.ActivityWindow })},
		{Nodes: in, Syntax: "pool down (keep|refuse)",
			Help: []string{poolHelp, "New BSSs and NS-VCs while no SGSN is up", "They are served", "They are not"},
			Run:  set(func(e *edit, c *gb.Config) { c.PoolDownRefuse = e.args[0] == "refuse" })},
		{Nodes: in, Syntax: "no pool down", Help: []string{no, poolHelp, "New BSSs are served though no SGSN is up"},
			Run: set(func(_ *edit, c *gb.Config) { c.PoolDownRefuse = false })},
		{Nodes: in, Syntax: "pool registration-enquiry (all|any)",
			Help: []string{poolHelp, "Which SGSNs are asked where a subscriber is registered", "Every one that is up", "One"},
			Run:  set(func(e *edit, c *gb.Config) { c.RegistrationEnquiryAny = e.args[0] == "any" })},
		{Nodes: in, Syntax: "no pool registration-enquiry", Help: []string{no, poolHelp, "Every SGSN that is up is asked"},
			Run: set(func(_ *edit, c *gb.Config) { c.RegistrationEnquiryAny = false })},
		{Nodes: in, Syntax: "pool features <0-255>",
			Help: []string{poolHelp, "The BSSGP features that are offered when a signalling BVC is reset",
				"Feature bitmap: 1 PFC, 2 CBL, 4 INR, 8 LCS, 16 RIM, 32 PFC-FC, 64 ERS, 128 MBMS"},
			Run: set(func(e *edit, c *gb.Config) { c.FeatureBitmap = uint8(e.uint16(0)) })},
		{Nodes: in, Syntax: "no pool features", Help: []string{no, poolHelp, "No feature of the feature bitmap is offered"},
			Run: set(func(_ *edit, c *gb.Config) { c.FeatureBitmap = def.FeatureBitmap })},
		{Nodes: in, Syntax: "pool extended-features <0-255>",
			Help: []string{poolHelp, "The further BSSGP features that are offered when a signalling BVC is reset",
				"Extended feature bitmap: 1 PSHO, 2 GBIT, 4 MOCN, 8 CSPS, 16 EC-IoT, 32 DCN, 64 eDRX, 128 MSAD"},
			Run: set(func(e *edit, c *gb.Config) { c.ExtendedFeatureBitmap = uint8(e.uint16(0)) })},
		{Nodes: in, Syntax: "no pool extended-features",
			Help: []string{no, poolHelp, "No feature of the extended feature bitmap is offered"},
			Run:  set(func(_ *edit, c *gb.Config) { c.ExtendedFeatureBitmap = def.ExtendedFeatureBitmap })},
	}
}

func writeGbproxy(w *writer, c *config.Config) {
	g, def := &c.Gb, gb.Default()
	w.line("gbproxy")
	w.lineIf(g.FlowControlAuto, " pool bvc-flow-control auto")
	w.lineIf(!g.FlowControlAuto && g.FlowControlRatio != def.FlowControlRatio, " pool bvc-flow-control-ratio %d", g.FlowControlRatio)
	w.lineIf(g.SGSNReset == gb.ResetPropagate, " pool sgsn-reset propagate")
	w.lineIf(g.OwnerDownHold != def.OwnerDownHold, " pool owner-down-hold %d", g.OwnerDownHold)
	w.lineIf(g.ActivityWindow != def.ActivityWindow, " pool activity-window %d", g.ActivityWindow)
	w.lineIf(g.PoolDownRefuse, " pool down refuse")
	w.lineIf(g.RegistrationEnquiryAny, " pool registration-enquiry any")
	w.lineIf(g.FeatureBitmap != def.FeatureBitmap, " pool features %d", g.FeatureBitmap)
	w.lineIf(g.ExtendedFeatureBitmap != def.ExtendedFeatureBitmap, " pool extended-features %d", g.ExtendedFeatureBitmap)
	writePoolTimers(w, c)
	w.lineIf(g.BitLen != def.BitLen, " nri bitlen %d", g.BitLen)
	for _, r := range g.Null.Any.VTY() {
		w.line(" nri null add %s", r)
	}
	for _, p := range g.Null.PLMNs() {
		for _, r := range g.Null.Of(p).VTY() {
			w.line(" nri null add %s plmn %s", r, p.VTY())
		}
	}
}
