package gb_test

import (
	"runtime"
	"testing"
	"time"

	"poolgw/gb"
	"poolgw/lab/simnet"
	"poolgw/ns"
)

// Facts between NS and BSSGP that no other test names.

// second gives SGSN 101, by static UDP, another NS-VC, which the simulated SGSN
// answers as 1101.
func second(b *bed) *peer {
	b.t.Helper()
	return b.add(1101, true)
}

func twoVCs() gb.Config {
	c := static()
	c.NS.NSEs[0].VCs = append(c.NS.NSEs[0].VCs, ns.VCConfig{Link: ns.LinkUDP, Bind: "sgsn", Remote: sgsnAddr(1101),
		SigWeight: 1, DataWeight: 1})
	return c
}

// User data of a BVC is shared out by the TLLI, what has none goes by the BVCI
// alone.
//
// Facts: G1.5-07, G1.5-09
func TestLinkSelectorIsTheTLLI(t *testing.T) {
	run(t, twoVCs(), func(b *bed) {
		other := second(b)
		time.Sleep(time.Minute)
		b.bss(2001, cell20011)
		b.clear()
		for i := range uint32(8) {
			pdu := ul(tlliOf(3, i), cell20011, "01")
			b.at(2001).send(20011, pdu)
			if (20011+tlliOf(3, i))%2 == 0 {
				b.at(101).want(at(20011, pdu))
			} else {
				other.want(at(20011, pdu))
			}
			b.wantIdle()
		}
		for range 3 { // 20011 mod 2 is 1, always
			b.at(2001).send(20011, "26 1e8101 05820064 03820064 0182000a 1c82000a")
			other.want("20011:26 1e8101 05820064 03820064 0182000a 1c82000a")
			b.at(101).want()
			b.clear()
		}
	})
}

// One of two NS-VCs fails and comes back: nothing is reset, no SGSN is down.
//
// Facts: G1.5-04
func TestOneVCOfTwo(t *testing.T) {
	run(t, twoVCs(), func(b *bed) {
		other := second(b)
		time.Sleep(time.Minute)
		b.bss(2001, cell20011)
		b.clear()
		for _, dead := range []bool{true, false} {
			other.set(dead, false)
			time.Sleep(2 * time.Minute)
			other.want()
			b.wantIdle()
			for i := range uint32(4) {
				pdu := ul(tlliOf(3, i), cell20011, "01")
				b.at(2001).send(20011, pdu)
				if got := append(b.at(101).taken(), other.taken()...); len(got) != 1 {
					t.Errorf("dead %v: PDU %d arrived %d times", dead, i, len(got))
				}
			}
		}
		if s := b.snapshot().Pool.SGSNs[0]; !s.Up || s.Restarts != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// A lost BVC-BLOCK, after the signalling reset of a BSS, comes again.
//
// Facts: G-07, G3.1-07
func TestLostBlockComesAgain(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(101).set(false, true)
		b.at(2001).sig("2204820000078108")
		b.at(101).want("0:2004824e2b078108")
		time.Sleep(5100 * time.Millisecond)
		b.at(101).want("0:2004824e2b078108")
		b.at(101).set(false, false)
		time.Sleep(5 * time.Second)
		b.at(101).want("0:2004824e2b078108")
		time.Sleep(time.Minute)
		b.at(101).want()
		b.at(102).want("0:2004824e2b078108") // acknowledged at once
	})
}

// Facts: G3.1-25
func TestDeletePeersNSVCs(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, dry := range []bool{true, false} {
			if bvcs, nsvcs, err := b.gw.DeletePeer(2001, gb.DeleteNSVCs, dry); bvcs != 0 || nsvcs != 1 || err != nil {
				t.Errorf("%d %d %v", bvcs, nsvcs, err)
			}
			there := false
			for _, n := range b.snapshot().NS.NSEs {
				there = there || n.NSEI == 2001
			}
			if there != dry {
				t.Errorf("dry-run %v, and the NSE is there: %v", dry, there)
			}
		}
		if len(b.snapshot().Cells) != 6 {
			t.Error("its cells are gone too")
		}
	})
}

// A PDU with IEs that nobody knows is passed on with them.
//
// Facts: G5-12
func TestUnknownIEsPass(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		const strange = "e180 f983010203 e100020000"
		for _, pdu := range []string{ul(tlliOf(3, 1), cell20011, "01") + strange, "08 1f84c0180001 1e8103" + strange} {
			b.at(2001).send(20011, pdu)
			b.at(101).want(at(20011, pdu))
		}
		b.at(2001).sig("0b 1f84c0180009 1b8662f224334f00" + strange)
		b.at(101).want("0:0b 1f84c0180009 1b8662f224334f00" + strange)
		for _, pdu := range []string{dl(tlliOf(3, 1), "01") + strange, "09 1f84c0180001 1e8103 1a8100" + strange} {
			b.at(101).send(20011, pdu)
			b.at(2001).want(at(20011, pdu))
		}
		b.wantIdle()
	})
}

// counted notes how many sockets a bind gets.
type counted struct {
	*simnet.Network
	workers int
}

func (c *counted) Listen(b ns.BindConfig, workers int) ([]ns.Conn, error) {
	c.workers = workers
	return c.Network.Listen(b, workers)
}

// As many workers as the machine has processors for the program, each with its
// socket on every bind.
//
// Facts: G0-14
func TestWorkersByDefault(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	n := &counted{Network: simnet.New(1, simnet.Faults{})}
	defer n.Network.Close()
	g := gb.New(gb.Options{Network: n})
	if err := g.Start(config(1)); err != nil {
		t.Fatal(err)
	}
	defer g.Stop()
	if n.workers != 3 {
		t.Errorf("%d workers", n.workers)
	}
}
