package main

import (
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolgw/lab"
	"poolgw/ns"
)

// The crowd is a thousand subscribers in eight cells of four BSSs, served by one
// osmo-sgsn through the gateway.
const (
	crowdBSSs  = 4
	crowdCells = 2 // of each BSS
	crowd      = 1000
)

// crowdBehaviour: an attach of somebody each 20 ms at first; then each subscriber
// is updated every 20 s, and sends, moves, calls and leaves now and then. Echoes
// do not come back: without a GGSN there is no PDP context.
var crowdBehaviour = lab.Behaviour{Start: 20 * time.Second, OldPTMSI: 0.5, Data: 20 * time.Second, LostAfter: 2 * time.Second,
	Leave: time.Minute, NewSIM: 0.3, Move: 45 * time.Second, Suspend: time.Minute, Away: 3 * time.Second, Retry: 5 * time.Second}

// newCrowd starts osmo-sgsn, which the gateway reaches by IP-SNS, the gateway, and
// the BSSs, of which half speak IP-SNS and half NS as ip.access ones do.
func newCrowd(t *testing.T) (*sgsnPool, []*lab.BSS) {
	t.Helper()
	p := &sgsnPool{t: t}
	for _, a := range []*netip.AddrPort{&p.core, &p.ran, &p.atMate} {
		*a = loopbackAt(freePort(t, "udp"))
	}
	own, link := ownLoopback(t), osmoLinks[2]
	p.osmo = newOsmoSGSN(t, own, link.lines(link.osmo, p.core)+"sgsn\n timer T3312 20\n")
	p.osmo.start()
	p.startGateway(link.lines(link.gateway, netip.MustParseAddrPort(own+":23000")) +
		" timer tns-alive-retries 10\n bind udp ran\n  accept-dynamic-ip-sns\n ip-sns-default bind ran\n")
	timers := ns.DefaultTimers()
	timers[ns.TnsAlive], timers[ns.TnsTest] = 1, 1
	reg := lab.NewRegister(10, nil)
	var bsss []*lab.BSS
	for i := range crowdBSSs {
		c := lab.BSSConfig{NSEI: uint16(2001 + i), Listen: freeAddr(t), Timers: &timers, Network: &ns.KernelUDP{}, Register: reg,
			Link:        lab.Link{Dialect: []ns.Dialect{ns.DialectIPAccess, ns.DialectSNS}[i%2], NSVCI: uint16(2001 + i), Remotes: []netip.AddrPort{p.ran}},
			Subscribers: crowd / crowdBSSs, FirstID: uint32(1 + i*crowd/crowdBSSs), FlowControl: time.Second, Seed: uint64(i), Behaviour: crowdBehaviour}
		for n := range crowdCells {
			c.Cells = append(c.Cells, lab.Cell{BVCI: uint16(1001 + 10*i + n), RAI: [6]byte{0x62, 0xf2, 0x24, 0x10, byte(i), byte(n)}, CI: uint16(n)})
		}
		bsss = append(bsss, lab.NewBSS(c))
	}
	lab.Connect(bsss...)
	for _, b := range bsss {
		if err := b.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Stop)
	}
	return p, bsss
}

// crowdCount is what BSSs and subscribers counted.
type crowdCount struct {
	ms         lab.MSCounters
	bss        lab.BSSCounters // of some fields the sum
	registered int
}

func countCrowd(bsss []*lab.BSS) (c crowdCount) {
	for _, b := range bsss {
		t := b.Truth()
		c.registered += t.States["registered"] + t.States["updating"]
		addFields(&c.ms, &t.MS)
		addFields(&c.bss, &t.BSS)
	}
	return c
}

// addFields adds counters field by field.
func addFields[T any](sum, more *T) {
	to, from := reflect.ValueOf(sum).Elem(), reflect.ValueOf(more).Elem()
	for i := range to.NumField() {
		to.Field(i).SetUint(to.Field(i).Uint() + from.Field(i).Uint())
	}
}

// TestOsmoSGSNCrowd has a thousand subscribers attach at osmo-sgsn through the
// gateway, be updated, send, move, call, leave and come again for a minute, or as
// long as POOLGW_SOAK says. Nobody is refused or lost, and when all is silent the
// BSSs, the gateway and osmo-sgsn have counted the same.
func TestOsmoSGSNCrowd(t *testing.T) {
	t.Parallel()
	p, bsss := newCrowd(t)
	for end := time.Now().Add(soakTime(t)); time.Now().Before(end); time.Sleep(time.Second) {
		select {
		case <-p.osmo.done:
			t.Fatalf("osmo-sgsn ended: %v\n%s", p.osmo.cmd.ProcessState, tail(p.osmo.log.String()))
		default:
		}
	}
	p.quiet()
	for _, b := range bsss {
		b.Stop() // silently: the gateway finds out when it tests the NS-VCs next
	}
	slow := p.sameBooks()
	c := countCrowd(bsss)
	known := len(mmContext.FindAllString(p.osmo.run("show mm-context all"), -1))
	t.Logf("%d registered, osmo-sgsn knows %d and was too slow for %d datagrams; %+v; %+v", c.registered, known, slow, c.ms, c.bss)
	c.check(t, known, slow)
	if t.Failed() {
		t.Log(tail(p.osmo.log.String()))
	}
}

