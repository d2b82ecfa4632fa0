package gb

import (
	"slices"
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
	m.cell.flow = keepable(f).Append(m.cell.flow[:0])
	m.cell.links(func(l *bvc) {
		if l.unblocked() {
			g.sendFlow(l, f)
		}
	})
	return done
}

// maxKept bounds the further IEs of a cell's flow control that are kept, in
// octets of their values: they are repeated to SGSNs that restart.
const maxKept = 256

// keepable is f with no more further IEs than may be kept.
func keepable(f bssgp.FlowControlBVC) *bssgp.FlowControlBVC {
	sum := 0
	for i, ie := range f.Other {
		if sum += len(ie.Value); sum > maxKept {
			f.Other = f.Other[:i]
			break
		}
	}
	return &f
}

// flowControlAck ends the SGSNs' acknowledges.
func (g *Gateway) flowControlAck(*message) outcome { return done }

// sendFlow sends a cell's flow control, scaled to the SGSN's share.
func (g *Gateway) sendFlow(l *bvc, f bssgp.FlowControlBVC) {
	f = forSGSN(f.Scale(g.share(l.member)), l.peer)
	pdu := f.Append(nil)
	g.send(l.peer, l.bvci, 0, pdu)
}

// forSGSN leaves out what is there only by a feature that the SGSN lacks: the
// bucket full ratio (CBL), and steps other than of 100 (GBIT, TS 48.018 10.4.4).
func forSGSN(f bssgp.FlowControlBVC, sgsn *peer) bssgp.FlowControlBVC {
	if sgsn.lacksAny(bssgp.FeatGBIT) {
		f.Granularity, f.HasGranularity = 0, false
	}
	if sgsn.lacksAny(bssgp.FeatCBL) {
		f.Other = slices.DeleteFunc(slices.Clone(f.Other), func(ie bssgp.IE) bool {
			return ie.IEI == bssgp.IEBucketFullRatio
		})
	}
	return f
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
