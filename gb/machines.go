package gb

import (
	"context"
	"fmt"
	"time"

	"poolgw/ns"
)

// BVCClass is the class of the BVCs' state machines, by its name in libosmogb.
const BVCClass = "BSSGP-BVC"

// MachineClasses are the classes of state machines there may be.
var MachineClasses = []string{BVCClass, ns.VCClass, ns.SNSClassBSS, ns.SNSClassSGSN}

// Machines returns the state machines: the BVCs of the BSSs, then of the SGSNs,
// with IDs such as "NSE02001-BVC00002", then those of the NS layer.
func (g *Gateway) Machines(ctx context.Context) (list []ns.Machine, err error) {
	err = g.do(ctx, func(now time.Time) {
		g.allBVCs().each(func(b *bvc) { list = append(list, b.machine(now)) })
		list = append(list, g.stack.Machines(now)...)
	})
	return list, err
}

func (b *bvc) machine(now time.Time) ns.Machine {
	m := ns.Machine{Class: BVCClass, ID: fmt.Sprintf("NSE%05d-BVC%05d", b.peer.nsei, b.bvci), State: b.State().String(),
		Timer: b.fsm.Timer(), Left: -1}
	if m.Timer != 0 {
		m.Left = max(0, b.fsm.Deadline().Sub(now))
	}
	return m
}
