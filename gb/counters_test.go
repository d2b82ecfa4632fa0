package gb_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/gb"
	"poolgw/ns"
)

// counters reads all counters of the gateway, "GROUP.INDEX.NAME"; keys of the
// group's own kind have the name instead of the index.
func (b *bed) counters() map[string]uint64 {
	b.t.Helper()
	all := map[string]uint64{}
	err := b.gw.Counters(context.Background(), gb.CounterQuery{}, func(g *gb.CounterGroup, index uint32, name string, values []uint64) {
		if len(values) != len(g.Counters) {
			b.t.Errorf("%s has %d values for %d counters", g.Name, len(values), len(g.Counters))
		}
		if name == "" {
			name = fmt.Sprint(index)
		}
		for i, c := range g.Counters {
			all[g.Name+"."+name+"."+c.Name] = values[i]
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

// grown runs f and returns the counters of gbproxy:global and gbproxy:peer that
// grew, but for what the BVCs moved: "global.inv-bvci 1".
func (b *bed) grown(f func()) string {
	b.t.Helper()
	before := b.counters()
	f()
	synctest.Wait()
	after := b.counters()
	var out []string
	for _, k := range slices.Sorted(maps.Keys(after)) {
		name, ours := strings.CutPrefix(k, "gbproxy:")
		if n := after[k] - before[k]; ours && n != 0 && !strings.Contains(k, "packets:") && !strings.Contains(k, "bytes:") {
			out = append(out, fmt.Sprintf("%s %d", strings.Replace(name, "global.0.", "global.", 1), n))
		}
	}
	return strings.Join(out, ", ")
}

// Every counter of osmo-gbproxy grows by what it is named for, and no other does.
// Facts: G5-09, G9-01, G9-02, G9-03, G9-04
func TestErrorCounters(t *testing.T) {
	cell := cell20011
	up := ul(tlliOf(3, 1), cell, "01")
	suite(t, config(2), func(b *bed) {
		bss, sgsn := b.at(2001), b.at(101)
		for _, c := range []struct {
			what string
			do   func()
			want string
		}{
			{"user data on a BVCI that nobody has", func() { bss.send(2222, up) }, "global.inv-bvci 1"},
			{"paging by a BVCI that nobody has", func() { sgsn.sig(paging(true, "04828235")) }, "global.inv-bvci 1"},
			{"paging in an unknown LAI", func() { sgsn.sig(paging(true, "108562f2249999")) }, "global.inv-lai 1"},
			{"paging in an unknown RAI", func() { sgsn.sig(paging(false, "1b8662f224334f77")) }, "global.inv-rai 1"},
			{"UL-UNITDATA cut short", func() { bss.send(20011, "01") }, "global.proto-err:bss 1, peer.BVC20011-NSE02001.dropped 1"},
			{"DL-UNITDATA cut short", func() { sgsn.send(20011, "00") }, "global.proto-err:sgsn 1, peer.BVC20011-NSE00101.dropped 1"},
			{"a BSS sends DL-UNITDATA", func() { bss.send(20011, dl(tlliOf(3, 1), "01")) }, "global.not-supp:bss 1"},
			{"an SGSN sends UL-UNITDATA", func() { sgsn.send(20011, up) }, "global.not-supp:sgsn 1"},
			{"another BSS uses the BVCI", func() { b.at(2002).send(20011, up) },
				"global.inv-bvci 1, peer.BVC20011-NSE02001.dropped 1, peer.BVC20011-NSE02001.inv-nsei 1"},
			{"another BSS claims the BVCI", func() { b.at(2002).sig("2204824e2b0781080888" + cell.id) },
				"global.inv-bvci 1, peer.BVC20011-NSE02001.inv-nsei 1"},
			{"an answer that nobody waits for", func() { sgsn.sig("0c1f84c01800011b8662f224334f001d8101") }, "global.error 1"},
			{"the BSS blocks", func() { bss.sig("2004824e2b078108") },
				"peer.BVC20011-NSE00101.blocked 1, peer.BVC20011-NSE00102.blocked 1, peer.BVC20011-NSE02001.blocked 1"},
			{"user data on the blocked BVC", func() { bss.send(20011, up) }, "peer.BVC20011-NSE02001.dropped 1"},
			{"the BSS unblocks", func() { bss.sig("2404824e2b") },
				"peer.BVC20011-NSE00101.unblocked 1, peer.BVC20011-NSE00102.unblocked 1, peer.BVC20011-NSE02001.unblocked 1"},
			{"an SGSN resets", func() { sgsn.sig("2204820000078108"); time.Sleep(time.Second) },
				"global.restart:sgsn 1, sgsn.NSE(00101).restarts 1"},
		} {
			if got := b.grown(c.do); got != c.want {
				t.Errorf("%s: %q, want %q", c.what, got, c.want)
			}
			b.clear()
		}
	})
}

// The whole pool is gone; the owner has no unblocked BVC; a BSS lacks the feature.
// Facts: G9-03
func TestForwardErrorCounters(t *testing.T) {
	suite(t, config(1), func(b *bed) {
		b.at(101).set(true, true)
		time.Sleep(3 * time.Minute) // NS gives up
		want := "global.error 1, peer.BVC20011-NSE02001.dropped 1, peer.BVC20011-NSE02001.fwd-sgsn-err 1"
		if got := b.grown(func() { b.at(2001).send(20011, ul(tlliOf(3, 1), cell20011, "01")) }); got != want {
			t.Errorf("pool down: %q, want %q", got, want)
		}
	})
	suite(t, config(2), func(b *bed) {
		b.at(101).set(false, true) // it acknowledges no reset any more
		b.at(2001).sig("2204824e2b0781080888" + cell20011.id)
		want := "global.error 1, peer.BVC20011-NSE02001.dropped 1, peer.BVC20011-NSE02001.fwd-sgsn-err 1"
		if got := b.grown(func() { b.at(2001).send(20011, ul(tlliOf(3, 1), cell20011, "01")) }); got != want {
			t.Errorf("no BVC at the owner: %q, want %q", got, want)
		}
	})
	withAndWithout(t, withFeatures(0xbf, 0x03), func(b *bed, with, without *peer, cells [2]cell) {
		want := "global.not-supp:bss 1, peer.BVC20021-NSE00101.dropped 1, peer.BVC20021-NSE00101.fwd-bss-err 1"
		if got := b.grown(func() { b.at(101).send(20021, featurePDU(0, cells[1])) }); got != want {
			t.Errorf("not for this BSS: %q, want %q", got, want)
		}
	})
}

// An SGSN whose NS-VC has died is still heard; what must go to it can't.
// Facts: G9-02, G9-03, G9-07, G9-08
func TestTransmitErrorAndNSCounters(t *testing.T) {
	c := config(1)
	c.NS.NSEs[0] = ns.NSEConfig{NSEI: 101, Dialect: ns.DialectStaticAlive,
		VCs: []ns.VCConfig{{Link: ns.LinkUDP, Bind: "sgsn", Remote: sgsnAddr(101), SigWeight: 1, DataWeight: 1}}}
	run(t, c, func(b *bed) {
		time.Sleep(time.Second)
		if !b.snapshot().Pool.SGSNs[0].Up {
			t.Fatalf("the SGSN is not up: %+v", b.snapshot().NS)
		}
		b.at(101).set(true, true)
		time.Sleep(3 * time.Minute)
		want := "global.proto-err:sgsn 1, global.tx-err:sgsn 1, peer.BVC00000-NSE00101.tx-err 1"
		if got := b.grown(func() { b.at(101).sig("0c") }); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		all := b.counters()
		for _, k := range []string{"dead", "lost:alive", "packets:in", "packets:out", "bytes:in", "bytes:out"} {
			id := "NSE00101-NSVC-UDP-10_0_0_1:23000-10_1_0_101:24000"
			if n, of := all["ns:nse.101."+k], all["ns:nsvc."+id+"."+k]; n == 0 || n != of {
				t.Errorf("%s: %d of the NSE, %d of its NS-VC", k, n, of)
			}
		}
		if all["ns:nse.101.packets:out:drop"] == 0 || all["ns:nse.101.bytes:out:drop"] == 0 {
			t.Error("what could not be sent was not counted")
		}
	})
}

// What is moved counts at both ends, whether a worker or the loop moved it.
// Facts: G9-05
func TestMovedCounters(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		before := b.counters()
		up, down := ul(tlliOf(3, 1), cell20011, "0102"), dl(tlliOf(3, 1), "01")
		for range 3 {
			b.at(2001).send(20011, up)
		}
		b.at(101).send(20011, down)
		b.at(101).send(20011, paging(false, "02810f")) // by the loop
		after := b.counters()
		octets := func(pdus ...string) (n uint64) {
			for _, p := range pdus {
				n += uint64(len(strings.ReplaceAll(p, " ", "")) / 2)
			}
			return n
		}
		upBytes, downBytes := 3*octets(up), octets(down, paging(false, "02810f"))
		for k, want := range map[string]uint64{
			"peer.BVC20011-NSE02001.packets:in": 3, "peer.BVC20011-NSE02001.bytes:in": upBytes,
			"peer.BVC20011-NSE02001.packets:out": 2, "peer.BVC20011-NSE02001.bytes:out": downBytes,
			"peer.BVC20011-NSE00101.packets:in": 2, "peer.BVC20011-NSE00101.bytes:in": downBytes,
			"peer.BVC20011-NSE00101.packets:out": 3, "peer.BVC20011-NSE00101.bytes:out": upBytes,
			"sgsn.NSE(00101).packets:in": 2, "sgsn.NSE(00101).bytes:in": downBytes,
			"sgsn.NSE(00101).packets:out": 3, "sgsn.NSE(00101).bytes:out": upBytes,
			"sgsn.NSE(00102).packets:out": 0, "peer.BVC20011-NSE00102.packets:out": 0,
		} {
			if got := after["gbproxy:"+k] - before["gbproxy:"+k]; got != want {
				t.Errorf("%s: %d, want %d", k, got, want)
			}
		}
	})
}
