package ns

import (
	"net/netip"
	"sync/atomic"

	"golang.org/x/time/rate"
)

// bind is one open bind at run time. Name, slot, conns, local, directory and
// counters serve the workers; the rest belongs to the loop.
type bind struct {
	name  string // of cfg, for workers
	cfg   BindConfig
	slot  int    // index of the bind in a Port's batches
	conns []Conn // one for each worker, and perhaps one more for what is no user data
	local netip.AddrPort
	dir   atomic.Pointer[directory]
	drops []drops // by worker; the last is the loop's and that of what is no user data
	lmi   bool    // a Frame Relay line

	vcs    map[netip.AddrPort]*VC
	dirty  bool // vcs has changed since the directory was published
	closed bool
	status *rate.Limiter // of NS-STATUS sent
	out    outQueue
	fr     *frBind // nil: UDP
}

// NS-STATUS sent per bind and second at most, so that nobody is flooded by
// answers to a forged source address.
const (
	statusRate  = 100
	statusBurst = 100
)

func newBind(cfg BindConfig, slot, workers int, conns []Conn) *bind {
	b := &bind{name: cfg.Name, cfg: cfg, slot: slot, conns: conns, local: cfg.Listen, lmi: cfg.Link == LinkFR,
		drops:  make([]drops, workers+1),
		vcs:    map[netip.AddrPort]*VC{},
		status: rate.NewLimiter(statusRate, statusBurst)}
	if len(conns) > 0 {
		if a := conns[0].LocalAddr(); a.IsValid() {
			b.local = a
		}
	}
	b.dir.Store(&directory{accept: cfg.Accept})
	return b
}

func (b *bind) add(v *VC)    { b.vcs[v.remote] = v; b.dirty = true }
func (b *bind) remove(v *VC) { delete(b.vcs, v.remote); b.dirty = true }

// drop counts in the loop's row.
func (b *bind) drop(why Drop) { b.drops[len(b.drops)-1].add(why) }

func (b *bind) is4() bool { return b.local.Addr().Is4() }

// directory finds the NS-VC of a remote; it is immutable once published.
type directory struct {
	accept AccessList     // an NS-VC whose remote it does not accept is not here
	v4     map[uint64]*VC // address and port in one word: quicker than AddrPort
	v6     map[netip.AddrPort]*VC
}

func key4(a netip.AddrPort) uint64 {
	b := a.Addr().As4()
	return uint64(b[0])<<40 | uint64(b[1])<<32 | uint64(b[2])<<24 | uint64(b[3])<<16 | uint64(a.Port())
}

func (d *directory) find(a netip.AddrPort) *VC {
	if a.Addr().Is4() {
		return d.v4[key4(a)]
	}
	return d.v6[a]
}

// publish makes a new directory of the NS-VCs visible to the workers.
func (b *bind) publish() {
	if !b.dirty {
		return
	}
	b.dirty = false
	d := &directory{accept: b.cfg.Accept, v4: make(map[uint64]*VC, len(b.vcs))}
	for a, v := range b.vcs {
		if !d.accept.Accepts(a.Addr()) {
			continue
		}
		if a.Addr().Is4() {
			d.v4[key4(a)] = v
			continue
		}
		if d.v6 == nil {
			d.v6 = map[netip.AddrPort]*VC{}
		}
		d.v6[a] = v
	}
	b.dir.Store(d)
}

// outQueue holds what the loop has to send on one bind until it is flushed.
type outQueue struct {
	msgs []Message
	vcs  []*VC // whose counters pay; nil for an unknown remote
	n    int
	most int // that one flush sent, since the last Readings
}

// slotFor returns the next message with its old buffer emptied.
func (q *outQueue) slotFor(to netip.AddrPort, v *VC) *Message {
	if q.n == len(q.msgs) {
		q.msgs = append(q.msgs, Message{})
		q.vcs = append(q.vcs, nil)
	}
	m := &q.msgs[q.n]
	m.Buf, m.Addr = m.Buf[:0], to
	q.vcs[q.n] = v
	q.n++
	return m
}

func (q *outQueue) empty() {
	clear(q.vcs[:q.n])
	q.n = 0
}

// writeAll gives msgs to c, once: what c did not take may stand anywhere among
// them, so that to go on behind as many as it took would send some twice. row is
// the writer's row of the counters. What is not taken is dropped and counted.
func writeAll(c writer, b *bind, row int, msgs []Message, vcs []*VC) {
	n, _ := c.WriteBatch(msgs) // an error tells no more than n
	done := 0
	for ; done < n; done++ {
		if v := vcs[done]; v != nil {
			v.traffic[row].sent(msgs[done].N)
		}
	}
	for ; done < len(msgs); done++ {
		b.drops[row].add(DropTransmit)
		if v := vcs[done]; v != nil {
			v.traffic[row].dropped(msgs[done].N)
		}
	}
}
