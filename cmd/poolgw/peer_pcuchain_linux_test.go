package main

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolgw/gb"
	"poolgw/lab"
	"poolgw/ns"
	"poolgw/vty"
)

// The chain BSS (osmo-pcu) - poolgw - SGSN. Each of its three links is killed
// and comes back; nobody types a command.

// pcuSGSN is the far end of a chain.
type pcuSGSN interface {
	start()
	kill()
	// nse is the gateway's NSE of it.
	nse() string
	// cell tells the state of the cell's BVC, and how many FLOW-CONTROL-BVCs of
	// it came since the start.
	cell() (state string, flows int)
}

// pcuChain is a chain.
type pcuChain struct {
	t     *testing.T
	file  string
	port  int
	reset string
	gw    *process
	c     *vty.Client
	pcu   *osmoPCU
	sgsn  pcuSGSN
}

const pcuChainConfig = `line vty
 no login
 bind 127.0.0.1 VTYPORT
ctrl
 bind 127.0.0.1 CTRLPORT
log stderr
 logging level set-all info
gbproxy
 pool sgsn-reset RESET
sgsn nsei 101
 nri add 0 1023
ns
 timer tns-test 1
 timer tns-alive 1
 timer tns-alive-retries 2
 timer tsns-prov 1
 bind udp core
  listen 127.0.0.1 CORE
 bind udp ran
  listen 127.0.0.1 RAN
  accept-ipaccess
  accept-dynamic-ip-sns
 ip-sns-default bind ran
 nse 101
`

// pcuChainOptions are what differs between chains.
type pcuChainOptions struct {
	dialect string                               // of the PCU
	reset   string                               // what an SGSN's restart does to the BSS: isolate, propagate
	sgsn    func(gateway netip.AddrPort) pcuSGSN // the SGSN for the gateway's address toward it
	watch   func(core, ran netip.AddrPort)       // called before anything is sent; may be nil
}

// newPCUChain starts a chain, the SGSN first.
func newPCUChain(t *testing.T, o pcuChainOptions) *pcuChain {
	t.Helper()
	at := func(port int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))
	}
	core, ran := at(freePort(t, "udp")), at(freePort(t, "udp"))
	p := &pcuChain{t: t, reset: o.reset, port: freePort(t, "tcp"), sgsn: o.sgsn(core),
		pcu: newOsmoPCU(t, pcuOptions{dialect: o.dialect, gateway: ran})}
	text := strings.NewReplacer("VTYPORT", strconv.Itoa(p.port), "CTRLPORT", strconv.Itoa(freePort(t, "tcp")),
		"CORE", strconv.Itoa(int(core.Port())), "RAN", strconv.Itoa(int(ran.Port())), "RESET", o.reset).Replace(pcuChainConfig)
	p.file = writeFile(t, text+p.sgsn.nse())
	t.Cleanup(p.tell)
	if o.watch != nil {
		o.watch(core, ran)
	}
	p.sgsn.start()
	p.startGateway()
	p.pcu.start()
	return p
}

func (p *pcuChain) startGateway() {
	p.t.Helper()
	p.gw = start(p.t, "-c", p.file)
	p.gw.running(p.t)
	p.c = dialVTY(p.t, p.port)
}

func (p *pcuChain) killGateway() {
	p.gw.cmd.Process.Kill()
	<-p.gw.done
}

// tell prints the logs of a chain that failed.
func (p *pcuChain) tell() {
	if p.t.Failed() && p.gw != nil && p.pcu != nil {
		p.t.Logf("poolgw's log:\n%s\nosmo-pcu's log:\n%s", &p.gw.err, &p.pcu.log)
	}
}

