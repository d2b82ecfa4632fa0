package ns

import (
	"net/netip"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	trainBatch   = 8     // datagrams of a batch from which on it is worth it
	trainOctets  = 60000 // at most: an IP packet holds 65,535
	segmentMost  = 1400  // octets of a datagram: longer ones are cut by IP, which does not go together
	trainFaults  = 16    // trains refused by the kernel, after which a socket sends none
	trainBuckets = 64    // a power of two
)

// segmentation is a socket's: whether it is on, and how often the kernel refused a
// train (a path over IPsec, or with a short MTU).
type segmentation struct {
	on     atomic.Bool
	able   bool
	faults atomic.Uint32
}

// setSegmentation asks the kernel whether it can: Linux 4.18.
func (c *udpConn) setSegmentation(fd int, on bool) {
	c.gso.able = unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_SEGMENT, 0) == nil
	c.SetSegmentation(on)
}

// SetSegmentation implements Segmenter.
func (c *udpConn) SetSegmentation(on bool) {
	c.gso.faults.Store(0)
	c.gso.on.Store(on && c.gso.able)
}

// Segmentation implements Segmenter.
func (c *udpConn) Segmentation() bool { return c.gso.on.Load() }

// WriteTrains implements Segmenter.
func (c *udpConn) WriteTrains(msgs []Message) (n int, err error) {
	return c.write(msgs, len(msgs) >= trainBatch && c.gso.on.Load())
}

// train is datagrams to one destination, of one size but for the last, which may
// be shorter.
type train struct {
	to     netip.AddrPort
	size   int // of its datagrams
	octets int
	count  int
	first  int // in iovs
	closed bool
}

// trains is the scratch of a batch that is sent in trains.
type trains struct {
	list   [udpBatch]train
	of     [udpBatch]uint8       // message to train
	last   [trainBuckets]uint8   // 1 + the last train to a destination with that hash
	notes  [udpBatch]segmentNote // by header
	counts [udpBatch]uint8       // datagrams, by header
	inUse  bool                  // counts are valid: the batch was sent in trains
}

// segmentNote is the control message that tells the kernel the size.
type segmentNote struct {
	unix.Cmsghdr
	size uint16
	_    [6]byte
}

// prepareTrains is prepare with trains. Order is kept for each destination: a
// datagram joins only the last train toward it, and trains go out in the order of
// their beginnings.
func (b *sendBatch) prepareTrains(msgs []Message) {
	n := b.assign(msgs)
	if n == 0 { // nothing goes together
		b.prepare(msgs)
		return
	}
	b.n, b.took, b.inUse = 0, 0, true
	at := 0
	for i := range b.list[:n] {
		t := &b.list[i]
		t.first = at
		at += t.count
		if !b.address(t.to) {
			b.conn.drops.add(dropAddress, t.count)
			t.first = -1
			continue
		}
		b.counts[b.n] = uint8(t.count)
		b.carry(t.first, t.count)
		if t.count > 1 {
			b.note(b.n-1, t.size)
		}
		t.count = 0 // from now on: filled in
	}
	for i := range msgs {
		if t := &b.list[b.of[i]]; t.first >= 0 {
			b.setIov(t.first+t.count, &msgs[i])
			t.count++
		}
	}
}

// assign makes the trains and returns how many there are, 0 if each has only one
// datagram or a message makes no sense.
func (b *sendBatch) assign(msgs []Message) (n int) {
	clear(b.last[:])
	for i := range msgs {
		m := &msgs[i]
		if m.N < 0 || m.N > len(m.Buf) {
			return 0
		}
		bucket := &b.last[bucketOf(m.Addr)]
		if *bucket == 0 || !b.list[*bucket-1].join(m) {
			b.list[n] = train{to: m.Addr, size: m.N, octets: m.N, count: 1, closed: m.N == 0 || m.N > segmentMost}
			n++
			*bucket = uint8(n)
		}
		b.of[i] = *bucket - 1
	}
	if n == len(msgs) {
		return 0
	}
	return n
}

func bucketOf(a netip.AddrPort) uint32 {
	b := a.Addr().As16()
	h := uint32(b[12])<<24 | uint32(b[13])<<16 | uint32(b[14])<<8 | uint32(b[15])
	return (h ^ uint32(a.Port())) * 0x9E3779B1 / (1 << 32 / trainBuckets)
}

// join takes a datagram into a train; false: it must begin another.
func (t *train) join(m *Message) bool {
	if t.closed || m.N == 0 || m.N > t.size || t.octets+m.N > trainOctets || t.to != m.Addr {
		return false
	}
	t.closed = m.N < t.size
	t.octets += m.N
	t.count++
	return true
}

func (b *sendBatch) note(i, size int) {
	const length = unix.SizeofCmsghdr + 2
	n := &b.notes[i]
	n.Level, n.Type, n.size = unix.IPPROTO_UDP, unix.UDP_SEGMENT, uint16(size)
	n.SetLen(length)
	b.hdrs[i].Hdr.Control = (*byte)(unsafe.Pointer(n))
	b.hdrs[i].Hdr.SetControllen(int(unsafe.Sizeof(*n)))
}

// datagrams is how many the headers first to end-1 carry.
func (b *sendBatch) datagrams(first, end int) (n int) {
	if !b.inUse {
		return end - first
	}
	for _, c := range b.counts[first:end] {
		n += int(c)
	}
	return n
}

// single sends the datagrams of a train that the kernel refused one by one.
func (b *sendBatch) single(fd uintptr, i int) {
	if b.conn.gso.faults.Add(1) >= trainFaults {
		b.conn.gso.on.Store(false)
	}
	h := &b.hdrs[i].Hdr
	h.Control = nil
	h.SetControllen(0)
	first, count := h.Iov, int(b.counts[i])
	h.SetIovlen(1)
	for k := range count {
		h.Iov = (*unix.Iovec)(unsafe.Add(unsafe.Pointer(first), uintptr(k)*unsafe.Sizeof(*first)))
		_, _, errno := unix.RawSyscall6(unix.SYS_SENDMSG, fd, uintptr(unsafe.Pointer(h)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0, 0)
		if errno != 0 {
			b.conn.drops.add(sendDrop(errno), 1)
			continue
		}
		b.took++
	}
}
