package vty

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var (
	loopback  = netip.MustParseAddrPort("127.0.0.1:0")
	viewOnly  = []Node{ViewNode}
	nriConfig = "sgsn nsei 101\n nri add 1\nsgsn nsei 102\n nri add 2\n"
)

// proxyTree has the commands of osmo-gbproxy that its transcripts use.
func proxyTree() *Tree {
	t := NewTree()
	t.Node(NodeDef{Name: "gbproxy", Prompt: "(config-gbproxy)", Parent: ConfigNode})
	show := []Node{ViewNode, EnableNode}
	say := func(text string) Handler {
		return func(s *Session, _ Args) error { _, err := io.WriteString(s, text); return err }
	}
	t.Add(
		Command{show, "show gbproxy bvc (bss|sgsn)", []string{"Show", "Proxy", "BVCs", "BSS side", "SGSN side"}, 0, say("")},
		Command{show, "show gbproxy cell", []string{"Show", "Proxy", "Cells"}, 0, say("")},
		Command{show, "show gbproxy tlli-cache", []string{"Show", "Proxy", "TLLI cache"}, 0, say("")},
		Command{show, "show gbproxy imsi-cache", []string{"Show", "Proxy", "IMSI cache"}, 0, say("")},
		Command{show, "show nri all", []string{"Show", "NRIs", "All"}, 0, say(nriConfig)},
		Command{show, "show nri nsei <0-65535>", []string{"Show", "NRIs", "One SGSN", "NSEI of the SGSN"}, 0, say("")},
		Command{show, "show ns binds", []string{"Show", "NS", "Binds"}, 0, say("")},
		Command{show, "logging enable", []string{"Log", "Enable"}, 0, func(s *Session, _ Args) error { s.Terminal().Monitor(true); return nil }},
		Command{show, "show rows <1-65535>", []string{"Show", "Rows", "How many"}, 0, showRows},
		Command{show, "show octets", []string{"Show", "Octets"}, 0, say("a\xffb\x1b[31mc\xc2\x9bd\te\r\n")},
		Command{show, "show stub", []string{"Show", "No line end"}, 0, say("end")},
		Command{show, "show panic", []string{"Show", "Panic"}, 0, func(*Session, Args) error { panic("a defect") }},
		Command{[]Node{ConfigNode}, "gbproxy", []string{"Proxy"}, 0, func(s *Session, _ Args) error { s.Enter("gbproxy", nil); return nil }},
		Command{[]Node{"gbproxy"}, "nri bitlen <0-15>", []string{"NRI", "Bits", "Bits"}, 0, say("")},
	)
	return t
}

func showRows(s *Session, a Args) error {
	var n int
	fmt.Sscan(a[0], &n)
	for i := range n {
		if _, err := fmt.Fprintf(s, "row %d\n", i+1); err != nil {
			return err
		}
	}
	return nil
}

// started is a server on a loopback port, ended and found without leaks when
// the test is over.
func started(t *testing.T, tree *Tree, logs Logs, set Settings) *Server {
	t.Helper()
	before := goleak.IgnoreCurrent()
	s := NewServer(tree, nil, logs, set)
	s.failDelay = time.Millisecond
	if err := s.Listen(loopback); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		s.Wait()
		if err := goleak.Find(before); err != nil {
			t.Error(err)
		}
	})
	return s
}

// caller is a client that compares octets.
type caller struct {
	*testing.T
	net.Conn
}

