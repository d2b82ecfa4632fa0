package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"poolgw/sctp"
)

// N2Options say which gNBs and AMFs are simulated and where the gateway is.
type N2Options struct {
	Transport sctp.Transport
	SCTP      sctp.Options // of all, the gateway's heartbeats too; the zero value: sctp.Defaults
	GNBs      int          // default 4
	AMFs      int          // default 3, at most 64: they differ in the AMF Pointer
	Gateway   sctp.Endpoint
	FirstAMF  uint16 // port of the first AMF; the others follow
	Addr      netip.Addr
	NAS       int // octets of a NAS-PDU, default 60
	Open      int // UEs that are in the middle of it at most; default 16384
	// Subscribers is how many 5G-S-TMSIs the UEs have that register and leave, in turn;
	// default 100000, a little more where each must stay with its gNB and AMF. A bound
	// UE has one of its own.
	Subscribers int
	// Static says that the tested is a relay that knows no identities: all UEs of
	// a gNB belong to one AMF, in turn.
	Static bool
	Own    bool // the gateway that is started is poolgw: it has metrics
}

// The bounds of N2Options; NAS in octets.
const (
	N2MaxGNBs = 4096
	N2MaxAMFs = 64
	N2MinNAS  = n2ProbeSize
	N2MaxNAS  = 4096
	N2MaxOpen = 1 << 20

	N2MaxSubscribers = 10_000_000
)

func (o *N2Options) complete() error {
	orDefault(&o.GNBs, 4)
	orDefault(&o.AMFs, 3)
	orDefault(&o.NAS, 60)
	orDefault(&o.Open, 16384)
	orDefault(&o.Subscribers, 100000)
	orDefault(&o.Addr, loopback)
	orDefault(&o.SCTP, sctp.Defaults())
	for _, limit := range []struct {
		what           string
		n, least, most int
	}{{"gNBs", o.GNBs, 1, N2MaxGNBs}, {"AMFs", o.AMFs, 1, N2MaxAMFs}, {"octets of NAS", o.NAS, N2MinNAS, N2MaxNAS}, {"open UEs", o.Open, 1, N2MaxOpen}, {"subscribers", o.Subscribers, 1, N2MaxSubscribers}} {
		if limit.n < limit.least || limit.n > limit.most {
			return fmt.Errorf("load: %d %s: %d to %d are possible", limit.n, limit.what, limit.least, limit.most)
		}
	}
	each := o.GNBs * o.AMFs
	o.Subscribers = (o.Subscribers + each - 1) / each * each
	if o.Transport == nil {
		return errors.New("load: no transport")
	}
	return nil
}

// N2 is the gNBs and AMFs, all in this process.
type N2 struct {
	opt       N2Options
	epoch     time.Time
	listeners []sctp.Listener
	gnbs      []sctp.Assoc
	life      context.Context
	end       context.CancelFunc
	work      sync.WaitGroup
	ended     atomic.Bool // whoever measures has been interrupted

	mu      sync.Mutex // of what follows
	legs    []sctp.Assoc
	ues     []n2UE  // by RAN UE NGAP ID
	bound   []*n2UE // those that stay: see n2bound.go
	boundUp int
	open    int
	last    uint32   // RAN UE NGAP ID
	ids     []uint64 // last AMF UE NGAP ID of each AMF
	rising  bool     // not all are up yet
	setups  int      // associations of AMFs that have NG Setup
	up      int      // NG Setup Responses that gNBs have got
	again   int      // NG Setup Failures with Time to Wait that gNBs have got
	fault   error    // an association ended
	run     uint8
	// earlier is the last UE of the runs before: all these are forgotten.
	earlier uint32
	result  *N2Result
}

// NewN2 has the AMFs listen.
func NewN2(o N2Options) (*N2, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	g := &N2{opt: o, epoch: time.Now(), ues: make([]n2UE, o.Open), ids: make([]uint64, o.AMFs), rising: true, result: &N2Result{}}
	g.life, g.end = context.WithCancel(context.Background())
	for i := range o.AMFs {
		l, err := o.Transport.Listen(sctp.At(o.FirstAMF+uint16(i), o.Addr), o.SCTP)
		if err != nil {
			g.Close()
			return nil, err
		}
		g.listeners = append(g.listeners, l)
		g.work.Go(func() { g.accept(i, l) })
	}
	return g, nil
}

func (g *N2) accept(amf int, l sctp.Listener) {
	for {
		a, err := l.Accept(g.life)
		if err != nil {
			if !errors.Is(err, net.ErrClosed) && g.life.Err() == nil {
				g.failed(fmt.Errorf("load: AMF %d: %w", amf, err))
			}
			return
		}
		g.mu.Lock()
		g.legs = append(g.legs, a)
		g.mu.Unlock()
		g.work.Go(func() { g.serve(&n2Node{g: g, assoc: a, dir: Up, index: amf}) })
	}
}

// failed notes the first fault.
func (g *N2) failed(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fault == nil {
		g.fault = err
	}
}

// inSetup is how many gNBs wait for the answer to their NG Setup at most.
const inSetup = 64

// BringUp associates the gNBs, one after the other, and waits for NG Setup with
// every AMF. A gNB that is refused comes again when Time to Wait is over (TS 38.413
// clause 8.7.1.3), and the gateway's associations to AMFs may end until all are up. It
// may be called again when the gateway was not there yet.
func (g *N2) BringUp(ctx context.Context) error {
	for i := len(g.gnbs); i < g.opt.GNBs; i++ {
		if err := g.until(ctx, func() bool { return i-g.up < inSetup }); err != nil {
			return err
		}
		a, err := g.opt.Transport.Dial(ctx, sctp.At(0, g.opt.Addr), g.opt.Gateway, g.opt.SCTP)
		if err != nil {
			return fmt.Errorf("load: gNB %d: %w", i, err)
		}
		g.gnbs = append(g.gnbs, a)
		n := &n2Node{g: g, assoc: a, dir: Down, index: i}
		g.work.Go(func() { g.serve(n) })
		if err := n.setup(); err != nil {
			return err
		}
	}
	return g.until(ctx, func() bool {
		done := g.up == g.opt.GNBs && g.setups == g.ways()
		g.rising = !done
		return done
	})
}

// ways is how many associations the AMFs have when all are up.
func (g *N2) ways() int {
	if g.opt.Static {
		return g.opt.GNBs
	}
	return g.opt.GNBs * g.opt.AMFs
}

// Refused is how many NG Setup Failures with Time to Wait the gNBs have got.
func (g *N2) Refused() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.again
}

// until waits for what is called with the lock held.
func (g *N2) until(ctx context.Context, done func() bool) error {
	for {
		g.mu.Lock()
		ready, err := done(), g.fault
		if err == nil && !ready && ctx.Err() != nil {
			err = fmt.Errorf("load: %d of %d gNBs are up, with %d associations to AMFs, after %d NG Setup Failures: %w", g.up, g.opt.GNBs, g.setups, g.again, ctx.Err())
		}
		g.mu.Unlock()
		if err != nil || ready {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// Close ends all associations.
func (g *N2) Close() {
	g.end()
	for _, l := range g.listeners {
		l.Close()
	}
	g.mu.Lock()
	legs := g.legs
	g.mu.Unlock()
	for _, a := range append(legs, g.gnbs...) {
		a.Abort("end of the load")
	}
	g.work.Wait()
}

func (g *N2) now() int64 { return int64(time.Since(g.epoch)) }
