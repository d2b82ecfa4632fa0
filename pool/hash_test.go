package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// newWeighted builds a pool without NRIs: members 1..n, all up.
func newWeighted(t testing.TB, weights []uint16) *Pool {
	cfg := Config{BitLen: 10}
	for i, w := range weights {
		cfg.Members = append(cfg.Members, MemberConfig{ID: uint16(i + 1), Weight: w, AllowAttach: true})
	}
	p := build(t, cfg, nil)
	for i := range p.Members() {
		p.Members()[i].SetUp()
	}
	return p
}

func equal(n int) []uint16 { return slices.Repeat([]uint16{100}, n) }

// unequal gives weights 1, 2, 3 … 7, 1, 2 … times 50.
func unequal(n int) []uint16 {
	w := make([]uint16, n)
	for i := range w {
		w[i] = uint16(50 * (1 + i%7))
	}
	return w
}

// chi2Limit is the value that a chi-squared variable of df degrees of freedom
// exceeds once in 1,000 (Wilson and Hilferty's approximation).
func chi2Limit(df int) float64 {
	const z = 3.0902
	a := 2 / (9 * float64(df))
	return float64(df) * math.Pow(1-a+z*math.Sqrt(a), 3)
}

func chi2(counts []int, weights []uint16) float64 {
	total, sum := 0, 0.0
	for i, n := range counts {
		total, sum = total+n, sum+float64(weights[i])
	}
	x := 0.0
	for i, n := range counts {
		want := float64(total) * float64(weights[i]) / sum
		x += (float64(n) - want) * (float64(n) - want) / want
	}
	return x
}

// Allocation of TLLIs: drawn at random, and counted up as some SGSNs and test
// tools do, in steps of one and of 256.
func tlliSources() map[string]func(i int) uint32 {
	rnd := rand.New(rand.NewPCG(5, 6))
	return map[string]func(i int) uint32{
		"random":     func(int) uint32 { return 0x78000000 | rnd.Uint32()&0x07FFFFFF },
		"sequential": func(i int) uint32 { return 0x78000000 + uint32(i) },
		"stepped":    func(i int) uint32 { return 0xC0000000 + uint32(i)<<8 },
	}
}

// Facts: G4-12, U-20
func TestBalance(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 255, 256, 1000} {
		for kind, weights := range map[string][]uint16{"equal": equal(n), "unequal": unequal(n)} {
			for source, next := range tlliSources() {
				t.Run(fmt.Sprintf("%d/%s/%s", n, kind, source), func(t *testing.T) {
					checkBalance(t, weights, next)
				})
			}
		}
	}
}

func checkBalance(t *testing.T, weights []uint16, next func(int) uint32) {
	p, counts := newWeighted(t, weights), make([]int, len(weights))
	const draws = 20000 // at least 5 expected of the least weight of 1,000
	for i := range draws {
		counts[p.Route(&Request{Identity: TLLI, Value: next(i)}).Member.Index]++
	}
	if len(weights) == 1 {
		if counts[0] != draws {
			t.Error("the only member did not get all")
		}
		return
	}
	if x, limit := chi2(counts, weights), chi2Limit(len(weights)-1); x > limit {
		t.Errorf("chi-squared %.1f above %.1f", x, limit)
	}
}

// The test of balance must be able to fail: a modulo split of unequal weights
// and a share lost to a neighbour both exceed the limit.
func TestChi2FindsImbalance(t *testing.T) {
	counts := make([]int, 8)
	for i := range 20000 {
		if counts[i%8]++; i%8 == 3 && i%3 == 0 {
			counts[3]--
			counts[4]++
		}
	}
	if x := chi2(counts, equal(8)); x < chi2Limit(7) {
		t.Errorf("chi-squared %.1f below %.1f", x, chi2Limit(7))
	}
	if x, want := chi2Limit(7), 24.322; math.Abs(x-want) > 0.3 { // from a printed table
		t.Errorf("limit %.2f, want %.2f", x, want)
	}
}

// routes is where each of a set of TLLIs goes, by member ID.
func routes(p *Pool) []uint16 {
	const subscribers = 6000
	ids := make([]uint16, subscribers)
	for i := range ids {
		if m := p.Route(&Request{Identity: TLLI, Value: 0x78000000 + uint32(i)*7}).Member; m != nil {
			ids[i] = m.ID
		}
	}
	return ids
}

// onlyShareMoves checks that all who were not at id stayed, that all who were
// left it, and that they were spread over more than one other.
func onlyShareMoves(t *testing.T, before, after []uint16, id uint16) {
	t.Helper()
	heirs := map[uint16]bool{}
	for i := range before {
		switch {
		case before[i] != id && after[i] != before[i]:
			t.Fatalf("subscriber %d went from %d to %d though %d was lost", i, before[i], after[i], id)
		case before[i] == id && after[i] == id:
			t.Fatalf("subscriber %d stays at %d", i, id)
		case before[i] == id:
			heirs[after[i]] = true
		}
	}
	if len(heirs) < 2 {
		t.Errorf("heirs of %d: %v", id, heirs)
	}
}

