package ns

import (
	"sync"
	"testing"
	"time"
)

// FuzzHostile plays a script against a stack with every dialect: datagrams,
// spoilt and made up, from known and unknown remotes on both binds, time that
// passes, an operator who intervenes. Whatever happens, no STATUS answers a
// STATUS, a stranger gets no more octets than it sent and a STATUS's header,
// tables stay bounded, and afterwards the peers come up as ever.
//
// A step is two octets, what and who, and what goes with it.
func FuzzHostile(f *testing.F) {
	all := spoiltDatagrams()
	for at := 0; at < len(all); at += 61 {
		var b []byte
		for i := at % 11; i < len(all) && len(b) < 300; i += 53 + at%97 {
			b = append(b, 0, byte(i+at), byte(i>>8), byte(i))
		}
		f.Add(b)
	}
	for _, g := range golden {
		b := unhex(g.hex)
		f.Add(append([]byte{1, 4, byte(len(b))}, b...))
	}
	f.Add(unhex("02ff03000301030203030304000100020300"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newRig(t, hostileConfig(t), Limits{DynamicNSEs: 4, VCsPerNSE: 4, ControlQueue: 64})
		defer r.s.Close()
		r.turn()
		r.frames()
		s := nsScript{rig: r, in: in}
		for n := 0; n < 200 && s.step(); n++ {
		}
		s.peace()
	})
}

// spoiltDatagrams are the spoilt PDUs about each of the identities.
var spoiltDatagrams = sync.OnceValue(func() (list [][]byte) {
	for _, id := range []hostileIDs{{101, 101}, {102, 0}, {2001, 2002}} {
		for _, p := range id.allHostile() {
			list = append(list, p.octets())
		}
	}
	return list
})

type nsScript struct {
	*rig
	in    []byte
	slept time.Duration
}

func (s *nsScript) take(n int) (b []byte, ok bool) {
	if len(s.in) < n {
		return nil, false
	}
	b, s.in = s.in[:n], s.in[n:]
	return b, true
}

func (s *nsScript) step() bool {
	head, ok := s.take(2)
	if !ok {
		return false
	}
	switch head[0] % 4 {
	case 0:
		v, ok := s.take(2)
		if !ok {
			return false
		}
		all := spoiltDatagrams()
		s.send(head[1], all[(int(v[0])<<8|int(v[1]))%len(all)])
	case 1:
		v, ok := s.take(1)
		if !ok {
			return false
		}
		b, _ := s.take(min(int(v[0]), len(s.in)))
		s.send(head[1], b)
	case 2:
		if d := time.Duration(head[1]) * 100 * time.Millisecond; s.slept+d < 10*time.Minute {
			s.slept += d
			s.sleep(d)
			s.frames()
		}
	case 3:
		act := []func(){
			func() { _ = s.s.BlockVC(101, s.now) }, func() { _ = s.s.UnblockVC(101, s.now) }, func() { _ = s.s.ResetVC(101, s.now) },
			func() { _ = s.s.ResetVC(2002, s.now) }, func() { _ = s.s.RestartSNS(102, s.now) }, func() { _ = s.s.RestartSNS(2001, s.now) },
			func() { _ = s.s.ForceUnconfigured(2001, s.now) }, func() { _ = s.s.DeleteDynamic(2001, s.now) }}
		act[int(head[1])%len(act)]()
		s.turn()
		s.frames()
	}
	return true
}

// send sends a datagram and judges what it brings about.
func (s *nsScript) send(who byte, b []byte) {
	froms := []string{remote, sgsn1, staticPeer, "10.0.4.1:4", bss, bts, stranger, "10.0.8.8:2"}
	bind, from := []string{"a", "b"}[who>>3&1], ap(froms[who&7])
	known := s.s.binds[bind].vcs[from] != nil
	s.writeBytes(bind, from, b)
	frames, octets := s.frames(), 0
	for _, f := range frames {
		octets += len(f.b)
		if len(b) > 0 && b[0] == byte(PDUStatus) && f.b[0] == byte(PDUStatus) {
			s.t.Fatalf("STATUS %x for STATUS %x", f.b, b)
		}
	}
	if !known && octets > len(b)+8 && len(b) > 0 && PDUType(b[0]) < PDUSNSAck || octets > 4*MaxDatagram {
		s.t.Fatalf("%d octets for %x from %v: %v", octets, b, from, frames)
	}
	s.events = nil
}

// peace: time passes without a peer, then the configured ones come back.
func (s *nsScript) peace() {
	s.sleep(5 * time.Minute)
	s.checkBounds()
	_ = s.s.UnblockVC(101, s.now)
	for _, n := range s.s.Snapshot(s.now).NSEs {
		if !n.Persistent {
			must(s.t, s.s.DeleteDynamic(n.NSEI, s.now))
		}
	}
	s.sleep(3 * time.Minute)
	s.frames()
	s.write("a", remote, reset101, unblock)
	s.write("a", remote, aliveAckHex)
	s.wantVCs(101, "UNBLOCKED")
	s.write("b", "10.0.4.1:4", alive, aliveAckHex)
	s.wantVCs(104, "UNBLOCKED")
	s.events = nil
	s.write("b", "10.0.4.1:4", "00004e2b0102")
	s.wantEvents("data 104/20011 0102")
}
