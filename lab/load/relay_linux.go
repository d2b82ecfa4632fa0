package load

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/netip"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// RelayConfig tells a Relay where everybody is.
type RelayConfig struct {
	ToBSSs  netip.AddrPort   `json:"to_bsss"` // where it listens
	ToSGSNs netip.AddrPort   `json:"to_sgsns"`
	BSSs    []netip.AddrPort `json:"bsss"` // by cell: who has it
	SGSNs   []netip.AddrPort `json:"sgsns"`
	// FirstBVCI is that of the first cell; the others follow.
	FirstBVCI uint16 `json:"first_bvci"`
	BitLen    uint8  `json:"bit_len"`
	// Owners is the index of the SGSN for each NRI, -1 for none.
	Owners []int `json:"owners"`
	// Segment has it send datagrams of one size and destination together.
	Segment bool `json:"segment"`
}

// Relay is the floor below which no gateway that is written in Go and passes
// each PDU through user space can come: one thread, one socket for each side,
// recvmmsg, one look-up by the NRI (down: the BVCI), sendmmsg. It checks no
// more than it must to stay in its tables, and knows neither NS-VCs, states nor
// counters.
type Relay struct {
	bsss, sgsns side
	shift       uint
	mask        uint32
	first       uint16
	byNRI       []*name
	byCell      []*name
	trainer     *trainer // nil: each datagram by itself
	to          [batch]*name
}

// side is one socket and the room of what it received.
type side struct {
	fd int
	in *vector
}

// ReadRelayConfig reads the JSON form.
func ReadRelayConfig(b []byte) (c RelayConfig, err error) {
	if err = json.Unmarshal(b, &c); err != nil {
		return c, fmt.Errorf("load: relay: %w", err)
	}
	for _, o := range c.Owners {
		if o >= len(c.SGSNs) {
			return c, fmt.Errorf("load: relay: no SGSN %d", o)
		}
	}
	if c.BitLen < 1 || c.BitLen > maxBitLen || len(c.Owners) != 1<<c.BitLen {
		return c, fmt.Errorf("load: relay: %d NRIs of %d bits", len(c.Owners), c.BitLen)
	}
	return c, nil
}

// NewRelay opens the sockets.
func NewRelay(c RelayConfig) (*Relay, error) {
	r := &Relay{shift: 24 - uint(c.BitLen), mask: 1<<c.BitLen - 1, first: c.FirstBVCI, bsss: side{-1, newVector()}, sgsns: side{-1, newVector()}}
	if c.Segment {
		r.trainer = new(trainer)
	}
	names := map[netip.AddrPort]*name{} // one for each peer: so they can be compared
	for _, a := range append(c.SGSNs[:len(c.SGSNs):len(c.SGSNs)], c.BSSs...) {
		names[a] = nameOf(a)
	}
	for _, o := range c.Owners {
		var to *name
		if o >= 0 {
			to = names[c.SGSNs[o]]
		}
		r.byNRI = append(r.byNRI, to)
	}
	for _, b := range c.BSSs {
		r.byCell = append(r.byCell, names[b])
	}
	var err error
	if r.bsss.fd, _, err = openUDP(c.ToBSSs); err == nil {
		r.sgsns.fd, _, err = openUDP(c.ToSGSNs)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close closes the sockets. It must not be called while Run runs.
func (r *Relay) Close() {
	for _, s := range []*side{&r.bsss, &r.sgsns} {
		if s.fd >= 0 {
			unix.Close(s.fd)
			s.fd = -1
		}
	}
}

// Run relays until ctx ends. A socket is read when poll says so, or when the
// last batch from it was full: no system call is made in vain.
func (r *Relay) Run(ctx context.Context) error {
	const pollEvery = 16 // batches: the other side must not wait for ever
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var more [2]bool
	for n := 0; ctx.Err() == nil; n++ {
		if !more[Up] && !more[Down] || n%pollEvery == 0 {
			more = r.wait(more)
		}
		for d, way := range [2]struct {
			from, to *side
			find     func(b []byte) *name
		}{{&r.bsss, &r.sgsns, r.up}, {&r.sgsns, &r.bsss, r.down}} {
			if !more[d] {
				continue
			}
			k, err := r.pass(way.from, way.to.fd, way.find)
			if err != 0 && err != unix.ECONNREFUSED {
				return fmt.Errorf("load: relay: receive: %w", err)
			}
			more[d] = k == batch
		}
	}
	return nil
}

// wait tells which sockets have something. If none is known to it waits for a
// while.
func (r *Relay) wait(known [2]bool) (more [2]bool) {
	ms := 100
	if known[Up] || known[Down] {
		ms = 0
	}
	fds := [2]unix.PollFd{{Fd: int32(r.bsss.fd), Events: unix.POLLIN}, {Fd: int32(r.sgsns.fd), Events: unix.POLLIN}}
	_, _ = unix.Poll(fds[:], ms)
	return [2]bool{fds[Up].Revents != 0, fds[Down].Revents != 0}
}

// pass moves one batch from a socket to the other.
func (r *Relay) pass(from *side, to int, find func(b []byte) *name) (n int, err syscall.Errno) {
	v := from.in
	if n, err = v.recv(from.fd); n == 0 {
		return 0, err
	}
	found := 0
	for i := range n {
		b := v.received(i)
		if to := find(b); to != nil {
			v.pick(found, i, to)
			r.to[found] = to
			found++
		}
	}
	if r.trainer != nil {
		r.trainer.send(v, to, found, &r.to)
	} else {
		v.send(to, found)
	}
	return n, 0
}

func (r *Relay) up(b []byte) *name {
	if len(b) < tlliAt+4 {
		return nil
	}
	return r.byNRI[binary.BigEndian.Uint32(b[tlliAt:])>>r.shift&r.mask]
}

func (r *Relay) down(b []byte) *name {
	if len(b) < nsHeader {
		return nil
	}
	if i := int(binary.BigEndian.Uint16(b[2:])) - int(r.first); i >= 0 && i < len(r.byCell) {
		return r.byCell[i]
	}
	return nil
}
