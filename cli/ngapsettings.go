package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"poolgw/n2"
	"poolgw/vty"
)

const (
	sctpHelp = "Parameters of the SCTP associations"
	msHelp   = "Milliseconds"
)

func millis(n uint32) time.Duration { return time.Duration(n) * time.Millisecond }

// ngapChoice is a setting of the node "ngap" that is one of a few words:
// commands and writer read this table.
type ngapChoice struct {
	words  string
	help   []string // of words
	undo   string   // what the default is
	values []string // the default first
	means  []string // the help of values
	field  func(c *n2.Config) any
}

var ngapChoices = []ngapChoice{
	{"setup-response", []string{"What a gNB gets as NG Setup Response"}, "The merged one", []string{"merge", "first"},
		[]string{"One that holds what every AMF serves", "The first AMF's, as it is"}, func(c *n2.Config) any { return &c.SetupFirst }},
	{"amf-ue-ngap-id", []string{"AMF UE NGAP IDs toward the gNBs"}, "Unique in the pool", []string{"pool-unique", "transparent"},
		[]string{"With the AMF's number in the top bits", "As the AMFs give them"}, func(c *n2.Config) any { return &c.Transparent }},
	{"pool down", []string{amfPoolHelp, "New gNBs while no AMF is up"}, "They are served", []string{"keep", "refuse"},
		[]string{"They are served", "They are not"}, func(c *n2.Config) any { return &c.RefuseDown }},
	{"pool selection", []string{amfPoolHelp, "How UEs without an owner are spread"}, "Weighted round-robin", []string{"weighted", "hash"},
		[]string{"Smooth weighted round-robin", "Weighted rendezvous hash of the identity"}, func(c *n2.Config) any { return &c.Hash }},
	{"nri bitlen", []string{nriHelp, "How many bits of a 5G-S-TMSI they are"}, "16 bits", []string{"16", "6"},
		[]string{"AMF Set ID and AMF Pointer", "The AMF Pointer alone, within the pool's AMF Sets"}, func(c *n2.Config) any { return &c.BitLen }},
	{"on-amf-loss", []string{"What happens to the UEs of an AMF that is lost"}, "They are released", n2.LossNames,
		[]string{"They are released, paced", "They are kept: the next message goes to another AMF of the set", "One NG Reset names them all",
			"They are forgotten"}, func(c *n2.Config) any { return &c.OnLoss }},
}

// get returns the index of the value that a configuration has.
func (d *ngapChoice) get(c *n2.Config) int {
	switch f := d.field(c).(type) {
	case *bool:
		if *f {
			return 1
		}
	case *n2.OnLoss:
		return int(*f)
	case *uint8:
		return slices.Index(d.values, fmt.Sprint(*f))
	}
	return 0
}

func (d *ngapChoice) set(c *n2.Config, i int) {
	switch f := d.field(c).(type) {
	case *bool:
		*f = i == 1
	case *n2.OnLoss:
		*f = n2.OnLoss(i)
	case *uint8:
		fmt.Sscan(d.values[i], f)
	}
}

func (p *program) ngapChoiceCommands() []vty.Command {
	in := []vty.Node{nodeNGAP}
	var cmds []vty.Command
	for i := range ngapChoices {
		d := &ngapChoices[i]
		back := append([]string{no}, d.help...)
		back[len(back)-1] = d.undo
		cmds = append(cmds,
			vty.Command{Nodes: in, Syntax: d.words + " (" + strings.Join(d.values, "|") + ")", Help: slices.Concat(d.help, d.means),
				Run: p.set(func(e *edit) { d.set(&e.c.N2, slices.Index(d.values, e.args[0])) })},
			vty.Command{Nodes: in, Syntax: "no " + d.words, Help: back, Run: p.set(func(e *edit) { d.set(&e.c.N2, 0) })})
	}
	return cmds
}

func writeNGAPChoices(w *writer, c, def *n2.Config) {
	for i := range ngapChoices {
		d := &ngapChoices[i]
		w.lineIf(d.get(c) != d.get(def), " %s %s", d.words, d.values[d.get(c)])
	}
}

// ngapValue is a setting of the node "ngap" that is a number: of milliseconds,
// where the field is a duration.
type ngapValue struct {
	words    string
	help     []string
	unit     string // "": milliseconds
	min, max uint32
	field    func(c *n2.Config) any
}

