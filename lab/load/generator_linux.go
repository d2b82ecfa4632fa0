package load

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/bssgp"
	"poolgw/nri"
)

// Generator is the BSSs and SGSNs. Its methods belong to one goroutine.
type Generator struct {
	opt      Options
	epoch    time.Time
	rng      *rand.Rand
	nodes    []*node // the BSSs, then the SGSNs
	poller   int     // epoll
	ready    [batch]unix.EpollEvent
	in, out  *vector
	subs     *subscribers
	cells    []cellData
	use      []uint8                // templates of the load that is sent
	bySize   [maxDatagram + 1]uint8 // 1 + the template that was made for a size
	byLength [maxDatagram + 1]uint8 // … that has a length
	manager  *manager               // nil: bare
	run      uint8                  // number of the measurement
	alive    keepalives
	progress struct { // of a load with a window
		received, lost uint64
		at             time.Duration
	}
	turn   [2]int // whose train is next
	result *Result
	ended  atomic.Bool // whoever measures has been interrupted
}

// node is a BSS or an SGSN: one socket, connected to the gateway.
type node struct {
	fd    int
	local netip.AddrPort
	peer  netip.AddrPort
	dir   Direction // of what it sends
	index int       // among its kind
	nsei  uint16
	next  int // subscriber of a sweep
	tap   *tap
}

// cellData are the PDUs of a cell, by direction and size.
type cellData struct{ templates [2][]template }

// train is how many PDUs in a row come from one node, so that what a batch of
// the gateway holds is of several nodes.
const train = 8

// flood is how many PDUs are sent at most before those that have come are taken.
const flood = 4 * batch

// maxSizes is how many different sizes there may be.
const maxSizes = 100

// New opens the sockets of all BSSs and SGSNs.
func New(o Options) (*Generator, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	g := &Generator{opt: o, epoch: time.Now(), rng: rand.New(rand.NewPCG(o.Seed, 0)), in: newVector(), out: newVector(),
		poller: -1, result: &Result{}, cells: make([]cellData, o.BSSs*o.Cells)}
	err := g.open()
	if err == nil {
		g.subs, err = newSubscribers(o.Subscribers, o.BSSs, o.Cells, o.SGSNs, o.BitLen, g.rng)
	}
	if err == nil && !o.Bare {
		g.manager, err = newManager(g)
	}
	if err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

func (g *Generator) open() (err error) {
	if g.poller, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("load: epoll: %w", err)
	}
	for i := range g.opt.BSSs {
		n := &node{peer: g.opt.ToBSSs, dir: Up, index: i, nsei: g.opt.FirstNSEI + uint16(i)}
		if err := g.openNode(n, netip.AddrPortFrom(g.opt.BSSAddr, 0)); err != nil {
			return err
		}
	}
	for i := range g.opt.SGSNs {
		s := &g.opt.SGSNs[i]
		n := &node{peer: g.opt.ToSGSNs, dir: Down, index: i, nsei: s.NSEI}
		if err := g.openNode(n, s.Addr); err != nil {
			return err
		}
		s.Addr = n.local
	}
	return nil
}

func (g *Generator) openNode(n *node, at netip.AddrPort) (err error) {
	if n.fd, n.local, err = openUDP(at); err != nil {
		return err
	}
	g.nodes = append(g.nodes, n)
	if err := unix.Connect(n.fd, sockaddr(n.peer)); err != nil {
		return fmt.Errorf("load: %s toward %s: %w", n.local, n.peer, err)
	}
	ev := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(len(g.nodes) - 1)}
	if err := unix.EpollCtl(g.poller, unix.EPOLL_CTL_ADD, n.fd, &ev); err != nil {
		return fmt.Errorf("load: epoll: %w", err)
	}
	n.tap = newTap(n, &g.alive)
	return nil
}

// Close ends the stack and closes all sockets.
func (g *Generator) Close() {
	if g.manager != nil {
		g.manager.close()
	}
	for _, n := range g.nodes {
		unix.Close(n.fd)
	}
	if g.poller >= 0 {
		unix.Close(g.poller)
	}
	g.nodes, g.poller = nil, -1
}

// bss and sgsn return nodes by their index.
func (g *Generator) bss(i int) *node  { return g.nodes[i] }
func (g *Generator) sgsn(i int) *node { return g.nodes[g.opt.BSSs+i] }

// bvci and cellID are those of a cell by its index.
func (g *Generator) bvci(cell int) uint16 { return g.opt.FirstBVCI + uint16(cell) }

func (g *Generator) cellID(cell int) bssgp.CellID {
	bss, ci := cell/g.opt.Cells, cell%g.opt.Cells
	return bssgp.MakeCellID(bssgp.MakeRAI(262, 42, false, uint16(1+bss), 0), uint16(1+ci))
}

func (g *Generator) now() time.Duration { return time.Since(g.epoch) }