func call(t *testing.T, s *Server) *caller {
	t.Helper()
	c, err := net.Dial("tcp", s.Addrs()[0].String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return dialled(t, c)
}

func dialled(t *testing.T, c net.Conn) *caller {
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return &caller{t, c}
}

const offered = "\xff\xfb\x01\xff\xfb\x03\xff\xfe\"\xff\xfd\x1f"

// expect sends keys and wants exactly these octets; what is too much is found
// by the next.
func (c *caller) expect(keys, want string) {
	c.Helper()
	if _, err := io.WriteString(c.Conn, keys); err != nil {
		c.Fatalf("sending %q: %v", keys, err)
	}
	got := make([]byte, len(want))
	n, err := io.ReadFull(c.Conn, got)
	if err != nil || string(got) != want {
		c.Fatalf("sent %q\n got %q (%v)\nwant %q", keys, got[:n], err, want)
	}
}

// expectEnd sends keys and wants these octets and the end.
func (c *caller) expectEnd(keys, want string) {
	c.Helper()
	c.expect(keys, want)
	if rest, err := io.ReadAll(c.Conn); err != nil || len(rest) > 0 {
		c.Fatalf("after %q: %q, %v; want the end", keys, rest, err)
	}
}

const host = "OsmoGbProxy"

func osmocom() Settings { return Settings{Hostname: host} }

// The octets were taken down from osmo-gbproxy 0.5.0, except where a line says
// otherwise.
// Facts: G11-01, G11-04, G11-06, G11-07, G11-09, G11-10, G11-14, G11-16, G11-17, G11-18, G11-21
func TestOsmocomsTranscript(t *testing.T) {
	p, kill := "\r\n"+host, func(n int) string { return backs(n) + spaces(n) + backs(n) }
	nri := strings.ReplaceAll(nriConfig, "\n", "\r\n")
	steps := []struct{ keys, want string }{
		{"", offered + host + "> "},
		{"\n", p + "> "},
		{"\r\n", p + "> "}, // Osmocom: two
		{"\r\x00", p + "> "},
		{"\r", p + "> "},
		{"sh\t", "sh" + p + "> sh\b\bshow "},
		{"gb\t", "gb" + p + "> show gb\b\bgbproxy "},
		{"\t", "\r\nbvc        cell       tlli-cache imsi-cache " + p + "> show gbproxy "},
		{"\x15", kill(13)},
		{"zzz\t", "zzz" + p + "> zzz"},
		{"\x15", kill(3)},
		{"show n\t", "show n\r\nnri        ns         " + p + "> show n"},
		{"\x15", kill(6)},
		{"show gbproxy bvc b\t", "show gbproxy bvc b" + p + "> show gbproxy bvc b\bbss "},
		{"\x03", p + "> "},
		{"sho?", "sho\r\n  show  Show running system information" + p + "> sho"},
		{"\x15", kill(3)},
		{"foo ?", "foo \r\n% There is no matched command." + p + "> foo "},
		{"\x15", kill(4)},
		{"l ?", "l \r\n% Ambiguous command." + p + "> l "},
		{"\x15", kill(2)},
		{"show nri all ?", "show nri all \r\n  <cr>  " + p + "> show nri all "},
		{"\x15", kill(13)},
		{"show nri nsei 1?", "show nri nsei 1\r\n  <0-65535>  NSEI of the SGSN" + p + "> show nri nsei 1"},
		{"\x15", kill(15)},
		{"enable\r", "enable" + p + "# "},
		{"configure terminal\r", "configure terminal" + p + "(config)# "},
		{"gbproxy\r", "gbproxy" + p + "(config-gbproxy)# "},
		{"nri bit\x03", "nri bit" + p + "(config-gbproxy)# "},
		{"nri bit\x1a", "nri bit" + p + "# "}, // Osmocom stays in the node, and keeps the text
		{"configure terminal\r", "configure terminal" + p + "(config)# "},
		{"bind udp bss-side\r", "bind udp bss-side\r\n% Unknown command." + p + "(config)# "},
		{"end\r", "end" + p + "# "},
		{"\x1b[A", "end"},
		{"\x1b[A", kill(3) + "bind udp bss-side"},
		{"\x1b[B", kill(17) + "end"},
		{"\x15", kill(3)},
		{"how nri all\x01s\r", "how nri all" + backs(11) + "show nri all" + backs(11) + "\r\n" + nri + host + "# "},
		{"show nri foo\x17all\r", "show nri foo\b \b\b \b\b \ball\r\n" + nri + host + "# "},
		{"show nri allX\x1b[D\x0b\r", "show nri allX\b \b\r\n" + nri + host + "# "},
		{"disable\r", "disable" + p + "> "},
		{"show \xc3\xa9\r", "show \xc3\xa9\r\n% Unknown command." + p + "> "}, // Osmocom drops the character
		{"terminal length 6\r", "terminal length 6" + p + "> "},
	}
	c := call(t, started(t, proxyTree(), nil, osmocom()))
	for _, s := range steps {
		c.expect(s.keys, s.want)
	}
	c.expectEnd("exit\r", "exit\r\n")
}

// Facts: G11-05
func TestControlD(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	c := call(t, s)
	c.expect("enable\rconfigure terminal\r", offered+host+"> enable\r\n"+host+"# configure terminal\r\n"+host+"(config)# ")
	c.expect("\x04", "\r\n"+host+"# ")
	c.expectEnd("\x04", "\r\n")
	c = call(t, s)
	c.expect("", offered+host+"> ")
	c.expectEnd("\x04", "\r\n") // as in osmo-gbproxy
}

func TestTooLongLineIsNotExecuted(t *testing.T) {
	c := call(t, started(t, proxyTree(), nil, osmocom()))
	c.expect("", offered+host+"> ")
	line := "show nri all" + strings.Repeat(" ", maxLine)
	c.expect(line+"\r", line[:maxLine]+"\a\r\n% Line too long (more than 4096 octets), not executed.\r\n"+host+"> ")
	c.expect("enable\r", "enable\r\n"+host+"# ")
}

func TestOutputIsHarmless(t *testing.T) {
	c := call(t, started(t, proxyTree(), nil, osmocom()))
	c.expect("show octets\r", offered+host+"> show octets\r\na\xff\xffb?[31mc\xc2?d\te\r\n"+host+"> ")
}

func TestPanicOfACommandEndsItsSessionOnly(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	other, c := call(t, s), call(t, s)
	other.expect("", offered+host+"> ")
	c.expectEnd("show panic\r", offered+host+"> show panic\r\n% Internal error: this session ends.\r\n")
	other.expect("enable\r", "enable\r\n"+host+"# ")
}

func TestHTTPIsClosedUnheard(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	c := call(t, s)
	io.WriteString(c.Conn, "POST / HTTP/1.1\r\nHost: x\r\n\r\nenable\r\n")
	got, _ := io.ReadAll(c.Conn)
	if strings.Contains(string(got), "enable") {
		t.Errorf("the body was heard: %q", got)
	}
}

// The client's ^C: interrupt, timing mark and a data mark sent urgent, which a
// server that takes urgent data out of the stream loses.
func TestUrgentDataMark(t *testing.T) {
	c := call(t, started(t, proxyTree(), nil, osmocom()))
	c.expect("abc", offered+host+"> abc")
	sendUrgent(t, c.Conn, []byte("\xff\xf4\xff\xf2"))
	c.expect("", "\r\n"+host+"> ")
	c.expect("\xff\xfd\x06", "\xff\xfc\x06") // answered, so that the client shows output again
}

// The prompt begins a line, whatever a command printed.
func TestPromptBeginsALine(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	c := call(t, s)
	c.expect("", offered+host+"> ")
	c.expect("show stub\r", "show stub\r\nend\r\n"+host+"> ")
	client := clientOf(t, s, DialOptions{})
	if out, err := client.Run("show stub"); out != "end\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

func TestWindowSizePages(t *testing.T) {
	c := call(t, started(t, proxyTree(), nil, Settings{Hostname: host, TerminalLength: -1}))
	c.expect("\xff\xfa\x1f\x00\x50\x00\x04\xff\xf0\r", offered+host+"> \r\n"+host+"> ")
	c.expect("show rows 5\r", "show rows 5\r\nrow 1\r\nrow 2\r\nrow 3\r\n --More-- ")
	c.expect(" ", wiped+"row 4\r\nrow 5\r\n"+host+"> ")
}

const wiped = "\r          \r"

// Facts: G11-23
func TestMore(t *testing.T) {
	const page = "show rows 9\r\nrow 1\r\nrow 2\r\n --More-- "
	tests := []struct{ name, keys, want string }{
		{"space", " ", wiped + "row 3\r\nrow 4\r\n --More-- "},
		{"Enter", "\r", wiped + "row 3\r\n --More-- "},
		{"Enter as CR LF", "\r\n", wiped + "row 3\r\n --More-- "},
		{"q", "q", wiped + host + "> "},
		{"^C", "\x03", wiped + host + "> "},
		{"arrows do nothing", "\x1b[B\x1b[6~\x02 ", wiped + "row 3\r\nrow 4\r\n --More-- "},
		{"pasted after the pause", "q\x7fe", wiped + "row 3\r\nrow 4\r\nrow 5\r\nrow 6\r\nrow 7\r\nrow 8\r\nrow 9\r\n" + host + "> q\b \be"},
		{"any other key is a page, and swallowed", "e", wiped + "row 3\r\nrow 4\r\n --More-- "},
	}
	s := started(t, proxyTree(), nil, Settings{Hostname: host, TerminalLength: 3})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := call(t, s)
			c.expect("", offered+host+"> ")
			c.expect("show rows 9\r", page)
			c.expect(tt.keys, tt.want)
			c.Close()
		})
	}
}

