//go:build linux

package ns

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

func option(t *testing.T, c Conn, level, name int) (v int) {
	t.Helper()
	err := errors.New("closed")
	c.(*udpConn).raw.Control(func(fd uintptr) { v, err = unix.GetsockoptInt(int(fd), level, name) })
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Facts: U-17
func TestUDPQoSAndBuffers(t *testing.T) {
	for _, ip := range loopbacks {
		t.Run(ip, func(t *testing.T) {
			level, name := unix.IPPROTO_IP, unix.IP_TOS
			if ip == "::1" {
				level, name = unix.IPPROTO_IPV6, unix.IPV6_TCLASS
			}
			conns, err := (&KernelUDP{}).Listen(BindConfig{Link: LinkUDP, DSCP: 46, Priority: 5,
				Listen: netip.AddrPortFrom(netip.MustParseAddr(ip), 0)}, 2)
			if err != nil {
				t.Skip(err)
			}
			for _, c := range conns {
				defer c.Close()
				if tos, prio := option(t, c, level, name), option(t, c, unix.SOL_SOCKET, unix.SO_PRIORITY); tos != 46<<2 || prio != 5 {
					t.Errorf("TOS %#x, priority %d", tos, prio)
				}
				if got := option(t, c, unix.SOL_SOCKET, unix.SO_RCVBUF); got < 400000 {
					t.Errorf("receive buffer %d", got)
				}
				c.(Tuner).Tune(10, 0)
				if tos, prio := option(t, c, level, name), option(t, c, unix.SOL_SOCKET, unix.SO_PRIORITY); tos != 10<<2 || prio != 0 {
					t.Errorf("tuned: TOS %#x, priority %d", tos, prio)
				}
			}
		})
	}
}

// linkLocal is an IPv6 link-local address of this machine, with its zone.
func linkLocal(t *testing.T) netip.Addr {
	t.Helper()
	ifs, _ := net.Interfaces()
	for _, i := range ifs {
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is6() && p.Addr().IsLinkLocalUnicast() {
				return p.Addr().WithZone(i.Name)
			}
		}
	}
	t.Skip("this machine has no link-local address")
	return netip.Addr{}
}

// A link-local peer can be answered at the address it came from: on a bind with
// the zone, and on the unspecified address.
func TestUDPLinkLocal(t *testing.T) {
	addr := linkLocal(t)
	for _, ip := range []string{addr.String(), "::"} {
		t.Run(ip, func(t *testing.T) {
			a, b := listen(t, addr.String(), 0, 1)[0], listen(t, ip, 0, 1)[0]
			to := netip.AddrPortFrom(addr, b.LocalAddr().Port())
			if n, err := a.WriteBatch([]Message{message(to, "there")}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			_, from := receive(t, b, 1)
			if from[0].Addr().WithZone("") != addr.WithZone("") || from[0].Addr().Zone() == "" {
				t.Fatalf("from %v", from[0])
			}
			b.WriteBatch([]Message{message(from[0], "back")})
			if texts, from := receive(t, a, 1); texts[0] != "back" || from[0] != to {
				t.Errorf("%q from %v", texts, from)
			}
		})
	}
}

func TestUDPLocalToward(t *testing.T) {
	for _, ip := range loopbacks {
		a := netip.MustParseAddr(ip)
		if got, err := (&KernelUDP{}).LocalToward(a); err != nil || got != a {
			t.Errorf("toward %v: %v, %v", a, got, err)
		}
	}
}
