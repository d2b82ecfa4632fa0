package logging

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
)

// entity is what a layer logs in the place of a number.
type entity struct {
	nsei, nsvci uint16
	named       bool
}

func (e entity) NSEI() uint16          { return e.nsei }
func (e entity) NSVCI() (uint16, bool) { return e.nsvci, e.named }
func (e entity) LogValue() slog.Value  { return slog.StringValue("NSE(…)") }
func about(args ...any) func(*Hub)     { return func(h *Hub) { h.Logger().Error("x", args...) } }
func bound(k string, v any) func(*Hub) { return func(h *Hub) { h.Logger().With(k, v).Error("x") } }
func passes(f Filter, say func(*Hub)) bool {
	h := New()
	s, got := collect(h)
	defer s.Close()
	s.Set(Levels{}, DefaultFormat, f)
	say(h)
	return len(*got) == 1
}

func TestFilters(t *testing.T) {
	for _, c := range []struct {
		name string
		f    Filter
		say  func(*Hub)
		want bool
	}{
		{"all", Filter{NSE: "1"}, about(), true},
		{"none", Filter{Only: true}, about("nsei", uint16(101)), false},
		{"nobody named", Filter{Only: true, NSE: "101"}, about(), false},
		{"NSE", Filter{Only: true, NSE: "101"}, about("nsei", uint16(101)), true},
		{"other NSE", Filter{Only: true, NSE: "101"}, about("nsei", uint16(102)), false},
		{"second NSE", Filter{Only: true, NSE: "102"}, about("nsei", uint16(101), "claimed_by", uint16(102)), true},
		{"NSE of the logger", Filter{Only: true, NSE: "101"}, bound("nsei", uint16(101)), true},
		{"NSE itself", Filter{Only: true, NSE: "101"}, about("nse", entity{101, 7, true}), true},
		{"NSE of an NS-VC", Filter{Only: true, NSE: "101"}, about("nsvc", entity{101, 7, true}), true},
		{"NS-VC", Filter{Only: true, NSVC: "7"}, about("nsvc", entity{101, 7, true}), true},
		{"NS-VC without a number", Filter{Only: true, NSVC: "0"}, about("nsvc", entity{101, 0, false}), false},
		{"NSVCI", Filter{Only: true, NSVC: "7"}, about("nsvci", uint16(7)), true},
		{"NSVCI is no NSEI", Filter{Only: true, NSE: "7"}, about("nsvci", uint16(7)), false},
		{"BVC", Filter{Only: true, BVC: "20011"}, about("bvci", uint16(20011)), true},
		{"BVC in an IE", Filter{Only: true, BVC: "20011"}, about("bvci", uint16(0), "names_bvci", uint64(20011)), true},
		{"TLLI", Filter{Only: true, TLLI: "0xc0000001"}, about("tlli", "0xc0000001"), true},
		{"other TLLI", Filter{Only: true, TLLI: "0xc0000001"}, about("tlli", "0xc0000002"), false},
		{"IMSI", Filter{Only: true, IMSI: "262420000000001"}, about("imsi", "262420000000001"), true},
		{"any of them", Filter{Only: true, NSE: "9", IMSI: "262420000000001"}, about("nsei", uint16(9)), true},
	} {
		if got := passes(c.f, c.say); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// What a filter holds back takes no room in the limit.
func TestFilterComesBeforeTheLimit(t *testing.T) {
	h := New()
	h.SetLimit(5)
	s, got := collect(h)
	defer s.Close()
	s.Set(Levels{}, DefaultFormat, Filter{Only: true, NSE: "7"})
	for range 100 {
		h.Logger().Error("flood", "nsei", uint16(8))
	}
	h.Logger().Error("wanted", "nsei", uint16(7))
	if len(*got) != 1 || h.Muted() != 0 {
		t.Errorf("%q, %d held back", *got, h.Muted())
	}
}

// A flood of one level does not hide a line of a graver one.
func TestLimitIsByClass(t *testing.T) {
	h := New()
	h.SetLimit(5)
	s, got := collect(h)
	defer s.Close()
	all := LevelDebug
	s.Set(Levels{Force: &all}, DefaultFormat, Filter{})
	for range 100 {
		h.Logger().Info("flood")
	}
	h.Logger().Warn("grave")
	if !slices.ContainsFunc(*got, func(l string) bool { return strings.HasSuffix(l, "grave") }) || h.Muted() != 95 {
		t.Errorf("%q, %d held back", *got, h.Muted())
	}
}

func TestMask(t *testing.T) {
	h := New()
	for _, c := range []struct{ text, secret string }{
		{"PDU dropped tlli=0xc0000001 imsi=262420000000001 nsei=101", "c0000001 262420000000001"},
		{`VTY command command="show subscriber imsi 262420000000001"`, "262420000000001"},
		{`command="logging filter tlli C0000001"`, "C0000001"},
		{"ptmsi=0xc0000001 tmsi=0xc0000002 P-TMSI c0000003", "c0000001 c0000002 c0000003"},
	} {
		got := h.mask(c.text)
		for s := range strings.FieldsSeq(c.secret) {
			if strings.Contains(got, s) {
				t.Errorf("%q shows %s", got, s)
			}
		}
	}
	if got := h.mask("nsei=101 bvci=20011 octets=1234"); got != "nsei=101 bvci=20011 octets=1234" {
		t.Errorf("what is no identity has become %q", got)
	}
	one, same, other := h.mask("tlli=0xC0000001"), h.mask("tlli=0xc0000001"), h.mask("tlli=0xc0000002")
	if one != same || one == other {
		t.Errorf("%q and %q are one subscriber, %q another", one, same, other)
	}
	if New().mask("tlli=0xc0000001") == one {
		t.Error("another process has the same pseudonyms")
	}
}

// Each target masks for itself.
func TestMaskIsByTarget(t *testing.T) {
	h := New()
	plain, p := collect(h)
	defer plain.Close()
	masked, m := collect(h)
	defer masked.Close()
	masked.Set(Levels{}, Format{Mask: true}, Filter{Only: true, TLLI: "0xc0000001"})
	h.Logger().Error("x", "tlli", "0xc0000001")
	if len(*p) != 1 || !strings.HasSuffix((*p)[0], "tlli=0xc0000001") {
		t.Errorf("plain: %q", *p)
	}
	if len(*m) != 1 || !strings.HasPrefix((*m)[0], "x tlli=~") || strings.Contains((*m)[0], "c0000001") {
		t.Errorf("masked: %q", *m)
	}
}
