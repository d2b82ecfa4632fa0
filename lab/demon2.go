package lab

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/lab/ngmsg"
	"poolgw/sctp"
)

// The N2 part of the demonstration: three gNBs and three AMFs over the userspace
// SCTP stack in UDP (RFC 6951), which needs no root. A build without that stack
// has none.

// n2Capacities are those of the AMFs: new UEs are spread 2 : 2 : 1.
var n2Capacities = []uint8{100, 100, 50}

const (
	n2GNBs = 3
	n2Port = 38412 // SCTP port of the gateway; those of the AMFs follow
)

var n2PLMN = [3]byte{0x62, 0xf2, 0x24} // 262-42

// n2Behaviour makes some 300 PDUs a second of 1,000 UEs.
var n2Behaviour = n2sim.Behaviour{Start: 5 * time.Second, Inactivity: time.Second, Backoff: 10 * time.Second,
	Service: time.Minute, Periodic: 2 * time.Minute, Move: 2 * time.Minute, Off: 5 * time.Minute, Xn: 0.1, N2: 0.1, Talk: 0.3}

// n2Plan is who has which UDP port; the zero value: there is no N2 part.
type n2Plan struct {
	gateway, lab uint16
	says         string // what there is, or why there is nothing
}

func newN2Plan(ues int) (p n2Plan, err error) {
	if err := sctp.Available(sctp.OnlyUserspace, true); err != nil {
		p.says = "no N2 part: " + err.Error()
		return p, nil
	}
	p.says = fmt.Sprintf("N2: %d gNBs, %d AMFs and %d UEs over the userspace SCTP stack in UDP; show amf / show gnb",
		n2GNBs, len(n2Capacities), ues)
	for _, port := range []*uint16{&p.gateway, &p.lab} {
		c, err := net.ListenUDP("udp4", nil) // at any address: so does the stack
		if err != nil {
			return p, fmt.Errorf("lab: no free port: %w", err)
		}
		defer c.Close()
		*port = c.LocalAddr().(*net.UDPAddr).AddrPort().Port()
	}
	return p, nil
}

// config are the nodes ngap and amf.
func (p n2Plan) config(f func(format string, a ...any)) {
	if p.gateway == 0 {
		return
	}
	f("ngap\n bind ran\n  listen 127.0.0.1 %d\n  transport udp-encapsulation %d\n timer probe 2000", n2Port, p.gateway)
	for i := range n2Capacities {
		f("amf %d\n name AMF%02d\n remote 127.0.0.1 %d udp-encapsulation %d\n local 127.0.0.1\n allow-attach", i+1, i+1, n2Port+1+i, p.lab)
	}
}

// n2Lab are the simulated peers.
type n2Lab struct {
	ues  int
	amfs []*n2sim.AMF
	ran  *n2sim.RAN
}

func startN2(p n2Plan, ues int, seed uint64) (*n2Lab, error) {
	stack, err := sctp.Userspace(sctp.UserspaceOptions{UDPPort: p.lab})
	if err != nil {
		return nil, fmt.Errorf("lab: N2: %w", err)
	}
	lo, slices := netip.MustParseAddr("127.0.0.1"), []ngmsg.Slice{{SST: 1, SD: ngmsg.NoSD}}
	o := sctp.Defaults()
	o.Encapsulation = p.gateway
	l := &n2Lab{ues: ues}
	for i, capacity := range n2Capacities {
		a := n2sim.NewAMF(n2sim.AMFConfig{Transport: stack, Listen: sctp.At(uint16(n2Port+1+i), lo), Options: o, Name: fmt.Sprintf("amf-%d", i+1),
			GUAMIs: []ngmsg.GUAMI{{PLMN: n2PLMN, Region: 1, Set: 1, Pointer: uint8(i + 1)}}, Capacity: capacity, Slices: slices})
		if err := a.Start(); err != nil {
			l.stop()
			return nil, fmt.Errorf("lab: AMF %d: %w", i+1, err)
		}
		l.amfs = append(l.amfs, a)
	}
	c := n2sim.RANConfig{Transport: stack, AMF: sctp.At(n2Port, lo), Options: o, PLMN: n2PLMN, Slices: slices, Seed: seed, Behaviour: n2Behaviour}
	for i := range n2GNBs {
		c.GNBs = append(c.GNBs, n2sim.GNBConfig{ID: uint32(i + 1), Name: fmt.Sprintf("gnb-%d", i+1), Local: sctp.At(0, lo), TAC: 1})
	}
	l.ran = n2sim.NewRAN(c)
	l.ran.Add(ues, 1)
	l.ran.Start()
	return l, nil
}

