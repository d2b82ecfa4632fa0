package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestOsmoSGSN has subscribers served by osmo-sgsn through poolgw over each
// kind of NS that it knows, and goes on when it was killed.
func TestOsmoSGSN(t *testing.T) {
	for _, link := range osmoLinks {
		t.Run(link.name, func(t *testing.T) {
			t.Parallel()
			p := newSGSNPool(t, link, nil)
			p.bringUp()
			p.serves()
			p.pages()
			p.undisturbed()

			p.osmo.kill()
			p.until("the gateway finds osmo-sgsn down", func() bool { return !p.sgsn(101).Up })
			p.osmo.start()
			p.bringUp()
			p.serves()

			// so quickly that static NS does not notice
			p.osmo.kill()
			p.osmo.start()
			p.bringUp()
			p.serves()
			p.unnoticed()
		})
	}
}

// bringUp waits until both sides find NS and BVCs up.
func (p *sgsnPool) bringUp() {
	p.t.Helper()
	p.until("poolgw has all BVCs of both SGSNs unblocked", func() bool { return p.up(101) && p.up(102) })
	p.until("osmo-sgsn has an NS-VC unblocked and alive", func() bool {
		return osmoNSVC.MatchString(p.osmo.run("show ns"))
	})
	p.until("osmo-sgsn has both cells' BVCs unblocked", func() bool {
		out := p.osmo.run("show bssgp")
		for _, want := range osmoBVCs {
			if !strings.Contains(out, want) {
				return false
			}
		}
		return true
	})
}

// osmo-sgsn lists BVCI 0 only after a reset by the gateway, not after its own.
var (
	osmoNSVC = regexp.MustCompile(`UNBLOCKED .* ALIVE since`)
	osmoBVCs = []string{
		"BVCI  1001, RA-ID: 262-42-4096-1, CID: 1, STATE: UNBLOCKED",
		"BVCI  1002, RA-ID: 262-42-4096-2, CID: 2, STATE: UNBLOCKED"}
)

// mmContext reads in "show mm-context all" what stands of a subscriber: IMSI,
// IMEI, GMM state. It is NORMAL when the attach complete came.
var mmContext = regexp.MustCompile(`(?s)MM Context for IMSI (\d+), IMEI (\d*),.*?GMM State: ([\w.]+),`)

// serves waits until this osmo-sgsn has had each subscriber registered, with the
// IMEI that it asked for, and each was updated, periodically and from another
// routing area, and suspended and detached.
func (p *sgsnPool) serves() {
	p.t.Helper()
	before := p.bss.Truth()
	log := len(p.osmo.log.String())
	seen := map[string]bool{}
	p.until("osmo-sgsn has served all subscribers", func() bool {
		for _, m := range mmContext.FindAllStringSubmatch(p.osmo.run("show mm-context all"), -1) {
			if m[3] == "Registered.NORMAL" && m[2] == "35000000"+m[1][9:]+"0" {
				seen[m[1]] = true
			}
		}
		return len(seen) == osmoSubscribers
	})
	p.until("subscribers are updated, suspended and detached", func() bool {
		now, log := p.bss.Truth(), p.osmo.log.String()[log:]
		return now.MS.RAUs >= before.MS.RAUs+osmoSubscribers && now.MS.Detaches > before.MS.Detaches &&
			now.BSS.SuspendAcks > before.BSS.SuspendAcks && now.BSS.ResumeAcks > before.BSS.ResumeAcks &&
			strings.Contains(log, `RA UPDATE REQUEST type="periodic updating"`) &&
			strings.Contains(log, `RA UPDATE REQUEST type="RA updating"`)
	})
}

// pages has osmo-sgsn page a subscriber.
func (p *sgsnPool) pages() {
	p.t.Helper()
	p.until("a paged subscriber answers", func() bool {
		m := mmContext.FindStringSubmatch(p.osmo.run("show mm-context all"))
		if m != nil {
			p.osmo.run("enable", "page imsi "+m[1])
		}
		return p.bss.Truth().MS.Pagings > 0
	})
}

// undisturbed checks the books while osmo-sgsn was there all the time.
func (p *sgsnPool) undisturbed() {
	p.t.Helper()
	// an update that is repeated from a new routing area is refused
	if now := p.bss.Truth().MS; now.RAURejects > now.Retries || now.AttachRejects != 0 || now.NetDetaches != 0 || now.GaveUp != 0 {
		p.t.Errorf("somebody was refused: %+v\n%s", now, tail(p.osmo.log.String()))
	}
}

// unnoticed checks that the BSS knows nothing of restarts, and that nobody came
// to the member that is drained.
func (p *sgsnPool) unnoticed() {
	p.t.Helper()
	now := p.bss.Truth()
	if b := now.BSS; b.SIGResets+b.PTPResets+b.Statuses+b.Alarms+b.Failures+b.Malformed+b.UnknownBVC+b.UnknownTLLI != 0 {
		p.t.Errorf("the BSS noticed something: %+v", b)
	}
	if now.FlowAcked != 2 || now.MS.Unintelligible != 0 {
		p.t.Errorf("at the end: %+v", now)
	}
	if mate := p.mate.Truth().SGSN; mate.ULUnitdata != 0 {
		p.t.Errorf("somebody came to the drained SGSN: %+v", mate)
	}
}
