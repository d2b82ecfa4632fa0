package n2

import (
	"time"

	"poolgw/ngap"
	"poolgw/sctp"
)

// msg is a PDU under way.
type msg struct {
	*ngap.PDU
	raw    []byte
	stream uint16
	leg    *leg   // from which AMF; nil: from the gNB
	row    *route // its procedure's; nil: it came earlier, and is sent again
	now    time.Time
}

// receive accounts for one PDU and gives it to its rule.
func (g *gnb) receive(in *inbound, l *leg, now time.Time) {
	if g.trace != nil {
		g.traced(in.link, false, in.event.Stream, in.b)
	}
	if !ngapPPID(in.event.PPID) {
		g.log.Debug("not the PPID of NGAP", in.link.attr(), "ppid", in.event.PPID)
		g.led.lose(ClassOther, DropPPID, 1)
		return
	}
	m := &g.msg // not a variable of its own: it would be allocated
	m.PDU, m.raw, m.stream, m.leg, m.row, m.now = &g.pdu, in.b, in.event.Stream, l, nil, now
	if err := g.pdu.Walk(in.b); err != nil {
		g.log.Debug("not an NGAP PDU", in.link.attr(), "err", err)
		g.led.lose(ClassOther, DropMalformed, 1)
		g.errorIndication(m, nil, ngap.CauseTransferSyntaxError)
		return
	}
	side := 0
	r := routeOf(g.pdu.Code)
	m.row = r
	run := r.up.run
	if l != nil {
		side, run = 1, r.down.run
	}
	one(&g.led.procedure[side][g.pdu.Code])
	switch id, twice := g.pdu.Repeated(); {
	case run == nil || !mayCome(&g.pdu, side):
		g.misdirected(m)
	case twice:
		g.log.Debug("an IE is there twice", in.link.attr(), "message", g.pdu.Name(), "ie", id.String())
		g.refuse(m, DropMalformed, ngap.CauseFalselyConstructedMessage)
	case !g.inOrder(m):
		g.wrong(m)
	case m.Kind == ngap.Initiating && !m.holds(r.needs):
		g.malformed(m, r.needs...)
	default:
		run(g, m)
	}
}

// ngapPPID reports whether messages of a PPID are taken: besides that of TS 38.412
// clause 7 none at all, and the same in the wrong byte order, which peers send.
func ngapPPID(p uint32) bool { return p == sctp.PPIDNGAP || p == 0 || p == sctp.PPIDNGAP<<24 }

// holds reports whether m has all of some IEs.
func (m *msg) holds(needed []ngap.IEID) bool {
	for _, id := range needed {
		if m.Find(id) < 0 {
			return false
		}
	}
	return true
}

// comers says of each code and kind which side may send it, by the table of
// procedures: bit 0 the gNB, bit 1 an AMF. What that table doesn't know may come.
var comers = func() (t [256][4]uint8) {
	for c := range t {
		for k := range t[c] {
			for side := range 2 {
				if sends(ngap.Lookup(ngap.Code(c)), ngap.Kind(k), side == 1) {
					t[c][k] |= 1 << side
				}
			}
		}
	}
	return t
}()

// mayCome reports whether a message of this kind comes from that side, 0 the gNB.
func mayCome(p *ngap.PDU, side int) bool { return comers[p.Code][p.Kind&3]>>side&1 == 1 }

func sends(row *ngap.Procedure, k ngap.Kind, amf bool) bool {
	if row == nil {
		return true
	}
	if row.Message(k) == "" {
		return false
	}
	begins := row.Initiator&ngap.RAN != 0
	ends := row.Initiator&ngap.AMF != 0
	if amf {
		begins, ends = ends, begins
	}
	if k == ngap.Initiating {
		return begins
	}
	return ends
}

// inOrder reports whether NG Setup comes first (8.7.1).
func (g *gnb) inOrder(m *msg) bool {
	if m.leg != nil {
		return m.leg.state == legUp || m.Code == ngap.CodeNGSetupRequest || m.Code == ngap.CodeErrorIndication
	}
	return g.state == gnbUp || m.Code == ngap.CodeNGSetupRequest || m.Code == ngap.CodeErrorIndication
}

// absorb counts a PDU that ends here.
func (g *gnb) absorb() { one(&g.led.absorbed) }

// deliver sends octets on k and counts where they went.
func (g *gnb) deliver(k *link, stream uint16, data []byte) bool {
	sent, taken := k.send(stream, data)
	if taken && g.trace != nil {
		g.traced(k, true, stream, data)
	}
	switch {
	case sent && k.leg == nil:
		one(&g.led.toGNB)
	case sent:
		one(&g.led.toAMF)
		k.leg.to++
	case taken:
		one(&g.led.queued)
		g.watch(k)
	case k.down:
		g.led.lose(classIn(data), DropLost, 1)
		return true // what its end means for UEs is decided there
	default:
		g.led.lose(classIn(data), DropFull, 1)
	}
	return taken
}

// originate sends a PDU that the gateway made.
func (g *gnb) originate(k *link, stream uint16, data []byte) bool {
	one(&g.led.originated)
	return g.deliver(k, stream, data)
}

// copyTo sends one more copy of a PDU.
func (g *gnb) copyTo(k *link, stream uint16, data []byte) {
	one(&g.led.copies)
	g.deliver(k, stream, data)
}

// keptOctets is how much room for a PDU an owner keeps.
const keptOctets = 16 << 10

// octets is the PDU as it is now: as it came, unless it was changed.
func (g *gnb) octets(p *ngap.PDU) []byte {
	if cap(g.out) > keptOctets {
		g.out = nil
	}
	g.out = p.Append(g.out[:0])
	return g.out
}
