package bssgp_test

import (
	"math/rand/v2"
	"testing"
	"time"

	. "poolgw/bssgp"
)

// link joins the BSS's and the SGSN's end of a BVC; it delays, reorders and
// loses.
type link struct {
	t     *testing.T
	rng   *rand.Rand
	now   time.Time
	ends  [2]*BVC
	queue []parcel
	loss  float64
}

type parcel struct {
	to  *BVC
	pdu []byte
	at  time.Time
}

func newLink(t *testing.T, seed uint64, id uint16) *link {
	l := &link{t: t, rng: rand.New(rand.NewPCG(seed, 1)), now: time.Unix(1000, 0)}
	l.ends[0] = NewBVC(BVCConfig{BVCI: id, Role: RoleBSS, Owner: l, Cell: &cell})
	l.ends[1] = NewBVC(BVCConfig{BVCI: id, Role: RoleSGSN, Owner: l})
	return l
}

func (l *link) SendBVC(b *BVC, pdu []byte) {
	if l.rng.Float64() < l.loss {
		return
	}
	to := l.ends[0]
	if b == to {
		to = l.ends[1]
	}
	delay := time.Duration(l.rng.IntN(2000)) * time.Millisecond
	l.queue = append(l.queue, parcel{to, pdu, l.now.Add(delay)})
}

func (l *link) BVCReset(time.Time, *BVC, Cause, bool)               {}
func (l *link) BVCStateChanged(time.Time, *BVC, BVCState, BVCState) {}
func (l *link) BVCAlarm(time.Time, *BVC, string)                    {}

// run lets time pass in steps.
func (l *link) run(d time.Duration) {
	for end := l.now.Add(d); l.now.Before(end); l.now = l.now.Add(100 * time.Millisecond) {
		due := l.queue
		l.queue = nil
		for _, p := range due {
			if p.at.After(l.now) {
				l.queue = append(l.queue, p)
				continue
			}
			p.to.Recv(l.now, p.pdu)
		}
		for _, b := range l.ends {
			b.Expire(l.now)
		}
	}
}

// Whatever is lost, delayed and reordered, both ends agree in the end, on what
// the BSS wants, and no timer runs any more.
func TestBothEndsAgree(t *testing.T) {
	for seed := range uint64(300) {
		l := newLink(t, seed, 1000)
		blocked := false
		l.ends[0].Reset(l.now, CauseOMIntervention)
		l.loss = 0.4
		for range 12 {
			switch l.rng.IntN(5) {
			case 0:
				l.ends[0].Reset(l.now, CauseOMIntervention)
			case 1:
				l.ends[1].Reset(l.now, CauseOMIntervention)
			case 2:
				l.ends[0].Block(l.now, CauseOMIntervention)
				blocked = true
			case 3:
				l.ends[0].Unblock(l.now)
				blocked = false
			}
			l.run(time.Duration(l.rng.IntN(8)) * time.Second)
		}
		l.loss = 0
		l.run(10 * time.Minute)
		want := BVCUnblocked
		if blocked {
			want = BVCBlocked
		}
		for _, b := range l.ends {
			if b.State() != want || !b.Deadline().IsZero() {
				t.Errorf("seed %d: the %v's end is %v, want %v; timer %v", seed, b.Role(), b.State(), want, b.Deadline())
			}
		}
	}
}
