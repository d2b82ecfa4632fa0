package ns

import (
	"fmt"
	"strings"
	"time"
)

// Readings are the counters of the stack at one moment.
type Readings struct {
	VCs   []VCReading
	NSEs  []NSEReading
	Binds []BindReading
}

// VCReading is an NS-VC's. Index counts NS-VCs in the order of their making and
// is never used again; ID is as in VC.ID.
type VCReading struct {
	Index      uint32
	ID         string
	Counters   Counters
	AliveDelay time.Duration // of the last NS-ALIVE
}

// NSEReading is an NSE's, over the NS-VCs it had.
type NSEReading struct {
	NSEI     uint16
	Counters Counters
}

// BindReading is a bind's. Backlog is the most PDUs of the loop that waited at
// once to be sent, since the last reading; user data never waits.
type BindReading struct {
	Index   uint32
	Name    string
	Backlog int
}

// Readings reads the counters: NSEs by NSEI, their NS-VCs in the order of their
// making, binds in the order of the configuration.
func (s *Stack) Readings() (r Readings) {
	for _, n := range s.sortedNSEs() {
		c := n.past
		for _, v := range n.vcs {
			vc := VCReading{v.index, v.ID(), v.count(), v.delay}
			c.add(vc.Counters)
			r.VCs = append(r.VCs, vc)
		}
		r.NSEs = append(r.NSEs, NSEReading{n.nsei, c})
	}
	for i, c := range s.cfg.Binds {
		if b := s.binds[c.Name]; b != nil {
			r.Binds = append(r.Binds, BindReading{uint32(i), c.Name, max(b.out.most, b.out.n)})
			b.out.most = 0
		}
	}
	return r
}

// ID names the NS-VC by its NSEI, NSVCI if it has one, and addresses, in
// letters that no statistics format minds:
// "NSE00101-NSVC-UDP-127_0_0_10:23000-127_0_0_20:24000",
// "NSE00101-NSVC00101-FR-hdlc0-DLCI16".
func (v *VC) ID() string {
	id := ""
	if v.hasNSVCI {
		id = fmt.Sprintf("%05d", v.nsvci)
	}
	if v.id.text == "" || v.id.nsvci != id {
		v.id.nsvci = id
		v.id.text = fmt.Sprintf("NSE%05d-NSVC%s-%s-%s", v.nse.nsei, id, v.bind.cfg.Link, identifier(v.ends()))
	}
	return v.id.text
}

func (v *VC) ends() string {
	switch v.bind.cfg.Link {
	case LinkFR:
		return fmt.Sprintf("%s-DLCI%d", v.bind.cfg.FRNetIf, v.remote.Port())
	case LinkFRGRE:
		return fmt.Sprintf("%s-%s-DLCI%d", v.bind.local.Addr(), v.remote.Addr(), v.remote.Port())
	}
	return fmt.Sprintf("%s-%s", v.bind.local, v.remote)
}

func (n *NSE) snsID() string { return fmt.Sprintf("NSE%05d-SNS", n.nsei) }

// vcID keeps what ID made, and of which NSVCI.
type vcID struct{ text, nsvci string }

// identifier makes an address one word: no dots, which separate, nor brackets.
func identifier(addr string) string {
	return strings.NewReplacer(".", "_", "[", "", "]", "", "%", "_").Replace(addr)
}
