package ns

import (
	"errors"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"poolgw/ns/fr"
)

// lineConn is a Frame Relay line: a packet socket on a network device whose
// packets are frames, from the Q.922 address on. On a generic HDLC device
// (Linux's "hdlc0" and the like) it sets the kernel's protocol "fr" without an
// LMI of its own. The loop calls Carrier; the device may go and come.
type lineConn struct {
	*rawConn
	device string
	log    *slog.Logger
	index  atomic.Int32 // of the device that the socket is bound to; 0: none
}

// listenLine opens the packet socket of a bind. The device must be there.
func (k *KernelUDP) listenLine(b BindConfig, workers int) ([]Conn, error) {
	c := &lineConn{device: b.FRNetIf, log: k.Log}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	// Protocol 0: nothing comes in before bind has named the device.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, &RawError{"open packet socket", c.device, err}
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
		unix.Close(fd)
		return nil, &RawError{"open packet socket", c.device, err}
	}
	if c.rawConn, err = newRawConn(fd, c.device, netip.AddrPort{}, c); err != nil {
		return nil, &RawError{"open packet socket", c.device, err}
	}
	if err := c.attach(); err != nil {
		c.Close()
		return nil, err
	}
	return forWorkers(c, c.rawConn, workers), nil
}

// attach makes the device a Frame Relay one, brings it up and binds to it.
func (c *lineConn) attach() error {
	dev, err := lookAt(c.device)
	if err != nil {
		return &RawError{"get interface index", c.device, err}
	}
	if err := dev.setFrameRelay(); err != nil {
		return &RawError{"set protocol fr", c.device, err}
	}
	if err := dev.bringUp(); err != nil {
		return &RawError{"bring up", c.device, err}
	}
	sa := &unix.SockaddrLinklayer{Protocol: netPort(unix.ETH_P_ALL), Ifindex: int(dev.index)}
	if cerr := c.raw.Control(func(fd uintptr) { err = unix.Bind(int(fd), sa) }); cerr != nil {
		err = cerr
	}
	if err != nil {
		return &RawError{"bind packet socket", c.device, err}
	}
	c.index.Store(dev.index)
	return nil
}

// Carrier looks at the device. One that has come back, which is another with
// the same name, is taken up again.
func (c *lineConn) Carrier() (up bool, mtu int) {
	dev, err := lookAt(c.device)
	if err != nil {
		c.index.Store(0)
		return false, 0
	}
	if dev.index != c.index.Load() {
		if err := c.attach(); err != nil {
			c.log.Warn("Frame Relay device can't be taken up again", "cat", "lns", "device", c.device, "err", err)
			return false, 0
		}
		if dev, err = lookAt(c.device); err != nil {
			return false, 0
		}
	}
	const want = unix.IFF_UP | unix.IFF_RUNNING
	return dev.flags&want == want, dev.mtu
}

// strip takes the Q.922 address off.
func (c *lineConn) strip(b []byte, name *unix.RawSockaddrInet6) (begin, n int, from netip.AddrPort, ok bool) {
	if (*unix.RawSockaddrLinklayer)(unsafe.Pointer(name)).Ifindex != c.index.Load() {
		return 0, 0, from, false // of the device that was there before
	}
	dlci, info, err := fr.ParseAddress(b)
	if err != nil {
		return 0, 0, from, false
	}
	return fr.AddressLen, len(info), frRemote(dlci), true
}

// wrap puts the Q.922 address before m.
func (c *lineConn) wrap(b []byte, m *Message, _ *unix.RawSockaddrInet6) ([]byte, uint32, bool) {
	return append(fr.AppendAddress(b, m.Addr.Port()), m.Buf[:m.N]...), 0, true
}

// device is a network device as lookAt found it.
type device struct {
	name  string
	index int32
	flags uint16
	mtu   int
}

// onSocket runs f with a socket for ioctls.
func onSocket(f func(fd int) error) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return f(fd)
}

// lookAt asks the kernel for index, flags and MTU of a device.
func lookAt(name string) (d device, err error) {
	d.name = name
	err = onSocket(func(fd int) error {
		for _, q := range []struct {
			req  uint
			take func(r *unix.Ifreq)
		}{
			{unix.SIOCGIFINDEX, func(r *unix.Ifreq) { d.index = int32(r.Uint32()) }},
			{unix.SIOCGIFFLAGS, func(r *unix.Ifreq) { d.flags = r.Uint16() }},
			{unix.SIOCGIFMTU, func(r *unix.Ifreq) { d.mtu = int(r.Uint32()) }},
		} {
			r, err := unix.NewIfreq(name)
			if err != nil {
				return err
			}
			if err := unix.IoctlIfreq(fd, q.req, r); err != nil {
				return err
			}
			q.take(r)
		}
		return nil
	})
	return d, err
}

// bringUp sets IFF_UP unless it is set.
func (d *device) bringUp() error { return d.setUp(true) }

func (d *device) setUp(up bool) error {
	if (d.flags&unix.IFF_UP != 0) == up {
		return nil
	}
	return onSocket(func(fd int) error {
		r, err := unix.NewIfreq(d.name)
		if err != nil {
			return err
		}
		d.flags ^= unix.IFF_UP
		r.SetUint16(d.flags)
		return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
	})
}

// Of linux/hdlc/ioctl.h and linux/if.h.
const (
	ifGetProto = 0x0002
	ifProtoFR  = 0x2003
	lmiNone    = 1
)

// frProto is fr_proto of linux/hdlc/ioctl.h.
type frProto struct {
	t391, t392, n391, n392, n393 uint32
	lmi                          uint16
	_                            uint16 // dce
}

// wanReq is struct ifreq with its ifr_settings.
type wanReq struct {
	name  [unix.IFNAMSIZ]byte
	typ   uint32
	size  uint32
	proto *frProto
}

func (d *device) wan(typ uint32, p *frProto) (wanReq, error) {
	r := wanReq{typ: typ, size: uint32(unsafe.Sizeof(*p)), proto: p}
	copy(r.name[:unix.IFNAMSIZ-1], d.name)
	return r, onSocket(func(fd int) error {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCWANDEV, uintptr(unsafe.Pointer(&r))); errno != 0 {
			return errno
		}
		return nil
	})
}

// setFrameRelay sets the protocol of a generic HDLC device, which must be down
// for it. A device of another kind is taken as it is.
func (d *device) setFrameRelay() error {
	var p frProto
	r, err := d.wan(ifGetProto, &p)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOTTY), errors.Is(err, unix.ENODEV):
		return nil
	case err == nil && r.typ == ifProtoFR && p.lmi == lmiNone:
		return nil
	case err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOBUFS): // no protocol yet, or another
		return err
	}
	if err := d.setUp(false); err != nil {
		return err
	}
	q := fr.Defaults()
	_, err = d.wan(ifProtoFR, &frProto{t391: uint32(q.T391.Seconds()), t392: uint32(q.T392.Seconds()),
		n391: uint32(q.N391), n392: uint32(q.N392), n393: uint32(q.N393), lmi: lmiNone})
	return err
}
