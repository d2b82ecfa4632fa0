package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolgw/gb"
	"poolgw/lab"
	"poolgw/nri"
	"poolgw/ns"
	"poolgw/vty"
)

var update = flag.Bool("update", false, "write doc/operators-day.md anew")

// day is an operator's day: a gateway, a lab around it and the transcript.
type day struct {
	t      *testing.T
	file   string
	gw     *process
	c      *vty.Client
	port   int
	words  []string // port numbers of this run and what the transcript says instead
	script strings.Builder
	sgsns  []*lab.SGSN
	bsss   []*lab.BSS
}

// TestOperatorsDay configures a gateway over telnet, watches subscribers come,
// drains an SGSN and takes it back, writes, restarts from the file and finds
// the same configuration and the subscribers served again.
func TestOperatorsDay(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	d.say("## Morning: an empty gateway is configured over telnet")
	d.configure()
	d.startLab()
	d.say("## Noon: two SGSNs, two BSSs with two cells each, forty subscribers")
	d.until("all 40 subscribers are served", func(s *gb.Snapshot) bool {
		return d.attached() == 40 && bound(s) == 40 && len(s.Pool.SGSNs[0].BVCs) == 5 && len(s.Pool.SGSNs[1].BVCs) == 5
	})
	d.run("show pool", "show nri all", "show gbproxy cell", "show gbproxy bvc sgsn", "show ns entities")
	d.say("## Afternoon: SGSN 101 is emptied")
	d.drain()
	d.say("## Evening: saved, restarted from the file")
	d.restart()
	d.quiet()
	if *update {
		d.write()
	}
}

func newDay(t *testing.T) *day {
	d := &day{t: t}
	port := func(says string, network string) int {
		p := freePort(t, network)
		d.words = append(d.words, fmt.Sprint(p), says)
		return p
	}
	d.port = port("4246", "tcp")
	ctrl := port("4263", "tcp")
	for _, says := range []string{"23000", "23001", "24101", "24102", "25001", "25002"} {
		port(says, "udp")
	}
	d.file = writeFile(t, fmt.Sprintf("line vty\n no login\n bind 127.0.0.1 %d\nctrl\n bind 127.0.0.1 %d\n", d.port, ctrl))
	d.startGateway()
	return d
}

// real puts this run's ports where text has the transcript's.
func (d *day) real(text string) string {
	for i := 0; i < len(d.words); i += 2 {
		text = regexp.MustCompile(`\b`+d.words[i+1]+`\b`).ReplaceAllString(text, d.words[i])
	}
	return text
}

// told is the reverse of real.
func (d *day) told(text string) string {
	for i := 0; i < len(d.words); i += 2 {
		text = regexp.MustCompile(`\b`+d.words[i]+`\b`).ReplaceAllString(text, d.words[i+1])
	}
	return strings.ReplaceAll(text, d.file, "poolgw.cfg")
}

func (d *day) addr(port string) netip.AddrPort {
	return netip.MustParseAddrPort("127.0.0.1:" + d.real(port))
}

func (d *day) startGateway() {
	d.gw = start(d.t, "-c", d.file)
	d.gw.running(d.t)
	d.c = dialVTY(d.t, d.port)
}

func (d *day) say(text string) { fmt.Fprintf(&d.script, "\n%s\n\n", text) }

// run types commands, each of which must be taken.
func (d *day) run(commands ...string) string {
	d.t.Helper()
	var out string
	for _, cmd := range commands {
		prompt := d.c.Prompt()
		var err error
		out, err = d.c.Run(d.real(cmd))
		fmt.Fprintf(&d.script, "    %s%s\n", prompt, cmd)
		for line := range strings.Lines(d.told(out)) {
			d.script.WriteString("    " + line)
		}
		if err != nil {
			d.t.Fatalf("%q: %v\n%s", cmd, err, out)
		}
	}
	return out
}

func (d *day) snapshot() (s gb.Snapshot) {
	d.t.Helper()
	for _, part := range []struct {
		cmd  string
		into any
	}{{"show pool json", &s.Pool}} {
		out, err := d.c.Run(part.cmd)
		if err != nil {
			d.t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(out), part.into); err != nil {
			d.t.Fatalf("%s: %v\n%s", part.cmd, err, out)
		}
	}
	return s
}

func bound(s *gb.Snapshot) (n int) {
	for _, m := range s.Pool.SGSNs {
		n += m.Bound
	}
	return n
}