// Facts: G4-14, G4-15
func TestOnlyLostShareMoves(t *testing.T) {
	for name, weights := range map[string][]uint16{"equal": equal(8), "unequal": unequal(8)} {
		for lose, do := range map[string]func(*testing.T, *Pool, uint16) *Pool{
			"down":    func(_ *testing.T, p *Pool, id uint16) *Pool { p.Member(id).SetDown(1); return p },
			"drained": func(t *testing.T, p *Pool, id uint16) *Pool { return drain(t, p, id) },
			"removed": func(t *testing.T, p *Pool, id uint16) *Pool { return without(t, p, id) },
		} {
			t.Run(name+"/"+lose, func(t *testing.T) {
				for id := uint16(1); id <= 8; id++ {
					p := newWeighted(t, weights)
					before := routes(p)
					q := do(t, p, id)
					onlyShareMoves(t, before, routes(q), id)
					back := drain(t, p) // all there again, none drained
					back.Member(id).SetUp()
					if !slices.Equal(routes(back), before) {
						t.Fatalf("%d is back, but not all are where they were", id)
					}
				}
			})
		}
	}
}

func without(t *testing.T, p *Pool, id uint16) *Pool {
	cfg := Config{BitLen: p.bitLen}
	for i := range p.Members() {
		if mc := p.Members()[i].MemberConfig; mc.ID != id {
			cfg.Members = append(cfg.Members, mc)
		}
	}
	return build(t, cfg, p)
}

// A greater weight only takes, a smaller one only gives.
func TestWeightMovesOnlyItsShare(t *testing.T) {
	weights := unequal(8)
	before := routes(newWeighted(t, weights))
	for _, w := range []uint16{weights[4] * 3, weights[4] / 2} {
		changed := slices.Clone(weights)
		changed[4] = w
		after := routes(newWeighted(t, changed))
		moved := 0
		for i := range before {
			if before[i] == after[i] {
				continue
			}
			moved++
			if w > weights[4] && after[i] != 5 || w < weights[4] && before[i] != 5 {
				t.Fatalf("weight %d: from %d to %d", w, before[i], after[i])
			}
		}
		if moved == 0 {
			t.Errorf("weight %d moves nobody", w)
		}
	}
}

func TestOrderOfMembersDoesNotMatter(t *testing.T) {
	p := newWeighted(t, unequal(8))
	var cfg Config
	for i := range p.Members() {
		cfg.Members = append(cfg.Members, p.Members()[len(p.Members())-1-i].MemberConfig)
	}
	cfg.BitLen = p.bitLen
	if !slices.Equal(routes(p), routes(build(t, cfg, p))) {
		t.Error("another order of members, another choice")
	}
}

// Local and foreign TLLI of one P-TMSI go to the same member.
func TestLocalAndForeignAlike(t *testing.T) {
	p := newWeighted(t, equal(16))
	for i := uint32(0); i < 3000; i++ {
		low := i * 77777 & 0x3FFFFFFF
		local := p.Route(&Request{Identity: TLLI, Value: low | 0xC0000000}).Member
		foreign := p.Route(&Request{Identity: TLLI, Value: low | 0x80000000}).Member
		ptmsi := p.Route(&Request{Identity: PTMSI, Value: low}).Member
		if local != foreign || local != ptmsi {
			t.Fatalf("%d: local %d, foreign %d, P-TMSI %d", i, local.ID, foreign.ID, ptmsi.ID)
		}
	}
}

// PDUs without an identity but with a key are shared out too, and stay.
// Facts: G4-02
func TestKeyedRequests(t *testing.T) {
	p, counts := newWeighted(t, equal(8)), make([]int, 8)
	for i := range 8000 {
		r := Request{Key: KeyOf(fmt.Sprintf("26242%010d", i))}
		m := p.Route(&r).Member
		counts[m.Index]++
		if p.Route(&r).Member != m {
			t.Fatal("the same key, another member")
		}
	}
	if x := chi2(counts, equal(8)); x > chi2Limit(7) {
		t.Errorf("chi-squared %.1f above %.1f", x, chi2Limit(7))
	}
}

// Choices are part of the interface between gateways: another release must
// choose alike. The values are this code's own.
func TestChoicesAreStable(t *testing.T) {
	p := newWeighted(t, unequal(8))
	var got []uint16
	for i := range uint32(12) {
		got = append(got, p.Route(&Request{Identity: TLLI, Value: 0x78000000 + i}).Member.ID)
	}
	if want := []uint16{6, 7, 5, 7, 6, 5, 6, 6, 3, 5, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
