package cli

import (
	"fmt"
	"strings"

	"poolgw/gb"
	"poolgw/ns"
	"poolgw/vty"
)

const nsHelp = "The network service"

// nsShows show NSEs, NS-VCs and binds.
func (p *program) nsShows() []vty.Command {
	word := []string{showHelp, nsHelp}
	with := func(help ...string) []string { return append(word[:2:2], help...) }
	whole := view{
		func(s *gb.Snapshot, _ vty.Args) (any, error) { return s.NS, nil },
		func(w *writer, s *gb.Snapshot, a vty.Args) {
			textEntities(w, s, a)
			textBinds(w, s, a)
			textFRNetwork(w, s)
		},
	}
	var cmds []vty.Command
	for _, c := range [][]vty.Command{
		p.shows("show ns", word, whole),
		p.showsStats("show ns binds", with("Local ends and their NS-VCs"),
			view{func(s *gb.Snapshot, _ vty.Args) (any, error) { return s.NS.Binds, nil }, textBinds}),
		p.showsStats("show ns entities", with("NSEs and their NS-VCs"),
			view{func(s *gb.Snapshot, _ vty.Args) (any, error) { return s.NS.NSEs, nil }, textEntities}),
		p.shows("show ns persistent", with("NSEs that are configured, with counters"), view{pickPersistent, textPersistent}),
		p.showsStats("show ns (nsei|nsvc) <0-65535>", with("One NSE", "One NS-VC", "NSEI, or NSVCI"), view{pickEntity, textEntity}),
	} {
		cmds = append(cmds, c...)
	}
	return cmds
}

// hasStats tells whether the optional word "stats" was given.
func hasStats(a vty.Args) bool { return len(a) > 0 && a[len(a)-1] == "stats" }

func textEntities(w *writer, s *gb.Snapshot, a vty.Args) {
	for i := range s.NS.NSEs {
		textNSE(w, s, &s.NS.NSEs[i], hasStats(a))
	}
}

func persistent(s *gb.Snapshot) []ns.NSEState {
	out := []ns.NSEState{}
	for _, n := range s.NS.NSEs {
		if n.Persistent {
			out = append(out, n)
		}
	}
	return out
}

func pickPersistent(s *gb.Snapshot, _ vty.Args) (any, error) { return persistent(s), nil }

func textPersistent(w *writer, s *gb.Snapshot, _ vty.Args) {
	list := persistent(s)
	for i := range list {
		textNSE(w, s, &list[i], true)
	}
}

// entity returns the NSE, or the NS-VC, that the arguments name.
func entity(s *gb.Snapshot, a vty.Args) (*ns.NSEState, *ns.VCState) {
	n := nseiKey(a[1:]).(uint16)
	for i := range s.NS.NSEs {
		e := &s.NS.NSEs[i]
		if a[0] == "nsei" && e.NSEI == n {
			return e, nil
		}
		for j := range e.VCs {
			if v := &e.VCs[j]; a[0] == "nsvc" && v.NSVCI != nil && *v.NSVCI == n {
				return e, v
			}
		}
	}
	return nil, nil
}

func pickEntity(s *gb.Snapshot, a vty.Args) (any, error) {
	switch e, v := entity(s, a); {
	case v != nil:
		return v, nil
	case e != nil:
		return e, nil
	}
	if a[0] == "nsvc" {
		return nil, vty.Raw("No such NS-VC")
	}
	return nil, vty.Raw("No such NS Entity")
}

func textEntity(w *writer, s *gb.Snapshot, a vty.Args) {
	e, v := entity(s, a)
	if v != nil {
		textVC(w, s, v, hasStats(a))
		return
	}
	textNSE(w, s, e, hasStats(a))
}

func alive(up bool) string {
	if up {
		return "ALIVE"
	}
	return "DEAD"
}

