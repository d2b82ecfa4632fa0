package lab

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"poolgw/bssgp"
	"poolgw/nri"
	"poolgw/ns"
)

const (
	firstSGSN   = 101
	firstBSS    = 2001
	cellsPerBSS = 2
	planBitLen  = 10
	planWindow  = time.Minute // the gateway's activity window: its smallest
	planT3312   = 20 * time.Second
	defaultVTY  = 4246
	defaultProm = 9246
	defaultCtrl = 4263
)

// planNull is the NULL-NRI of the lab.
var planNull = nri.Set{nri.Single(0)}

// plan is who listens where, and the gateway's configuration.
type plan struct {
	dir       string
	file      string
	vty       string // host:port
	vtyPort   string
	prom      netip.AddrPort
	ctrl      netip.AddrPort
	toSGSNs   netip.AddrPort // the gateway's binds
	toBSSs    netip.AddrPort
	sgsnAddrs []netip.AddrPort
	bssAddrs  []netip.AddrPort
	nris      []nri.Range
	n2        n2Plan
}

// newPlan finds free ports on 127.0.0.1 and writes the gateway's configuration.
// Between finding a port and using it another process may take it: see begin.
func newPlan(o Options) (*plan, error) {
	p := &plan{}
	var err error
	port := uint16(defaultVTY)
	if o.VTYPort != 0 {
		port = o.VTYPort
	}
	v, err := freeTCP(port)
	if err == nil {
		p.prom, err = freeTCP(defaultProm)
	}
	if err == nil {
		p.ctrl, err = freeTCP(defaultCtrl)
	}
	if err != nil {
		return nil, err
	}
	p.vty, p.vtyPort = v.String(), fmt.Sprint(v.Port())
	addrs, err := freeUDP(2 + o.SGSNs + o.BSSs)
	if err != nil {
		return nil, err
	}
	p.toSGSNs, p.toBSSs = addrs[0], addrs[1]
	p.sgsnAddrs, p.bssAddrs = addrs[2:2+o.SGSNs], addrs[2+o.SGSNs:]
	p.nris = shareNRIs(o.SGSNs)
	if o.UEs > 0 {
		if p.n2, err = newN2Plan(o.UEs); err != nil {
			return nil, err
		}
	}
	return p, p.write()
}

// freeTCP returns want on 127.0.0.1, or a free port if it is taken.
func freeTCP(want uint16) (netip.AddrPort, error) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", want))
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("lab: no free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).AddrPort(), nil
}

// freeUDP returns n different free ports.
func freeUDP(n int) (addrs []netip.AddrPort, err error) {
	for range n {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return nil, fmt.Errorf("lab: no free port: %w", err)
		}
		defer c.Close() // all at once: so they differ
		a := c.LocalAddr().(*net.UDPAddr).AddrPort()
		addrs = append(addrs, netip.AddrPortFrom(a.Addr().Unmap(), a.Port()))
	}
	return addrs, nil
}

// shareNRIs gives each SGSN an equal range of the NRIs from 1 on; 0 is the
// NULL-NRI.
func shareNRIs(n int) (ranges []nri.Range) {
	each := (1<<planBitLen - 1) / n
	for i := range n {
		ranges = append(ranges, nri.Range{First: nri.V(1 + i*each), Last: nri.V((i + 1) * each)})
	}
	return ranges
}

func (p *plan) write() (err error) {
	if p.dir, err = os.MkdirTemp("", "poolgw-lab-"); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	p.file = filepath.Join(p.dir, "poolgw.cfg")
	if err = os.WriteFile(p.file, []byte(p.config()), 0o600); err != nil {
		p.remove()
		return fmt.Errorf("lab: %w", err)
	}
	return nil
}

func (p *plan) remove() error { return os.RemoveAll(p.dir) }

