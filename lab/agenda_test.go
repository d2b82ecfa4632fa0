package lab

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The agenda against a map: what is due comes out in order, once.
func TestAgendaAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	base := time.Unix(1000, 0)
	var a agenda[int]
	naive := map[int]time.Time{}
	for range 2000 {
		k, due := rng.IntN(50), base.Add(time.Duration(rng.IntN(1000))*time.Second)
		switch rng.IntN(4) {
		case 0:
			a.set(k, time.Time{})
			delete(naive, k)
		case 1:
			now := base.Add(time.Duration(rng.IntN(100)) * time.Second)
			var got, want []int
			for k, ok := a.next(now); ok; k, ok = a.next(now) {
				got = append(got, k)
			}
			for k, due := range naive {
				if !due.After(now) {
					want = append(want, k)
					delete(naive, k)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("due %v, want %v", got, want)
			}
		default:
			a.set(k, due)
			naive[k] = due
		}
		first := time.Time{}
		for _, due := range naive {
			first = earliest(first, due)
		}
		if !a.first().Equal(first) {
			t.Fatalf("first %v, want %v", a.first(), first)
		}
	}
}

func TestAgendaKeepsOrderOfEqualDeadlines(t *testing.T) {
	var a agenda[int]
	now := time.Unix(1000, 0)
	for k := range 100 {
		a.set(k, now)
	}
	for want := range 100 {
		if k, ok := a.next(now); !ok || k != want {
			t.Fatalf("%d, %t; want %d", k, ok, want)
		}
	}
}