var ngapValues = []ngapValue{
	{"setup-grace", []string{"How long, after the first AMF's answer, a gNB's NG Setup waits for others"}, "", 0, 10000,
		func(c *n2.Config) any { return &c.SetupGrace }},
	{"amf-ue-ngap-id index-bits", []string{"AMF UE NGAP IDs toward the gNBs", "How many of the 40 bits hold the AMF's number"}, "Bits", 1, 8,
		func(c *n2.Config) any { return &c.IndexBits }},
	{"pool stale-hold", []string{amfPoolHelp, "How long a 5G-S-TMSI that is marked has no owner"}, "", 0, 3600000,
		func(c *n2.Config) any { return &c.StaleHold }},
	{"pool owner-down-hold", []string{amfPoolHelp, "How long UEs of an AMF that went down are turned away, to wait for it"}, "", 0, 3600000,
		func(c *n2.Config) any { return &c.OwnerDownHold }},
	{"timer ng-setup", []string{timerHelp, "How long an AMF may take to answer NG Setup"}, "", 1, 600000,
		func(c *n2.Config) any { return &c.SetupTimeout }},
	{"timer initial-ue", []string{timerHelp, "How long a UE may be without an AMF's answer; then it is released"}, "", 1000, 3600000,
		func(c *n2.Config) any { return &c.InitialGuard }},
	{"timer release", []string{timerHelp, "How long an AMF may take to command a release, a gNB to complete it; then the UE is forgotten"}, "", 1000, 3600000,
		func(c *n2.Config) any { return &c.ReleaseGuard }},
	{"timer handover", []string{timerHelp, "How long a handover or path switch may be without its end; then the UE is released"}, "", 1000, 3600000,
		func(c *n2.Config) any { return &c.HandoverGuard }},
	{"timer request", []string{timerHelp, "How long a gNB may take to answer a warning, MBS or other request that is about no UE; then it is forgotten"}, "", 1000, 3600000,
		func(c *n2.Config) any { return &c.RequestGuard }},
	{"timer probe", []string{timerHelp, "Time between RAN Configuration Updates to an idle AMF, to see that it answers; 0: none"}, "", 0, 3600000,
		func(c *n2.Config) any { return &c.Probe }},
	{"sctp heartbeat-interval", []string{sctpHelp, "Time between heartbeats of an idle path"}, "", 10, 600000,
		func(c *n2.Config) any { return &c.SCTP.HeartbeatInterval }},
	{"sctp path-max-retrans", []string{sctpHelp, "Losses in a row that mark a path inactive"}, "How many", 0, 100,
		func(c *n2.Config) any { return &c.SCTP.PathMaxRetrans }},
	{"sctp association-max-retrans", []string{sctpHelp, "Losses in a row that end an association"}, "How many", 1, 100,
		func(c *n2.Config) any { return &c.SCTP.AssocMaxRetrans }},
	{"sctp init-attempts", []string{sctpHelp, "INITs sent in vain until an attempt to associate is given up"}, "How many", 1, 100,
		func(c *n2.Config) any { return &c.SCTP.InitAttempts }},
	{"sctp init-timeout", []string{sctpHelp, "The longest time between two INITs"}, "", 10, 600000,
		func(c *n2.Config) any { return &c.SCTP.InitTimeout }},
	{"sctp streams", []string{sctpHelp, "Outbound streams asked for, and inbound ones allowed"}, "Streams", 1, 65535,
		func(c *n2.Config) any { return &c.SCTP.Streams }},
	{"sctp send-buffer", []string{sctpHelp, "Send buffer; 0: as the stack has it"}, "Octets", 0, 67108864,
		func(c *n2.Config) any { return &c.SCTP.SendBuffer }},
	{"sctp receive-buffer", []string{sctpHelp, "Receive buffer; 0: as the stack has it"}, "Octets", 0, 67108864,
		func(c *n2.Config) any { return &c.SCTP.ReceiveBuffer }},
	{"sctp dscp", []string{sctpHelp, "DSCP of what is sent"}, "DSCP", 0, 63, func(c *n2.Config) any { return &c.SCTP.DSCP }},
	{"sctp max-message", []string{sctpHelp, "The longest message that is taken from a peer"}, "Octets", 1500, 16777216,
		func(c *n2.Config) any { return &c.SCTP.MaxMessage }},
	{"sctp backlog", []string{sctpHelp, "Associations that may wait to be accepted"}, "How many", 1, 65535,
		func(c *n2.Config) any { return &c.SCTP.Backlog }},
}

func (d *ngapValue) get(c *n2.Config) uint32 {
	switch f := d.field(c).(type) {
	case *time.Duration:
		return uint32(f.Milliseconds())
	case *uint16:
		return uint32(*f)
	case *uint8:
		return uint32(*f)
	case *int:
		return uint32(*f)
	}
	return 0
}

func (d *ngapValue) set(c *n2.Config, v uint32) {
	switch f := d.field(c).(type) {
	case *time.Duration:
		*f = millis(v)
	case *uint16:
		*f = uint16(v)
	case *uint8:
		*f = uint8(v)
	case *int:
		*f = int(v)
	}
}

func (p *program) ngapValueCommands() []vty.Command {
	in, def := []vty.Node{nodeNGAP}, n2.Default()
	var cmds []vty.Command
	for i := range ngapValues {
		d := &ngapValues[i]
		unit, short := d.unit, " ms"
		if unit == "" {
			unit = msHelp
		} else {
			short = ""
		}
		back := append([]string{no}, d.help...)
		back[len(back)-1] = fmt.Sprintf("%d%s", d.get(&def), short)
		set := func(value func(e *edit) uint32) vty.Handler {
			return p.set(func(e *edit) {
				d.set(&e.c.N2, value(e))
				if strings.HasPrefix(d.words, "sctp ") {
					e.laterAssociations()
				}
			})
		}
		cmds = append(cmds,
			vty.Command{Nodes: in, Syntax: fmt.Sprintf("%s <%d-%d>", d.words, d.min, d.max), Help: append(slices.Clone(d.help), unit),
				Run: set(func(e *edit) uint32 { return e.uint32(0) })},
			vty.Command{Nodes: in, Syntax: "no " + d.words, Help: back, Run: set(func(*edit) uint32 { return d.get(&def) })})
	}
	return cmds
}

func writeNGAPValues(w *writer, c, def *n2.Config) {
	for i := range ngapValues {
		d := &ngapValues[i]
		w.lineIf(d.get(c) != d.get(def), " %s %d", d.words, d.get(c))
	}
}

// ngapTimerRows are the values of which "timer" is the first word, for "show timer".
func ngapTimerRows(c *n2.Config) []timerRow {
	def := n2.Default()
	var rows []timerRow
	for i := range ngapValues {
		d := &ngapValues[i]
		if name, ok := strings.CutPrefix(d.words, "timer "); ok {
			rows = append(rows, timerRow{ngapTimers, name, d.get(c), "ms", d.get(&def), d.min, d.max, d.help[len(d.help)-1]})
		}
	}
	return rows
}