// live lets the UEs register once the gNBs are up, so that all AMFs get their share.
func (l *n2Lab) live(wait time.Duration) {
	for end := time.Now().Add(wait); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		up := 0
		for _, a := range l.amfs {
			up += int(a.Truth().Setups)
		}
		if up >= n2GNBs*len(l.amfs) {
			break
		}
	}
	l.ran.Live()
}

func (l *n2Lab) stop() {
	if l.ran != nil {
		l.ran.Stop()
	}
	for _, a := range l.amfs {
		a.Stop(false)
	}
}

// gwAMF is what "show amf json" says, as far as the lab reads it.
type gwAMF struct {
	ID           uint8  `json:"amf"`
	Name         string `json:"name"`
	Up           bool   `json:"up"`
	Associations int    `json:"associations"`
	AllowAttach  bool   `json:"allow_attach"`
	Capacity     int    `json:"capacity"`
	Bound        int    `json:"bound"`
}

// n2View is one look at the N2 part.
type n2View struct {
	ues    int
	gw     []gwAMF
	amfs   []n2sim.AMFTruth
	served map[string]int
	truth  n2sim.UETruth
	gnbs   []n2sim.GNBTruth
}

func (l *n2Lab) look() *n2View {
	v := &n2View{ues: l.ues, served: l.ran.Served(), truth: l.ran.Truth()}
	for _, a := range l.amfs {
		v.amfs = append(v.amfs, a.Truth())
	}
	for i := range l.ran.GNBs() {
		v.gnbs = append(v.gnbs, l.ran.GNB(i).Truth())
	}
	return v
}

// n2Rules are the checks of the N2 part, as rules are those of Gb.
var n2Rules = []rule{
	{"N2: the gateway knows which AMFs are up", 20 * time.Second, n2Up, mute},
	{"N2: the UEs are registered", 40 * time.Second, n2Registered, n2Service},
	{"N2: nothing came to a wrong UE or AMF", 0, n2Right, nil},
	{"N2: every PDU could be read", 0, n2Readable, nil},
}

func n2Up(v *view) string {
	for _, a := range v.n2.gw {
		if !a.Up || a.Associations != n2GNBs {
			return fmt.Sprintf("AMF %d has %d associations, want %d", a.ID, a.Associations, n2GNBs)
		}
	}
	return ""
}

func n2Registered(v *view) string {
	sum := 0
	for _, n := range v.n2.served {
		sum += n
	}
	if sum < v.n2.ues*85/100 {
		return fmt.Sprintf("%d of %d", sum, v.n2.ues)
	}
	return ""
}

func n2Service(v *view) string {
	for _, a := range v.n2.gw {
		if a.AllowAttach {
			return v.deaf
		}
	}
	return "no AMF takes newcomers"
}

func n2Right(v *view) string {
	n := v.n2.truth.WrongUE + v.n2.truth.WrongAMF
	for _, a := range v.n2.amfs {
		n += a.WrongUE
	}
	if n > 0 {
		return fmt.Sprintf("%d did", n)
	}
	return ""
}

// n2Readable tells who got what nobody could read, or what gNBs did not ask for.
func n2Readable(v *view) string {
	var wrong []string
	tell := func(n uint64, what string) {
		if n > 0 {
			wrong = append(wrong, fmt.Sprintf("%d %s", n, what))
		}
	}
	tell(v.n2.truth.Unreadable, "NAS messages at UEs")
	for _, a := range v.n2.amfs {
		tell(a.Unreadable, "at "+a.Name)
	}
	for i, g := range v.n2.gnbs {
		tell(g.Unreadable, fmt.Sprintf("at gnb-%d", i+1))
		tell(g.Unexpected, fmt.Sprintf("not expected at gnb-%d", i+1))
	}
	if wrong != nil {
		return "not: " + strings.Join(wrong, ", ")
	}
	return ""
}

func n2Table(p *page, v *view) {
	if v.n2 == nil {
		return
	}
	t := &v.n2.truth
	p.line("N2: %d gNBs over SCTP in UDP; %d registrations, %d services, %d by Xn, %d by N2", len(v.n2.gnbs), t.Registrations+t.Periodic,
		t.Services, t.PathSwitches, t.Handovers)
	var row []string
	for i, a := range v.n2.amfs {
		said := "?"
		if i < len(v.n2.gw) {
			g := v.n2.gw[i]
			said = fmt.Sprintf("%s, bound %d", word(g.Up, word(g.AllowAttach, "up", "drained"), "down"), g.Bound)
		}
		row = append(row, fmt.Sprintf("%s (%s) serves %d", a.Name, said, v.n2.served[a.Name]))
	}
	p.wrapped(4, "  %s", strings.Join(row, "; "))
}
