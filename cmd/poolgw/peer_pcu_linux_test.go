package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"poolgw/lab/pcusock"
)

// Tests with osmo-pcu (Debian package osmo-pcu, 1.1.0) as a BSS of one cell. It
// has its cell from lab/pcusock, which takes the place of a BTS; NS, BSSGP and
// their state machines are its own (libosmogb 1.7.0). It needs no privileges: its
// systemd unit's real-time scheduling is for a radio.
//
// INFO_IND has no local address: with the classic dialect osmo-pcu binds its NS
// port on all addresses, for the time of the test.

// osmoPCU is an osmo-pcu and its BTS.
type osmoPCU struct {
	t       *testing.T
	program string
	file    string
	bts     *pcusock.Server
	cell    pcusock.Info
	cmd     *exec.Cmd
	log     output
	done    chan struct{}
}

// The cell.
const (
	pcuNSEI = 2001
	pcuBVCI = 20011
	pcuCI   = 30011
	pcuRAI  = "262-42-13135-1"
)

func pcuCell(local int, gateway netip.AddrPort) pcusock.Info {
	cell := pcusock.Info{Flags: pcusock.FlagCS1 | pcusock.FlagCS2, BSIC: 7,
		MCC: 262, MNC: 42, LAC: 13135, RAC: 1, NSEI: pcuNSEI, CellID: pcuCI, BVCI: pcuBVCI,
		NSETimers: pcusock.NSTimers, CellTimers: pcusock.BSSGPTimers,
		RLC: pcusock.RLC{T3142: 20, T3169: 5, T3191: 5, T3193: 160, T3195: 5,
			N3101: 10, N3103: 4, N3105: 8, CountdownValue: 15},
		RepeatTime: 50, RepeatCount: 3, DLTBFExt: 250, ULTBFExt: 251, InitialCS: 2, InitialMCS: 1}
	cell.TRX[0] = pcusock.TRX{ARFCN: 871, PDCHs: 1<<6 | 1<<7}
	cell.NSVCs[0] = pcusock.NSVC{NSVCI: 1800, LocalPort: uint16(local), Remote: gateway}
	return cell
}

// osmoPCUConfig has short NS timers, as the gateway's and osmo-sgsn's here.
const osmoPCUConfig = `log stderr
 logging color 0
 logging print category 1
 logging level set-all info
 logging level l1if RADIO
 logging level lbssgp debug
 logging level lnssignal debug
line vty
 no login
 bind ADDR
ns
 timer tns-test 1
 timer tns-alive 1
 timer tns-alive-retries 2
 timer tns-reset 1
 timer tns-block 1
 timer tsns-prov 1
pcu
 pcu-socket SOCKET
 flow-control-interval 1
 cs 2
 alloc-algorithm dynamic
 gamma 0
 gb-dialect DIALECT
`

// pcuOptions are what differs between tests.
type pcuOptions struct {
	dialect string // "classic" (RESET and BLOCK, as ip.access) or "ip-sns"
	gateway netip.AddrPort
	radio   string              // log level of the radio side; "": info
	cell    func(*pcusock.Info) // alters the cell
}

// newOsmoPCU prepares one with its BTS.
func newOsmoPCU(t *testing.T, o pcuOptions) *osmoPCU {
	t.Helper()
	p := &osmoPCU{t: t, program: needPeer(t, "osmo-pcu", "osmo-pcu")}
	dir, err := os.MkdirTemp("", "pcu") // a socket's path has 107 octets at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p.file = filepath.Join(dir, "osmo-pcu.cfg")
	text := strings.NewReplacer("ADDR", ownLoopback(t), "SOCKET", filepath.Join(dir, "pcu"),
		"DIALECT", o.dialect, "RADIO", cmp.Or(o.radio, "info")).Replace(osmoPCUConfig)
	if err := os.WriteFile(p.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.cell = pcuCell(freePort(t, "udp"), o.gateway)
	if o.cell != nil {
		o.cell(&p.cell)
	}
	p.bts, err = pcusock.Listen(pcusock.Config{Path: filepath.Join(dir, "pcu"), Cell: p.cell})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.bts.Close() })
	t.Cleanup(p.kill)
	return p
}

func (p *osmoPCU) start() {
	p.t.Helper()
	p.cmd = exec.Command(p.program, "-c", p.file)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.done = make(chan struct{})
	go func(c *exec.Cmd, done chan struct{}) { c.Wait(); close(done) }(p.cmd, p.done)
}

