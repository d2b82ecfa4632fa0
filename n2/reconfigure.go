package n2

import (
	"bytes"
	"slices"
	"time"

	"poolgw/ngap"
)

// reconfigure follows a change of the configuration.
func (g *gnb) reconfigure(now time.Time) {
	g.legChanged()
	d := g.gw.dir.Load()
	if !slices.ContainsFunc(d.cfg.Binds, func(b Bind) bool { return b.Name == g.bind }) || !d.cfg.Enabled {
		g.log.Info("the gNB's bind is gone: association ended", "bind", g.bind)
		g.state = gnbGone
		return
	}
	if d.ids != g.ids {
		g.log.Warn("AMF UE NGAP IDs are made in another way: association ended")
		g.state = gnbGone
		return
	}
	if g.state == gnbSetup || g.state == gnbUp {
		g.addLegs(now)
		g.poolChanged(now)
	}
}

// probeLater asks an idle AMF, every so often, whether it still speaks NGAP: by a
// RAN Configuration Update that changes nothing. One that does not answer is
// given up, since SCTP alone can live without it.
func (g *gnb) probeLater(l *leg, now time.Time) {
	every := g.gw.dir.Load().cfg.Probe
	if every <= 0 {
		return
	}
	trial := l.trial
	g.timers.set(legTimer{l, legProbeTimer}, now, every, func(now time.Time) {
		if l.trial != trial || l.state != legUp || g.gw.dir.Load().cfg.Probe <= 0 {
			return
		}
		if l.probed {
			g.legLost(l, errNoAnswer, now)
			return
		}
		if g.ranUpdate == nil {
			l.probed = true
			g.originate(l.link, 0, g.probe())
		}
		g.probeLater(l, now)
	})
}

// probe is a RAN Configuration Update with the gNB's areas as they are.
func (g *gnb) probe() []byte {
	var p, s ngap.PDU
	p.New(ngap.CodeRANConfigurationUpdate, ngap.Initiating)
	if s.Walk(g.node.setup) == nil {
		if v, ok := s.Value(ngap.IESupportedTAList); ok {
			p.Add(ngap.IESupportedTAList, ngap.Reject, bytes.Clone(v))
		}
	}
	return p.Append(nil)
}