// config is the gateway's configuration.
func (p *plan) config() string {
	var b strings.Builder
	f := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	ip := func(a netip.AddrPort) string { return fmt.Sprintf("%s %d", a.Addr(), a.Port()) }
	f("! written by poolgw lab\nhostname PoolGW\nline vty\n no login\n bind 127.0.0.1 %s", p.vtyPort)
	f("log stderr\n logging level set-all error")
	f("ctrl\n bind %s\nmetrics\n bind %s", ip(p.ctrl), ip(p.prom))
	f("gbproxy\n pool activity-window %d\n nri bitlen %d\n nri null add 0", planWindow/time.Minute, planBitLen)
	for i, r := range p.nris {
		f("sgsn nsei %d\n name SGSN%02d\n nri add %s\n allow-attach", firstSGSN+i, i+1, r.VTY())
	}
	f("ns\n timer tns-test 5\n timer tns-alive 1\n timer tns-alive-retries 3")
	f(" bind udp sgsns\n  listen %s", ip(p.toSGSNs))
	f(" bind udp bsss\n  listen %s\n  accept-ipaccess\n  accept-dynamic-ip-sns", ip(p.toBSSs))
	f(" ip-sns-default bind bsss")
	for i, a := range p.sgsnAddrs {
		f(" nse %d\n  nsvc udp sgsns %s", firstSGSN+i, ip(a))
	}
	p.n2.config(f)
	return b.String()
}

func (p *plan) timers() *ns.Timers {
	t := ns.DefaultTimers()
	t[ns.TnsTest], t[ns.TnsAlive], t[ns.TnsAliveRetries] = 5, 1, 3
	return &t
}

func (p *plan) sgsn(i int, o Options, n ns.Network, r *Register) SGSNConfig {
	return SGSNConfig{NSEI: uint16(firstSGSN + i), Listen: []netip.AddrPort{p.sgsnAddrs[i]}, Network: n,
		Links: []Link{{NSEI: uint16(firstSGSN + i), Dialect: ns.DialectStaticAlive,
			Remotes: []netip.AddrPort{p.toSGSNs}}},
		Timers: p.timers(), Register: r, NRI: nri.Set{p.nris[i]}, Seed: o.Seed,
		T3312: planT3312, Page: 500 * time.Millisecond}
}

// bss: the BSSs with even numbers speak NS as ip.access ones do, the others
// IP-SNS. Each has a location area with a routing area for each of its cells.
func (p *plan) bss(i int, o Options, n ns.Network, r *Register) BSSConfig {
	link := Link{Dialect: ns.DialectIPAccess, NSVCI: uint16(firstBSS + i), Remotes: []netip.AddrPort{p.toBSSs}}
	if i%2 == 1 {
		link.Dialect = ns.DialectSNS
	}
	c := BSSConfig{NSEI: uint16(firstBSS + i), Listen: []netip.AddrPort{p.bssAddrs[i]}, Link: link,
		Timers: p.timers(), Network: n, Register: r, Seed: o.Seed,
		Subscribers: o.Subscribers*(i+1)/o.BSSs - o.Subscribers*i/o.BSSs,
		FirstID:     uint32(1 + o.Subscribers*i/o.BSSs), Behaviour: planBehaviour}
	for n := range cellsPerBSS {
		c.Cells = append(c.Cells, Cell{BVCI: uint16(10*(firstBSS+i) + n),
			RAI: bssgp.MakeRAI(262, 42, false, uint16(4096+i), uint8(n)), CI: uint16(n + 1)})
	}
	return c
}

// planBehaviour makes some 600 PDUs a second of 1,000 subscribers.
var planBehaviour = Behaviour{Start: 5 * time.Second, Data: 4 * time.Second, Leave: 2 * time.Minute, NewSIM: 0.5,
	Move: 45 * time.Second, Suspend: 2 * time.Minute, Away: 3 * time.Second, OldPTMSI: 0.5,
	Retry: 3 * time.Second, LostAfter: 6 * time.Second}
