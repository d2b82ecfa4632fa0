package nri

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// naive is the obvious set of NRI values, to judge Set by.
type naive [Max + 1]bool

func (n *naive) put(r Range, in bool) {
	for v := int(r.First); v <= int(r.Last); v++ {
		n[v] = in
	}
}

// set makes the ranges of n by scanning it.
func (n *naive) set() Set {
	var s Set
	for v := 0; v <= int(Max); v++ {
		switch {
		case !n[v]:
		case v > 0 && n[v-1]:
			s[len(s)-1].Last = V(v)
		default:
			s = append(s, Single(V(v)))
		}
	}
	return s
}

// randomRange prefers short ranges, the edges, and few enough values to meet.
func randomRange(rnd *rand.Rand) Range {
	span := []int{20, 300, int(Max) + 1}[rnd.IntN(3)]
	base := []int{0, int(Max) + 1 - span}[rnd.IntN(2)]
	a, b := base+rnd.IntN(span), base+rnd.IntN(span)
	return Range{V(min(a, b)), V(max(a, b))}
}

func TestSetAgainstNaive(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for seq := 0; seq < 40; seq++ {
		var s, old Set
		var n naive
		for step := 0; step < 60; step++ {
			r, add := randomRange(rnd), rnd.IntN(2) == 0
			before := s.Clone()
			old = s
			var err error
			if add {
				s, err = s.Add(r)
			} else {
				s, err = s.Del(r)
			}
			if err != nil {
				t.Fatal(err)
			}
			n.put(r, add)
			if !old.Equal(before) {
				t.Fatalf("add=%v %v changed its operand: %v, was %v", add, r, old, before)
			}
			if step%4 == 0 && !s.Equal(n.set()) {
				t.Fatalf("seq %d step %d add=%v %v: %v, want %v", seq, step, add, r, s, n.set())
			}
		}
		checkReaders(t, s, &n)
	}
}

func checkReaders(t *testing.T, s Set, n *naive) {
	t.Helper()
	count := 0
	for v := 0; v <= int(Max); v++ {
		if s.Contains(V(v)) != n[v] {
			t.Fatalf("Contains(%d) = %v in %v", v, !n[v], s)
		}
		if n[v] {
			count++
		}
	}
	if s.Len() != count {
		t.Errorf("Len = %d, want %d", s.Len(), count)
	}
	if back, err := ParseSet(s.String()); err != nil || !back.Equal(s) {
		t.Errorf("ParseSet(%q) = %v, %v", s, back, err)
	}
}

func TestOverlapAndUnionAgainstNaive(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		var a, b Set
		var na, nb, both, either naive
		for range rnd.IntN(12) {
			r, q := randomRange(rnd), randomRange(rnd)
			a, _ = a.Add(r)
			na.put(r, true)
			b, _ = b.Add(q)
			nb.put(q, true)
		}
		for v := range na {
			both[v], either[v] = na[v] && nb[v], na[v] || nb[v]
		}
		if got := a.Overlap(b); !got.Equal(both.set()) {
			t.Fatalf("%v overlap %v = %v, want %v", a, b, got, both.set())
		}
		if got := a.Union(b); !got.Equal(either.set()) {
			t.Fatalf("%v union %v = %v, want %v", a, b, got, either.set())
		}
		r := randomRange(rnd)
		if got, want := a.Overlaps(r), len(a.Overlap(Set{r})) > 0; got != want {
			t.Fatalf("%v overlaps %v = %v", a, r, got)
		}
	}
}

// Facts: G2-07
func TestSetMergesAndSplits(t *testing.T) {
	type step struct {
		add         bool
		first, last V
		want        string
	}
	var s Set
	for _, st := range []step{
		{true, 9, 12, "9-12"},
		{true, 2, 2, "2,9-12"},
		{true, 4, 4, "2,4,9-12"},
		{true, 3, 3, "2-4,9-12"},       // touches on both sides
		{false, 10, 10, "2-4,9,11-12"}, // splits
		{true, 13, 20, "2-4,9,11-20"},  // touches
		{false, 4, 9, "2-3,11-20"},     // trims and removes
		{false, 100, 200, "2-3,11-20"}, // was not there
		{true, 0, Max, "0-32767"},      // swallows
		{false, Max, Max, "0-32766"},   // the last value
		{true, Max, Max, "0-32767"},    // and back
		{false, 0, 0, "1-32767"},       // the first value
		{false, 0, Max, ""},            // all
		{false, 1, 2, ""},              // of nothing
		{true, Max, Max, "32767"},      // alone
		{true, Max - 1, Max - 1, "32766-32767"},
	} {
		op := Set.Del
		if st.add {
			op = Set.Add
		}
		var err error
		if s, err = op(s, Range{st.first, st.last}); err != nil || s.String() != st.want {
			t.Fatalf("%+v: %q, %v", st, s, err)
		}
	}
}

