package pool

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"poolgw/nri"
)

var home, guest = nri.PLMN{0x62, 0xF2, 0x24}, nri.PLMN{0x00, 0xF1, 0x10}

func set(t testing.TB, text string) nri.Set {
	t.Helper()
	s, err := nri.ParseSet(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func build(t testing.TB, cfg Config, prev *Pool) *Pool {
	t.Helper()
	p, err := New(cfg, prev)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// threeSGSNs: 101 owns 1-341, 102 342-682 and the NULL-NRI 600 by mistake, 103
// 683-1023 and, overlapping 101, 300-310. NULL-NRIs are 0, 600 and, at home, 5.
func threeSGSNs(t testing.TB) *Pool {
	p := build(t, Config{
		BitLen: 10,
		Null: nri.NullSet{Any: set(t, "0,600"),
			ByPLMN: map[nri.PLMN]nri.Set{home: set(t, "5")}},
		OwnerDownHold: 10 * time.Second,
		Members: []MemberConfig{
			{ID: 101, Name: "A", NRI: set(t, "1-341"), Weight: 100, AllowAttach: true},
			{ID: 102, Name: "B", NRI: set(t, "342-682"), Weight: 100, AllowAttach: true},
			{ID: 103, Name: "C", NRI: set(t, "300-310,683-1023"), Weight: 100, AllowAttach: true},
		}}, nil)
	for i := range p.Members() {
		p.Members()[i].SetUp()
	}
	return p
}

// drain returns p with the members drained, or not.
func drain(t testing.TB, p *Pool, drained ...uint16) *Pool {
	cfg := Config{BitLen: p.bitLen, OwnerDownHold: p.hold, Null: nri.NullSet{Any: set(t, "0,600"),
		ByPLMN: map[nri.PLMN]nri.Set{home: set(t, "5")}}}
	for i := range p.Members() {
		mc := p.Members()[i].MemberConfig
		mc.AllowAttach = true
		for _, id := range drained {
			mc.AllowAttach = mc.AllowAttach && mc.ID != id
		}
		cfg.Members = append(cfg.Members, mc)
	}
	return build(t, cfg, p)
}

// withNRI is a local TLLI with that NRI of 10 bits.
func withNRI(v nri.V, low uint32) uint32 { return nri.WithNRI(0xC0000000|low&0x3FFF, v, 10) }

// Facts: G-14 (1d hold), G4-01 (no identity), G4-05 (1b foreign TLLI), G4-06 (2 random TLLI), G4-08 (1c first of several), G4-09 (1b owner drained), G4-11 (1a NULL-NRI nobody holds), G4-13 (2 fixed beats pin), G4-20 (1c second of several), G4-21 (2 drained gets none), G4-22 (1d after the hold)
func TestRule(t *testing.T) {
	const any = 0 // some member
	for _, c := range []struct {
		name    string
		req     Request
		down    []uint16
		drained []uint16
		want    uint16 // ID
		not     uint16 // never this ID
		reason  Reason
		cause   Reason
	}{
		{name: "1b owner", req: Request{Identity: TLLI, Value: withNRI(400, 1)}, want: 102, reason: ByNRI},
		{name: "1b foreign TLLI", req: Request{Identity: TLLI, Value: nri.ForeignTLLI(withNRI(400, 1))}, want: 102, reason: ByNRI},
		{name: "1b P-TMSI without its top bits", req: Request{Identity: PTMSI, Value: withNRI(400, 1) &^ 0xC0000000}, want: 102, reason: ByNRI},
		{name: "1b owner drained", req: Request{Identity: TLLI, Value: withNRI(400, 1)}, drained: []uint16{102}, want: 102, reason: ByNRI},
		{name: "1b owner beats pin and fixed", req: Request{Identity: TLLI, Value: withNRI(400, 1), Pin: To(101), Fixed: To(103)}, want: 102, reason: ByNRI},
		{name: "1c first of several", req: Request{Identity: TLLI, Value: withNRI(305, 1)}, want: 101, reason: ByNRI},
		{name: "1c second of several", req: Request{Identity: TLLI, Value: withNRI(305, 1)}, down: []uint16{101}, want: 103, reason: OverlapSecond},
		{name: "1a NULL-NRI nobody holds", req: Request{Identity: TLLI, Value: withNRI(0, 1)}, want: any, reason: NullNRI},
		{name: "1a NULL-NRI of a member", req: Request{Identity: TLLI, Value: withNRI(600, 1)}, not: 102, reason: NullNRI},
		{name: "1a not by pin", req: Request{Identity: TLLI, Value: withNRI(600, 1), Pin: To(102)}, not: 102, reason: NullNRI},
		{name: "1a not by fixed", req: Request{Identity: TLLI, Value: withNRI(600, 1), Fixed: To(102)}, not: 102, reason: NullNRI},
		{name: "1a pin elsewhere", req: Request{Identity: TLLI, Value: withNRI(600, 1), Pin: To(103)}, want: 103, reason: Pinned, cause: NullNRI},
		{name: "1a nobody but its holder", req: Request{Identity: TLLI, Value: withNRI(600, 1)}, down: []uint16{101, 103}, reason: NoMember, cause: NullNRI},
		{name: "1a of this PLMN", req: Request{Identity: TLLI, Value: withNRI(5, 1), PLMN: home}, not: 101, reason: NullNRI},
		{name: "1a of another PLMN", req: Request{Identity: TLLI, Value: withNRI(5, 1), PLMN: guest}, want: 101, reason: ByNRI},
		{name: "1a every PLMN", req: Request{Identity: TLLI, Value: withNRI(600, 1), PLMN: home}, not: 102, reason: NullNRI},
		{name: "1d hold", req: Request{Identity: TLLI, Value: withNRI(400, 1), Pin: To(101), Now: 109 * time.Second}, down: []uint16{102}, reason: Hold, cause: OwnerDown},
		{name: "1d after the hold", req: Request{Identity: TLLI, Value: withNRI(400, 1), Now: 110 * time.Second}, down: []uint16{102}, not: 102, reason: OwnerDown},
		{name: "1d pinned", req: Request{Identity: TLLI, Value: withNRI(400, 1), Now: 200 * time.Second, Pin: To(103)}, down: []uint16{102}, want: 103, reason: Pinned, cause: OwnerDown},
		{name: "2 random TLLI", req: Request{Identity: TLLI, Value: 0x78000000 | 400<<14}, want: any, reason: NoNRI},
		{name: "2 auxiliary TLLI", req: Request{Identity: TLLI, Value: 0x70000000 | 400<<14}, want: any, reason: NoNRI},
		{name: "2 pin", req: Request{Identity: TLLI, Value: 0x78000001, Pin: To(103)}, want: 103, reason: Pinned, cause: NoNRI},
		{name: "2 pin to a drained one", req: Request{Identity: TLLI, Value: 0x78000001, Pin: To(103)}, drained: []uint16{103}, want: 103, reason: Pinned, cause: NoNRI},
		{name: "2 pin to one that is down", req: Request{Identity: TLLI, Value: 0x78000001, Pin: To(103)}, down: []uint16{103}, not: 103, reason: NoNRI},
		{name: "2 pin to one that is gone", req: Request{Identity: TLLI, Value: 0x78000001, Pin: To(999)}, want: any, reason: NoNRI},
		{name: "2 drained gets none", req: Request{Identity: TLLI, Value: 0x78000001}, drained: []uint16{101, 103}, want: 102, reason: NoNRI},
		{name: "2 fixed beats pin", req: Request{Identity: TLLI, Value: 0x78000001, Pin: To(103), Fixed: To(101)}, want: 101, reason: Fixed, cause: NoNRI},
		{name: "2 fixed to one that is down", req: Request{Identity: TLLI, Value: 0x78000001, Fixed: To(101), Pin: To(102)}, down: []uint16{101}, want: 102, reason: Pinned, cause: NoNRI},
		{name: "no identity", req: Request{}, want: 101, reason: NoIdentity},
		{name: "no identity, first is drained", req: Request{}, drained: []uint16{101}, want: 102, reason: NoIdentity},
		{name: "no identity, first is down", req: Request{}, down: []uint16{101}, want: 102, reason: NoIdentity},
		{name: "no identity, pin", req: Request{Pin: To(103)}, want: 103, reason: Pinned, cause: NoIdentity},
		{name: "3 nobody is up", req: Request{Identity: TLLI, Value: 0x78000001}, down: []uint16{101, 102, 103}, reason: NoMember, cause: NoNRI},
		{name: "3 drained ones are not used", req: Request{Identity: TLLI, Value: 0x78000001}, down: []uint16{101}, drained: []uint16{102, 103}, reason: NoMember, cause: NoNRI},
		{name: "3 no identity", req: Request{}, drained: []uint16{101, 102, 103}, reason: NoMember, cause: NoIdentity},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := threeSGSNs(t)
			for _, id := range c.down {
				p.Member(id).SetDown(100 * time.Second)
			}
			if c.drained != nil {
				p = drain(t, p, c.drained...)
			}
			d := p.Route(&c.req)
			if c.cause == 0 {
				c.cause = c.reason
			}
			if d.Reason != c.reason || d.Cause != c.cause {
				t.Fatalf("%v because of %v, want %v, %v", d.Reason, d.Cause, c.reason, c.cause)
			}
			nobody := c.reason == Hold || c.reason == NoMember
			switch {
			case nobody != (d.Member == nil):
				t.Fatalf("member %+v for %v", d.Member, d.Reason)
			case nobody:
			case c.want != any && d.Member.ID != c.want:
				t.Fatalf("went to %d, want %d", d.Member.ID, c.want)
			case d.Member.ID == c.not:
				t.Fatalf("went to %d", d.Member.ID)
			}
			if got, want := d.Owned(), c.reason == ByNRI || c.reason == OverlapSecond; got != want {
				t.Errorf("Owned = %v", got)
			}
		})
	}
}

// A NULL-NRI must avoid its holder for every subscriber, and an NRI nobody owns
// is shared by all.
// Facts: G4-10
func TestNullNRIAvoidsHolderAlways(t *testing.T) {
	p := threeSGSNs(t)
	seen := map[uint16]int{}
	for low := uint32(0); low < 2000; low++ {
		d := p.Route(&Request{Identity: TLLI, Value: withNRI(600, low)})
		seen[d.Member.ID]++
	}
	if seen[102] != 0 || seen[101] < 800 || seen[103] < 800 {
		t.Fatalf("shares %v", seen)
	}
}

func TestUnowned(t *testing.T) {
	p := build(t, Config{BitLen: 10, Members: []MemberConfig{{ID: 1, NRI: set(t, "1-2"), Weight: 1, AllowAttach: true}}}, nil)
	p.Member(1).SetUp()
	d := p.Route(&Request{Identity: TLLI, Value: withNRI(3, 0)})
	if d.Reason != Unowned || d.Member.ID != 1 || d.NRI != 3 || !d.HasNRI || d.Owner != nil {
		t.Fatalf("%+v", d)
	}
}

// Facts: G4-03, G4-04
func TestBitLenZero(t *testing.T) {
	p := build(t, Config{BitLen: 0, Null: nri.NullSet{Any: set(t, "0")}, Members: []MemberConfig{
		{ID: 1, NRI: set(t, "0-32767"), Weight: 100, AllowAttach: true},
		{ID: 2, NRI: set(t, "0-32767"), Weight: 100, AllowAttach: true},
	}}, nil)
	p.Member(1).SetUp()
	p.Member(2).SetUp()
	seen := map[uint16]int{}
	for low := uint32(0); low < 1000; low++ {
		d := p.Route(&Request{Identity: TLLI, Value: 0xC0000000 | low})
		if d.Reason != BitLenZero || d.HasNRI {
			t.Fatalf("%+v", d)
		}
		seen[d.Member.ID]++
	}
	if seen[1] < 400 || seen[2] < 400 {
		t.Errorf("shares %v", seen)
	}
}

// Who has no weight stands by for those who have, whatever the order, and for
// what has no identity too.
// Facts: G4-02, G4-04
func TestStandby(t *testing.T) {
	p := build(t, Config{BitLen: 0, Members: []MemberConfig{{ID: 1, AllowAttach: true}, {ID: 2, Weight: 100, AllowAttach: true}}}, nil)
	p.Member(1).SetUp()
	for _, want := range []uint16{2, 1} {
		if want == 2 {
			p.Member(2).SetUp()
		} else {
			p.Member(2).SetDown(0)
		}
		for low := range uint32(100) {
			for _, r := range []Request{{Identity: TLLI, Value: 0xC0000000 | low}, {Key: KeyOf(fmt.Sprint("26242", low))}, {}} {
				if d := p.Route(&r); d.Member == nil || d.Member.ID != want {
					t.Fatalf("%+v: %+v, want %d", r, d, want)
				}
			}
		}
	}
}

// With the full 15 bits the last value has its place too.
func TestLastNRI(t *testing.T) {
	p := build(t, Config{BitLen: 15, Null: nri.NullSet{Any: set(t, "32766")}, Members: []MemberConfig{
		{ID: 1, NRI: set(t, "32766-32767"), Weight: 1, AllowAttach: true}, {ID: 2, Weight: 1, AllowAttach: true}}}, nil)
	p.Member(1).SetUp()
	p.Member(2).SetUp()
	if d := p.Route(&Request{Identity: TLLI, Value: 0xC0FFFFFF}); d.Reason != ByNRI || d.Member.ID != 1 {
		t.Errorf("%+v", d)
	}
	if d := p.Route(&Request{Identity: TLLI, Value: 0xC0FFFDFF}); d.Reason != NullNRI || d.Member.ID != 2 {
		t.Errorf("%+v", d)
	}
}

// NRIs beyond the length in use are kept but never meant.
func TestNRIBeyondBitLen(t *testing.T) {
	p := build(t, Config{BitLen: 4, Null: nri.NullSet{Any: set(t, "99")}, Members: []MemberConfig{
		{ID: 1, NRI: set(t, "10-99"), Weight: 1, AllowAttach: true}}}, nil)
	p.Member(1).SetUp()
	if d := p.Route(&Request{Identity: TLLI, Value: 0xC0F00000}); d.Reason != ByNRI || d.NRI != 15 {
		t.Errorf("%+v", d)
	}
	if p.Owner(16) != nil || p.Owner(15) == nil {
		t.Error("Owner")
	}
}

func TestExclude(t *testing.T) {
	p := threeSGSNs(t)
	var ex Exclude
	req := Request{Identity: TLLI, Value: 0x78001234, Exclude: &ex}
	seen := map[uint16]bool{}
	for range 3 {
		d := p.Route(&req)
		if d.Member == nil || seen[d.Member.ID] {
			t.Fatalf("%+v after %v", d, seen)
		}
		seen[d.Member.ID] = true
		ex.Add(d.Member)
	}
	if d := p.Route(&req); d.Reason != NoMember {
		t.Fatalf("all excluded: %+v", d)
	}
	req.Pin, req.Fixed = To(101), To(102)
	if d := p.Route(&req); d.Reason != NoMember {
		t.Errorf("pin or fixed used though excluded: %+v", d)
	}
	if d := p.Route(&Request{Exclude: &ex}); d.Reason != NoMember {
		t.Errorf("no identity: %+v", d)
	}
	owned := Request{Identity: TLLI, Value: withNRI(400, 0), Exclude: &ex}
	if d := p.Route(&owned); d.Member.ID != 102 {
		t.Errorf("an owner has no substitute: %+v", d)
	}
}

func TestWeightZero(t *testing.T) {
	members := []MemberConfig{{ID: 1, AllowAttach: true}, {ID: 2, Weight: 1, AllowAttach: true}, {ID: 3, AllowAttach: true}}
	p := build(t, Config{BitLen: 10, Members: members}, nil)
	for i := range p.Members() {
		p.Members()[i].SetUp()
	}
	share := func() map[uint16]int {
		n := map[uint16]int{}
		for v := uint32(0); v < 1000; v++ {
			n[p.Route(&Request{Identity: TLLI, Value: 0x78000000 | v}).Member.ID]++
		}
		return n
	}
	if n := share(); n[2] != 1000 {
		t.Errorf("shares %v, want all to 2", n)
	}
	if d := p.Route(&Request{}); d.Member.ID != 2 {
		t.Errorf("no identity: %+v", d)
	}
	p.Member(2).SetDown(1)
	if n := share(); n[1] < 400 || n[3] < 400 {
		t.Errorf("shares %v, want halves", n)
	}
	if d := p.Route(&Request{}); d.Member.ID != 1 {
		t.Errorf("no identity: %+v", d)
	}
}

func TestStateOutlivesRebuild(t *testing.T) {
	p := threeSGSNs(t)
	p.Member(102).SetDown(7)
	q := drain(t, p, 101)
	if !q.Member(101).Up() || q.Member(102).Up() || q.Member(102).DownFor(10) != 3 {
		t.Error("state lost by the rebuild")
	}
	p.Member(101).SetDown(5)
	if q.Member(101).Up() || q.Up() != 1 || q.Open() != 1 {
		t.Error("the old pool's entry is not the new one's")
	}
	fresh := build(t, Config{Members: []MemberConfig{{ID: 101}}}, nil)
	if fresh.Member(101).Up() || fresh.Member(101).DownFor(100) != 0 {
		t.Error("a new member is not down without a time")
	}
}

func TestSetDownKeepsFirstTime(t *testing.T) {
	p := threeSGSNs(t)
	m := p.Member(101)
	m.SetDown(10)
	m.SetDown(20)
	if got := m.DownFor(25); got != 15 {
		t.Errorf("down for %d, want 15", got)
	}
	m.SetUp()
	m.SetDown(0) // the clock's first moment is not "never"
	if m.Up() || m.DownFor(11) != 10 {
		t.Errorf("down for %d", m.DownFor(11))
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want error
	}{
		{Config{BitLen: 16}, ErrBitLen},
		{Config{Members: make([]MemberConfig, MaxMembers+1)}, ErrTooMany},
		{Config{Members: []MemberConfig{{ID: 5}, {ID: 4}, {ID: 5}}}, ErrDuplicate},
	} {
		if p, err := New(c.cfg, nil); p != nil || !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

func TestEmptyPool(t *testing.T) {
	p := build(t, Config{BitLen: 10}, nil)
	for _, r := range []Request{{}, {Key: 1}, {Identity: TLLI, Value: 0xC0000000, Pin: To(0), Fixed: To(0)}} {
		if d := p.Route(&r); d.Reason != NoMember || d.Member != nil {
			t.Errorf("%+v", d)
		}
	}
}

func TestExplain(t *testing.T) {
	p := threeSGSNs(t)
	for want, r := range map[string]Request{
		"NRI 400, B: it owns the NRI":                               {Identity: TLLI, Value: withNRI(400, 0)},
		"C: seen going there lately (the identity carries no NRI)":  {Identity: TLLI, Value: 0x78000001, Pin: To(103)},
		"NRI 0, C: seen going there lately (the NRI is a NULL-NRI)": {Identity: TLLI, Value: withNRI(0, 0), Pin: To(103)},
		"A: no identity is given":                                   {},
	} {
		if got := p.Route(&r).Explain(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	p.Member(102).SetDown(1)
	for want, now := range map[string]time.Duration{
		"NRI 400, dropped: its owner B is down and owner-down-hold runs":                   2,
		"NRI 400, C: its owner B is down, chosen by hash; the subscriber will attach anew": time.Hour,
		"NRI 400, A: seen going there lately (its owner B is down)":                        2 * time.Hour,
	} {
		r := Request{Identity: TLLI, Value: withNRI(400, 2), Now: now}
		if now == 2*time.Hour {
			r.Pin = To(101)
		}
		if got := p.Route(&r).Explain(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, id := range []uint16{101, 102, 103} {
		p.Member(id).SetDown(1)
	}
	d := p.Route(&Request{Identity: TLLI, Value: 0x78000001})
	if got := d.Explain(); got != "dropped: no member is up and allows attach" {
		t.Error(got)
	}
}

func TestReasonNames(t *testing.T) {
	seen := map[string]bool{}
	for r := Reason(0); r < Reasons; r++ {
		name := r.String()
		if name == "" || r.Text() == "" || seen[name] || strings.ToLower(name) != name || strings.ContainsAny(name, " -") {
			t.Errorf("reason %d is %q: %q", r, name, r.Text())
		}
		seen[name] = true
	}
	if got := Reason(200).Text(); got != "Reason(0xC8)" {
		t.Error(got)
	}
}
