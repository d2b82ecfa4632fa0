package lab

import (
	"fmt"
	"strings"
	"time"
)

// textWidth is how wide printed text is, in columns.
const textWidth = 80

// wrap breaks text at words into lines of at most width columns, a longer word
// apart; all lines but the first begin with indent spaces.
func wrap(text string, width, indent int) (lines []string) {
	for len(text) > width {
		start := len(text) - len(strings.TrimLeft(text, " "))
		at := strings.LastIndexByte(text[:width+1], ' ')
		if at <= start { // one long word
			at = strings.IndexByte(text[start:], ' ') + start
			if at < start {
				break
			}
		}
		lines = append(lines, strings.TrimRight(text[:at], " "))
		text = strings.Repeat(" ", indent) + strings.TrimLeft(text[at:], " ")
	}
	return append(lines, text)
}

// wrapped adds a text to the page.
func (p *page) wrapped(indent int, format string, a ...any) {
	for _, l := range wrap(fmt.Sprintf(format, a...), textWidth, indent) {
		p.line("%s", l)
	}
}

// howTo is where the gateway listens, the one line that always stands there.
func (p *plan) howTo() string {
	return fmt.Sprintf("telnet 127.0.0.1 %s   metrics: http://%s/metrics   end: ^C", p.vtyPort, p.prom)
}

// firstSteps is what to type first, in one line.
func (p *plan) firstSteps() string {
	return fmt.Sprintf("  enable / configure terminal / sgsn nsei %d / no allow-attach", firstSGSN)
}

// intro tells what there is and what to try, at most width columns wide.
func (p *plan) intro(width int) string {
	lines := wrap(fmt.Sprintf("poolgw lab: the gateway, %d SGSNs and %d BSSs on 127.0.0.1",
		len(p.sgsnAddrs), len(p.bssAddrs)), width, 0)
	lines = append(lines, wrap(p.howTo(), width, 2)...)
	if p.n2.says != "" {
		lines = append(lines, wrap(p.n2.says, width, 2)...)
	}
	for _, text := range p.hints() {
		lines = append(lines, wrap(text, width, 2)...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// hints are what to type, and what happens then.
func (p *plan) hints() []string {
	return []string{
		fmt.Sprintf("In another terminal: telnet 127.0.0.1 %s (or: poolgw vty 127.0.0.1 %s), then", p.vtyPort, p.vtyPort),
		"  show pool / show gbproxy cell / show ns / show drain",
		p.firstSteps(),
		fmt.Sprintf("and watch SGSN %d empty: the gateway keeps new subscribers away, and the lab does what the "+
			"operator of that SGSN does: offload (NULL-NRI P-TMSIs, 4 s update timer, TS 23.236).", firstSGSN),
	}
}

// notes say in words what is unusual, one line each.
func notes(v *view) (lines []string) {
	add := func(format string, a ...any) { lines = append(lines, fmt.Sprintf(format, a...)) }
	for _, s := range []string{v.deaf, v.misfit, v.bssCut} {
		if s != "" {
			add("%s", s)
		}
	}
	for _, n := range v.others {
		add("SGSN %d of the gateway's pool is none of the lab's", n)
	}
	for i := range v.members {
		m := &v.members[i]
		switch {
		case m.reviving != "":
			add("reviving SGSN %d: %s, trying again", m.nsei, m.reviving)
		case m.cut != "":
			add("SGSN %d: %s", m.nsei, m.cut)
		case m.gw.NRI == "":
			add("SGSN %d has no NRI at the gateway: its subscribers do not find back to it", m.nsei)
		}
		if s := m.drain(v.window); s != "" {
			add("%s", s)
		}
	}
	return lines
}

// drain tells how far an SGSN has emptied.
func (m *member) drain(window time.Duration) string {
	switch {
	case m.drainedFor == 0 || m.emptyFor > 0 && m.gw.Bound == 0:
		return ""
	case m.emptyFor == 0:
		return fmt.Sprintf("SGSN %d empties since %s and serves %d still", m.nsei, short(m.drainedFor), m.serves)
	}
	return fmt.Sprintf("SGSN %d serves nobody since %s; the gateway's estimate follows within its activity window of %s",
		m.nsei, short(m.emptyFor), short(window))
}

// short writes 75 s as "75 s" and 2 min as "2 min".
func short(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// summary is the last word; when the cross-check does not hold, with all that
// the simulators counted.
func summary(v *view) string {
	var p page
	if n := v.ms.Interrupted; n > 0 {
		p.wrapped(0, "Interrupted (%d): the SGSN that a subscriber came to did not know it and had it attach anew, "+
			"so that it gave up what it had asked for. Real SGSNs that hand no contexts over do the same.", n)
	}
	if v.holds() {
		p.agreement(v)
		return p.String()
	}
	p.line("After %s the cross-check does NOT hold; see FAIL above. What was counted:", clock(v.elapsed))
	p.line("subscribers:%s", counted(v.ms))
	for _, m := range v.members {
		p.line("SGSN %d:%s", m.nsei, counted(m.truth.SGSN))
	}
	for _, b := range v.bsss {
		p.line("BSS %d:%s", b.truth.NSEI, counted(b.truth.BSS))
	}
	return p.String()
}

// agreement claims no more than was judged.
func (p *page) agreement(v *view) {
	var early, excused []string
	for _, c := range v.checks {
		switch {
		case c.excuse != "":
			excused = append(excused, c.what)
		case c.open():
			early = append(early, c.what)
		}
	}
	open := len(early) + len(excused)
	if open == 0 {
		p.line("After %s the gateway's figures and the simulators' truth agree.", clock(v.elapsed))
		return
	}
	text := fmt.Sprintf("After %s no check has failed: %d hold", clock(v.elapsed), len(v.checks)-open)
	if early != nil {
		text += "; not judged yet: " + strings.Join(early, "; ")
	}
	if excused != nil {
		text += "; not judged, by what the operator did: " + strings.Join(excused, "; ")
	}
	p.wrapped(0, "%s.", text)
}
