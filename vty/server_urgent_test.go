package vty

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// sendUrgent sends data whose last octet TCP marks as urgent.
func sendUrgent(t *testing.T, c net.Conn, data []byte) {
	t.Helper()
	sc, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var sent error
	if err := sc.Control(func(fd uintptr) { sent = unix.Sendto(int(fd), data, unix.MSG_OOB, nil) }); err != nil || sent != nil {
		t.Fatal(err, sent)
	}
}
