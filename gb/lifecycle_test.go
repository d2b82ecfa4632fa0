package gb_test

import (
	"context"
	"errors"
	"net/netip"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/gb"
	"poolgw/lab/simnet"
	"poolgw/ns"
)

func TestNotRunning(t *testing.T) {
	g := gb.New(gb.Options{})
	g.Stop()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := g.Snapshot(context.Background()); !errors.Is(err, gb.ErrStopped) {
		t.Error(err)
	}
}

func TestStartStopStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New(1, simnet.Faults{})
		defer n.Close()
		g := gb.New(gb.Options{Network: n, Workers: 2})
		for range 2 {
			if err := g.Start(config(2)); err != nil {
				t.Fatal(err)
			}
			if err := g.Start(config(2)); !errors.Is(err, gb.ErrRunning) {
				t.Error(err)
			}
			go g.Stop()
			if err := g.Wait(); err != nil {
				t.Error(err)
			}
			g.Stop()
		}
	})
}

func TestBindNotToBeHad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New(1, simnet.Faults{})
		defer n.Close()
		taken, err := n.Listen(ns.BindConfig{Listen: bssSide}, 1)
		if err != nil {
			t.Fatal(err)
		}
		g := gb.New(gb.Options{Network: n, Workers: 1})
		var bind *ns.BindError
		if err := g.Start(config(1)); !errors.As(err, &bind) || bind.Bind != "bss" || !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatal(err)
		}
		_ = taken[0].Close()
		if err := g.Start(config(1)); err != nil { // nothing kept running, nothing kept bound
			t.Fatal(err)
		}
		g.Stop()
	})
}

// A change that can't be made leaves all as it was, a removed member included.
func TestApplyRollsBack(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		taken, err := b.net.Listen(ns.BindConfig{Listen: netip.MustParseAddrPort("10.9.9.9:1")}, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = taken[0].Close() }()
		next := b.cfg.Clone()
		next.SGSNs = next.SGSNs[:1]
		next.NS.Binds = append(next.NS.Binds, ns.BindConfig{Name: "new", Link: ns.LinkUDP, Listen: taken[0].LocalAddr()})
		if err := b.gw.Apply(b.cfg, next, time.Now()); err == nil {
			t.Fatal("applied")
		}
		time.Sleep(time.Second)
		b.clear()
		pdu := ul(tlliOf(4, 1), cell20011, "01")
		b.at(2001).send(20011, pdu)
		b.at(102).want(at(20011, pdu))
	})
}

// Removing a member blocks its BVCs for the last time; its subscribers find
// another one.
// Facts: G2-09
func TestRemoveMember(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		next := b.cfg.Clone()
		next.SGSNs, next.NS.NSEs = next.SGSNs[:1], next.NS.NSEs[:1]
		if err := b.gw.Apply(b.cfg, next, time.Now()); err != nil {
			t.Fatal(err)
		}
		blocks := b.at(102).taken()
		if len(blocks) != 6 || blocks[0] != (got{0, "2004824e2b078108"}) {
			t.Errorf("%v", blocks)
		}
		pdu := ul(tlliOf(4, 1), cell20011, "01")
		b.at(2001).send(20011, pdu)
		b.at(101).want(at(20011, pdu))
		if err := b.gw.Apply(next, b.cfg, time.Now()); err != nil { // and back
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		b.clear()
		b.at(2001).send(20011, pdu)
		b.at(102).want(at(20011, pdu))
		b.wantIdle()
	})
}

