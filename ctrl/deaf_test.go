package ctrl

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// lines is a log that a server writes and a test reads.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.b.Write(p) }

func (l *lines) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.b.String(), text)
}

// A client that asks and never reads is given up after writeWait, with a line and
// a counter; one that has sent no frames at once.
func TestFaultDeafCTRLClient(t *testing.T) {
	long := strings.Repeat("x", 60000)
	vars := &Vars{}
	vars.Add(Var{Name: "long", Get: func(string) (string, error) { return long, nil }})
	log := &lines{}
	s := NewServer(vars, slog.New(slog.NewTextHandler(log, nil)))
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	addr := l.Addr().(*net.TCPAddr).AddrPort()
	l.Close()
	if err := s.Listen(addr); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	deaf, web := dial(t, addr), dial(t, addr)
	defer deaf.Close()
	defer web.Close()
	io.WriteString(web, "GET / HTTP/1.1\r\n\r\n")
	go func() {
		for err := error(nil); err == nil; _, err = deaf.Write(appendFrame(nil, "GET 1 long")) {
		}
	}()
	for end := time.Now().Add(30 * time.Second); !log.has("CTRL session ended: it does not read"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the deaf one is still there")
		}
	}
	if !log.has("CTRL session ended: no IPA frames") || s.count.malformed.Load() != 1 || s.count.deaf.Load() != 1 {
		t.Errorf("%d malformed, %d deaf\n%s", s.count.malformed.Load(), s.count.deaf.Load(), &log.b)
	}
}