// BringUp brings up NS and BVCs of all nodes. It returns an error when ctx ends
// before.
func (g *Generator) BringUp(ctx context.Context) error {
	if g.manager == nil {
		return nil
	}
	if err := g.manager.start(); err != nil {
		return err
	}
	for !g.manager.ready() {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("load: %s: %w", g.manager.missing(), err)
		}
		g.receive(1)
	}
	return nil
}

// prepare makes the PDUs of a load; those of earlier ones stay, for the last of
// them may still come.
func (g *Generator) prepare(sizes []int) error {
	g.use = g.use[:0]
	for _, size := range sizes {
		if size < 0 || size > maxDatagram {
			return fmt.Errorf("load: a PDU of %d octets is too long", size)
		}
		if g.bySize[size] == 0 {
			if len(g.cells[0].templates[Up]) == maxSizes {
				return fmt.Errorf("load: more than %d sizes", maxSizes)
			}
			if err := g.addSize(size); err != nil {
				return err
			}
		}
		g.use = append(g.use, g.bySize[size]-1)
	}
	return nil
}

func (g *Generator) addSize(size int) error {
	for i := range g.cells {
		for d := range g.cells[i].templates {
			t, err := newTemplate(Direction(d), g.bvci(i), g.cellID(i), size)
			if err != nil {
				return err
			}
			g.cells[i].templates[d] = append(g.cells[i].templates[d], t)
		}
	}
	n := uint8(len(g.cells[0].templates[Up]))
	g.bySize[size] = n
	for _, t := range g.cells[0].templates {
		g.byLength[len(t[n-1].octets)] = n
	}
	return nil
}

// Interrupt ends the load under way, and those to come, before their time; what became
// of them so far is told.
func (g *Generator) Interrupt() { g.ended.Store(true) }

