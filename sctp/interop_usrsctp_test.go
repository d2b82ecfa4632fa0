//go:build usrsctp && cgo && linux

package sctp_test

import (
	"net/netip"
	"os"
	"testing"
	"time"

	"poolgw/lab/sctptest"
	"poolgw/sctp"
)

// The kernel's stack and ours over UDP encapsulation (RFC 6951), each as the
// server. Over IP the kernel would abort what it does not know.
// Facts: N3-10, N3-12
func TestKernelAndUserspace(t *testing.T) {
	const kernelPort, ourPort = 9899, 9900
	k := kernelSCTP(t)
	if err := os.WriteFile("/proc/sys/net/sctp/udp_port", []byte("9899"), 0); err != nil {
		t.Skipf("not root, or no UDP encapsulation in this kernel: %v", err)
	}
	u, err := sctp.Userspace(sctp.UserspaceOptions{UDPPort: ourPort, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	lo := []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	lo6 := []netip.Addr{netip.IPv6Loopback()}
	bed := sctptest.Bed{Port: 38413, Many: 20, Patience: 20 * time.Second, Options: slowOptions()}
	for _, c := range []struct {
		name           string
		server, client sctp.Transport
		port           uint16 // of the peer of the client
		at             []netip.Addr
	}{
		{"KernelServes", k, u, kernelPort, lo}, {"UserspaceServes", u, k, ourPort, lo},
		{"KernelServesIPv6", k, u, kernelPort, lo6}, {"UserspaceServesIPv6", u, k, ourPort, lo6},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range sctptest.Cases {
				if s.Name == "NobodyListens" && c.server == u {
					continue // a stack that shares its address is silent to strangers
				}
				if s.Name != "Exchange" && s.Name != "LongMessages" && c.at[0].Is6() {
					continue // the others were seen over IPv4
				}
				t.Run(s.Name, func(t *testing.T) {
					b := bed
					b.Addrs, b.Local = c.at, c.at
					b.Server, b.Client, b.Options.Encapsulation = c.server, c.client, c.port
					s.Run(t, b)
				})
			}
		})
	}
}

// The kernel's stack hears that a peer's stack died and began anew.
func TestKernelHearsRestart(t *testing.T) {
	kernelSCTP(t)
	s := newStage(t)
	s.ip("netns", "exec", s.space[b], "sh", "-c", "echo 9899 >/proc/sys/net/sctp/udp_port")
	o := emulated()
	o.Encapsulation = 9899
	restarts(s, nodeSettings{Transport: "kernel", Options: o},
		nodeSettings{Transport: "userspace", Options: o, Stack: sctp.UserspaceOptions{UDPPort: 9899}})
}
