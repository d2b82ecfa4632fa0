package main

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolgw/ns"
)

// capture is tshark on the loopback device, which looks at some UDP ports and at
// one of its own, where the test sends marks: captured in order, a mark tells
// that all before it is in the file.
type capture struct {
	t     *testing.T
	file  string
	ports []uint16
	mark  *net.UDPConn
	cmd   *exec.Cmd
	log   output
}

// newCapture returns when tshark captures. Without addresses it captures all UDP;
// ports is to be set before frames is called.
func newCapture(t *testing.T, addrs ...netip.AddrPort) *capture {
	t.Helper()
	c := &capture{t: t, file: filepath.Join(t.TempDir(), "lo.pcapng")}
	program := needPeer(t, "tshark", "tshark")
	if os.Geteuid() != 0 {
		t.Skip("not root: no capture")
	}
	own, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { own.Close() })
	c.mark = own
	filter := fmt.Sprint("udp port ", own.LocalAddr().(*net.UDPAddr).Port)
	for _, a := range addrs {
		c.ports = append(c.ports, a.Port())
		filter += fmt.Sprint(" or udp port ", a.Port())
	}
	if len(addrs) == 0 {
		filter = "udp"
	}
	c.cmd = exec.Command(program, "-q", "-n", "-B", "64", "-i", "lo", "-f", filter, "-w", c.file)
	c.cmd.Stdout, c.cmd.Stderr = &c.log, &c.log
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	c.until("captures")
	return c
}

func (c *capture) kill() {
	if c.cmd != nil {
		c.cmd.Process.Signal(syscall.SIGTERM) // it ends dumpcap, its child
		c.cmd.Wait()
		c.cmd = nil
	}
}

// until sends a mark, again and again, and waits until it is in the file.
func (c *capture) until(mark string) {
	c.t.Helper()
	mark += fmt.Sprint(" ", c.mark.LocalAddr()) // a capture of all UDP sees others' marks too
	within(c.t, 60*time.Second, func() string {
		c.send([]byte("\xff" + mark))
		if b, _ := os.ReadFile(c.file); !bytes.Contains(b, []byte(mark)) {
			return "tshark does not capture\n" + c.log.String()
		}
		return ""
	})
}

// send sends to the capture's own port.
func (c *capture) send(b []byte) {
	c.t.Helper()
	if _, err := c.mark.WriteTo(b, c.mark.LocalAddr()); err != nil {
		c.t.Fatal(err)
	}
}

// frame is what tshark found in one datagram.
type frame struct {
	port      uint16 // source
	protocols string
	payload   string // hex
	complaint string // malformed, or an expert's warning or error
}

// frames ends the capture and has it dissected, each port as NS, but for the
// marks.
func (c *capture) frames() (fs []frame) {
	c.t.Helper()
	c.until("ends")
	c.kill()
	ports := append(slices.Clone(c.ports), uint16(c.mark.LocalAddr().(*net.UDPAddr).Port))
	args := []string{"-n", "-r", c.file, "-Y", "!(udp.payload[0] == ff) && udp.port in {" + strings.ReplaceAll(strings.Trim(fmt.Sprint(ports), "[]"), " ", ",") + "}", "-T", "fields",
		"-e", "udp.srcport", "-e", "frame.protocols", "-e", "udp.payload", "-e", "_ws.malformed", "-e", "_ws.expert.severity", "-e", "_ws.expert.message"}
	for _, p := range ports {
		args = append(args, "-d", fmt.Sprintf("udp.port==%d,gprs-ns", p))
	}
	out, err := exec.Command("tshark", args...).Output()
	if err != nil {
		c.t.Fatalf("tshark: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		v := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		f := frame{protocols: v[1], payload: v[2]}
		fmt.Sscan(v[0], &f.port)
		const chat = "2097152" // a remark, as on UDP ports that traceroute takes
		if v[3] != "" || v[4] != "" && v[4] != chat {
			f.complaint = v[3] + v[4] + " " + v[5]
		}
		fs = append(fs, f)
	}
	return fs
}

// TestOsmoPCUJudgedByTshark captures a chain of real peers on both sides of the
// gateway: tshark must find as many NS PDUs of the gateway as this says it
// sent, BSSGP in each NS-UNITDATA, and nothing to complain of but what the test
// broke.
func TestOsmoPCUJudgedByTshark(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"classic", "ip-sns"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			var c *capture
			p := newPCUChain(t, pcuChainOptions{dialect: dialect, reset: "isolate", sgsn: osmoSGSNFor(t, dialect),
				watch: func(core, ran netip.AddrPort) { c = newCapture(t, core, ran) }})
			p.up("start", 30*time.Second)
			p.up("more flow control", 10*time.Second)
			var snap ns.Snapshot
			p.ask("show ns json", &snap)
			p.killGateway()
			c.send(brokenPDU)
			judgeFrames(t, c, &snap, pcuFrameTypes[dialect])
		})
	}
}

// brokenPDU is a BVC-RESET cut within its first IE, in an NS-UNITDATA.
var brokenPDU = []byte{0, 0, 0, 0, 0x22, 0x04, 0x8f, 0}

// pcuFrameTypes are the NS PDU types that the gateway must have sent: UNITDATA,
// ALIVE, ALIVE-ACK; RESET-ACK and UNBLOCK-ACK, or SNS-SIZE, SIZE-ACK, CONFIG and
// CONFIG-ACK.
var pcuFrameTypes = map[string][]string{
	"classic": {"00", "0a", "0b", "03", "07"},
	"ip-sns":  {"00", "0a", "0b", "12", "13", "0f", "10"},
}

func judgeFrames(t *testing.T, c *capture, snap *ns.Snapshot, want []string) {
	t.Helper()
	var sent, found uint64
	for _, n := range snap.NSEs {
		sent += n.Counters.PacketsOut
	}
	fs, complaints, types := c.frames(), 0, map[string]int{}
	for _, f := range fs {
		ours := slices.Contains(c.ports, f.port)
		unitdata := strings.HasPrefix(f.payload, "00")
		switch {
		case f.complaint != "" && f.payload == fmt.Sprintf("%x", brokenPDU):
			complaints++
		case f.complaint != "":
			t.Errorf("tshark complains of %s: %s", f.payload, f.complaint)
		case !strings.Contains(f.protocols, "gprs-ns"), unitdata && !strings.Contains(f.protocols, "bssgp"):
			t.Errorf("%s is %s to tshark", f.payload, f.protocols)
		}
		if ours {
			found++
			types[f.payload[:2]]++
		}
	}
	// A few more may have gone between the look at the counters and the end.
	if found < sent || found > sent+10 || sent < 15 {
		t.Errorf("the gateway sent %d PDUs, tshark found %d: %v", sent, found, types)
	}
	if complaints != 1 {
		t.Errorf("tshark complains of %d frames; one was broken", complaints)
	}
	for _, typ := range want {
		if types[typ] == 0 {
			t.Errorf("the gateway sent no NS PDU of type 0x%s", typ)
		}
	}
	t.Logf("%d frames, %d of the gateway (it counts %d), by type: %v", len(fs), found, sent, types)
}