// Run sends a load and tells what became of it, after all that is still on its
// way has come. cpu, if not nil, tells the CPU time of the process under test.
func (g *Generator) Run(l Load, cpu func() time.Duration) (*Result, error) {
	orDefault(&l.Duration, 3*time.Second)
	if len(l.Sizes) == 0 {
		l.Sizes = []int{100}
	}
	if err := g.prepare(l.Sizes); err != nil {
		return nil, err
	}
	if cpu == nil {
		cpu = func() time.Duration { return 0 }
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g.run++
	g.result = &Result{Load: l}
	overrun, used := g.queueDrops(), cpu()
	g.send(l)
	g.drain()
	g.result.CPU = cpu() - used
	g.result.Overrun = g.queueDrops() - overrun
	if g.manager != nil && !g.manager.ready() {
		return nil, fmt.Errorf("load: BVCs went down meanwhile: %s", g.manager.missing())
	}
	return g.result, nil
}

func (g *Generator) queueDrops() (n uint64) {
	for _, node := range g.nodes {
		n += queueDrops(node.fd)
	}
	return n
}

// send is the open loop: what is due by the clock is sent, whatever has come
// back, and what has come is taken after each batch.
func (g *Generator) send(l Load) {
	start, sent := g.now(), 0
	if l.watch != nil {
		l.watch.from = time.Now()
	}
	g.progress.received, g.progress.lost, g.progress.at = 0, 0, start
	var late, looked time.Duration // since the last look; when that was
	for {
		passed := g.now() - start
		if l.watch != nil && passed-looked >= lookEvery {
			l.watch.look(passed, g.result, late)
			late, looked = 0, passed
		}
		if passed >= l.Duration || g.ended.Load() {
			g.result.Duration, g.result.Prompt = passed, g.result.Received
			if l.watch != nil {
				l.watch.look(passed, g.result, late)
			}
			return
		}
		due := g.room(l)
		if l.Rate > 0 {
			due = int(l.Rate*passed.Seconds()) - sent
			late = max(late, time.Duration(float64(due)/l.Rate*float64(time.Second)))
			g.result.Late = max(g.result.Late, late)
		}
		if due > 0 {
			sent += g.sendSome(min(due, flood), l.Down)
		}
		g.receive(0)
	}
}

// room is how many PDUs a load without a rate lets be sent now. What has not
// come after a while is taken for lost.
func (g *Generator) room(l Load) int {
	const lostAfter = 20 * time.Millisecond
	if l.Window <= 0 {
		return flood
	}
	r := g.result
	if now := g.now(); r.Received != g.progress.received {
		g.progress.received, g.progress.at = r.Received, now
	} else if now-g.progress.at > lostAfter {
		g.progress.lost, g.progress.at = r.Sent-r.Received, now
	}
	if free := l.Window - int(r.Sent-r.Received-g.progress.lost); free >= batch {
		return free
	}
	return 0 // rather a full batch later
}

// sendSome sends n PDUs in trains and returns n.
func (g *Generator) sendSome(n int, down float64) int {
	for left := n; left > 0; {
		k := min(left, train)
		d := Up
		if down > 0 && g.rng.Float64() < down {
			d = Down
		}
		took := g.sendTrain(d, k)
		g.result.Sent += uint64(took)
		g.result.Refused += uint64(k - took)
		left -= k
	}
	return n
}

// sendTrain sends k PDUs of one node and returns how many the kernel took.
func (g *Generator) sendTrain(d Direction, k int) int {
	from, of := g.nodes[:g.opt.BSSs], g.subs.ofBSS
	if d == Down {
		from, of = g.nodes[g.opt.BSSs:], g.subs.ofSGSN
	}
	i := g.turn[d] % len(from)
	for g.turn[d]++; len(of[i]) == 0; g.turn[d]++ { // an SGSN without subscribers
		i = g.turn[d] % len(from)
	}
	at := int64(g.now())
	for j := range k {
		index := of[i][g.draw(from[i], len(of[i]))]
		s := &g.subs.all[index]
		s.sent[d]++
		size := g.use[0]
		if len(g.use) > 1 {
			size = g.use[g.rng.IntN(len(g.use))]
		}
		t := &g.cells[s.cell].templates[d][size]
		g.out.put(j, t.write(g.out.room[j][:], s.tlli, probe{index, s.sent[d], d, g.run, at}), nil)
	}
	return g.out.send(from[i].fd, k)
}

// draw chooses one of a node's n subscribers: by lot, or when all are to be seen
// once the next.
func (g *Generator) draw(from *node, n int) int {
	if !g.result.Load.sweep {
		return g.rng.IntN(n)
	}
	from.next++
	return from.next % n
}

// drain takes what is still on its way: until nothing has come for a while, a longer one
// when something is missing, for on a busy machine the gateway may have to wait.
func (g *Generator) drain() {
	const quiet, patient, most = 200 * time.Millisecond, 2 * time.Second, 10 * time.Second
	start := g.now()
	for last := start; g.now()-start < most; {
		wait := quiet
		if g.result.Received < g.result.Sent {
			wait = patient
		}
		if g.now()-last > wait {
			return
		}
		before := g.result.Received
		g.receive(1)
		if g.result.Received != before {
			last = g.now()
		}
	}
}

// receive takes what is there, waiting up to ms for something.
func (g *Generator) receive(ms int) {
	n, err := unix.EpollWait(g.poller, g.ready[:], ms)
	if err != nil {
		return // EINTR: nothing is lost by asking again
	}
	for i := range n {
		g.receiveFrom(g.nodes[g.ready[i].Fd])
	}
}

// receiveFrom takes what a node has got, up to a bound that lets sending go on.
func (g *Generator) receiveFrom(n *node) {
	for range flood / batch {
		k, _ := g.in.recv(n.fd) // an error is an ICMP one: the gateway is not there (yet)
		at := g.now()
		for j := range k {
			g.take(n, g.in.received(j), at)
		}
		if k < batch {
			return
		}
	}
}

// take judges one datagram.
func (g *Generator) take(at *node, b []byte, now time.Duration) {
	if !isUserData(b) {
		at.tap.put(b)
		return
	}
	r, d := g.result, 1-at.dir
	p, ok := g.read(d, b)
	if !ok {
		r.Altered++
		return
	}
	s := &g.subs.all[p.sub]
	switch v := s.order[d].saw(p.seq); {
	case p.run != g.run:
		r.Stale++
		return
	case v == duplicate:
		r.Duplicates++
		return
	case v == overtaken:
		r.Overtaken++
	}
	r.Received++
	r.Latency.Add(now - time.Duration(p.at))
	if d == Up && at.index != int(s.owner) {
		r.WrongSGSN++
	}
	if d == Down && at.index != int(s.bss) {
		r.WrongBSS++
	}
}

// read takes the probe out of a PDU; ok is false when anything in it is not as
// it was sent.
func (g *Generator) read(d Direction, b []byte) (p probe, ok bool) {
	cell := int(binary.BigEndian.Uint16(b[2:])) - int(g.opt.FirstBVCI)
	if cell < 0 || cell >= len(g.cells) || len(b) > maxDatagram || g.byLength[len(b)] == 0 {
		return p, false
	}
	t := &g.cells[cell].templates[d][g.byLength[len(b)]-1]
	if !t.matches(b) {
		return p, false
	}
	p = t.read(b)
	if p.dir != d || int(p.sub) >= len(g.subs.all) {
		return p, false
	}
	s := &g.subs.all[p.sub]
	return p, int(s.cell) == cell && s.tlli == binary.BigEndian.Uint32(b[tlliAt:])
}

// owners is the index of the SGSN for each NRI, -1 for none.
func (g *Generator) owners() (table []int) {
	table = make([]int, 1<<g.opt.BitLen)
	for v := range table {
		table[v] = -1
		for i := range g.opt.SGSNs {
			if table[v] < 0 && g.opt.SGSNs[i].NRI.Contains(nri.V(v)) {
				table[v] = i
			}
		}
	}
	return table
}
