package gb_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/bssgp"
	"poolgw/gb"
)

// FuzzSiege plays a script against a whole gateway: PDUs, spoilt and made up,
// from three BSSs and three SGSNs on any BVC, time that passes, peers that fall
// silent, die and begin anew. Whatever happens, no STATUS answers a STATUS, no
// BSS hears that a cell which is there is unknown or blocked, one PDU brings
// about a bounded number of others, and afterwards the gateway forgets and
// serves as before.
//
// A step is two octets, what and who, and what goes with it.
func FuzzSiege(f *testing.F) {
	for _, s := range []string{
		"00 01 02 1234 00 11 03 0456", "01 01 01 03 41078105", "02 05 28 02 08 00 04 00 04 1234 02 50",
		"03 02 07 00 04 02 22 03 07 02 02 ff 00 01 00 1000", "04 00 02 14 04 01 00 02 00 0900", "03 30 07 01 02 40 00 31 00 2000 02 08",
	} {
		f.Add(must(strings.ReplaceAll(s, " ", "")))
	}
	for at := 0; at < len(siegePDUs()); at += 97 { // each seed is a walk through all types
		var b []byte
		for i := at % 7; i < len(siegePDUs()) && len(b) < 400; i += 131 + at%89 {
			b = append(b, 0, byte(i+at), byte(i), byte(i>>8), byte(i))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		c := config(3)
		c.Limits.BVCs, c.Limits.CacheEntries, c.Limits.DynamicNSEs = 16, 16, 8
		run(t, c, func(b *bed) {
			b.bss(bssA, cell20011)
			b.bss(bssB, hostileOther)
			b.add(fresh, false).start()
			b.clear()
			s := siegeScript{bed: b, in: in}
			for n := 0; n < 100 && s.step(); n++ {
			}
			s.peace()
		})
	})
}

var siegePDUs = sync.OnceValue(func() (list [][]byte) {
	for _, p := range allHostilePDUs() {
		list = append(list, p.octets())
	}
	return list
})

type siegeScript struct {
	*bed
	in    []byte
	slept time.Duration
}

// take takes n octets of the script; false at its end.
func (s *siegeScript) take(n int) (b []byte, ok bool) {
	if len(s.in) < n {
		return nil, false
	}
	b, s.in = s.in[:n], s.in[n:]
	return b, true
}

func (s *siegeScript) step() bool {
	head, ok := s.take(2)
	if !ok {
		return false
	}
	p := s.all[int(head[1])%len(s.all)]
	switch head[0] % 5 {
	case 0: // a spoilt PDU, by its number
		v, ok := s.take(3)
		if !ok {
			return false
		}
		all := siegePDUs()
		s.send(p, v[0], all[int(binary.BigEndian.Uint16(v[1:]))%len(all)])
	case 1: // a PDU that is made up
		v, ok := s.take(2)
		if !ok {
			return false
		}
		pdu, _ := s.take(min(int(v[1]), len(s.in)))
		s.send(p, v[0], pdu)
	case 2: // time passes, ten minutes in all at most
		if d := time.Duration(head[1]) * 100 * time.Millisecond; s.slept+d < 10*time.Minute {
			s.slept += d
			time.Sleep(d)
			s.clear()
		}
	case 3: // the peer falls silent or comes to life
		v, ok := s.take(1)
		if !ok {
			return false
		}
		p.set(v[0]&1 != 0, v[0]&2 != 0)
	case 4: // a BSS begins anew
		if !p.sgsn {
			p.start()
			s.clear()
		}
	}
	return true
}

// send sends a PDU and judges what comes of it.
func (s *siegeScript) send(p *peer, at byte, pdu []byte) {
	bvci := [...]uint16{0, 20011, 20021, 0, 20099, 1, 0, 20012}[at%8]
	p.write(append([]byte{0, 0, byte(bvci >> 8), byte(bvci)}, pdu...))
	synctest.Wait()
	n := 0
	for _, o := range s.all {
		for _, g := range o.taken() {
			n++
			b, _ := hex.DecodeString(g.pdu)
			s.judge(o, b, o == p && len(pdu) > 0 && pdu[0] == byte(bssgp.TypeStatus))
		}
	}
	if n > 100 {
		s.t.Errorf("%d PDUs for %x on %d from %d", n, pdu, bvci, p.nsei)
	}
}

// judge looks at one PDU that a peer got; about tells that it had sent a STATUS.
func (s *siegeScript) judge(to *peer, b []byte, about bool) {
	if len(b) == 0 || b[0] != byte(bssgp.TypeStatus) {
		return
	}
	if about {
		s.t.Errorf("%d got a STATUS for a STATUS: %x", to.nsei, b)
	}
	c, _ := bssgp.ReadCause(b)
	if bvci, ok := bssgp.ReadBVCI(b); ok && !to.sgsn && (c == bssgp.CauseBVCIUnknown || c == bssgp.CauseBVCIBlocked) {
		if !strings.Contains(s.gw.View(bvci).States, fmt.Sprintf("%d none", bvci)) {
			s.t.Errorf("%d was told %v of BVCI %d, which is there: %x", to.nsei, c, bvci, b)
		}
	}
}

// peace: the peers live again, what a BSS has claimed of others is taken away;
// all comes to rest and user data passes.
func (s *siegeScript) peace() {
	for _, p := range s.all {
		p.set(false, false)
	}
	time.Sleep(5 * time.Minute)
	if v := s.gw.View(); v.Cells > 16 || v.NSEs > 6 || v.TLLIs != 0 || v.IMSIs != 0 || v.Queued != 0 {
		s.t.Errorf("at rest %+v", v)
	}
	for _, p := range s.all {
		if !p.sgsn {
			_, _, _ = s.gw.DeletePeer(p.nsei, gb.DeleteBVCs, false)
			p.start()
		}
	}
	time.Sleep(time.Minute)
	a := s.at(bssA)
	a.reset(cell20011)
	time.Sleep(2 * time.Minute)
	s.clear()
	if v := s.gw.View(20011); v.Cells != 1 || v.BVCs != 4 || v.Timers > 8 ||
		!strings.HasSuffix(v.States, "20011@2001 UNBLOCKED/UNBLOCKED,UNBLOCKED,UNBLOCKED, ") {
		s.t.Errorf("afterwards %+v", v)
	}
	up, down := ul(tlliOf(3, 1), cell20011, "01"), dl(tlliOf(3, 1), "02")
	a.send(20011, up)
	s.at(owner).want(at(20011, up))
	s.at(owner).send(20011, down)
	a.want(at(20011, down))
}
