package ns

import (
	"net"
	"net/netip"

	"golang.org/x/sys/unix"

	"poolgw/ns/fr"
)

// greConn is Frame Relay in GRE on a raw IP socket.
type greConn struct {
	*rawConn
	v6   bool
	zone zone
}

// listenGRE opens one raw socket for GRE, IP protocol 47, on the address.
func (k *KernelUDP) listenGRE(b BindConfig, workers int) ([]Conn, error) {
	addr := b.Listen.Addr().Unmap()
	fail := func(step string, err error) ([]Conn, error) { return nil, &RawError{step, addr.String(), err} }
	z, err := zoneOf(addr)
	if err != nil {
		return fail("bind GRE socket", err)
	}
	g := &greConn{v6: addr.Is6(), zone: z}
	fd, err := unix.Socket(family(g.v6), unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_GRE)
	if err != nil {
		return fail("open GRE socket", err)
	}
	if err := unix.Bind(fd, bindAddr(netip.AddrPortFrom(addr, 0), z)); err != nil {
		unix.Close(fd)
		return fail("bind GRE socket", err)
	}
	k.tune(fd, g.v6, b)
	if g.rawConn, err = newRawConn(fd, "gre", netip.AddrPortFrom(addr, 0), g); err != nil {
		return fail("open GRE socket", err)
	}
	return forWorkers(g, g.rawConn, workers), nil
}

// Tune sets another DSCP, 0..63, and SO_PRIORITY.
func (g *greConn) Tune(dscp, priority uint8) error {
	var err error
	if g.raw.Control(func(fd uintptr) { err = setQoS(int(fd), g.v6, dscp, priority) }) != nil {
		return net.ErrClosed
	}
	return err
}

// strip takes IP header (IPv4 sockets have it), GRE header and Q.922 address
// off. Keepalives are answered here.
func (g *greConn) strip(b []byte, name *unix.RawSockaddrInet6) (begin, n int, from netip.AddrPort, ok bool) {
	src, dst, packet := netip.Addr{}, g.local.Addr(), b
	if g.v6 {
		src = g.zone.put(netip.AddrFrom16(name.Addr), name.Scope_id)
	} else {
		ip, err := fr.ParseIPv4(b)
		if err != nil {
			return 0, 0, from, false
		}
		src, dst, packet = ip.Src, ip.Dst, ip.Payload
	}
	proto, payload, err := fr.ParseGRE(packet)
	if err == nil && fr.IsKeepalive(proto) {
		return 0, 0, from, g.keepalive(proto, payload, src, dst)
	}
	if err != nil || proto != fr.GREFrameRelay {
		return 0, 0, from, false
	}
	dlci, info, err := fr.ParseAddress(payload)
	if err != nil || dlci < fr.MinDLCI || dlci > fr.MaxDLCI {
		return 0, 0, from, false // no LMI here
	}
	// info lies in b, but for padding behind an IPv4 packet at its end
	begin = cap(b) - cap(info)
	return begin, len(info), netip.AddrPortFrom(src, dlci), true
}

// keepalive sends the answer. It is always false: there is nothing for NS.
func (g *greConn) keepalive(proto uint16, inner []byte, src, dst netip.Addr) bool {
	if dst.IsUnspecified() {
		dst = netip.Addr{}
	}
	answer, err := fr.Keepalive(proto, inner, src.WithZone(""), dst.WithZone(""))
	if err != nil {
		return false
	}
	s := g.sends.Get().(*rawSend)
	defer g.sends.Put(s)
	s.frame = append(s.buf[:0], answer...)
	s.size, _ = g.address(&s.name, src)
	_ = g.raw.Control(s.fn) // one that is lost is asked for again
	return false
}

// wrap puts GRE header and Q.922 address before m.
func (g *greConn) wrap(b []byte, m *Message, name *unix.RawSockaddrInet6) ([]byte, uint32, bool) {
	b = fr.AppendAddress(fr.AppendGRE(b, fr.GREFrameRelay), m.Addr.Port())
	size, ok := g.address(name, m.Addr.Addr())
	return append(b, m.Buf[:m.N]...), size, ok
}

// address writes a as the kernel wants it; the port of a raw socket is 0.
func (g *greConn) address(sa *unix.RawSockaddrInet6, a netip.Addr) (size uint32, ok bool) {
	return encodeAddr(sa, netip.AddrPortFrom(a, 0), g.v6, g.zone)
}
