package sctp_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolgw/lab/sctptest"
	"poolgw/sctp"
)

// noGoroutineLeft: closing, aborting, timing out leave no goroutine and no
// descriptor.
func noGoroutineLeft(t *testing.T, b sctptest.Bed) {
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	openAndEnd(t, b, 60)
	// A transport's own poller or listener may be new: a few, not one each.
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		g, f := runtime.NumGoroutine()-goroutines, openFiles(t)-files
		if g <= 2 && f <= 4 {
			return
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<12)
			t.Fatalf("%d goroutines and %d descriptors more\n%s", g, f, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// openAndEnd opens n associations, one after the other, and ends them in turn
// in each way.
func openAndEnd(t *testing.T, b sctptest.Bed, n int) {
	t.Helper()
	l, err := b.Server.Listen(sctp.At(b.Port, b.Addrs...), b.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i := range n {
		client, err := b.Client.Dial(t.Context(), sctp.At(0, b.Local...), sctp.At(b.Port, b.Addrs...), b.Options)
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		server, err := l.Accept(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Send(sctp.Message{Data: []byte("some octets")}); err != nil {
			t.Fatal(err)
		}
		switch i % 3 {
		case 0:
			client.Close()
			toTheEnd(t, server)
			server.Close()
		case 1:
			client.Abort("")
			toTheEnd(t, server)
			server.Abort("")
		case 2: // unread
			server.Close()
			toTheEnd(t, client)
			client.Close()
		}
	}
}

func toTheEnd(t *testing.T, a sctp.Assoc) {
	t.Helper()
	a.SetRecvDeadline(time.Now().Add(10 * time.Second))
	for {
		if _, err := a.Recv(); err != nil {
			if _, ok := sctp.CauseOf(err); !ok {
				t.Fatal(err)
			}
			return
		}
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	d, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(d)
}

// residentKiB is how much memory the process has (proc(5), VmRSS).
func residentKiB(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
