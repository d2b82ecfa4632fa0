package fr

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// line is a Link under a hand-fed clock. What it does is noted in order.
type line struct {
	t   *testing.T
	l   *Link
	now time.Time
	did []string
}

func (r *line) SendLMI(info []byte) { r.did = append(r.did, hex.EncodeToString(info)) }
func (r *line) LinkChanged(_ time.Time, up bool) {
	r.did = append(r.did, map[bool]string{true: "up", false: "down"}[up])
}
func (r *line) DLCIChanged(_ time.Time, dlci uint16, active bool) {
	r.did = append(r.did, fmt.Sprintf("%s%d", map[bool]string{true: "+", false: "-"}[active], dlci))
}

func newLine(t *testing.T, role Role, dlcis ...uint16) *line {
	r := &line{t: t, now: time.Unix(1e6, 0)}
	r.l = NewLink(role, Defaults(), r)
	for _, d := range dlcis {
		r.l.Add(r.now, d)
	}
	r.l.Start(r.now)
	return r
}

// want compares what was done since with a list, in which hex may have spaces.
func (r *line) want(did ...string) {
	r.t.Helper()
	for i := range did {
		did[i] = strings.ReplaceAll(did[i], " ", "")
	}
	if g, w := strings.Join(r.did, "\n"), strings.Join(did, "\n"); g != w {
		r.t.Fatalf("did\n%s\nwant\n%s", g, w)
	}
	r.did = nil
}

// rx gives an information field and wants err, nil for none.
func (r *line) rx(h string, err error) {
	r.t.Helper()
	if got := r.l.Receive(r.now, unhex(r.t, h)); !errors.Is(got, err) || (got == nil) != (err == nil) {
		r.t.Fatalf("%s: %v, want %v", h, got, err)
	}
}

// timer lets the clock go to the deadline, which has to be s seconds away.
func (r *line) timer(s int) {
	r.t.Helper()
	at, armed := r.l.Deadline()
	if !armed || at.Sub(r.now) != time.Duration(s)*time.Second {
		r.t.Fatalf("timer in %v (%v), want %d s", at.Sub(r.now), armed, s)
	}
	r.now = at
	r.l.Expire(r.now)
}

func enq(report, send, recv byte) string {
	return fmt.Sprintf("03080075 5101%02x 5302%02x%02x", report, send, recv)
}

func status(report, send, recv byte, pvcs ...string) string {
	return fmt.Sprintf("0308007d 5101%02x 5302%02x%02x", report, send, recv) + strings.Join(pvcs, "")
}

const (
	active16, active17 = "5703018082", "5703018882"
	new16, new17       = "570301808a", "570301888a"
	idle16             = "5703018080"
)

// userUp is a user line with DLCI 16 that is up, its last number 2.
func userUp(t *testing.T) *line {
	r := newLine(t, User, 16)
	r.timer(0)
	r.want(enq(0, 1, 0))
	r.rx(status(0, 1, 1, new16), nil)
	r.want()
	r.timer(10)
	r.want(enq(0, 2, 1))
	r.rx(status(0, 2, 2, active16), nil)
	r.want("up", "+16")
	return r
}

// Facts: G1.7-02
func TestUserComesUp(t *testing.T) {
	r := userUp(t)
	seq := byte(3)
	for poll := 3; poll <= 13; poll++ {
		report := byte(1)
		if poll == 7 || poll == 13 { // N391: every sixth is a full status
			report = 0
		}
		r.timer(10)
		r.want(enq(report, seq, seq-1))
		r.rx(status(report, seq, seq, map[byte]string{0: active16, 1: ""}[report]), nil)
		r.want()
		seq++
	}
}

// Facts: G1.7-04
func TestUserErrorsBringTheLinkDown(t *testing.T) {
	r := userUp(t)
	r.timer(10)
	r.want(enq(1, 3, 2))
	r.rx(status(1, 3, 2), ErrSequence) // an old answer is none
	r.timer(10)
	r.want(enq(1, 4, 2))
	r.rx("0308007d 510101", ErrMissing)
	r.timer(10)
	r.want(enq(1, 5, 2))
	r.rx(status(1, 9, 5), nil) // one good among four does not help
	r.timer(10)
	r.want(enq(1, 6, 9))
	r.timer(10)
	r.want("down", "-16", enq(0, 7, 9))
	r.rx(status(1, 10, 7), ErrReport) // asked for a full status
	r.rx(status(0, 10, 7, active16), nil)
	r.rx(status(0, 10, 7, active16), ErrSequence) // repeated
	r.want("up", "+16")                           // two of the last four were good
	r.timer(10)
	r.want(enq(1, 8, 10))
}