// The key that was an answer is not typed at the prompt.
func TestMoreSwallowsItsKey(t *testing.T) {
	c := call(t, started(t, proxyTree(), nil, Settings{Hostname: host, TerminalLength: 3}))
	c.expect("", offered+host+"> ")
	c.expect("show rows 4\r", "show rows 4\r\nrow 1\r\nrow 2\r\n --More-- ")
	c.expect("x", wiped+"row 3\r\nrow 4\r\n"+host+"> ")
	c.expect("\r", "\r\n"+host+"> ")
}

func TestMoreCountsWrappedRowsAndStopsBeforeMoreOnly(t *testing.T) {
	c := call(t, started(t, proxyTree(), nil, Settings{Hostname: host, TerminalLength: 4}))
	c.expect("\xff\xfa\x1f\x00\x02\x00\x63\xff\xf0\r", offered+host+"> \r\n"+host+"> ") // 2 columns
	c.expect("show rows 2\r", "show rows 2\r\nrow 1\r\n --More-- ")
	c.expect("q", wiped+host+"> ")
	c.expect("\xff\xfa\x1f\x00\x50\x00\x63\xff\xf0\r", "\r\n"+host+"> ")
	c.expect("show rows 3\r", "show rows 3\r\nrow 1\r\nrow 2\r\nrow 3\r\n"+host+"> ")
	c.expect("terminal length 0\r", "terminal length 0\r\n"+host+"> ")
	c.expect("show rows 4\r", "show rows 4\r\nrow 1\r\nrow 2\r\nrow 3\r\nrow 4\r\n"+host+"> ")
}

