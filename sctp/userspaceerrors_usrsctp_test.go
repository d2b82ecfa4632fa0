//go:build usrsctp && cgo && linux

package sctp_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolgw/sctp"
)

// Without CAP_NET_RAW there is one clear line for SCTP over IP, and SCTP over
// UDP works.
func TestUserspaceWithoutPermission(t *testing.T) {
	if os.Getenv("SCTP_TEST_NOBODY") == "" {
		if out := asNobody(t, "^TestUserspaceWithoutPermission$"); !strings.Contains(out, "--- PASS") {
			t.Errorf("%s", out)
		}
		return
	}
	u, err := sctp.Userspace(sctp.UserspaceOptions{UDPPort: 9921})
	if err != nil {
		t.Fatal(err)
	}
	at := sctp.At(38431, netip.MustParseAddr("127.0.0.1"))
	o := sctp.Defaults()
	_, err = u.Listen(at, o)
	if !errors.Is(err, syscall.EPERM) || !strings.Contains(err.Error(), "CAP_NET_RAW") {
		t.Errorf("Listen: %v", err)
	}
	if _, err = u.Dial(t.Context(), sctp.Endpoint{}, at, o); !errors.Is(err, syscall.EPERM) {
		t.Errorf("Dial: %v", err)
	}
	o.Encapsulation = 9921
	l, err := u.Listen(at, o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	a, err := u.Dial(ctx, sctp.Endpoint{}, at, o)
	if err != nil {
		t.Fatal(err)
	}
	a.Abort("")
}

// Dial ends with its context, though nobody answers.
// Facts: N3-05, N3-11
func TestUserspaceDialEndsWithContext(t *testing.T) {
	b := userspaceBed(t)
	silent, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	b.Options.Encapsulation = uint16(silent.LocalAddr().(*net.UDPAddr).Port)
	b.Options.InitAttempts = 100
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := b.Client.Dial(ctx, sctp.At(0, b.Local...), sctp.At(38433, b.Addrs...), b.Options)
		done <- err
	}()
	buf := make([]byte, 1500)
	silent.SetReadDeadline(time.Now().Add(b.Patience))
	if n, err := silent.Read(buf); err != nil || n < 13 || buf[12] != chunkInit {
		t.Errorf("no INIT came: %x %v", buf[:n], err)
	}
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(b.Patience):
		t.Fatal("the context does not end Dial")
	}
}

func TestUserspacePortInUse(t *testing.T) {
	if os.Getenv("SCTP_TEST_NOBODY") == "" {
		if out := asNobody(t, "^TestUserspacePortInUse$"); !strings.Contains(out, "--- PASS") {
			t.Errorf("%s", out)
		}
		return
	}
	c, err := net.ListenUDP("udp4", &net.UDPAddr{Port: 9923})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = sctp.Userspace(sctp.UserspaceOptions{UDPPort: 9923}); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("got %v", err)
	}
	c.Close()
	if _, err = sctp.Userspace(sctp.UserspaceOptions{UDPPort: 9923}); err != nil {
		t.Errorf("the port is free, but %v", err)
	}
	// A second port for the same process: one line.
	if _, err = sctp.Userspace(sctp.UserspaceOptions{UDPPort: 9924}); err == nil || !strings.Contains(err.Error(), "9923") || !strings.Contains(err.Error(), "start anew") {
		t.Errorf("got %v", err)
	}
}

func TestUserspaceUnknownAddress(t *testing.T) {
	b := userspaceBed(t)
	at := sctp.At(38432, netip.MustParseAddr("192.0.2.77"))
	if _, err := b.Server.Listen(at, b.Options); !errors.Is(err, syscall.EADDRNOTAVAIL) || !strings.Contains(err.Error(), "when it started") {
		t.Errorf("Listen: %v", err)
	}
	remote := sctp.At(38432, b.Addrs...)
	if _, err := b.Client.Dial(t.Context(), at, remote, b.Options); !errors.Is(err, syscall.EADDRNOTAVAIL) || !strings.Contains(err.Error(), "when it started") {
		t.Errorf("Dial: %v", err)
	}
}
