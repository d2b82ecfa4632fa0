package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
)

// needPeer returns the path of a program of others that a test runs. Without
// the program the test is skipped, but in CI (CI=true), where the package that
// has it is installed, it fails.
func needPeer(t *testing.T, program, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is not installed (package %s)", program, pkg)
	}
	t.Skipf("%s is not installed (package %s): not tried with a real peer", program, pkg)
	return ""
}

var loopback atomic.Uint32

// ownLoopback returns an address of 127.0.0.0/8 where nobody has GTP's port,
// which osmo-sgsn has at a fixed number.
func ownLoopback(t *testing.T) string {
	t.Helper()
	for range 1000 {
		n := loopback.Add(1) + uint32(os.Getpid())*8
		addr := fmt.Sprintf("127.%d.%d.%d", 64+n>>16&63, n>>8&255, 1+n%254)
		c, err := net.ListenPacket("udp4", addr+":2123")
		if err == nil {
			c.Close()
			return addr
		}
	}
	t.Fatal("no free address of 127.0.0.0/8")
	return ""
}
