package main

import (
	"net/netip"
	"testing"

	"poolgw/ns"
)

// TestOsmoSGSNJudgedByTshark captures subscribers who attach at osmo-sgsn
// through the gateway, on both of its sides: tshark must find as many NS PDUs
// of the gateway as this says it sent, BSSGP in each NS-UNITDATA, and nothing to
// complain of but what the test broke.
func TestOsmoSGSNJudgedByTshark(t *testing.T) {
	t.Parallel()
	var c *capture
	p := newSGSNPool(t, osmoLinks[0], func(core, ran netip.AddrPort) { c = newCapture(t, core, ran) })
	p.bringUp()
	p.until("subscribers are attached and updated", func() bool {
		ms := p.bss.Truth().MS
		return ms.Attaches >= osmoSubscribers && ms.RAUs >= osmoSubscribers
	})
	// All but the gateway falls silent, so that its counters stand still.
	p.bss.Stop()
	p.mate.Stop()
	p.osmo.kill()
	var snap ns.Snapshot
	p.ask("show ns json", &snap)
	p.gw.cmd.Process.Kill()
	<-p.gw.done
	c.send(brokenPDU)
	// UNITDATA, ALIVE and ALIVE-ACK on both sides; to the BSS RESET-ACK and
	// UNBLOCK-ACK
	judgeFrames(t, c, &snap, []string{"00", "0a", "0b", "03", "07"})
}
