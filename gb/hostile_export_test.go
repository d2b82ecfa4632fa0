package gb

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// View is what the tests of hostile input look at: the sizes of all that PDUs
// might make grow, and the state of some cells' BVCs.
type View struct {
	Cells, BVCs, TLLIs, IMSIs, Timers, NSEs, Retired, Queued int
	States                                                   string
}

// View looks at the gateway in its loop.
func (g *Gateway) View(bvcis ...uint16) (v View) {
	_ = g.do(context.Background(), func(time.Time) {
		v = View{Cells: len(g.byBVCI), TLLIs: g.memory.suspends.len() + g.memory.resumes.len(),
			IMSIs: g.memory.pagings.len() + g.memory.enquiries.len(), Timers: len(g.timers.h),
			NSEs: len(g.peers)}
		var s strings.Builder
		for _, sg := range g.cfg.SGSNs {
			m := g.members[sg.NSEI]
			v.BVCs, v.Retired, v.Queued = v.BVCs+len(m.bvcs), v.Retired+len(m.retired), v.Queued+len(m.resets.queue)
			fmt.Fprintf(&s, "%v ", m.up)
		}
		for _, p := range g.bssList() {
			v.BVCs += len(p.bvcs)
			fmt.Fprintf(&s, "%d:%v ", p.nsei, p.sig != nil)
		}
		for _, bvci := range bvcis {
			s.WriteString(g.cellStates(bvci))
		}
		v.States = s.String()
	})
	return v
}

// cellStates tells the BSS of a cell, the state of its end and of those at the
// members, in configuration order.
func (g *Gateway) cellStates(bvci uint16) string {
	c := g.cellOf(bvci)
	if c == nil {
		return fmt.Sprintf("%d none ", bvci)
	}
	s := fmt.Sprintf("%d@%d", bvci, c.nsei)
	if b := c.bss.Load(); b != nil {
		s += " " + b.State().String()
	}
	s += "/"
	for _, sg := range g.cfg.SGSNs {
		if l := c.link(g.members[sg.NSEI].slot); l != nil {
			s += l.State().String() + ","
		}
	}
	return s + " "
}