// The order of nodes does not matter: an NSE that was a BSS's becomes an SGSN's.
// Facts: G2-01
func TestMemberAfterNSE(t *testing.T) {
	c := config(2)
	without := c.Clone()
	without.SGSNs = without.SGSNs[:1]
	suite(t, without, func(b *bed) {
		b.add(102, true)
		time.Sleep(30 * time.Second)
		b.clear()
		if err := b.gw.Apply(without, c, time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if got := b.at(102).taken(); len(got) != 7 { // BVCI 0 and six cells
			t.Errorf("%v", got)
		}
	})
}

// Facts: G2-11, G3.1-24, G3.1-25
func TestDeletePeer(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, dry := range []bool{true, false} {
			bvcs, nsvcs, err := b.gw.DeletePeer(2003, gb.DeleteBVCs, dry)
			if bvcs != 4 || nsvcs != 0 || err != nil {
				t.Errorf("%d %d %v", bvcs, nsvcs, err)
			}
		}
		if n := len(b.at(101).taken()); n != 3 {
			t.Errorf("%d blocks", n)
		}
		b.clear()
		if _, _, err := b.gw.DeletePeer(101, gb.DeleteAll, false); !errors.Is(err, gb.ErrNoPeer) {
			t.Error(err)
		}
		bvcs, nsvcs, err := b.gw.DeletePeer(2001, gb.DeleteAll, false)
		if bvcs != 2 || nsvcs != 1 || err != nil {
			t.Errorf("%d %d %v", bvcs, nsvcs, err)
		}
		b.at(101).want("0:2004824e2b078108") // and its acknowledge is absorbed
		if err := b.gw.DeleteBVC(2002, 20021); err != nil {
			t.Error(err)
		}
		if err := b.gw.DeleteBVC(2002, 20021); !errors.Is(err, gb.ErrNoBVC) {
			t.Error(err)
		}
		s := b.snapshot()
		if len(s.Cells) != 1 || s.Cells[0].BVCI != 20022 {
			t.Errorf("%+v", s.Cells)
		}
	})
}

func TestPoolDownRefuse(t *testing.T) {
	c := config(1)
	c.PoolDownRefuse = true
	run(t, c, func(b *bed) {
		old := b.bss(2001, cell20011)
		b.at(101).set(true, false)
		time.Sleep(2 * time.Minute)
		b.clear()
		fresh := b.bss(2002, cellOf(20021, 13135, 1, 30021)) // has no NS-VC
		fresh.want()
		if n := len(b.snapshot().BSSs); n != 1 {
			t.Errorf("%d BSSs", n)
		}
		old.reset(cell20011) // has one, but its BVCs are not reset
		old.want()
		b.wantDrop("pool_down_refuse", 2)
		b.at(101).set(false, false)
		time.Sleep(2 * time.Minute)
		old.reset(cell20011)
		old.want("0:23048200003b8100698100", "0:2304824e2b")
		fresh.start()
		fresh.reset(cellOf(20021, 13135, 1, 30021))
		fresh.want("0:23048200003b8100698100", "0:2304824e35")
	})
}

// A full cache lets its oldest entry go, for each use apart, and counts it.
func TestCacheLimit(t *testing.T) {
	c := config(1)
	c.Limits.CacheEntries = 1
	suite(t, c, func(b *bed) {
		first, second := "1f84c0180009 1b8662f224334f00", "1f84c018000a 1b8662f224334f00"
		b.at(2001).sig("0b" + first)
		b.at(2002).sig("0e" + second + "1d8101")
		b.at(101).sig(paging(false, "02810f"))
		if n := b.snapshot().Evicted["tlli_cache"]; n != 0 {
			t.Errorf("%d gave way while each cache had room", n)
		}
		b.at(2002).sig("0b" + second)
		b.clear()
		b.at(101).sig("0c" + first + "1d8101")
		b.at(2001).want()
		b.at(101).sig("0c" + second + "1d8101")
		b.at(2002).want("0:0c" + second + "1d8101")
		if n := b.snapshot().Evicted["tlli_cache"]; n != 1 {
			t.Errorf("%d gave way", n)
		}
		b.wantDrop("no_cache_entry", 1)
	})
}

func TestBVCLimit(t *testing.T) {
	c := config(1)
	c.Limits.BVCs = 1
	run(t, c, func(b *bed) {
		b.bss(2001, cell20011, cellOf(20012, 1, 1, 1))
		b.wantDrop("limit", 1)
		if n := len(b.snapshot().Cells); n != 1 {
			t.Errorf("%d cells", n)
		}
	})
}
