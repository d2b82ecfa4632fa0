package main

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
)

// kernelDrops is how many datagrams the kernel has dropped at UDP sockets of
// these IPv4 addresses, because their owners were too slow to read them.
func kernelDrops(t *testing.T, addrs ...netip.AddrPort) (drops uint64) {
	t.Helper()
	text, err := os.ReadFile("/proc/net/udp")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, a := range addrs {
		ip := a.Addr().As4()
		want[fmt.Sprintf("%08X:%04X", binary.LittleEndian.Uint32(ip[:]), a.Port())] = true
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 13 || !want[f[1]] {
			continue
		}
		n, err := strconv.ParseUint(f[12], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		drops += n
		found[f[1]] = true
	}
	if len(found) != len(want) {
		t.Fatalf("%d of %d sockets found", len(found), len(want))
	}
	return drops
}
