package gb

import (
	"time"

	"poolgw/bssgp"
	"poolgw/ns"
)

// For tests outside of the package.

// Row is a row of the routing table.
type Row = row

// Routing returns the routing table.
func Routing() []Row { return routing }

// PDU, Direction and Kind return what a row is about, RuleName its rule.
func (r row) PDU() bssgp.PDUType   { return r.pdu }
func (r row) Direction() bssgp.Dir { return r.dir }
func (r row) Kind() bssgp.BVCKind  { return r.kind }
func (r row) RuleName() string     { return rules[r.rule].name }

// RemoveRow takes a row out of a gateway's table.
func (g *Gateway) RemoveRow(r Row) {
	t := *g.routes.Load()
	t[r.dir][r.kind][r.pdu] = refuse
	g.routes.Store(&t)
}

// RoutingDoc is the text of doc/routing.md.
func RoutingDoc() string { return routingDoc() }

// SetClock gives a gateway that does not run yet another clock.
func (g *Gateway) SetClock(now func() time.Time) { g.opt.Now, g.clock = now, now }

// UserData is what the workers decide, by the PDU type.
func UserData() ns.UserData { return userData() }
