package ns

import "sync/atomic"

// Counters of an NS-VC, or of an NSE over the NS-VCs it had.
type Counters struct {
	PacketsIn      uint64 `json:"packets_in"`
	PacketsOut     uint64 `json:"packets_out"`
	PacketsOutDrop uint64 `json:"packets_out_drop"`
	BytesIn        uint64 `json:"bytes_in"`
	BytesOut       uint64 `json:"bytes_out"`
	BytesOutDrop   uint64 `json:"bytes_out_drop"`
	Blocked        uint64 `json:"blocked"`
	Unblocked      uint64 `json:"unblocked"`
	Dead           uint64 `json:"dead"`
	Replaced       uint64 `json:"replaced"`
	NSEIChanged    uint64 `json:"nsei_changed"`
	InvalidNSVCI   uint64 `json:"invalid_nsvci"`
	InvalidNSEI    uint64 `json:"invalid_nsei"`
	LostAlive      uint64 `json:"lost_alive"`
	LostReset      uint64 `json:"lost_reset"`
}

func (c *Counters) add(o Counters) {
	c.PacketsIn += o.PacketsIn
	c.PacketsOut += o.PacketsOut
	c.PacketsOutDrop += o.PacketsOutDrop
	c.BytesIn += o.BytesIn
	c.BytesOut += o.BytesOut
	c.BytesOutDrop += o.BytesOutDrop
	c.Blocked += o.Blocked
	c.Unblocked += o.Unblocked
	c.Dead += o.Dead
	c.Replaced += o.Replaced
	c.NSEIChanged += o.NSEIChanged
	c.InvalidNSVCI += o.InvalidNSVCI
	c.InvalidNSEI += o.InvalidNSEI
	c.LostAlive += o.LostAlive
	c.LostReset += o.LostReset
}

// word is a counter that one goroutine group increments and any reads.
type word struct{ v atomic.Uint64 }

func (w *word) add(n uint64) { w.v.Add(n) }

// traffic counts what one worker, or the loop, moved over one NS-VC: two cache
// lines of its own, one for its reader and one for its senders, so that they
// do not write each other's.
type traffic struct {
	in, bytesIn         word
	_                   [64 - 2*8]byte
	out, drop           word
	bytesOut, bytesDrop word
	_                   [64 - 4*8]byte
}

func (t *traffic) received(n int) { t.in.add(1); t.bytesIn.add(uint64(n)) }
func (t *traffic) sent(n int)     { t.out.add(1); t.bytesOut.add(uint64(n)) }
func (t *traffic) dropped(n int)  { t.drop.add(1); t.bytesDrop.add(uint64(n)) }

func sumTraffic(ts []traffic) (c Counters) {
	for i := range ts {
		t := &ts[i]
		c.PacketsIn += t.in.v.Load()
		c.PacketsOut += t.out.v.Load()
		c.PacketsOutDrop += t.drop.v.Load()
		c.BytesIn += t.bytesIn.v.Load()
		c.BytesOut += t.bytesOut.v.Load()
		c.BytesOutDrop += t.bytesDrop.v.Load()
	}
	return c
}

// Drop is the reason for which a datagram went no further.
type Drop uint8

const (
	DropShort         Drop = iota // empty, or NS-UNITDATA without its header
	DropMalformed                 // refused by Parse; answered by NS-STATUS
	DropUnknownRemote             // no NS-VC, and nothing that makes one
	DropNotAccepted               // would make an NSE; the bind does not accept it
	DropLimitNSEs                 // would make an NSE beyond the limit
	DropLimitVCs                  // would make an NS-VC beyond the limit of its NSE
	DropConflict                  // NSEI, NSVCI or address belongs to somebody else
	DropWrongID                   // NSEI or NSVCI is not the NS-VC's
	DropState                     // not permitted in the state of the NS-VC or SNS
	DropMode                      // RESET, BLOCK … on an NS-VC that has no such procedure
	DropBlocked                   // NS-UNITDATA on a blocked NS-VC
	DropStatusRate                // an NS-STATUS was due, but too many were sent
	DropQueueControl              // control queue full: NS control
	DropQueueSignal               // control queue full: BVCI 0 and 1
	DropQueueData                 // control queue full: user data, unknown remotes
	DropDeadNSE                   // to be sent, but the NSE is not available
	DropTransmit                  // the transport did not take it
	DropAccess                    // the source is not on the bind's access list
	DropClosed                    // came in on a bind that is closed meanwhile
	DropTooLong                   // to be sent, longer than the MTU of the bind
	DropLMI                       // LMI message without effect
	NumDrops
)

// DropNames are the reasons' names, as in BindState.Dropped.
var DropNames = [NumDrops]string{
	DropShort:         "short",
	DropMalformed:     "malformed",
	DropUnknownRemote: "unknown_remote",
	DropNotAccepted:   "not_accepted",
	DropLimitNSEs:     "limit_nses",
	DropLimitVCs:      "limit_nsvcs",
	DropConflict:      "conflict",
	DropWrongID:       "wrong_id",
	DropState:         "state",
	DropMode:          "mode",
	DropBlocked:       "blocked",
	DropStatusRate:    "status_rate",
	DropQueueControl:  "queue_control",
	DropQueueSignal:   "queue_signalling",
	DropQueueData:     "queue_data",
	DropDeadNSE:       "nse_unavailable",
	DropTransmit:      "transmit",
	DropAccess:        "access_list",
	DropClosed:        "bind_closed",
	DropTooLong:       "too_long",
	DropLMI:           "lmi",
}

func (d Drop) String() string { return name(DropNames[:], "Drop", uint8(d)) }

// drops counts by reason, for one worker or the loop.
type drops struct {
	n [NumDrops]word
	_ [128 - NumDrops*8%128]byte
}

func (d *drops) add(why Drop) { d.n[why].add(1) }

func sumDrops(ds []drops) map[string]uint64 {
	m := make(map[string]uint64, NumDrops)
	for why, name := range DropNames {
		for i := range ds {
			m[name] += ds[i].n[why].v.Load()
		}
	}
	return m
}