// check judges what happened; slow is how many datagrams osmo-sgsn did not read.
func (c *crowdCount) check(t *testing.T, known int, slow uint64) {
	t.Helper()
	ms, b := &c.ms, &c.bss
	if ms.Attaches < crowd || ms.RAUs < crowd || ms.Detaches < crowd/10 || ms.Sent < crowd || b.SuspendAcks < crowd/10 {
		t.Error("too little happened")
	}
	if c.registered < crowd*85/100 || known < c.registered*95/100 || known > crowd {
		t.Error("who is registered?")
	}
	if n := ms.AttachRejects + ms.NetDetaches + ms.GaveUp + ms.Unintelligible; n != 0 || ms.RAURejects > ms.Retries {
		t.Error("subscribers were refused or lost")
	}
	if n := b.WrongCell + b.UnknownBVC + b.Malformed + b.NotReady + b.Statuses + b.SIGResets + b.PTPResets + b.Alarms + b.Failures +
		b.Others; n != 0 || b.UnknownTLLI > ms.Moves {
		t.Error("BSSs were disturbed")
	}
	// osmo-sgsn has two seconds for an answer, and refuses whose attach it missed
	if b.SuspendNacks+b.ResumeNacks > slow || b.SuspendUnanswered > ms.Suspends/50 {
		t.Error("calls did not suspend as they should")
	}
}

// entry is what one side counted of a BVC or NSE, seen from the gateway: PDUs to
// and from osmo-sgsn, octets to and from it.
type entry [4]uint64

// osmoEntry finds a group in osmo-sgsn's "show rate-counters".
func osmoEntry(text, group string) (e entry, ok bool) {
	_, text, ok = strings.Cut(text, group+":")
	for i, name := range []string{"packets:in", "packets:out", "bytes:in", "bytes:out"} {
		m := regexp.MustCompile(`(?m)^ +` + name + `: +(\d+) `).FindStringSubmatch(text)
		if m == nil {
			return e, false
		}
		e[i], _ = strconv.ParseUint(m[1], 10, 64)
	}
	return e, ok
}

// books are the gateway's counters of osmo-sgsn by the names of osmo-sgsn's
// groups.
func (p *sgsnPool) books() map[string]entry {
	p.t.Helper()
	books := map[string]entry{}
	for _, v := range p.sgsn(101).BVCs {
		if v.BVCI != 0 {
			books[fmt.Sprint("BSSGP Peer Statistics ", v.BVCI)] = entry{v.ToPDUs, v.FromPDUs, v.ToBytes, v.FromBytes}
		}
	}
	var snap ns.Snapshot
	p.ask("show ns json", &snap)
	for _, n := range snap.NSEs {
		if c := n.Counters; n.NSEI == 101 {
			books[crowdNSE] = entry{c.PacketsOut, c.PacketsIn, c.BytesOut, c.BytesIn}
		}
	}
	return books
}

const crowdNSE = "NSE Peer Statistics 101"

// quiet makes the gateway and osmo-sgsn test their NS-VCs once a minute, so that
// nothing moves while their counters are read, however long that takes.
func (p *sgsnPool) quiet() {
	p.t.Helper()
	const rarely = "timer tns-test 60"
	p.osmo.run("enable", "configure terminal", "ns", rarely)
	for _, c := range []string{"enable", "configure terminal", "ns", rarely, "end"} {
		if out, err := p.c.Run(c); err != nil || strings.HasPrefix(out, "%") {
			p.t.Fatalf("%s: %v %s", c, err, out)
		}
	}
}

// sameBooks compares them in a moment when nothing moves, in PDUs and octets of NS
// and of each BVC: what the gateway sent is what osmo-sgsn got and what the kernel
// dropped, which is returned, since osmo-sgsn was too slow. On a BVC osmo-sgsn
// does not count its FLOW-CONTROL-BVC-ACKs, of four octets.
func (p *sgsnPool) sameBooks() (slow uint64) {
	p.t.Helper()
	within(p.t, 3*time.Minute, func() string {
		ours := p.books()
		text := p.osmo.run("show rate-counters")
		slow = kernelDrops(p.t, netip.MustParseAddrPort(p.osmo.addr+":23000"))
		if !maps.Equal(ours, p.books()) || len(ours) != crowdBSSs*crowdCells+1 {
			return fmt.Sprintf("it is never quiet: %v", ours)
		}
		var missing [2]uint64 // of NS, of all BVCs
		for group, e := range ours {
			theirs, ok := osmoEntry(text, group)
			acks, less := e[1]-theirs[1], e[0]-theirs[0]
			if !ok || e[3]-theirs[3] != 4*acks || acks > e[0] || less > slow || less == 0 && theirs[2] != e[2] || group == crowdNSE && acks != 0 {
				return fmt.Sprintf("%s: %v, at the gateway %v, %d missed", group, theirs, e, slow)
			}
			if group == crowdNSE {
				missing[0] = less
			} else {
				missing[1] += less
			}
		}
		if missing[0] != slow || missing[1] > slow {
			return fmt.Sprintf("osmo-sgsn lacks %d PDUs, %d of them of BVCs; the kernel dropped %d", missing[0], missing[1], slow)
		}
		p.t.Logf("PDUs and octets to and from osmo-sgsn: %v", ours)
		return ""
	})
	return slow
}
