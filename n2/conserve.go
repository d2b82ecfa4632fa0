package n2

import "sync/atomic"

// Drop is why a PDU went nowhere; its String is a metrics label.
type Drop uint8

// Reasons of drops.
const (
	DropMalformed Drop   = iota // not an NGAP PDU, or its fields can't be read
	DropOrder                   // before NG Setup
	DropDirection               // not for this side to send
	DropUnknownUE               // no such UE NGAP ID
	DropNotOwner                // the IDs belong to another UE, gNB or AMF
	DropDuplicate               // an Initial UE Message with a RAN UE NGAP ID in use
	DropNoMember                // no AMF is up for it
	DropNoLeg                   // its AMF is not reached from this gNB
	DropFull                    // a queue is full
	DropLimit                   // a limit of the configuration
	DropNobody                  // nobody asked for the answer
	DropLost                    // taken by an association that ended before
	DropElsewhere               // another gNB, or AMF, would have to get it
	DropLate                    // a member that was removed
	DropPPID                    // not of NGAP
	Drops         = iota        // their number
)

var dropNames = [Drops]string{"malformed", "order", "direction", "unknown_ue", "not_owner", "duplicate_ran_ue_id",
	"no_member", "no_leg", "queue_full", "limit", "nobody_asked", "association_lost", "elsewhere", "member_removed", "ppid"}

func (d Drop) String() string { return dropNames[d] }

// DropNames are the labels of all drops in their order.
func DropNames() []string { return dropNames[:] }

// ledger is the conservation account of one gNB: only its owner writes it,
// anybody reads it. At rest
//
//	FromGNB + FromAMF + Copies + Originated == ToGNB + ToAMF + Absorbed + Σ Dropped + Queued.
type ledger struct {
	fromGNB, fromAMF, copies, originated atomic.Uint64
	toGNB, toAMF, absorbed, queued       atomic.Uint64
	dropped                              [Classes][Drops]atomic.Uint64
	procedure                            [2][256]atomic.Uint64 // PDUs by side they came from and code
}

// Procedures counts PDUs: by the side they came from, 0 the gNB, 1 an AMF, and
// by procedure code.
type Procedures [2][256]uint64

func (l *ledger) addProcedures(to *Procedures) {
	for side := range to {
		for code := range to[side] {
			to[side][code] += l.procedure[side][code].Load()
		}
	}
}

// Procedures is the sum over all gNBs, those that are gone included.
func (g *Gateway) Procedures() Procedures {
	g.mu.Lock()
	defer g.mu.Unlock()
	sum := g.done
	for _, o := range g.gnbs {
		o.led.addProcedures(&sum)
	}
	return sum
}

// Conservation is a ledger as it was at one moment, in PDUs.
type Conservation struct {
	FromGNB    uint64            `json:"from_gnb"`
	FromAMF    uint64            `json:"from_amf"`
	Copies     uint64            `json:"multicast_copies"` // beyond the first
	Originated uint64            `json:"originated"`
	ToGNB      uint64            `json:"to_gnb"` // taken by the transport
	ToAMF      uint64            `json:"to_amf"`
	Absorbed   uint64            `json:"absorbed"` // ended here: answered, merged
	Dropped    map[string]uint64 `json:"dropped"`  // by reason
	Queued     uint64            `json:"queued"`
	// ByClass is Dropped by class and reason.
	ByClass map[string]map[string]uint64 `json:"dropped_by_class"`
}

// Balance is what came in or was made less what went out: 0 when every PDU is
// accounted for.
func (c *Conservation) Balance() int64 {
	in := c.FromGNB + c.FromAMF + c.Copies + c.Originated
	out := c.ToGNB + c.ToAMF + c.Absorbed + c.Queued
	for _, n := range c.Dropped {
		out += n
	}
	return int64(in - out)
}

// Add adds o to c.
func (c *Conservation) Add(o Conservation) {
	c.FromGNB += o.FromGNB
	c.FromAMF += o.FromAMF
	c.Copies += o.Copies
	c.Originated += o.Originated
	c.ToGNB += o.ToGNB
	c.ToAMF += o.ToAMF
	c.Absorbed += o.Absorbed
	c.Queued += o.Queued
	for class, reasons := range o.ByClass {
		for reason, n := range reasons {
			c.drop(class, reason, n)
		}
	}
}

// drop adds n PDUs that went nowhere.
func (c *Conservation) drop(class, reason string, n uint64) {
	if c.Dropped == nil {
		c.Dropped, c.ByClass = make(map[string]uint64), make(map[string]map[string]uint64)
	}
	if c.ByClass[class] == nil {
		c.ByClass[class] = make(map[string]uint64)
	}
	c.Dropped[reason] += n
	c.ByClass[class][reason] += n
}

func (l *ledger) read() Conservation {
	c := Conservation{FromGNB: l.fromGNB.Load(), FromAMF: l.fromAMF.Load(), Copies: l.copies.Load(), Originated: l.originated.Load(),
		ToGNB: l.toGNB.Load(), ToAMF: l.toAMF.Load(), Absorbed: l.absorbed.Load(), Queued: l.queued.Load(),
		Dropped: make(map[string]uint64), ByClass: make(map[string]map[string]uint64)}
	for class := range l.dropped {
		for d := range l.dropped[class] {
			if n := l.dropped[class][d].Load(); n > 0 {
				c.drop(classNames[class], dropNames[d], n)
			}
		}
	}
	return c
}
