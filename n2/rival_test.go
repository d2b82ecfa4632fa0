package n2_test

import (
	"fmt"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// rivals is a game of associations that all say that they are one gNB.
type rivals struct {
	*bed
	t    *testing.T
	all  []*peer
	dead map[*peer]bool // it vanished, or went
	host map[*peer]int
}

func (r *rivals) come() *peer {
	g := r.gnb(7)
	r.all = append(r.all, g)
	r.host[g] = r.gnbs
	return g
}

// A gNB that vanished without a word, one that aborts, one that closes.
func (r *rivals) goes(g *peer, how int) {
	if g == nil || r.dead[g] {
		return
	}
	r.dead[g] = true
	switch how {
	case 0:
		r.net.Vanish(address(2, r.host[g]))
	case 1:
		g.assoc.Abort("gone")
	default:
		g.assoc.Close()
	}
	r.settle()
}

// served are the associations of the snapshot that have the ID.
func (r *rivals) served() (list []n2.GNBState) {
	for _, g := range r.snapshot().GNBs {
		if g.State == "up" || g.State == "setup" {
			list = append(list, g)
		}
	}
	return list
}

// check: never two have the ID.
func (r *rivals) check(when string) {
	r.t.Helper()
	if l := r.served(); len(l) > 1 {
		r.t.Fatalf("%s: two gNBs have one ID: %+v", when, l)
	}
}

// One association is up. Then, in every order: another comes, a third, either goes in
// any way, one that was refused says its NG Setup again, time passes. Never do two
// have the ID; who has it and lives keeps it; and when all is quiet one that lives and
// asks has it.
// Facts: N6-68
func TestTwoGNBsWithOneIDInEveryOrder(t *testing.T) {
	const events, length = 7, 4
	total := 1
	for range length {
		total *= events
	}
	for n := range total {
		run(t, 1, nil, func(b *bed) {
			r := &rivals{bed: b, t: t, dead: map[*peer]bool{}, host: map[*peer]int{}}
			first := b.up(7)
			r.all, r.host[first] = append(r.all, first), b.gnbs
			what := ""
			for i, rest := 0, n; i < length; i, rest = i+1, rest/events {
				what += fmt.Sprintf(" %d", rest%events)
				holder := ""
				if l := r.served(); len(l) == 1 {
					holder = l[0].Peer
				}
				r.event(rest % events)
				r.check(what)
				if l := r.served(); holder != "" && r.alive(holder) && (len(l) != 1 || l[0].Peer != holder) {
					t.Fatalf("%s: the gNB that had the ID lives, and has it no more", what)
				}
			}
			// A gNB tries until it is served, as gNBs do.
			last := r.come()
			b.sleep(3 * time.Second)
			for range 3 {
				if r.alive(b.snapshotPeer(last)) && !r.hasAnswer(last) {
					_ = last.assoc.Send(sctpMessage(setupOf(7)))
				}
				b.sleep(20 * time.Second)
				r.check(what)
			}
			l := r.served()
			if len(l) != 1 || !r.alive(l[0].Peer) {
				t.Fatalf("%s: at the end %+v", what, l)
			}
		})
		if t.Failed() {
			return
		}
	}
}

// event is one of the things that happen.
func (r *rivals) event(n int) {
	switch latest := r.all[len(r.all)-1]; n {
	case 0:
		if len(r.all) < 4 {
			r.come()
		}
	case 1:
		r.goes(r.all[0], 0)
	case 2:
		r.goes(r.all[0], 1)
	case 3:
		r.goes(latest, 2)
	case 4:
		if !r.dead[latest] && !r.hasAnswer(latest) {
			_ = latest.assoc.Send(sctpMessage(setupOf(7)))
			r.settle()
		}
	case 5:
		r.sleep(time.Second)
	case 6:
		r.sleep(4 * time.Second)
	}
}

// hasAnswer reports whether a gNB has its NG Setup Response.
func (r *rivals) hasAnswer(g *peer) bool {
	for _, m := range g.got {
		if m.data[0] == 0x20 && m.data[1] == 21 {
			return true
		}
	}
	return g == r.all[0]
}

func (b *bed) snapshotPeer(g *peer) string { return g.assoc.Local().String() }

func (r *rivals) alive(peer string) bool {
	for _, g := range r.all {
		if g.assoc.Local().String() == peer {
			return !r.dead[g] && g.down == nil
		}
	}
	return false
}

// The proof is an update that changes nothing, answered or not; those that come again
// and again have the one that lives asked once for all of them; all are counted.
func TestProofOfLife(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		old := b.up(7)
		for _, n := range []int{1, 3} {
			var forged []*peer
			for range n {
				forged = append(forged, b.gnb(7))
			}
			b.sleep(3 * time.Second)
			b.settle()
			for _, f := range forged {
				p := f.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
				v, _ := p.Value(ngap.IETimeToWait)
				if d, err := ngap.ReadTimeToWait(v); err != nil || d != time.Minute {
					t.Errorf("Time to Wait %v %v", d, err)
				}
				f.assoc.Close()
			}
			proof := old.got[0].data
			if q := old.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating); len(q.IEs) != 0 {
				t.Errorf("the proof changes something: %d IEs", len(q.IEs))
			}
			judge(t, [][]byte{proof})
			old.wantNothing()
			old.send(0, simple(ngap.CodeAMFConfigurationUpdate, ngap.Successful))
		}
		old.send(1, initial(1, nil))
		b.amfs[0].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
		if c := b.snapshot().Counts; c.SameIDRefused != 4 || c.SameIDTaken != 0 {
			t.Errorf("%+v", c)
		}
	})
}

// One that vanished without a word gives way, sooner than its SCTP would tell.
func TestSilentGNBGivesWay(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		b.up(7)
		b.net.Vanish(address(2, 1))
		again := b.gnb(7)
		b.sleep(3 * time.Second)
		b.settle()
		again.want(ngap.CodeNGSetupRequest, ngap.Successful)
		if c := b.snapshot().Counts; c.SameIDTaken+c.LostGNBs != 1 {
			t.Errorf("%+v", c)
		}
	})
}
