package gb_test

import (
	"testing"
	"time"
)

// Facts: G5.1-13, G5.3-01, G6-01, G6-02, G6-04, G6-05, G6-07, G6-08, G6-10, U-07
func TestFlowControl(t *testing.T) {
	cases := []struct {
		name     string
		ratio    uint8
		in, sgsn string
	}{
		{"full", 100, "26 1e8101 05820066 038200c8 0182000a 1c82000a", "26 1e8101 05820066 038200c8 0182000a 1c82000a"},
		{"half", 50, "26 1e8105 058203e9 0382014d 0182000a 1c82004d", "26 1e8105 058201f4 038200a6 0182000a 1c82004d"},
		{"with measurement and fullness", 50, "26 1e8101 05820064 03820064 01820064 1c820064 3c8180 06820010",
			"26 1e8101 05820032 03820032 01820064 1c820064 3c8180 06820010"},
		{"granularity", 50, "26 1e8101 0582ffff 0382ffff 0182ffff 1c82ffff 7e8103",
			"26 1e8101 05827fff 03827fff 0182ffff 1c82ffff 7e8103"},
	}
	for _, c := range cases {
		cfg := config(2)
		cfg.FlowControlRatio = c.ratio
		suite(t, cfg, func(b *bed) {
			b.at(2001).send(20011, c.in)
			b.at(2001).want("20011:27" + c.in[3:9])
			b.at(101).want("20011:" + c.sgsn)
			b.at(102).want("20011:" + c.sgsn)
			b.at(101).send(20011, "271e8101")
			b.wantIdle() // consumed
		})
	}
}

func TestFlowControlMissingIE(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(2001).send(20011, "26")
		b.at(2001).want("20011:41078122158126") // gb/wire.txt
		b.wantIdle()
	})
}

// Shares by weight are told anew when a member is drained.
func TestFlowControlAuto(t *testing.T) {
	cfg := config(2)
	cfg.FlowControlAuto = true
	cfg.SGSNs[1].Weight = 300
	suite(t, cfg, func(b *bed) {
		time.Sleep(2 * time.Second)
		b.at(2001).send(20011, "26 1e8105 05820064 03820064 0182000a 1c82000a")
		b.at(101).want("20011:26 1e8105 05820019 03820019 0182000a 1c82000a")
		b.at(102).want("20011:26 1e8105 0582004b 0382004b 0182000a 1c82000a")
		next := cfg.Clone()
		next.SGSNs[1].AllowAttach = false
		if err := b.gw.Apply(cfg, next, time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		b.at(101).want("20011:26 1e8101 05820064 03820064 0182000a 1c82000a")
	})
}

// After an SGSN's signalling reset it hears the flow control of each cell from
// us, with a tag of ours, and each blocked cell is blocked again; the BSSs
// notice nothing, nor do the other SGSNs.
// Facts: G-17, G-18, G-19, G3.1-04, G3.1-21, G6-03, U-01
func TestSGSNRestartIsolate(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(2001).send(20011, "26 1e8105 05820066 038200c8 0182000a 1c82000a")
		b.at(2002).sig("20 04824e36 078101") // blocked by its BSS, equipment failure
		b.clear()
		s := b.at(101)
		s.sig("220482000007810a 3b8100")
		time.Sleep(time.Second)
		got := s.taken()
		has := map[string]int{}
		for _, g := range got {
			has[g.String()]++
		}
		for _, w := range []string{"0:23048200003b8100698100", "0:2204824e2b078108088862f224334f00753b",
			"20011:261e8101058200660382" + "00c80182000a1c82000a", "0:2204824e35078108088862f224334f017545",
			"0:2204824e36078108088862f224334f027546", "0:2004824e36078101"} {
			if has[w] != 1 {
				t.Errorf("SGSN 101 got %d of %s", has[w], w)
			}
		}
		b.wantIdle()
		if r := b.snapshot().Pool.SGSNs[0].Restarts; r != 1 {
			t.Errorf("restarts %d", r)
		}
		pdu := ul(tlliOf(3, 1), cell20011, "01")
		b.at(2001).send(20011, pdu)
		s.want(at(20011, pdu))
	})
}

// Facts: G3.1-05
func TestSGSNRestartPropagate(t *testing.T) {
	cfg := config(2)
	cfg.SGSNReset = 1
	suite(t, cfg, func(b *bed) {
		b.at(101).sig("220482000007810a")
		for _, nsei := range []uint16{2001, 2002, 2003} {
			b.at(nsei).want("0:2204820000078108 3b8100 698100")
		}
	})
}
