package ns

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

var errNotUDP = errors.New("ns: not a UDP bind with an address")

// Listen opens workers sockets on b.Listen; with port 0 the kernel chooses one
// for all of them. The error is a *SocketError when a system call failed, over
// Frame Relay a *RawError.
func (k *KernelUDP) Listen(b BindConfig, workers int) ([]Conn, error) {
	switch b.Link {
	case LinkFR:
		if b.FRNetIf == "" {
			return nil, errNotUDP
		}
		return k.listenLine(b, workers)
	case LinkFRGRE:
		return k.listenGRE(b, workers)
	}
	if b.Link != LinkUDP || !b.Listen.IsValid() {
		return nil, errNotUDP
	}
	var conns []Conn
	addr := b.Listen
	for range max(1, workers) {
		c, err := k.open(b, addr, len(conns) > 0)
		if err != nil {
			for _, c := range conns {
				c.Close()
			}
			return nil, err
		}
		conns = append(conns, c)
		addr = c.local
	}
	return conns, nil
}

// udpConn is one socket. The reader's scratch is its own; writers take theirs
// from a small store, for there may be several at once.
type udpConn struct {
	file  *os.File // owns the descriptor; on the runtime's poller
	raw   syscall.RawConn
	local netip.AddrPort
	zone  zone
	v6    bool
	drops udpCounters
	gso   segmentation
	recv  recvBatch
	mem   memInfo // the reader's
	sends sendStore
}

// open makes one socket; join tells that it belongs to a group that the first
// one began.
func (k *KernelUDP) open(b BindConfig, addr netip.AddrPort, join bool) (*udpConn, error) {
	z, err := zoneOf(addr.Addr())
	if err != nil {
		return nil, &SocketError{"bind socket", addr, err}
	}
	v6 := !addr.Addr().Unmap().Is4()
	fd, err := unix.Socket(family(v6), unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_UDP)
	if err != nil {
		return nil, &SocketError{"create socket", addr, err}
	}
	if err = bindShared(fd, v6, addr, z, join); err == nil {
		k.tune(fd, v6, b)
		return newUDPConn(fd, v6, z, b.Segmentation)
	}
	unix.Close(fd)
	return nil, err
}

func family(v6 bool) int {
	if v6 {
		return unix.AF_INET6
	}
	return unix.AF_INET
}

// bindShared binds fd: the first socket before it may share its port, the
// others after. See KernelUDP why.
func bindShared(fd int, v6 bool, addr netip.AddrPort, z zone, join bool) error {
	share := func() error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) }
	if v6 {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1); err != nil {
			return &SocketError{"keep IPv4 off the socket", addr, err}
		}
	}
	if join {
		if err := share(); err != nil {
			return &SocketError{"share port", addr, err}
		}
	}
	if err := unix.Bind(fd, bindAddr(addr, z)); err != nil {
		return &SocketError{"bind socket", addr, err}
	}
	if !join {
		if err := share(); err != nil {
			return &SocketError{"share port", addr, err}
		}
	}
	return nil
}

func bindAddr(addr netip.AddrPort, z zone) unix.Sockaddr {
	if a := addr.Addr().Unmap(); a.Is4() {
		return &unix.SockaddrInet4{Port: int(addr.Port()), Addr: a.As4()}
	}
	return &unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16(), ZoneId: z.id}
}

func newUDPConn(fd int, v6 bool, z zone, segment bool) (*udpConn, error) {
	c := &udpConn{file: os.NewFile(uintptr(fd), "udp"), zone: z, v6: v6}
	c.recv.fn, c.recv.conn, c.mem.fn = c.recv.run, c, c.mem.run
	c.setSegmentation(fd, segment)
	sa, err := unix.Getsockname(fd)
	if err == nil {
		c.local = sockaddrPort(sa, z)
		c.raw, err = c.file.SyscallConn()
	}
	if err != nil {
		c.file.Close()
		return nil, err
	}
	return c, nil
}

func sockaddrPort(sa unix.Sockaddr, z zone) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(z.put(netip.AddrFrom16(sa.Addr), sa.ZoneId), uint16(sa.Port))
	}
	return netip.AddrPort{}
}

// tune sets what a bind can do without.
func (k *KernelUDP) tune(fd int, v6 bool, b BindConfig) {
	if err := setQoS(fd, v6, b.DSCP, b.Priority); err != nil && k.Log != nil {
		k.Log.Warn("cannot set DSCP or priority of socket", "cat", "lns", "bind", b.Name,
			"dscp", b.DSCP, "priority", b.Priority, "err", err)
	}
	got, err := setBuffers(fd, b.buffers())
	if k.Log == nil {
		return
	}
	if err != nil {
		k.Log.Warn("cannot set buffers of socket", "cat", "lns", "bind", b.Name, "err", err)
		return
	}
	if want := b.buffers(); got.Receive < want.Receive || got.Send < want.Send {
		k.Log.Warn("the kernel gives less socket buffer than asked for: raise net.core.rmem_max and wmem_max, or give CAP_NET_ADMIN",
			"cat", "lns", "bind", b.Name, "receive", got.Receive, "receive_asked", want.Receive, "send", got.Send, "send_asked", want.Send)
	}
}

// setQoS sets the DSCP, the upper six bits of the TOS octet, and then the
// priority, for the kernel derives one from the TOS.
func setQoS(fd int, v6 bool, dscp, priority uint8) error {
	level, option := unix.IPPROTO_IP, unix.IP_TOS
	if v6 {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_TCLASS
	}
	return errors.Join(unix.SetsockoptInt(fd, level, option, int(dscp)<<2),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PRIORITY, int(priority)))
}

// LocalAddr is the bound address; the port is never 0.
func (c *udpConn) LocalAddr() netip.AddrPort { return c.local }

// Close closes the socket and unblocks its reader. When it returns the address
// is free again. It may be called repeatedly.
func (c *udpConn) Close() error {
	if err := c.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// Tune sets another DSCP, 0..63, and SO_PRIORITY.
func (c *udpConn) Tune(dscp, priority uint8) error {
	var err error
	if c.raw.Control(func(fd uintptr) { err = setQoS(int(fd), c.v6, dscp, priority) }) != nil {
		return net.ErrClosed
	}
	return err
}

// Dropped calls each with the drops of the socket, the kernel's included.
func (c *udpConn) Dropped(each func(reason string, n uint64)) {
	c.drops.each(each)
	each(udpReceiveQueueFull, c.kernelDrops())
}

// LocalToward returns the local address from which datagrams to remote leave:
// a connected socket knows it, and nothing is sent.
func (k *KernelUDP) LocalToward(remote netip.Addr) (netip.Addr, error) {
	const discard = 9 // any port will do
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(remote, discard)))
	if err != nil {
		return netip.Addr{}, err
	}
	defer c.Close()
	return c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), nil
}
