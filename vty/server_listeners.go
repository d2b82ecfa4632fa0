package vty

import (
	"net"
	"net/netip"
	"slices"
)

// Unlisten ends listening at an address that Listen was given. Sessions that
// came in there go on; an address that isn't listened on is ignored.
func (s *Server) Unlisten(addr netip.AddrPort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.listeners, func(l net.Listener) bool { return addrPort(l.Addr()) == unmapped(addr) })
	if i < 0 {
		return
	}
	s.listeners[i].Close()
	s.listeners = slices.Delete(s.listeners, i, i+1)
}

func unmapped(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// tcpOf is the network of an address: with "tcp" alone 0.0.0.0 would be
// listened on by IPv6 too.
func tcpOf(a netip.AddrPort) string {
	if a.Addr().Unmap().Is4() {
		return "tcp4"
	}
	return "tcp6"
}
