package sctp

import (
	"net"
	"net/netip"
	"testing"
)

// Without a local address the one that routes to the peer is taken, no other and
// never all: what the kernel's own choice for a datagram says.
// Facts: N2-05
func TestLocalAddressIsExplicit(t *testing.T) {
	for _, remote := range []string{"127.0.0.5", "::1"} {
		at := At(38412, netip.MustParseAddr(remote))
		e, err := explicit(Endpoint{Port: 7}, at)
		if err != nil {
			t.Errorf("%s: %v", remote, err)
			continue
		}
		c, err := net.Dial("udp", net.JoinHostPort(remote, "9"))
		if err != nil {
			t.Fatal(err)
		}
		want := c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
		c.Close()
		if len(e.Addrs) != 1 || e.Addrs[0] != want || e.Port != 7 {
			t.Errorf("%s: from %s, want %s", remote, e, want)
		}
	}
	given := At(0, netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2"))
	if e, err := explicit(given, At(1, netip.MustParseAddr("127.0.0.1"))); err != nil || e.String() != given.String() {
		t.Errorf("%s, %v", e, err)
	}
}

// Simultaneous dials of many gNBs wait in the backlog: 128 places were seen to
// refuse some of 200.
// Facts: N3-06
func TestDefaultBacklog(t *testing.T) {
	if o := Defaults(); o.Backlog < 1024 || o.Validate() != nil {
		t.Errorf("%d", o.Backlog)
	}
}
