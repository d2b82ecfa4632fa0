package nri

import (
	"errors"
	"testing"
)

// The octets are those of TS 24.008 10.5.1.3, by hand; 62 f2 24 is also what
// captures of network 262-42 show.
func TestPLMN(t *testing.T) {
	for text, want := range map[string]PLMN{
		"262-42":  {0x62, 0xF2, 0x24},
		"001-01":  {0x00, 0xF1, 0x10},
		"001-001": {0x00, 0x11, 0x00},
		"310-410": {0x13, 0x00, 0x14},
		"901-70":  {0x09, 0xF1, 0x07},
	} {
		p, err := ParsePLMN(text)
		if err != nil || p != want || p.String() != text || !p.Valid() {
			t.Errorf("ParsePLMN(%q) = % x, %v; back %q", text, p, err, want)
		}
	}
}

func TestPLMNRefuses(t *testing.T) {
	for _, text := range []string{"", "262", "26242", "26-42", "2622-42", "262-4", "262-4242", "26a-42", "262-4b", "262-42-1", "２62-42"} {
		if p, err := ParsePLMN(text); !errors.Is(err, ErrPLMN) {
			t.Errorf("ParsePLMN(%q) = %v, %v", text, p, err)
		}
	}
	if p := (PLMN{0xA2, 0xF2, 0x24}); p.Valid() || p.String() != "2a2-42" {
		t.Errorf("%v", p)
	}
	if !(PLMN{}).IsAny() || (PLMN{0, 0xF1, 0x10}).IsAny() {
		t.Error("IsAny")
	}
}

func FuzzPLMN(f *testing.F) {
	f.Add([]byte{0x62, 0xF2, 0x24})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 3 {
			return
		}
		p := PLMN(b[:3])
		back, err := ParsePLMN(p.String())
		if err == nil && back != p {
			t.Fatalf("% x: %v, back % x", p, p, back)
		}
	})
}

func TestNullSetEdits(t *testing.T) {
	home, guest := PLMN{0x62, 0xF2, 0x24}, PLMN{0x00, 0xF1, 0x10}
	var n NullSet
	must := func(m NullSet, err error) NullSet {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	n = must(n.Add(PLMN{}, Single(0)))
	n = must(n.Add(home, Range{5, 9}))
	old := n
	n = must(n.Add(guest, Single(1)))
	n = must(n.Del(home, Range{7, 9}))
	if old.Of(home).String() != "5-9" || len(old.ByPLMN) != 1 {
		t.Errorf("an edit changed its operand: %v", old)
	}
	if n.Of(home).String() != "5-6" || n.Of(guest).String() != "1" || n.Of(PLMN{}).String() != "0" {
		t.Errorf("%v", n)
	}
	if p := n.PLMNs(); len(p) != 2 || p[0] != guest || p[1] != home {
		t.Errorf("%v", p)
	}
	n = must(n.Del(home, Range{0, 99}))
	if p := n.PLMNs(); len(p) != 1 || n.Contains(home, 5) {
		t.Errorf("%v %v", p, n)
	}
	if m, err := n.Add(home, Range{9, 5}); !errors.Is(err, ErrOrder) || !m.Equal(n) {
		t.Errorf("%v, %v", m, err)
	}
	if home.VTY() != "262 42" {
		t.Error(home.VTY())
	}
}

func TestNullSet(t *testing.T) {
	home, guest := PLMN{0x62, 0xF2, 0x24}, PLMN{0x00, 0xF1, 0x10}
	n := NullSet{Any: Set{Single(0)}, ByPLMN: map[PLMN]Set{home: {Single(7)}}}
	for _, c := range []struct {
		p    PLMN
		v    V
		want bool
	}{{home, 0, true}, {guest, 0, true}, {home, 7, true}, {guest, 7, false}, {home, 8, false}, {PLMN{}, 7, false}} {
		if got := n.Contains(c.p, c.v); got != c.want {
			t.Errorf("Contains(%v, %d) = %v", c.p, c.v, got)
		}
	}
	c := n.Clone()
	if !c.Equal(n) {
		t.Error("a clone differs")
	}
	c.ByPLMN[home][0].Last = 9
	c.Any[0].Last = 3
	if n.Contains(home, 9) || n.Any.Contains(3) || c.Equal(n) {
		t.Error("a clone shares memory")
	}
	if (NullSet{}).Equal(n) || n.Equal(NullSet{Any: n.Any}) || !(NullSet{}).Equal(NullSet{ByPLMN: map[PLMN]Set{home: nil}}) {
		t.Error("Equal")
	}
}