func TestSessionLimit(t *testing.T) {
	set := Settings{Hostname: host, MaxSessions: 2}
	s := started(t, proxyTree(), nil, set)
	a, b := call(t, s), call(t, s)
	a.expect("", offered+host+"> ")
	b.expect("", offered+host+"> ")
	call(t, s).expectEnd("", "% All 2 VTY sessions are in use.\r\n")
	b.expectEnd("exit\r", "exit\r\n")
	b.Close()
	waitFor(t, func() bool { return len(s.visitors(nil)) == 1 })
	call(t, s).expect("", offered+host+"> ")
	set.MaxSessions = 3
	s.SetSettings(set)
	call(t, s).expect("", offered+host+"> ")
}

// waitFor is for what another goroutine does after a connection was closed.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen")
		}
	}
}

func TestWhoSeesSessions(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	a := call(t, s)
	a.expect("", offered+host+"> ")
	b := call(t, s)
	b.expect("", offered+host+"> ")
	v := s.visitors(nil)
	if len(v) != 2 || v[0].ID != 1 || v[1].ID != 2 || v[0].Remote.String() != a.LocalAddr().String() || time.Since(v[0].Since) > time.Minute {
		t.Errorf("visitors %+v", v)
	}
}

// Facts: G11-03
func TestHostnameChangesLive(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	c := call(t, s)
	c.expect("", offered+host+"> ")
	s.SetSettings(Settings{Hostname: "POOL1"})
	c.expect("\r", "\r\nPOOL1> ")
}

