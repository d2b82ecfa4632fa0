package metrics

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func freeAddr(t *testing.T) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).AddrPort()
}

func get(t *testing.T, url string) string {
	t.Helper()
	_, b := fetch(t, url)
	return string(b)
}

func TestServe(t *testing.T) {
	s := NewServer(NewRegistry("1.2.3"))
	defer s.Close()
	a, b := freeAddr(t), freeAddr(t)
	if err := s.Listen(a); err != nil {
		t.Fatal(err)
	}
	if body := get(t, "http://"+a.String()+"/metrics"); !strings.Contains(body, `poolgw_build_info{version="1.2.3"} 1`) {
		t.Errorf("no build info in %q", body)
	}
	for _, name := range []string{"go_goroutines", "go_gc_heap_live_bytes", "go_sched_pauses_total_gc_seconds_bucket", "process_resident_memory_bytes"} {
		if !strings.Contains(get(t, "http://"+a.String()+"/metrics"), "\n"+name) {
			t.Errorf("%s is missing", name)
		}
	}
	if err := s.Listen(b); err != nil {
		t.Fatal(err)
	}
	get(t, "http://"+b.String()+"/metrics")
	if _, err := net.Dial("tcp", a.String()); err == nil {
		t.Error("the old address still listens")
	}
}

func TestListenKeepsOldOnError(t *testing.T) {
	s := NewServer(NewRegistry("v"))
	defer s.Close()
	a := freeAddr(t)
	if err := s.Listen(a); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := s.Listen(l.Addr().(*net.TCPAddr).AddrPort()); err == nil {
		t.Fatal("a taken port was accepted")
	}
	get(t, "http://"+a.String()+"/metrics")
}

func TestNamesLinted(t *testing.T) {
	problems, err := testutil.GatherAndLint(NewRegistry("v"), "poolgw_build_info")
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
}

// Clients that connect and say nothing take a bounded number of descriptors;
// when they have gone there is room again.
func TestConnectionsAreBounded(t *testing.T) {
	s := NewServer(NewRegistry("v"))
	defer s.Close()
	a := freeAddr(t)
	if err := s.Listen(a); err != nil {
		t.Fatal(err)
	}
	silent := make([]net.Conn, maxConnections+20)
	for i := range silent {
		c, err := net.Dial("tcp", a.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		silent[i] = c
	}
	cut := 0
	for _, c := range silent {
		c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			cut++
		}
	}
	if cut != 20 {
		t.Errorf("%d of %d connections are cut off, want 20", cut, len(silent))
	}
	for _, c := range silent {
		c.Close()
	}
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if r, err := http.Get("http://" + a.String() + "/"); err == nil {
			r.Body.Close()
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
