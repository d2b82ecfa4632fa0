package ctrl

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func testVars() *Vars {
	v := &Vars{}
	v.Add(
		Var{Name: "number-of-peers", Get: func(string) (string, error) { return "7", nil }},
		Var{Name: "rate_ctr.", Get: func(n string) (string, error) {
			if n == "rate_ctr.bad" {
				return "", errors.New("Counter not found")
			}
			return n[len("rate_ctr."):], nil
		}},
		Var{Name: "speed", Get: func(string) (string, error) { return "1", nil },
			Set: func(_, v string) (string, error) { return v, nil }},
	)
	return v
}

// The texts are those that osmo-gbproxy gives.
// Facts: G10-05, G10-09, G10-10
func TestAnswer(t *testing.T) {
	v := testVars()
	for _, c := range []struct{ line, want string }{
		{"GET 3 number-of-peers", "GET_REPLY 3 number-of-peers 7"},
		{"GET 4 nosuch", "ERROR 4 Command not found"},
		{"SET 5 number-of-peers 3", "ERROR 5 Read Only attribute"},
		{"GET 6 rate_ctr.*", "ERROR 6 GET variable contains invalid characters"},
		{"GET 8 rate_ctr.abs.ns:nse.101.packets:in", "GET_REPLY 8 rate_ctr.abs.ns:nse.101.packets:in abs.ns:nse.101.packets:in"},
		{"GET 9 rate_ctr.bad", "ERROR 9 Counter not found"},
		{"FOO 1", "ERROR err Request type unknown"},
		{"GET", "ERROR err Missing ID"},
		{"GET x y", "ERROR err Invalid message ID number"},
		{"GET 1", "ERROR 1 GET incomplete"},
		{"SET 1 speed", "ERROR 1 SET incomplete"},
		{"SET 1 speed 4", "SET_REPLY 1 speed 4"},
		// What osmo-sgsn 1.9.0 answers.
		{"", "ERROR err Request malformed"},
		{"TRAP 1 x y", "ERROR 1 Trying to execute something not GET or SET"},
		{"GET_REPLY 1 x y", "ERROR 1 Trying to execute something not GET or SET"},
		{"ERROR 1 x", ""},
		{"GET 5a x", "ERROR err Invalid message ID number"},
		{"GET -1 x", "ERROR err Invalid message ID number"},
		{"GET 0 nosuch", "ERROR 0 Command not found"},
		{"GET 23 nosuch.a.b", "ERROR 23 Command not found"},
		{"GET 1 ", "ERROR 1 GET incomplete"},
		{"GET  2 x", "ERROR 2 Command not found"},
		{"GET 3 a b", "ERROR 3 GET with trailing characters"},
		{"GET 3 a\tb", "ERROR 3 GET variable contains invalid characters"},
		{"GET 3 a\nb", "ERROR 3 GET with trailing characters"},
		{"SET 3 nosuch a\nb", "ERROR 3 SET with trailing characters"},
		{"SET 3 rate_ctr.* 2", "ERROR 3 SET variable contains invalid characters"},
	} {
		if got := v.Answer(c.line); got != c.want {
			t.Errorf("%q: got %q, want %q", c.line, got, c.want)
		}
	}
}

// Facts: G10-08
func TestFrameOctets(t *testing.T) {
	// IPA: length 6 ("GET 1" and the extension octet), stream 0xee, extension 0.
	want := []byte("\x00\x06\xee\x00GET 1")
	if got := appendFrame(nil, "GET 1"); !bytes.Equal(got, want) {
		t.Errorf("got % x", got)
	}
	in := append([]byte("\x00\x01\xfe\x00"), want...) // an IPA ping first
	line, err := readFrame(bytes.NewReader(in))
	if err != nil || line != "GET 1" {
		t.Errorf("read %q, %v", line, err)
	}
	if _, err := readFrame(bytes.NewReader([]byte("\xff\xff\xee\x00"))); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("an oversized frame was not refused: %v", err)
	}
}

func TestServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().(*net.TCPAddr).AddrPort()
	s := NewServer(testVars(), slog.New(slog.DiscardHandler))
	if err := s.Listen(addr); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Fatalf("a taken port: %v", err)
	}
	l.Close()
	if err := s.Listen(addr); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := dial(t, addr)
	defer c.Close()
	c.Write(appendFrame(appendFrame(nil, "GET 1 number-of-peers"), "GET 2 nosuch"))
	for _, want := range []string{"GET_REPLY 1 number-of-peers 7", "ERROR 2 Command not found"} {
		if got, err := readFrame(c); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}

func TestSessionLimit(t *testing.T) {
	s := NewServer(testVars(), slog.New(slog.DiscardHandler))
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	addr := l.Addr().(*net.TCPAddr).AddrPort()
	l.Close()
	if err := s.Listen(addr); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range maxSessions {
		c := dial(t, addr)
		defer c.Close()
		c.Write(appendFrame(nil, "GET 1 speed"))
		if _, err := readFrame(c); err != nil {
			t.Fatal(err)
		}
	}
	c := dial(t, addr)
	defer c.Close()
	if _, err := readFrame(c); err == nil {
		t.Error("a session beyond the limit was served")
	}
}

func dial(t *testing.T, a netip.AddrPort) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", a.String())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Two sessions see a trap, octet for octet; one that does not read loses traps
// and disturbs nobody.
func TestTrap(t *testing.T) {
	s := NewServer(testVars(), slog.New(slog.DiscardHandler))
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	addr := l.Addr().(*net.TCPAddr).AddrPort()
	l.Close()
	if err := s.Listen(addr); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	deaf := dial(t, addr)
	defer deaf.Close()
	ask(t, deaf)
	var peers []net.Conn
	for range 2 {
		c := dial(t, addr)
		defer c.Close()
		ask(t, c) // served from here on
		peers = append(peers, c)
	}
	want := []byte("\x00\x1a\xee\x00TRAP 0 number-of-peers 12")
	s.Trap("number-of-peers", "12")
	for _, c := range peers {
		got := make([]byte, len(want))
		if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("got %q, %v", got, err)
		}
	}
	long := strings.Repeat("x", 60000)
	for range 10 * queueLength { // more than sockets and queue hold
		s.Trap("speed", long)
	}
	lost := uint64(0)
	s.mu.Lock()
	for x := range s.sessions {
		lost += x.lost.Load()
	}
	s.mu.Unlock()
	if lost == 0 {
		t.Error("nobody lost a trap: the queues have no bound")
	}
}

func ask(t *testing.T, c net.Conn) {
	t.Helper()
	c.Write(appendFrame(nil, "GET 1 speed"))
	if _, err := readFrame(c); err != nil {
		t.Fatal(err)
	}
}

// Octets that begin no frame of CTRL, or none at all, never panic and need no
// more memory than they bring.
func FuzzFrame(f *testing.F) {
	for _, s := range []string{"\x00\x06\xee\x00GET 1", "\x00\x01\xfe\x00\x00\x06\xee\x00GET 1", "\x00\x00\xee", "\xff\xff\xee\x00", "\x10\x01\xee\x00", "GET / HTTP/1.1"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for r := bytes.NewReader(b); ; {
			line, err := readFrame(r)
			if err != nil {
				return
			}
			if len(line)+1 > MaxLine {
				t.Errorf("a line of %d octets", len(line))
			}
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"GET 1 number-of-peers", "SET 2 speed 3", "TRAP 0 x y", "GET", ""} {
		f.Add([]byte(s))
	}
	v := testVars()
	f.Fuzz(func(t *testing.T, b []byte) {
		line, err := readFrame(bytes.NewReader(appendFrame(nil, string(b))))
		if err != nil {
			if len(b)+1 <= MaxLine {
				t.Fatal(err)
			}
			return
		}
		a := v.Answer(line)
		if verb, _, _ := strings.Cut(strings.Trim(line, " \r\n\x00"), " "); a == "" && verb == "ERROR" {
			return // answered by nobody
		}
		if !strings.Contains(a, "REPLY ") && !strings.HasPrefix(a, "ERROR ") {
			t.Errorf("%q: %q", line, a)
		}
	})
}