func TestCloseEndsSessions(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	c := call(t, s)
	c.expect("enable", offered+host+"> enable")
	s.Close()
	s.Wait()
	if rest, _ := io.ReadAll(c.Conn); len(rest) > 0 {
		t.Errorf("%q after the end", rest)
	}
	if err := s.Listen(loopback); err == nil {
		t.Error("a closed server listens")
	}
}

func TestListenTwiceAndInUse(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	if err := s.Listen(s.Addrs()[0]); err == nil {
		t.Error("an address in use was taken")
	}
	if err := s.Listen(netip.MustParseAddrPort("127.0.0.2:0")); err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", s.Addrs()[1].String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	dialled(t, c).expect("", offered+host+"> ")
}

// pasteTree counts the lines it is given.
func pasteTree(got *[]string) *Tree {
	t := NewTree()
	t.Add(Command{viewOnly, "quote .TEXT", []string{"Quote", "Text"}, 0, func(s *Session, a Args) error {
		*got = append(*got, a[0])
		_, err := fmt.Fprintf(s, "1\n2\n%s\n", a[0])
		return err
	}})
	return t
}

// Pasted text of 20,000 lines at once loses nothing, although each line's output
// is more than a page, and begins with the key that ends a page's output.
func TestPaste(t *testing.T) {
	const lines = 20_000
	var got []string
	s := started(t, pasteTree(&got), nil, Settings{Hostname: host, TerminalLength: 2})
	c := call(t, s)
	var shown strings.Builder
	var sending sync.WaitGroup
	sending.Go(func() {
		var text strings.Builder
		for i := range lines {
			fmt.Fprintf(&text, "quote line %d\r\n", i)
		}
		io.WriteString(&text, "exit\r\n")
		io.WriteString(c.Conn, text.String())
	})
	if _, err := io.Copy(&shown, c.Conn); err != nil {
		t.Fatal(err)
	}
	sending.Wait()
	if n := strings.Count(strings.ReplaceAll(shown.String(), morePrompt+wiped, ""), "1\r\n2\r\nline "); n != lines {
		t.Errorf("%d answers of %d were shown", n, lines)
	}
	if len(got) != lines {
		t.Fatalf("%d lines of %d arrived", len(got), lines)
	}
	for i, l := range got {
		if want := fmt.Sprintf("line %d", i); l != want {
			t.Fatalf("line %d is %q", i, l)
		}
	}
}

// A client that pastes and never reads is stopped by TCP, then given up, and
// disturbs nobody meanwhile.
func TestDeafClient(t *testing.T) {
	s := NewServer(proxyTree(), nil, nil, osmocom())
	s.writeTimeout = 200 * time.Millisecond
	if err := s.Listen(loopback); err != nil {
		t.Fatal(err)
	}
	defer s.Wait()
	defer s.Close()
	deaf, other := call(t, s), call(t, s)
	other.expect("", offered+host+"> ")
	var sending sync.WaitGroup
	sending.Go(func() {
		for {
			if _, err := io.WriteString(deaf.Conn, "show rows 65535\r"); err != nil {
				return
			}
		}
	})
	for len(s.visitors(nil)) == 2 {
		other.expect("\r", "\r\n"+host+"> ")
	}
	deaf.Close()
	sending.Wait()
}
