package load

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// trainer sends a batch with datagrams of one size and destination together
// (UDP_SEGMENT); the last of a train may be shorter. Order is kept for each
// destination.
type trainer struct {
	hdrs  [batch]unix.Mmsghdr
	iovs  [batch]unix.Iovec
	notes [batch]sizeNote
	list  [batch]struct {
		to                         *name
		size, count, octets, first int
		closed                     bool
	}
	of [batch]int
}

type sizeNote struct {
	unix.Cmsghdr
	size uint16
	_    [6]byte
}

// trainOctets is how many octets a train holds at most.
const trainOctets = 60000

// send sends the first n of v; what the kernel refuses is left out.
func (t *trainer) send(v *vector, fd, n int, to *[batch]*name) {
	trains := t.assign(v, n, to)
	at := 0
	for i := range trains {
		l := &t.list[i]
		l.first, at = at, at+l.count
		h := &t.hdrs[i].Hdr
		h.Name, h.Namelen = (*byte)(unsafe.Pointer(l.to)), l.to.size
		h.Iov = &t.iovs[l.first]
		h.SetIovlen(l.count)
		h.Control = nil
		h.SetControllen(0)
		if l.count > 1 {
			note := &t.notes[i]
			note.Level, note.Type, note.size = unix.IPPROTO_UDP, unix.UDP_SEGMENT, uint16(l.size)
			note.SetLen(unix.SizeofCmsghdr + 2)
			h.Control = (*byte)(unsafe.Pointer(note))
			h.SetControllen(int(unsafe.Sizeof(*note)))
		}
	}
	for i := range n {
		l := &t.list[t.of[i]]
		t.iovs[l.first] = v.iovs[i]
		l.first++
	}
	sendAll(fd, t.hdrs[:trains])
}

// assign makes the trains and returns how many there are.
func (t *trainer) assign(v *vector, n int, to *[batch]*name) (trains int) {
	for i := range n {
		size := int(v.iovs[i].Len)
		k := trains - 1
		for k >= 0 && t.list[k].to != to[i] {
			k--
		}
		if k < 0 || t.list[k].closed || size > t.list[k].size || t.list[k].octets+size > trainOctets {
			k = trains
			trains++
			l := &t.list[k]
			l.to, l.size, l.count, l.octets, l.closed = to[i], size, 0, 0, false
		}
		l := &t.list[k]
		l.count++
		l.octets += size
		l.closed = size < l.size
		t.of[i] = k
	}
	return trains
}