// until waits for a state of the gateway.
func (d *day) until(what string, ok func(s *gb.Snapshot) bool) {
	d.t.Helper()
	for range 1500 {
		s := d.snapshot()
		if ok(&s) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	out, _ := d.c.Run("show pool")
	d.t.Fatalf("not within two and a half minutes: %s\n%s\nlog:\n%s", what, out, &d.gw.err)
}

func (d *day) configure() {
	d.run("enable", "configure terminal",
		"hostname PoolGW",
		"gbproxy", "nri bitlen 10", "nri null add 0", "pool activity-window 1",
		"sgsn nsei 101", "name SGSN01", "nri add 1 341", "exit",
		"sgsn nsei 102", "name SGSN02", "nri add 342 682", "exit",
		"ns",
		"timer tns-alive 1",
		"bind udp sgsn-side", "listen 127.0.0.1 23000", "exit",
		"bind udp bss-side", "listen 127.0.0.1 23001", "accept-dynamic-ip-sns", "accept-ipaccess", "exit",
		"ip-sns-default bind bss-side",
		"nse 101", "nsvc udp sgsn-side 127.0.0.1 24101", "exit",
		"nse 102", "ip-sns-bind sgsn-side", "ip-sns-remote 127.0.0.1 24102", "exit",
		"end")
}

func (d *day) startLab() {
	net := &ns.KernelUDP{}
	reg := lab.NewRegister(10, nri.Set{nri.Single(0)})
	timers := ns.DefaultTimers()
	timers[ns.TnsAlive], timers[ns.TnsTest] = 1, 5
	sgsn := func(nsei uint16, port string, own nri.Range) lab.SGSNConfig {
		return lab.SGSNConfig{NSEI: nsei, Listen: []netip.AddrPort{d.addr(port)}, Timers: &timers, Network: net,
			Register: reg, NRI: nri.Set{own}, Seed: uint64(nsei), T3312: time.Second * 5}
	}
	static := sgsn(101, "24101", nri.Range{First: 1, Last: 341})
	static.Links = []lab.Link{{NSEI: 101, Dialect: ns.DialectStaticAlive, Remotes: []netip.AddrPort{d.addr("23000")}}}
	sns := sgsn(102, "24102", nri.Range{First: 342, Last: 682})
	sns.Dynamic = true
	d.sgsns = []*lab.SGSN{lab.NewSGSN(static), lab.NewSGSN(sns)}
	for i, dialect := range []ns.Dialect{ns.DialectIPAccess, ns.DialectSNS} {
		nsei := uint16(2001 + i)
		cell := func(n uint16) lab.Cell {
			return lab.Cell{BVCI: nsei*10 + n, RAI: [6]byte{0x62, 0xf2, 0x24, 0x10, byte(i), 1}, CI: n}
		}
		d.bsss = append(d.bsss, lab.NewBSS(lab.BSSConfig{NSEI: nsei, Listen: []netip.AddrPort{d.addr(fmt.Sprint(25001 + i))},
			Link:   lab.Link{Dialect: dialect, NSVCI: nsei, Remotes: []netip.AddrPort{d.addr("23001")}},
			Timers: &timers, Network: net, Register: reg, Cells: []lab.Cell{cell(1), cell(2)},
			Subscribers: 20, FirstID: uint32(1 + 20*i), Seed: uint64(nsei),
			Behaviour: lab.Behaviour{Data: time.Second, Start: time.Second, OldPTMSI: 0.5, Retry: 2 * time.Second}}))
	}
	lab.Connect(d.bsss...)
	for _, s := range d.sgsns {
		d.must(s.Start())
		d.t.Cleanup(s.Stop)
	}
	d.until("both SGSNs are up", func(s *gb.Snapshot) bool { return s.Pool.SGSNs[0].Up && s.Pool.SGSNs[1].Up })
	for _, b := range d.bsss {
		d.must(b.Start())
		d.t.Cleanup(b.Stop)
	}
}

func (d *day) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// attached counts by the SGSNs' own books.
func (d *day) attached() (n int) {
	for _, s := range d.sgsns {
		n += s.Truth().Registered
	}
	return n
}

// drain takes SGSN 101 out of service as the manual says and back.
func (d *day) drain() {
	if d.sgsns[0].Truth().Registered == 0 {
		d.t.Fatal("SGSN 101 serves nobody: nothing to drain")
	}
	d.run("drain sgsn nsei 101", "show drain")
	d.script.WriteString("\nOn the SGSN its operator starts the off-load (NULL-NRI, short update timer).\n\n")
	d.sgsns[0].Offload(true)
	d.until("SGSN 101 is empty", func(s *gb.Snapshot) bool {
		return s.Pool.SGSNs[0].Bound == 0 && d.sgsns[0].Truth().Registered == 0 && d.sgsns[1].Truth().Registered == 40
	})
	d.run("show drain", "show pool")
	d.sgsns[0].Offload(false)
	d.run("undrain sgsn nsei 101")
}

// restart saves, stops and starts from the file.
func (d *day) restart() {
	before := d.run("show running-config")
	d.run("write")
	saved, err := os.ReadFile(d.file)
	d.must(err)
	d.gw.cmd.Process.Signal(syscall.SIGTERM)
	if code := d.gw.exited(d.t); code != 0 {
		d.t.Errorf("exit code %d on SIGTERM; standard error:\n%s", code, &d.gw.err)
	}
	d.script.WriteString("\n    $ poolgw -c poolgw.cfg\n\n")
	d.startGateway()
	d.run("enable")
	if after := d.run("show running-config"); after != before {
		d.t.Errorf("the configuration changed by a restart:\n%s\n---\n%s", before, after)
	}
	d.run("write")
	again, err := os.ReadFile(d.file)
	d.must(err)
	if !bytes.Equal(saved, again) {
		d.t.Errorf("writing again changed the file:\n%s\n---\n%s", saved, again)
	}
	d.until("all subscribers are seen again", func(s *gb.Snapshot) bool { return bound(s) >= 40 && d.attached() == 40 })
	d.run("show pool")
}

// quiet checks the lab's books at the end of the day.
func (d *day) quiet() {
	for _, b := range d.bsss {
		tr := b.Truth()
		if tr.MS.WrongSGSN != 0 || tr.MS.Unintelligible != 0 {
			d.t.Errorf("BSS %d: %+v", tr.NSEI, tr.MS)
		}
	}
}

var since = regexp.MustCompile(`\d+d \d+h \d+m \d+s`)

func (d *day) write() {
	text := since.ReplaceAllString(d.script.String(), "0d 0h 1m 0s")
	d.must(os.WriteFile("../../doc/operators-day.md", []byte("# An operator's day\n\n"+
		"A transcript: `go test ./cmd/poolgw -run TestOperatorsDay -update` makes it.\n"+text), 0o644))
}