func (p *pcuChain) ask(cmd string, into any) {
	p.t.Helper()
	out, err := p.c.Run(cmd)
	if err == nil {
		err = json.Unmarshal([]byte(out), into)
	}
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// side tells what is wrong with one side of the gateway: the NSE must be alive
// and have the signalling BVC and the cell's, the latter in state.
func (p *pcuChain) side(side string, nsei uint16, state string) string {
	p.t.Helper()
	var nses []gb.BSSState
	p.ask("show gbproxy bvc "+side+" json", &nses)
	if len(nses) != 1 || nses[0].NSEI != nsei || !nses[0].Alive || len(nses[0].BVCs) != 2 {
		return fmt.Sprintf("%s side: %+v", side, nses)
	}
	sig, cell := nses[0].BVCs[0], nses[0].BVCs[1]
	if sig.BVCI != 0 || sig.State != "UNBLOCKED" || cell.BVCI != pcuBVCI || cell.State != state || cell.RAI != pcuRAI || cell.CI != pcuCI {
		return fmt.Sprintf("%s side: %+v", side, nses)
	}
	return ""
}

// up waits until the whole chain is unblocked and fresh flow control has gone
// all the way and was acknowledged at both sides of the gateway.
func (p *pcuChain) up(what string, d time.Duration) {
	p.t.Helper()
	_, flows := p.sgsn.cell()
	acks, fromSGSN, began := p.pcu.acks(), p.fromSGSN(), time.Now()
	within(p.t, d, func() string {
		if wrong := p.side("bss", pcuNSEI, "UNBLOCKED"); wrong != "" {
			return what + ": " + wrong
		}
		if wrong := p.side("sgsn", 101, "UNBLOCKED"); wrong != "" {
			return what + ": " + wrong
		}
		state, n := p.sgsn.cell()
		if state != "UNBLOCKED" || n <= flows || p.pcu.acks() <= acks || p.fromSGSN() <= fromSGSN {
			return fmt.Sprintf("%s: at the SGSN the cell is %q; %d flow controls (before: %d), %d acknowledged by it (%d), %d to the PCU (%d)",
				what, state, n, flows, p.fromSGSN(), fromSGSN, p.pcu.acks(), acks)
		}
		return ""
	})
	p.t.Logf("%s: all unblocked after %v", what, time.Since(began).Round(100*time.Millisecond))
}

// fromSGSN counts the SGSN's PDUs on the cell's BVC: without subscribers these
// are acknowledgements of flow control.
func (p *pcuChain) fromSGSN() (n uint64) {
	p.t.Helper()
	var nses []gb.BSSState
	p.ask("show gbproxy bvc sgsn json", &nses)
	for _, s := range nses {
		for _, v := range s.BVCs {
			if v.BVCI == pcuBVCI {
				n += v.FromPDUs
			}
		}
	}
	return n
}

// run kills each link in turn.
func (p *pcuChain) run() {
	p.t.Helper()
	p.up("start", 30*time.Second)

	p.pcu.kill()
	within(p.t, 60*time.Second, func() string {
		if wrong := p.side("sgsn", 101, "BLOCKED"); wrong != "" {
			return "the PCU is dead: " + wrong
		}
		if state, _ := p.sgsn.cell(); state != "BLOCKED" {
			return "the PCU is dead, but at the SGSN its cell is " + state
		}
		return ""
	})
	p.pcu.start()
	p.up("PCU killed", 30*time.Second)

	p.sgsn.kill()
	acks, resets := p.pcu.acks(), p.pcu.resets()
	within(p.t, 60*time.Second, func() string {
		var pool gb.PoolState
		if p.ask("show pool json", &pool); pool.SGSNs[0].Up || p.pcu.acks() < acks+3 {
			return fmt.Sprintf("the SGSN is dead: up %v, flow control of the PCU acknowledged %d times", pool.SGSNs[0].Up, p.pcu.acks()-acks)
		}
		return p.side("bss", pcuNSEI, "UNBLOCKED")
	})
	p.sgsn.start()
	p.up("SGSN killed", 30*time.Second)
	if n := p.pcu.resets() - resets; n > 0 != (p.reset == "propagate") {
		p.t.Errorf("%d BVC-RESETs at the PCU when the SGSN had restarted: not %s", n, p.reset)
	}

	p.killGateway()
	p.startGateway()
	p.up("gateway killed", 40*time.Second)
	if st := p.pcu.bts.Status(); st.Sessions != 2 || st.Malformed+st.Alerts > 0 {
		p.t.Errorf("the BTS saw %+v", st)
	}
}

// TestOsmoPCU has the lab's SGSN at the other end.
func TestOsmoPCU(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pcu, reset string
		sgsn       ns.Dialect
	}{{"classic", "isolate", ns.DialectStaticAlive}, {"ip-sns", "propagate", ns.DialectSNS}} {
		t.Run(tt.pcu, func(t *testing.T) {
			t.Parallel()
			newPCUChain(t, pcuChainOptions{dialect: tt.pcu, reset: tt.reset,
				sgsn: func(gw netip.AddrPort) pcuSGSN { return newLabSGSN(t, tt.sgsn, gw) }}).run()
		})
	}
}

// TestOsmoPCUAndSGSN has nothing of ours but the gateway.
func TestOsmoPCUAndSGSN(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"classic", "ip-sns"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			newPCUChain(t, pcuChainOptions{dialect: dialect, reset: "isolate", sgsn: osmoSGSNFor(t, dialect)}).run()
		})
	}
}