// kill ends it as a crash would.
func (p *osmoPCU) kill() {
	if p.cmd == nil {
		return
	}
	p.cmd.Process.Kill()
	<-p.done
	p.cmd = nil
}

// acks tells how many FLOW-CONTROL-BVC-ACKs, and resets how many BVC-RESETs
// either way, osmo-pcu's log has since its first start.
func (p *osmoPCU) acks() int {
	return strings.Count(p.log.String(), fmt.Sprintf("Rx BSSGP BVCI=%d (PTP) FLOW-CONTROL-BVC-ACK", pcuBVCI))
}

func (p *osmoPCU) resets() int {
	return strings.Count(p.log.String(), " Tx BVC-RESET ") + strings.Count(p.log.String(), " Rx RESET ")
}

// TestOsmoPCUReadsItsCell has osmo-pcu log what it read in INFO_IND: the witness
// of lab/pcusock's layout.
func TestOsmoPCUReadsItsCell(t *testing.T) {
	t.Parallel()
	p := newOsmoPCU(t, pcuOptions{dialect: "classic", gateway: netip.MustParseAddrPort("127.1.2.3:54321"), radio: "debug", cell: func(cell *pcusock.Info) {
		cell.RLC = pcusock.RLC{T3142: 1, T3169: 2, T3191: 3, T3193: 4, T3195: 5, N3101: 9, N3103: 6, N3105: 7, CountdownValue: 8}
		cell.NSETimers, cell.CellTimers = [7]uint8{1, 2, 3, 4, 5, 6, 7}, [11]uint8{11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}
		cell.TRX[0].Slots[6].TSC, cell.TRX[0].Slots[7] = 5, pcusock.Slot{TSC: 3, Hopping: true}
		cell.NSVCs[1] = pcusock.NSVC{NSVCI: 1801, LocalPort: 54322, Remote: netip.MustParseAddrPort("[2001:db8::17]:54323")}
	}})
	local := p.cell.NSVCs[0].LocalPort
	p.start()
	within(t, 60*time.Second, func() string { return missing(p.log.String(), "PDCH (trx=0, ts=7)") })
	for _, line := range []string{
		" mcc=262", " mnc=42", " lac=13135", " rac=1", " cell_id=30011", " bsic=7", " nsei=2001", " bvci=20011",
		" nse_timer=1 2 3 4 5 6 7", " cell_timer=11 12 13 14 15 16 17 18 19 20 21",
		" repeat_time=50", " repeat_count=3", " t3142=1", " t3169=2", " t3191=3", " t3193=40 (ms)", " t3195=5",
		" n3101=9", " n3103=6", " n3105=7", " cv_countdown=8", " dl_tbf_ext=250", " ul_tbf_ext=251",
		" Use CS1", " Use CS2", " initial_cs=2 (VTY forced, ignoring)", " initial_mcs=1",
		" NS0 nsvci=1800", fmt.Sprint(" NS0 address: r=127.1.2.3:54321<->l=NULL:", local), " NS1 nsvci=1801", " NS1 address: r=2001:db8::17:54323<->l=NULL:54322",
		"PDCH (trx=0, ts=6): tsc=5, hopping=no", "PDCH (trx=0, ts=7): tsc=3, hopping=yes",
	} {
		if !strings.Contains(p.log.String(), line+"\n") {
			t.Errorf("osmo-pcu did not read %q", line)
		}
	}
	within(t, 10*time.Second, func() string {
		if st := p.bts.Status(); st.Version != "1.1.0" || st.Active[0] != 1<<6|1<<7 || st.Idle < 24 || st.Malformed+st.Others > 0 {
			return fmt.Sprintf("the BTS saw %+v", st)
		}
		return ""
	})
	if t.Failed() {
		t.Logf("its log:\n%s", &p.log)
	}
}

func missing(text, part string) string {
	if strings.Contains(text, part) {
		return ""
	}
	return fmt.Sprintf("no %q in\n%s", part, text)
}

// within waits until problem has none, and fails the test with the last one
// after d.
func within(t *testing.T, d time.Duration, problem func() string) {
	t.Helper()
	var p string
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if p = problem(); p == "" {
			return
		}
	}
	t.Fatalf("after %v: %s", d, p)
}
