package ns

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// zone is the scope of a bind on an IPv6 link-local address; else zero.
type zone struct {
	name string
	id   uint32
}

func zoneOf(a netip.Addr) (zone, error) {
	if a.Zone() == "" {
		return zone{}, nil
	}
	id, err := zoneID(a.Zone())
	return zone{a.Zone(), id}, err
}

func zoneID(name string) (uint32, error) {
	if i, err := net.InterfaceByName(name); err == nil {
		return uint32(i.Index), nil
	}
	id, err := strconv.ParseUint(name, 10, 32)
	if err != nil {
		return 0, unix.ENODEV
	}
	return uint32(id), nil
}

// put gives a the zone of scope id; only link-local addresses have one.
func (z zone) put(a netip.Addr, id uint32) netip.Addr {
	switch {
	case id == 0:
		return a
	case id == z.id:
		return a.WithZone(z.name)
	}
	return a.WithZone(strconv.FormatUint(uint64(id), 10))
}

// scope is the scope id of a.
func (z zone) scope(a netip.Addr) uint32 {
	switch name := a.Zone(); name {
	case "":
		return 0
	case z.name:
		return z.id
	default:
		id, _ := zoneID(name)
		return id
	}
}

// hostPort and netPort convert a port that stands in memory in network order.
func hostPort(p uint16) uint16 {
	return binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&p))[:])
}

func netPort(p uint16) (n uint16) {
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&n))[:], p)
	return n
}
