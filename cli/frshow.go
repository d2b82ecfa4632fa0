package cli

import (
	"poolgw/gb"
	"poolgw/ns"
)

// textLine is a Frame Relay bind as osmo-gbproxy shows it.
func textLine(w *writer, b *ns.BindState, vcs []*ns.VCState) {
	if b.Line == nil {
		w.line("FR bind: %s, no interface", b.Name)
		return
	}
	w.line("FR bind: %s, role: %s, link: %s", b.Line.Device, b.Line.Role, lineUp(b.Line.Running))
	for _, v := range vcs {
		w.line("    NSVCI %05d: %s", *v.NSVCI, v.Way())
	}
	textBindDrops(w, b)
}

func lineUp(up bool) string {
	if up {
		return "UP"
	}
	return "DOWN"
}

// textFRNetwork shows the local management of all lines.
func textFRNetwork(w *writer, s *gb.Snapshot) {
	first := true
	for i := range s.NS.Binds {
		l := s.NS.Binds[i].Line
		if l == nil {
			continue
		}
		if first {
			p := l.Params
			w.line("FR Network: N391 %d, N392 %d, N393 %d", p.N391, p.N392, p.N393)
			w.line("    T391 = %d s  Link integrity verification polling timer", int(p.T391.Seconds()))
			w.line("    T392 = %d s  Polling verification timer", int(p.T392.Seconds()))
			first = false
		}
		textFRLink(w, l)
	}
}

func textFRLink(w *writer, l *ns.LineState) {
	w.line("FR Link '%s': Role %s, LastRxSeq %d, LastTxSeq %d, %s, MTU %d", l.Device, l.Role, l.LastRxSeq, l.LastTxSeq, lineUp(l.Up), l.MTU)
	for _, d := range l.DLCs {
		state := "INACTIVE"
		if d.Active {
			state = "ACTIVE"
		}
		if d.New {
			state += " ADDED"
		}
		if !d.Used {
			state += " UNUSED"
		}
		w.line("  FR DLC %05d: %s", d.DLCI, state)
	}
}
