package gb

import (
	"sync/atomic"

	"poolgw/bssgp"
)

// globalCounter is a counter of the group "gbproxy:global".
type globalCounter uint8

const (
	none globalCounter = iota
	invBVCI
	invLAI
	invRAI
	invNSEI
	protoErrBSS
	protoErrSGSN
	notSuppBSS
	notSuppSGSN
	restartSGSN
	txErrSGSN
	otherError
	numGlobals
)

var globalCounters = [numGlobals]Counter{ // none has no name
	invBVCI:      {Name: "inv-bvci", Text: "Invalid BVC Identifier"},
	invLAI:       {Name: "inv-lai", Text: "Invalid Location Area Identifier"},
	invRAI:       {Name: "inv-rai", Text: "Invalid Routing Area Identifier"},
	invNSEI:      {Name: "inv-nsei", Text: "No BVC established for NSEI"},
	protoErrBSS:  {Name: "proto-err:bss", Text: "BSSGP protocol error      (BSS )"},
	protoErrSGSN: {Name: "proto-err:sgsn", Text: "BSSGP protocol error      (SGSN)"},
	notSuppBSS:   {Name: "not-supp:bss", Text: "Feature not supported     (BSS )"},
	notSuppSGSN:  {Name: "not-supp:sgsn", Text: "Feature not supported     (SGSN)"},
	restartSGSN:  {Name: "restart:sgsn", Text: "Restarted RESET procedure (SGSN)"},
	txErrSGSN:    {Name: "tx-err:sgsn", Text: "NS Transmission error     (SGSN)"},
	otherError:   {Name: "error", Text: "Other error"},
}

// globals count them; workers count too, what they drop.
type globals [numGlobals]atomic.Uint64

func (g *globals) add(c globalCounter) {
	if c != none {
		g[c].Add(1)
	}
}

func (g *globals) values(v []uint64) []uint64 {
	for i := none + 1; i < numGlobals; i++ {
		v = append(v, g[i].Load())
	}
	return v
}

// blame says in which global counter a dropped PDU counts, one from a BSS and
// one from an SGSN, and whether it could have been forwarded to the other side
// but for the state there. What the NS layer could not carry counts where it is
// sent.
var blame = [numDropReasons]struct {
	up, down globalCounter
	forward  bool
}{
	dropEmpty:         {protoErrBSS, protoErrSGSN, false},
	dropMalformed:     {protoErrBSS, protoErrSGSN, false},
	dropType:          {notSuppBSS, notSuppSGSN, false},
	dropFeature:       {notSuppBSS, notSuppBSS, true}, // the BSS has not what the PDU is of
	dropBVCI:          {invBVCI, invBVCI, false},
	dropOtherBSS:      {invBVCI, invBVCI, false},
	dropConflict:      {invBVCI, invBVCI, false},
	dropUnknownBVCI:   {invBVCI, invBVCI, false},
	dropBVCManagement: {invBVCI, invBVCI, false},
	dropUnknownLAI:    {none, invLAI, false},
	dropUnknownRAI:    {none, invRAI, false},
	dropInactive:      {invNSEI, invNSEI, true},
	dropNoDestination: {invNSEI, invNSEI, true},
	dropFormer:        {invNSEI, invNSEI, false}, // it has no BVC as a BSS
	dropPoolDown:      {otherError, none, true},
	dropOwnerHold:     {otherError, none, true},
	dropNoBVC:         {otherError, none, true},
	dropNoCache:       {otherError, otherError, false},
	dropStatus:        {otherError, otherError, false},
	dropRIM:           {otherError, otherError, false},
	dropLimit:         {otherError, otherError, false},
	dropRefused:       {otherError, otherError, false},
	dropNSE:           {none, none, true},
	dropBlocked:       {none, none, false}, // "dropped" of the BVC
	dropStatusLocal:   {none, none, false}, // acted on
}

// countDrop counts a PDU that is not passed on; b is the BVC it came on, nil if
// none is known.
func (g *Gateway) countDrop(r dropReason, dir bssgp.Dir, b *bvc) {
	g.drops[r].Add(1)
	row := &blame[r]
	by, failed := row.down, func(e *bvcEvents) *atomic.Uint64 { return &e.fwdBSS }
	if dir == bssgp.Uplink {
		by, failed = row.up, func(e *bvcEvents) *atomic.Uint64 { return &e.fwdSGSN }
	}
	g.globals.add(by)
	if b == nil {
		return
	}
	b.drops.Add(1)
	if row.forward {
		failed(&b.events).Add(1)
	}
	if r == dropOtherBSS {
		b.events.invNSEI.Add(1)
	}
}

// notSent counts what the NS layer could not carry to a peer; b is the BVC it
// was for, nil if none is known.
func (g *Gateway) notSent(p *peer, b *bvc) {
	if p != nil && p.member.Load() != nil {
		g.globals.add(txErrSGSN)
	}
	if b != nil {
		b.events.txErr.Add(1)
	}
}
