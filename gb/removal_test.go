package gb_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"poolgw/gb"
)

// An SGSN that is no member any more, though its NSE stays in node ns, sees its
// BVCs blocked and then nothing: neither its acknowledges nor what it still sends
// down are answered by a STATUS. Its subscribers go elsewhere, the others stay.
// As a member again it gets everything anew.
func TestRemoveMemberKeepNSE(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		next := b.cfg.Clone()
		next.SGSNs = next.SGSNs[:1]
		if err := b.gw.Apply(b.cfg, next, time.Now()); err != nil {
			t.Fatal(err)
		}
		blocks := b.at(102).taken() // the peer acknowledges each
		if len(blocks) != 6 || blocks[0] != (got{0, "2004824e2b078108"}) {
			t.Errorf("%v", blocks)
		}
		b.at(102).send(20011, dl(tlliOf(4, 1), "01"))
		b.at(102).sig(paging(false, "04824e2b"))
		b.wantIdle()
		moved, own := ul(tlliOf(4, 1), cell20011, "01"), ul(tlliOf(3, 1), cell20011, "01")
		b.at(2001).send(20011, moved)
		b.at(2001).send(20011, own)
		b.at(101).want(at(20011, moved), at(20011, own))
		b.wantIdle()
		if err := b.gw.Apply(next, b.cfg, time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if in := b.at(102).taken(); len(in) != 7 { // BVCI 0 and six cells
			t.Errorf("%v", in)
		}
		b.at(2001).send(20011, moved)
		b.at(102).want(at(20011, moved))
		b.wantIdle()
	})
}

// A bind that goes, or listens no more, takes the BSSs on it along: their cells
// are blocked at every SGSN and kept. When it is back and they come again, they
// serve again; the SGSNs' side never notices more than that.
func TestRemoveBind(t *testing.T) {
	for name, edit := range map[string]func(c *gb.Config){
		"no bind":   func(c *gb.Config) { c.NS.Binds, c.NS.SNSDefaultBinds = c.NS.Binds[:1], nil },
		"no listen": func(c *gb.Config) { c.NS.Binds[1].Listen = netip.AddrPort{} },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, config(2), func(b *bed) {
				bss := b.bss(2001, cell20011)
				b.clear()
				next := b.cfg.Clone()
				edit(&next)
				if err := b.gw.Apply(b.cfg, next, time.Now()); err != nil {
					t.Fatal(err)
				}
				b.at(101).want("0:2004824e2b078101") // BVC-BLOCK, equipment failure
				b.at(102).want("0:2004824e2b078101")
				if c := b.snapshot().Cells; len(c) != 1 || c[0].Active {
					t.Errorf("%+v", c)
				}
				bss.start() // nobody hears it
				b.wantIdle()
				if err := b.gw.Apply(next, b.cfg, time.Now()); err != nil {
					t.Fatal(err)
				}
				bss.start()
				bss.reset(cell20011)
				for _, nsei := range []uint16{101, 102} {
					for _, g := range b.at(nsei).taken() {
						if !strings.HasPrefix(g.pdu, "22") && !strings.HasPrefix(g.pdu, "24") {
							t.Errorf("SGSN %d got %v", nsei, g)
						}
					}
				}
				b.clear()
				pdu := ul(tlliOf(4, 1), cell20011, "01")
				bss.send(20011, pdu)
				b.at(102).want(at(20011, pdu))
				b.wantIdle()
			})
		})
	}
}
