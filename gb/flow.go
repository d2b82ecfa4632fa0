package gb

import (
	"time"

	"poolgw/bssgp"
)

// flowControl is the rule of FLOW-CONTROL-BVC: the BSS has its acknowledge from
// us at once, each SGSN its share (TS 48.018 8.2).
func (g *Gateway) flowControl(m *message) outcome {
	f, ok := bssgp.DecodeFlowControlBVC(m.pdu)
	if !ok {
		return refused(dropMalformed, bssgp.CauseInvalidMandatoryInformation)
	}
	g.send(m.from, m.bvci, 0, bssgp.AppendFlowControlBVCAck(nil, f.Tag))
	m.cell.flow = append(m.cell.flow[:0], m.pdu...)
	m.cell.links(func(l *bvc) {
		if l.unblocked() {
			g.sendFlow(l, f)
		}
	})
	return done
}

// flowControlAck ends the SGSNs' acknowledges.
func (g *Gateway) flowControlAck(*message) outcome { return done }

// sendFlow sends a cell's flow control, scaled to the SGSN's share.
func (g *Gateway) sendFlow(l *bvc, f bssgp.FlowControlBVC) {
	f = f.Scale(g.share(l.member))
	pdu := f.Append(nil)
	g.send(l.peer, l.bvci, 0, pdu)
}

// resendFlow sends the saved flow control of the cell to an SGSN that has not
// heard it: it sends no downlink before. The tag is ours.
func (g *Gateway) resendFlow(l *bvc) {
	if l.cell == nil || l.cell.flow == nil {
		return
	}
	if f, ok := bssgp.DecodeFlowControlBVC(l.cell.flow); ok {
		l.tag++
		f.Tag = l.tag
		g.sendFlow(l, f)
	}
}

// share is what an SGSN may fill of each cell, percent 1..100: the configured
// ratio, or its weight among the live SGSNs that take subscribers.
func (g *Gateway) share(m *member) uint8 {
	if !g.cfg.FlowControlAuto {
		return g.cfg.FlowControlRatio
	}
	sum := uint64(0)
	for _, o := range g.directory.Load().members {
		if o.up && o.cfg.AllowAttach {
			sum += uint64(o.cfg.Weight)
		}
	}
	if !m.cfg.AllowAttach || sum == 0 || m.cfg.Weight == 0 {
		return 100 // it may still have most of the subscribers, or be alone
	}
	return uint8(max(1, uint64(m.cfg.Weight)*100/sum))
}

// flowEvery is the least time between two FLOW-CONTROL-BVC of one BVC (C, TS
// 48.018 8.2.3: at most one each C seconds).
const flowEvery = time.Second

// sharesChanged sends the flow control of all cells again, soon and once, after
// the shares have changed.
func (g *Gateway) sharesChanged(now time.Time) {
	if !g.cfg.FlowControlAuto && !g.ratioChanged || g.flowPending {
		return
	}
	g.flowPending = true
	g.timers.at(now.Add(flowEvery), func(time.Time) {
		g.flowPending, g.ratioChanged = false, false
		for _, m := range g.members {
			for _, l := range m.bvcs {
				if l.unblocked() {
					g.resendFlow(l)
				}
			}
		}
	})
}
