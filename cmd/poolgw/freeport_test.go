package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"testing"
)

// Ports for tests are not of those that a kernel gives to whoever asks for any
// (Linux: from 32768, others: from 49152), so that nobody takes one by chance
// between its choice and its use.
const (
	firstFree = 10000
	freePorts = 32768 - firstFree
)

// freePort finds a port of 127.0.0.1 that nobody uses, and keeps it from other
// tests, of other processes too, until the test ends.
func freePort(t *testing.T, network string) int {
	t.Helper()
	for range 1000 {
		port := firstFree + rand.IntN(freePorts)
		hold, err := reserve(network, port)
		if err != nil {
			continue
		}
		if tryPort(network, port) == nil {
			t.Cleanup(func() { hold.Close() })
			return port
		}
		hold.Close()
	}
	t.Fatal("no port is free")
	return 0
}

// reserve fails when another test has the port. What holds it is a name of a
// local socket, which is in no file system and ends with its process.
func reserve(network string, port int) (io.Closer, error) {
	if runtime.GOOS != "linux" {
		return io.NopCloser(nil), nil
	}
	return net.Listen("unix", fmt.Sprintf("@poolgw-test-%s-%d", network, port))
}

// tryPort fails when somebody uses the port.
func tryPort(network string, port int) error {
	var c io.Closer
	var err error
	if addr := fmt.Sprintf("127.0.0.1:%d", port); network == "udp" {
		c, err = net.ListenPacket("udp4", addr)
	} else {
		c, err = net.Listen("tcp4", addr)
	}
	if err != nil {
		return err
	}
	return c.Close()
}

// What one test has got no other one gets, until the first has ended.
func TestFreePortIsKept(t *testing.T) {
	var port int
	t.Run("first", func(t *testing.T) {
		port = freePort(t, "udp")
		if _, err := reserve("udp", port); err == nil && runtime.GOOS == "linux" {
			t.Error("another test can have it")
		}
		if tryPort("udp", port) != nil {
			t.Error("it is not free")
		}
	})
	hold, err := reserve("udp", port)
	if err != nil {
		t.Fatal("the test has ended, and still has it")
	}
	hold.Close()
}