func textNSE(w *writer, s *gb.Snapshot, n *ns.NSEState, stats bool) {
	w.line("NSEI %05d: %s, %s since %s", n.NSEI, n.Link, alive(n.Alive), since(s.Time, n.Since))
	if n.SNS != nil {
		textSNS(w, n)
	}
	w.line("  %d NS-VC:", len(n.VCs))
	for i := range n.VCs {
		textVC(w, s, &n.VCs[i], stats)
	}
}

func textSNS(w *writer, n *ns.NSEState) {
	q := n.SNS
	id := fmt.Sprintf("NSE%05d-SNS", n.NSEI)
	w.line(" FSM Instance Name: 'GPRS-NS2-SNS-%s(%s)', ID: '%s'", q.Role, id, id)
	w.line("  State: '%s'", q.State)
	w.lineIf(q.Timer != 0, "  Timer: %d", q.Timer)
	w.line(" Maximum number of remote  NS-VCs: %d, IPv4 Endpoints: %d, IPv6 Endpoints: %d", q.MaxNSVCs, q.MaxIPv4, q.MaxIPv6)
	textEndpoints(w, "Local", q.Local)
	textEndpoints(w, "Remote", q.Remote)
	if q.Procedure != nil {
		textProcedure(w, q.Procedure)
	}
	textEndpoints(w, "Refused", q.Refused)
}

// textProcedure is a change of our endpoints that the peer has yet to acknowledge.
func textProcedure(w *writer, p *ns.SNSProcedure) {
	w.line(" Local procedure: %s, transaction %d, sent %d of %d times, %d waiting", p.PDU, p.Transaction, p.Sent, p.Limit, p.Waiting)
	for _, e := range p.Endpoints {
		w.line("  %s, Signalling Weight: %d, Data Weight: %d", e.Addr, e.SigWeight, e.DataWeight)
	}
}

// textEndpoints lists endpoints, which are of one family.
func textEndpoints(w *writer, whose string, list []ns.Endpoint) {
	if len(list) == 0 {
		return
	}
	family := "IPv4"
	if !list[0].Addr.Addr().Unmap().Is4() {
		family = "IPv6"
	}
	w.line(" %s %s Endpoints:", whose, family)
	for _, e := range list {
		w.line("  %s, Signalling Weight: %d, Data Weight: %d", e.Addr, e.SigWeight, e.DataWeight)
	}
}

// textVC is one NS-VC as osmo-gbproxy shows it: by its NSVCI, or by its weights.
func textVC(w *writer, s *gb.Snapshot, v *ns.VCState, stats bool) {
	words := []string{v.State}
	if v.BlockedBy != "" {
		words = append(words, "(blocked by "+v.BlockedBy+")")
	}
	if v.Persistent {
		words = append(words, "PERSIST")
	} else {
		words = append(words, "DYNAMIC")
	}
	head := ""
	if v.NSVCI != nil {
		head = fmt.Sprintf("NSVCI %05d: ", *v.NSVCI)
	} else {
		words = append(words, fmt.Sprintf("sig_weight=%d data_weight=%d", v.SigWeight, v.DataWeight))
	}
	w.line("   %s%s %s %s since %s", head, strings.Join(words, " "), v.Way(), alive(v.Alive), since(s.Time, v.Since))
	if stats {
		textCounters(w, v)
	}
}