func TestUserFollowsTheDLCI(t *testing.T) {
	r := userUp(t)
	poll := func(report byte, pvcs ...string) {
		t.Helper()
		r.timer(10)
		n := r.l.txSeq
		r.rx(status(report, n, n, pvcs...), nil)
		r.did = r.did[1:] // the enquiry
	}
	poll(0, idle16) // a full status unasked
	r.want("-16")
	r.timer(10)
	r.want(enq(0, 4, 3)) // until it is back every question is for a full status
	r.rx(status(0, 4, 4, idle16), nil)
	poll(0, active16, active17)
	r.want("+16") // 17 is not ours
	r.l.Add(r.now, 17)
	r.want("+17")
	poll(0, active17) // not in the list: gone
	r.want("-16")
	r.rx("0308007d 510102"+active16, nil) // by itself
	r.want("+16")
	r.rx("0308007d 510102 5703018086", nil) // deleted, whatever the active bit says
	r.want("-16")
	r.l.Remove(17)
	poll(0, active16)
	r.want("+16")
	poll(0, new16) // a network that has restarted made it anew
	r.want("-16", "+16")
	poll(0, new16) // it says so until it is confirmed
	r.want()
	r.l.Stop(r.now)
	r.want("down", "-16")
	if _, armed := r.l.Deadline(); armed {
		t.Error("a timer runs on a line that is gone")
	}
	r.l.Start(r.now)
	r.timer(0)
	r.want(enq(0, 10, 9))
}

// networkUp is a network line with DLCI 16 that is up, the last numbers
// received 3, sent 3.
func networkUp(t *testing.T) *line {
	r := newLine(t, Network, 16)
	r.rx(enq(0, 1, 0), nil)
	r.want(status(0, 1, 1, new16))
	r.rx(enq(1, 2, 1), nil)
	r.want(status(1, 2, 2), "up", "+16")
	r.rx(enq(0, 3, 2), nil)
	r.want(status(0, 3, 3, active16))
	return r
}

// Facts: G1.7-03
func TestNetworkComesUp(t *testing.T) {
	r := networkUp(t)
	r.l.Add(r.now, 17)
	r.want()
	r.rx(enq(1, 4, 3), nil)
	r.want(status(1, 4, 4)) // no PVC where only the link is asked for
	r.rx(enq(0, 5, 4), nil)
	r.want(status(0, 5, 5, active16, new17))
	r.rx(enq(1, 6, 4), ErrSequence) // not confirmed
	r.want(status(1, 6, 6))
	r.rx(enq(1, 7, 6), nil)
	r.want(status(1, 7, 7), "+17")
	r.l.Remove(16)
	r.rx(enq(0, 8, 7), nil)
	r.want(status(0, 8, 8, active17))
}

// Facts: G1.7-03, G1.7-04
func TestNetworkMissesEnquiries(t *testing.T) {
	r := networkUp(t)
	r.timer(15)
	r.timer(15)
	r.want()
	r.timer(15)
	r.want("down", "-16")
	r.timer(15)
	r.want()
	r.now = r.now.Add(5 * time.Second)
	r.rx(enq(1, 4, 3), nil)
	r.want(status(1, 4, 4))
	r.timer(15) // T392 began with the enquiry
	r.rx(enq(1, 5, 4), nil)
	r.rx(enq(1, 6, 5), nil)
	r.want(status(1, 5, 5), "up", "+16", status(1, 6, 6))
}

// A user that has received 0 of a network that has sent was just restarted.
func TestNetworkSeesTheUserRestart(t *testing.T) {
	r := networkUp(t)
	r.rx(enq(0, 1, 0), nil)
	r.want(status(0, 4, 1, active16), "down", "-16")
	r.rx(enq(1, 2, 4), nil)
	r.want(status(1, 5, 2), "up", "+16")
}

func TestSequenceSkipsZero(t *testing.T) {
	r := networkUp(t)
	for n := 4; n < 300; n++ {
		r.rx(enq(1, byte(n), r.l.txSeq), nil)
		if r.l.txSeq == 0 {
			t.Fatal("number 0 was sent")
		}
	}
	if !r.l.Up() {
		t.Error("the link went down")
	}
}

func TestSameRole(t *testing.T) {
	r := userUp(t)
	r.rx(enq(0, 1, 0), ErrRole)
	r = networkUp(t)
	r.rx(status(0, 1, 1), ErrRole)
	r.want()
}

// Facts: G1.7-05
func TestNetworkReportsTenAtMost(t *testing.T) {
	r := newLine(t, Network)
	for d := range uint16(12) {
		r.l.Add(r.now, 16+d)
	}
	r.rx(enq(0, 1, 0), nil)
	if m, err := Parse(unhex(t, r.did[0])); err != nil || len(m.PVCs) != MaxPVCs {
		t.Errorf("%d PVCs, %v", len(m.PVCs), err)
	}
}

// Two of ours find each other, whatever is lost on the way, and agree again
// when nothing is.
func TestTwoLinks(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		user, net := newLine(t, User, 16, 17), newLine(t, Network, 16, 17)
		run := func(s int, loss int) {
			for range s * 2 {
				for _, x := range []struct{ from, to *line }{{user, net}, {net, user}, {user, net}} {
					for _, d := range x.from.did {
						if len(d) > 8 && rnd.IntN(100) >= loss {
							_ = x.to.l.Receive(x.to.now, unhex(t, d))
						}
					}
					x.from.did = nil
				}
				for _, r := range []*line{user, net} {
					r.now = r.now.Add(500 * time.Millisecond)
					r.l.Expire(r.now)
				}
			}
		}
		run(3600, 40)
		run(120, 0)
		for _, r := range []*line{user, net} {
			if !r.l.Up() || !r.l.Active(16) || !r.l.Active(17) {
				t.Fatalf("seed %d: %+v", seed, r.l.State())
			}
		}
	}
}