// chainNS has node ns of both sides of the core: osmo-sgsn's lines about the
// gateway, and the gateway's about osmo-sgsn. There is no ip.access toward an
// SGSN: a classic PCU goes with a static NS-VC.
var chainNS = map[string]struct{ theirs, ours string }{
	"classic": {" nse 101\n  nsvc udp local 127.0.0.1 PORT\n", "  nsvc udp core ADDR 23000\n"},
	"ip-sns":  {"  accept-dynamic-ip-sns\n ip-sns-default bind local\n", "  ip-sns-bind core\n  ip-sns-remote ADDR 23000\n"},
}

// osmoSGSNFor makes osmo-sgsns for chains of a dialect.
func osmoSGSNFor(t *testing.T, dialect string) func(netip.AddrPort) pcuSGSN {
	return func(gw netip.AddrPort) pcuSGSN {
		t.Helper()
		addr, lines := ownLoopback(t), chainNS[dialect]
		theirs := strings.ReplaceAll(lines.theirs, "PORT", strconv.Itoa(int(gw.Port())))
		return chainOsmoSGSN{newOsmoSGSN(t, addr, theirs), strings.ReplaceAll(lines.ours, "ADDR", addr)}
	}
}

// chainLabSGSN is the lab's SGSN in a chain.
type chainLabSGSN struct {
	t      *testing.T
	s      *lab.SGSN
	lines  string
	before uint64
}

func newLabSGSN(t *testing.T, d ns.Dialect, gateway netip.AddrPort) *chainLabSGSN {
	t.Helper()
	timers := ns.DefaultTimers()
	timers[ns.TnsAlive], timers[ns.TnsAliveRetries], timers[ns.TnsTest] = 1, 2, 1
	listen := netip.AddrPortFrom(gateway.Addr(), uint16(freePort(t, "udp")))
	cfg := lab.SGSNConfig{NSEI: 101, Listen: []netip.AddrPort{listen}, Timers: &timers,
		Network: &ns.KernelUDP{}, Register: lab.NewRegister(10, nil)}
	lines := fmt.Sprintf("  ip-sns-bind core\n  ip-sns-remote 127.0.0.1 %d\n", listen.Port())
	if cfg.Dynamic = d == ns.DialectSNS; !cfg.Dynamic {
		cfg.Links = []lab.Link{{NSEI: 101, Dialect: d, Remotes: []netip.AddrPort{gateway}}}
		lines = fmt.Sprintf("  nsvc udp core 127.0.0.1 %d\n", listen.Port())
	}
	c := &chainLabSGSN{t: t, s: lab.NewSGSN(cfg), lines: lines}
	t.Cleanup(c.kill)
	return c
}

func (c *chainLabSGSN) nse() string { return c.lines }
func (c *chainLabSGSN) kill()       { c.s.Stop() }

func (c *chainLabSGSN) start() {
	c.t.Helper()
	c.before = c.s.Truth().SGSN.FlowControls
	if err := c.s.Start(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *chainLabSGSN) cell() (string, int) {
	tr := c.s.Truth()
	state := "UNBLOCKED"
	if tr.Cells == 0 {
		state = "BLOCKED"
	}
	return state, int(tr.SGSN.FlowControls - c.before)
}

// chainOsmoSGSN is osmo-sgsn in a chain.
type chainOsmoSGSN struct {
	*osmoSGSN
	lines string
}

func (c chainOsmoSGSN) nse() string { return c.lines }

// sgsnCell finds in "show bssgp stats" the cell's state, its PDUs (without
// subscribers all of them flow control) and what the last flow control said.
var sgsnCell = regexp.MustCompile(`(?s)BVCI 20011, RA-ID: 262-42-13135-1, CID: 30011, STATE: (\w+)\s` +
	`.*?BSSGP Level \( In\): +(\d+) .*?FC-BVC\(bucket_max: (\d+)oct, leak_rate: (\d+)oct/s`)

func (c chainOsmoSGSN) cell() (state string, flows int) {
	c.t.Helper()
	m := sgsnCell.FindStringSubmatch(c.run("show bssgp stats"))
	if m == nil {
		return "unknown", 0
	}
	flows, _ = strconv.Atoi(m[2])
	if flows > 0 && (m[3] != "30000" || m[4] != "3000") { // as osmo-pcu advertises by default
		c.t.Errorf("osmo-sgsn has flow control %s octets, %s octets/s", m[3], m[4])
	}
	return m[1], flows
}