func TestRangeErrors(t *testing.T) {
	s := Set{{1, 2}}
	for _, c := range []struct {
		r    Range
		want error
		text string
	}{
		{Range{7, 3}, ErrOrder, "nri: first value above last: 7..3"},
		{Range{3, 0x8000}, ErrMax, "nri: value above 32767: 3..32768"},
		{Range{0xFFFF, 0xFFFF}, ErrMax, "nri: value above 32767: 65535"},
	} {
		for name, op := range map[string]func(Set, Range) (Set, error){"Add": Set.Add, "Del": Set.Del} {
			got, err := op(s, c.r)
			if !errors.Is(err, c.want) || err.Error() != c.text || !got.Equal(s) {
				t.Errorf("%s(%v) = %v, %v", name, c.r, got, err)
			}
		}
	}
}

func TestRangeForms(t *testing.T) {
	s := Set{{1, 341}, {500, 500}}
	if got := s.VTY(); !slices.Equal(got, []string{"1 341", "500"}) {
		t.Errorf("VTY = %q", got)
	}
	if s.String() != "1-341,500" || s[0].Dots() != "1..341" || s[1].Dots() != "500" {
		t.Errorf("%q %q %q", s, s[0].Dots(), s[1].Dots())
	}
	if got := s.Exceeds(9); len(got) != 0 {
		t.Errorf("Exceeds(9) = %v", got)
	}
	if got := s.Exceeds(8); !slices.Equal(got, s) {
		t.Errorf("Exceeds(8) = %v", got)
	}
	if got := (Set{{0, 0}}).Exceeds(0); len(got) != 1 {
		t.Errorf("Exceeds(0) = %v, want all", got)
	}
}

func TestParseSetRefuses(t *testing.T) {
	for _, text := range []string{",", "a", "1-", "-1", "1--2", "5-3", "32768", "1-32768", "1,,2", "99999999999"} {
		if s, err := ParseSet(text); err == nil {
			t.Errorf("ParseSet(%q) = %v, want an error", text, s)
		}
	}
	if s, err := ParseSet("5, 1-2,3"); err != nil || s.String() != "1-3,5" {
		t.Errorf("%v, %v", s, err)
	}
}

// FuzzSet runs a program of edits: octets of operation, first, last.
func FuzzSet(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 85, 1, 0, 10, 0, 20, 0, 127, 255, 127, 255})
	f.Add([]byte{0, 0, 0, 127, 255, 1, 127, 255, 127, 255, 1, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, prog []byte) {
		var s Set
		var n naive
		for ; len(prog) >= 5; prog = prog[5:] {
			r := Range{V(prog[1])<<8 | V(prog[2]), V(prog[3])<<8 | V(prog[4])}
			op := []func(Set, Range) (Set, error){Set.Add, Set.Del}[prog[0]%2]
			next, err := op(s, r)
			if (err == nil) != (r.First <= r.Last && r.Last <= Max) {
				t.Fatalf("%v: %v", r, err)
			}
			if s = next; err == nil {
				n.put(r, prog[0]%2 == 0)
			}
		}
		if !s.Equal(n.set()) {
			t.Fatalf("%v, want %v", s, n.set())
		}
	})
}

func FuzzParseSet(f *testing.F) {
	f.Add("1-341,500")
	f.Add("32767")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSet(text)
		if err != nil {
			return
		}
		if back, err := ParseSet(s.String()); err != nil || !back.Equal(s) {
			t.Fatalf("%q: %v, back %v, %v", text, s, back, err)
		}
	})
}

func TestSetOfAMFs(t *testing.T) {
	s, err := Set(nil).AddAMF(Range{0xFFF0, 0xFFFF})
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.AddAMF(Range{0xFFEF, 0xFFEF}); err != nil || s.String() != "65519-65535" {
		t.Error(s, err)
	}
	if s, err = s.DelAMF(Range{0xFFFF, 0xFFFF}); err != nil || s.String() != "65519-65534" {
		t.Error(s, err)
	}
	if _, err = s.AddAMF(Range{2, 1}); !errors.Is(err, ErrOrder) {
		t.Error(err)
	}
}
