package sctp

import (
	"fmt"
	"net"
	"net/netip"
)

// explicit gives local the address that routes to remote, when it has none: an
// unbound socket would announce every address of the host.
func explicit(local, remote Endpoint) (Endpoint, error) {
	if len(local.Addrs) > 0 {
		return local, nil
	}
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(remote.Addrs[0], 9)))
	if err != nil {
		return local, fmt.Errorf("sctp: no way to %s: %w", remote, err)
	}
	defer c.Close()
	local.Addrs = []netip.Addr{c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()}
	return local, nil
}
