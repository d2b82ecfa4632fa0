package vty

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A client that configures and reads no more is given up, and the lock with it.
func TestFaultDeafClientHoldsTheLock(t *testing.T) {
	s := NewServer(proxyTree(), nil, nil, osmocom())
	s.writeTimeout = 200 * time.Millisecond
	if err := s.Listen(loopback); err != nil {
		t.Fatal(err)
	}
	defer s.Wait()
	defer s.Close()
	deaf, other := call(t, s), call(t, s)
	other.expect("enable\r", offered+host+"> enable\r\n"+host+"# ")
	deaf.expect("enable\rconfigure terminal\r", offered+host+"> enable\r\n"+host+"# configure terminal\r\n"+host+"(config)# ")
	const typed, refused = "configure terminal\r", "configure terminal\r\nVTY configuration is locked by vty "
	other.expect(typed, refused)
	other.rest(t, host+"# ")
	var sending sync.WaitGroup
	sending.Go(func() {
		for err := error(nil); err == nil; {
			_, err = io.WriteString(deaf.Conn, "do show rows 65535\r")
		}
	})
	waitFor(t, func() bool { return len(s.visitors(nil)) == 1 })
	other.expect(typed, "configure terminal\r\n"+host+"(config)# ")
	deaf.Close()
	sending.Wait()
}

// rest reads up to a prompt.
func (c *caller) rest(t *testing.T, prompt string) {
	t.Helper()
	one := make([]byte, 1)
	for got := ""; !strings.HasSuffix(got, prompt); got += string(one) {
		if _, err := c.Read(one); err != nil {
			t.Fatal(err)
		}
	}
}

// A client whose machine is gone without a word is found by TCP within three
// minutes, though nobody sends it anything.
func TestFaultVanishedClient(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	call(t, s).expect("", offered+host+"> ")
	s.mu.Lock()
	raw, err := s.consoles[1].conn.Conn.(*net.TCPConn).SyscallConn()
	s.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	option := func(level, name int) (v int) {
		raw.Control(func(fd uintptr) { v, err = unix.GetsockoptInt(int(fd), level, name) })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	idle, every, times := option(unix.IPPROTO_TCP, unix.TCP_KEEPIDLE), option(unix.IPPROTO_TCP, unix.TCP_KEEPINTVL), option(unix.IPPROTO_TCP, unix.TCP_KEEPCNT)
	if option(unix.SOL_SOCKET, unix.SO_KEEPALIVE) == 0 || idle+every*times > 180 {
		t.Errorf("found after %d s and %d times %d s", idle, times, every)
	}
}
