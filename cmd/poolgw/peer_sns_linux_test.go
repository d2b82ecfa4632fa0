package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolgw/ns"
)

// snsWords are the endpoints of the SNS that an NSE of the gateway has.
func (p *pcuChain) snsWords(nsei uint16) (state string, local, remote []string) {
	p.t.Helper()
	var nses []ns.NSEState
	p.ask("show ns entities json", &nses)
	for _, n := range nses {
		if n.NSEI != nsei || n.SNS == nil {
			continue
		}
		state = n.SNS.State
		for _, v := range n.VCs {
			if v.State != "UNBLOCKED" {
				state = "NS-VC " + v.State
			}
		}
		if len(n.VCs) != len(n.SNS.Local)*len(n.SNS.Remote) {
			state = fmt.Sprint(len(n.VCs), " NS-VCs")
		}
		return state, endpointWords(n.SNS.Local), endpointWords(n.SNS.Remote)
	}
	return "no NSE", nil, nil
}

func endpointWords(list []ns.Endpoint) (out []string) {
	for _, e := range list {
		out = append(out, fmt.Sprintf("%s %d %d", e.Addr, e.SigWeight, e.DataWeight))
	}
	return out
}

func (p *pcuChain) wantSNS(nsei uint16, local, remote []string) {
	p.t.Helper()
	within(p.t, 20*time.Second, func() string {
		state, l, r := p.snsWords(nsei)
		if state != "CONFIGURED" || !slices.Equal(l, local) || !slices.Equal(r, remote) {
			return fmt.Sprintf("NSE %d: %s %q %q, want %q %q", nsei, state, l, r, local, remote)
		}
		return ""
	})
}

// enter types commands in a session of their own.
func (p *pcuChain) enter(commands ...string) {
	p.t.Helper()
	v := dialVTY(p.t, p.port)
	defer v.Close()
	for _, c := range append([]string{"enable", "configure terminal", "ns"}, commands...) {
		if out, err := v.Run(c); err != nil || strings.HasPrefix(out, "%") && !strings.HasPrefix(out, "% Warning") {
			p.t.Fatalf("%s: %v %s", c, err, out)
		}
	}
}

// TestOsmoPeersFollowSNSChanges changes the gateway's endpoints at run time, on
// both sides: osmo-pcu and osmo-sgsn take it, and the chain works on. osmo-sgsn
// holds a BSS to the number of endpoints in its SNS-SIZE: an SNS-ADD is refused,
// and all begins anew with the right number. Then osmo-sgsn changes a weight of
// its own.
//
// Facts: G1.6-29, G1.6-39, G1.6-48
func TestOsmoPeersFollowSNSChanges(t *testing.T) {
	t.Parallel()
	var core, ran netip.AddrPort
	var sgsn chainOsmoSGSN
	more := []netip.AddrPort{loopbackAt(freePort(t, "udp")), loopbackAt(freePort(t, "udp"))}
	var c *capture
	p := newPCUChain(t, pcuChainOptions{dialect: "ip-sns", reset: "isolate",
		sgsn: func(gw netip.AddrPort) pcuSGSN {
			s := osmoSGSNFor(t, "ip-sns")(gw)
			sgsn = s.(chainOsmoSGSN)
			return s
		},
		watch: func(a, b netip.AddrPort) { core, ran = a, b; c = newCapture(t, a, b, more[0], more[1]) }})
	p.up("start", 30*time.Second)
	_, _, pcu := p.snsWords(pcuNSEI)
	at := []string{sgsn.addr + ":23000 1 1"}
	one := func(a netip.AddrPort, w string) string { return a.String() + " " + w }

	p.enter("bind udp ran2", "listen 127.0.0.1 "+strconv.Itoa(int(more[0].Port())), "exit",
		"bind udp core2", "listen 127.0.0.1 "+strconv.Itoa(int(more[1].Port())), "exit",
		"ip-sns-default bind ran2", "nse 101", "ip-sns-bind core2", "exit")
	p.wantSNS(pcuNSEI, []string{one(ran, "1 1"), one(more[0], "1 1")}, pcu)
	p.wantSNS(101, []string{one(core, "1 1"), one(more[1], "1 1")}, at)
	p.enter("bind udp ran2", "ip-sns signalling-weight 3 data-weight 4", "exit", "bind udp core2", "ip-sns signalling-weight 5 data-weight 6", "exit")
	p.wantSNS(pcuNSEI, []string{one(ran, "1 1"), one(more[0], "3 4")}, pcu)
	p.wantSNS(101, []string{one(core, "1 1"), one(more[1], "5 6")}, at)
	p.up("after SNS-ADD and SNS-CHANGEWEIGHT", 30*time.Second)

	sgsn.run("enable", "configure terminal", "ns", "bind udp local", "ip-sns signalling-weight 7 data-weight 8")
	p.wantSNS(101, []string{one(core, "1 1"), one(more[1], "5 6")}, []string{sgsn.addr + ":23000 7 8"})

	p.enter("no ip-sns-default bind ran", "bind udp core2", "no listen", "end")
	p.wantSNS(pcuNSEI, []string{one(more[0], "3 4")}, pcu)
	p.wantSNS(101, []string{one(core, "1 1")}, []string{sgsn.addr + ":23000 7 8"})
	p.up("after SNS-DELETE", 30*time.Second)
	for _, line := range []string{"Rx SNS-ADD", "Tx SNS-ACK (trans_id=1, cause=NULL, num_ip4=1", "Rx SNS-CHANGEWEIGHT", "data_weight 1->4, sig_weight 1->3",
		"Tx SNS-ACK (trans_id=2, cause=NULL, num_ip4=1", "Rx SNS-DELETE", "Tx SNS-ACK (trans_id=3, cause=NULL, num_ip4=1"} {
		if !strings.Contains(p.pcu.log.String(), line) {
			t.Errorf("osmo-pcu's log has no %q", line)
		}
	}

	var snap ns.Snapshot
	p.ask("show ns json", &snap)
	p.killGateway()
	c.send(brokenPDU)
	judgeFrames(t, c, &snap, []string{"00", "0a", "0b", "12", "13", "0f", "10", "0c", "0d", "0e", "11"})
}

func loopbackAt(port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))
}