// counterRows are the counters of an NS-VC in osmo-gbproxy's words.
var counterRows = []struct {
	name  string
	value func(c *ns.Counters) uint64
}{
	{"Packets at NS Level  ( In)", func(c *ns.Counters) uint64 { return c.PacketsIn }},
	{"Packets at NS Level  (Out)", func(c *ns.Counters) uint64 { return c.PacketsOut }},
	{"Dropped Packets      (Out)", func(c *ns.Counters) uint64 { return c.PacketsOutDrop }},
	{"Bytes at NS Level    ( In)", func(c *ns.Counters) uint64 { return c.BytesIn }},
	{"Bytes at NS Level    (Out)", func(c *ns.Counters) uint64 { return c.BytesOut }},
	{"Dropped Bytes        (Out)", func(c *ns.Counters) uint64 { return c.BytesOutDrop }},
	{"NS-VC Block count         ", func(c *ns.Counters) uint64 { return c.Blocked }},
	{"NS-VC Unblock count       ", func(c *ns.Counters) uint64 { return c.Unblocked }},
	{"NS-VC gone dead count     ", func(c *ns.Counters) uint64 { return c.Dead }},
	{"NS-VC replaced other count", func(c *ns.Counters) uint64 { return c.Replaced }},
	{"NS-VC changed NSEI count  ", func(c *ns.Counters) uint64 { return c.NSEIChanged }},
	{"NS-VCI was invalid count  ", func(c *ns.Counters) uint64 { return c.InvalidNSVCI }},
	{"NSEI was invalid count    ", func(c *ns.Counters) uint64 { return c.InvalidNSEI }},
	{"ALIVE ACK missing count   ", func(c *ns.Counters) uint64 { return c.LostAlive }},
	{"RESET ACK missing count   ", func(c *ns.Counters) uint64 { return c.LostReset }},
}

func textCounters(w *writer, v *ns.VCState) {
	w.line("    NSVC Peer Statistics:")
	for _, r := range counterRows {
		w.line("     %s: %8d", r.name, r.value(&v.Counters))
	}
	w.line("     ALIVE response time       : %8d ms", v.AliveDelay.Milliseconds())
}

func textBinds(w *writer, s *gb.Snapshot, a vty.Args) {
	for i := range s.NS.Binds {
		b := &s.NS.Binds[i]
		vcs := vcsOf(s, b.Name)
		if b.Link == ns.LinkFR.String() {
			textLine(w, b, vcs)
			continue
		}
		at := b.Local.String()
		if b.Link == ns.LinkFRGRE.String() {
			at = b.Local.Addr().String()
		}
		w.line("%s bind: %s DSCP: %d Priority: %d", b.Link, at, b.DSCP, b.Priority)
		w.lineIf(b.Link == ns.LinkUDP.String(), "  IP-SNS signalling weight: %d data weight: %d", b.SigWeight, b.DataWeight)
		if b.Buffers != nil {
			w.line("  Socket buffers: receive %d send %d", b.Buffers.Receive, b.Buffers.Send)
		}
		w.lineIf(b.Segmentation, "  User data of one size and destination goes out together (UDP_SEGMENT)")
		w.lineIf(b.ControlSocket, "  NS control and signalling have a socket of their own")
		textAccept(w, b.Accept)
		w.line("  %d NS-VC:", len(vcs))
		for _, v := range vcs {
			textVC(w, s, v, hasStats(a))
		}
		textBindDrops(w, b)
	}
}

func textBindDrops(w *writer, b *ns.BindState) {
	for _, reason := range sortedKeys(b.Dropped) {
		w.lineIf(b.Dropped[reason] > 0, "  Dropped, %s: %d", reason, b.Dropped[reason])
	}
}

// textAccept tells an access list, if there is one.
func textAccept(w *writer, l ns.AccessList) {
	if len(l) == 0 {
		return
	}
	var prefixes []string
	for _, p := range l {
		prefixes = append(prefixes, p.String())
	}
	head := "  accepts "
	for _, line := range wrap(prefixes, ", ", screen-len(head)-1) {
		w.line("%s%s", head, line)
		head = strings.Repeat(" ", len(head))
	}
}

// vcsOf returns the NS-VCs on a bind.
func vcsOf(s *gb.Snapshot, bind string) (out []*ns.VCState) {
	for i := range s.NS.NSEs {
		for j := range s.NS.NSEs[i].VCs {
			if v := &s.NS.NSEs[i].VCs[j]; v.Bind == bind {
				out = append(out, v)
			}
		}
	}
	return out
}
