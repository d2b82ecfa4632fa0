package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// ctrlClient speaks the CTRL interface by octets of its own: length of what
// follows the stream identifier, 0xee, 0x00, text.
type ctrlClient struct {
	t     *testing.T
	c     net.Conn
	id    int
	traps []string
}

func dialCTRL(t *testing.T, port string) *ctrlClient {
	t.Helper()
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &ctrlClient{t: t, c: c}
}

func (c *ctrlClient) write(line string) {
	c.t.Helper()
	b := append([]byte{byte((len(line) + 1) >> 8), byte(len(line) + 1), 0xee, 0x00}, line...)
	if _, err := c.c.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

func (c *ctrlClient) read() (string, error) {
	c.c.SetReadDeadline(time.Now().Add(5 * time.Second))
	var head [4]byte
	if _, err := io.ReadFull(c.c, head[:]); err != nil {
		return "", err
	}
	if head[2] != 0xee || head[3] != 0 {
		return "", fmt.Errorf("frame head % x", head)
	}
	body := make([]byte, binary.BigEndian.Uint16(head[:])-1)
	_, err := io.ReadFull(c.c, body)
	return string(body), err
}

// get returns the value, or "ERROR text"; traps that come meanwhile are kept.
func (c *ctrlClient) get(variable string) string {
	c.t.Helper()
	c.id++
	c.write(fmt.Sprintf("GET %d %s", c.id, variable))
	return c.answer(fmt.Sprintf("GET_REPLY %d %s ", c.id, variable), fmt.Sprintf("ERROR %d ", c.id))
}

func (c *ctrlClient) answer(reply, refused string) string {
	c.t.Helper()
	for {
		line, err := c.read()
		if err != nil {
			c.t.Fatalf("no answer %q: %v", reply, err)
		}
		if rest, ok := strings.CutPrefix(line, reply); ok {
			return rest
		}
		if rest, ok := strings.CutPrefix(line, refused); ok {
			return "ERROR " + rest
		}
		if trap, ok := strings.CutPrefix(line, "TRAP 0 "); ok {
			c.traps = append(c.traps, trap)
			continue
		}
		c.t.Fatalf("%q is no answer", line)
	}
}

// until asks until the value is as wanted.
func (c *ctrlClient) until(variable string, ok func(value string) bool) {
	c.t.Helper()
	var got string
	for range 300 {
		if got = c.get(variable); ok(got) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.t.Fatalf("%s stays %q", variable, got)
}

func is(want string) func(string) bool { return func(got string) bool { return got == want } }

// TestCTRLFSM asks the states of all BVCs of both sides as the TTCN-3 suite
// does, and the other machines; the errors are what osmo-sgsn 1.9.0 answers.
// Facts: G10-01, G10-02, G10-03, G10-04, G10-05, G10-07
func TestCTRLFSM(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	c := dialCTRL(t, d.real("4263"))
	d.configure()
	d.run("configure terminal", "ns", "timer tns-test 1", "timer tns-alive-retries 1", "end")
	d.startLab()
	for _, nsei := range []int{2001, 2002} {
		for _, cell := range []int{0, nsei*10 + 1, nsei*10 + 2} {
			for _, at := range []int{nsei, 101, 102} {
				c.until(fmt.Sprintf("fsm.BSSGP-BVC.id.NSE%05d-BVC%05d.state", at, cell), is("UNBLOCKED"))
			}
		}
	}
	if got := c.get("number-of-peers"); got != "4" {
		t.Errorf("number-of-peers %s", got)
	}
	nsvc := "fsm.GPRS-NS2-VC.id.NSE00101-NSVC-UDP-127_0_0_1:" + d.real("23000") + "-127_0_0_1:" + d.real("24101")
	sns := "fsm.GPRS-NS2-SNS-BSS.id.NSE00102-SNS"
	for _, q := range []struct{ variable, want string }{
		{nsvc + ".state", "UNBLOCKED"},
		{nsvc + ".timer", "0,0,0"},
		{sns + ".state", "CONFIGURED"},
		{"fsm.GPRS-NS2-SNS-SGSN.id.NSE02002-SNS.state", "CONFIGURED"},
		{sns + ".parent-name", "ERROR No parent"},
		{sns + ".dump", "'GPRS-NS2-SNS-BSS(NSE00102-SNS)','NSE00102-SNS','INFO','CONFIGURED',0"},
		{sns + ".foo", "ERROR Command not found"},
		{sns, "ERROR Command not present."},
		{"fsm", "ERROR Error while parsing the index."},
		{"fsm.GPRS-NS2-VC", "ERROR Command not present."},
		{"fsm.NOSUCH", "ERROR Error while resolving object"},
		{"fsm.NOSUCH.id.x.state", "ERROR Error while resolving object"},
		{"fsm.GPRS-NS2-VC.id", "ERROR Error while parsing the index."},
		{"fsm.GPRS-NS2-VC.id.x.state", "ERROR Error while resolving object"},
		{"fsm.GPRS-NS2-VC.foo", "ERROR Command not present."},
	} {
		if got := c.get(q.variable); got != q.want {
			t.Errorf("%s: %q, want %q", q.variable, got, q.want)
		}
	}
	c.write("SET 900 " + sns + ".state UNCONFIGURED")
	if got := c.answer("SET_REPLY 900", "ERROR 900 "); got != "ERROR Read Only attribute" {
		t.Errorf("a state was set: %q", got)
	}
	list := c.get("fsm.BSSGP-BVC.list")
	if n := strings.Count(list, ",UNBLOCKED\n"); n != 16 { // 3 of each BSS, 5 of each SGSN
		t.Errorf("%d BVCs:\n%s", n, list)
	}
	for _, name := range []string{"number-of-peers", "gbproxy-state", "nsvc-state"} {
		c.write("SET 901 " + name + " 3")
		if got := c.answer("SET_REPLY 901", "ERROR 901 "); got != "ERROR Read Only attribute" {
			t.Errorf("%s was set: %q", name, got)
		}
	}
	// 6 2 f 2 2 4 10 00 01: MCC 262, MNC 42, LAC 4096, RAC 1.
	if got, want := c.get("gbproxy-state"), "2001,20011,262-42-4096-1,UNBLOCKED\n2001,20012,262-42-4096-1,UNBLOCKED\n"+
		"2002,20021,262-42-4097-1,UNBLOCKED\n2002,20022,262-42-4097-1,UNBLOCKED\n"; got != want {
		t.Errorf("gbproxy-state %q", got)
	}
	state := c.get("nsvc-state")
	for _, want := range []string{
		`(?m)^101,udp\)\[127\.0\.0\.1\]:23000<>\[127\.0\.0\.1\]:24101,UNBLOCKED,SGSN$`,
		`(?m)^2001,udp\)\[127\.0\.0\.1\]:23001<2001>\[127\.0\.0\.1\]:25001,UNBLOCKED,BSS$`,
	} {
		if !regexp.MustCompile(want).MatchString(d.told(state)) {
			t.Errorf("nsvc-state has no line %s:\n%s", want, d.told(state))
		}
	}
	testTraps(d, c)
}

// testTraps: what came while the network came up, and what an SGSN's and a
// BSS's end bring.
func testTraps(d *day, c *ctrlClient) {
	d.t.Helper()
	for _, want := range []string{"sgsn-state 101,SGSN01,UP", "nse-state 2001,ALIVE,BSS", "nse-state 101,ALIVE,SGSN",
		"bvc-state 2001,20011,UNBLOCKED,BSS", "bvc-state 101,20011,UNBLOCKED,SGSN", "number-of-peers 4"} {
		if !slices.Contains(c.traps, want) {
			d.t.Errorf("no trap %q in\n%s", want, strings.Join(c.traps, "\n"))
		}
	}
	c.traps = nil
	d.c.Run("delete-gbproxy-peer 2001 only-bvc")
	d.sgsns[1].Stop()
	c.until("sgsn-state", func(v string) bool { return strings.Contains(v, "102,SGSN02,DOWN") })
	for _, want := range []string{"number-of-peers 2", "sgsn-state 102,SGSN02,DOWN", "nse-state 102,DEAD,SGSN", "bvc-state 102,20021,NULL,SGSN"} {
		if !slices.Contains(c.traps, want) {
			d.t.Errorf("no trap %q in\n%s", want, strings.Join(c.traps, "\n"))
		}
	}
}
