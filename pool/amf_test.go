package pool_test

import (
	"testing"

	"poolgw/nri"
	"poolgw/pool"
)

var home, other = plmn("001-01"), plmn("999-70")

func plmn(s string) nri.PLMN {
	p, err := nri.ParsePLMN(s)
	if err != nil {
		panic(err)
	}
	return p
}

func all(n int) (m pool.Mask) {
	for i := range n {
		m.Add(i)
	}
	return m
}

func only(i ...int) (m pool.Mask) {
	for _, i := range i {
		m.Add(i)
	}
	return m
}

// amfs has a member for each weight: GUAMI 1/1/0, 1/1/1, …, IDs from 1.
func amfs(t testing.TB, change func(c *pool.AMFConfig), weights ...uint16) *pool.AMFs {
	t.Helper()
	var c pool.AMFConfig
	for i, w := range weights {
		c.Members = append(c.Members, pool.AMFMember{
			MemberConfig: pool.MemberConfig{ID: uint16(i + 1), Weight: w, AllowAttach: true},
			GUAMIs:       []pool.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: uint8(i)}}})
	}
	if change != nil {
		change(&c)
	}
	p, err := pool.NewAMFs(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func identity(p nri.PLMN, set uint16, pointer uint8, tmsi uint32, up pool.Mask) *pool.AMFRequest {
	return &pool.AMFRequest{HasIdentity: true, PLMN: p, Set: set, Pointer: pointer, TMSI: tmsi, Up: up, Serves: all(256)}
}

func anonymous(up pool.Mask) *pool.AMFRequest { return &pool.AMFRequest{Up: up, Serves: all(256)} }

func want(t *testing.T, p *pool.AMFs, r *pool.AMFRequest, id uint16, reason pool.Reason) {
	t.Helper()
	d := p.Route(r)
	got := uint16(0)
	if d.Member != nil {
		got = d.Member.ID
	}
	if got != id || d.Reason != reason {
		t.Errorf("got member %d by %v, want %d by %v", got, d.Reason, id, reason)
	}
}

// Capacities 100, 100, 50 give 40, 40, 20 percent, exact to one UE, at any
// moment and wherever one begins to count.
// Facts: N1-10
func TestRoundRobinIsExact(t *testing.T) {
	for _, weights := range [][]uint16{{100, 100, 50}, {255, 1}, {1, 2, 3, 4}, {7}, {10, 0, 10}} {
		p := amfs(t, nil, weights...)
		total, count := 0, make([]int, len(weights))
		for _, w := range weights {
			total += int(w)
		}
		for n := 1; n <= 1000; n++ {
			count[p.Route(anonymous(all(len(weights)))).Member.Index]++
			for i, w := range weights {
				share := float64(n) * float64(w) / float64(total)
				if d := float64(count[i]) - share; d > 1 || d < -1 {
					t.Fatalf("weights %v: after %d UEs member %d has %d, its share is %.1f", weights, n, i, count[i], share)
				}
			}
		}
	}
}

// The count goes on over a change of the pool, so that changes do not favour
// the first member.
func TestRoundRobinOverChanges(t *testing.T) {
	c := pool.AMFConfig{}
	for i := range 3 {
		c.Members = append(c.Members, pool.AMFMember{MemberConfig: pool.MemberConfig{ID: uint16(i + 1), Weight: 1, AllowAttach: true}})
	}
	var p *pool.AMFs
	count := make([]int, 3)
	for range 300 {
		next, err := pool.NewAMFs(c, p)
		if err != nil {
			t.Fatal(err)
		}
		p = next
		count[p.Route(anonymous(all(3))).Member.Index]++
	}
	if count[0] != 100 || count[1] != 100 {
		t.Errorf("shares %v of 300", count)
	}
}

func TestOwnerOfAnAMF(t *testing.T) {
	p := amfs(t, func(c *pool.AMFConfig) {
		c.Members[1].AllowAttach = false // drained: still the owner
		c.Members[2].GUAMIs = append(c.Members[2].GUAMIs, pool.GUAMI{PLMN: other, Region: 1, Set: 1, Pointer: 0})
	}, 1, 1, 1)
	want(t, p, identity(home, 1, 0, 7, all(3)), 1, pool.ByNRI)
	want(t, p, identity(home, 1, 1, 7, all(3)), 2, pool.ByNRI)
	want(t, p, identity(other, 1, 0, 7, all(3)), 3, pool.ByNRI) // same Set and Pointer, another PLMN
	want(t, p, identity(home, 1, 9, 7, only(2)), 3, pool.Unowned)
	want(t, p, identity(home, 2, 0, 7, only(2)), 3, pool.Unowned)
	want(t, p, identity(other, 1, 1, 7, only(2)), 3, pool.Unowned)
}

// Configured values hold in every PLMN, whether of Set and Pointer or of the
// Pointer within the pool's sets.
// Facts: N1-21
func TestConfiguredNRIs(t *testing.T) {
	set := func(v nri.V) nri.Set {
		s, err := nri.Set(nil).Add(nri.Single(v))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	p := amfs(t, func(c *pool.AMFConfig) { c.Members[1].NRI = set(3<<6 | 5) }, 1, 1)
	want(t, p, identity(other, 3, 5, 7, all(2)), 2, pool.ByNRI)
	p = amfs(t, func(c *pool.AMFConfig) { c.PointerOnly = true; c.Members[1].NRI = set(5) }, 1, 1)
	want(t, p, identity(other, 1, 5, 7, all(2)), 2, pool.ByNRI)
	want(t, p, identity(other, 3, 5, 7, only(0)), 1, pool.Unowned) // no set of this pool
}

// A Pointer that several share is shared out by capacity, drained ones
// included, and stays where the UE was seen.
// Facts: N1-15
func TestSharedPointer(t *testing.T) {
	p := amfs(t, func(c *pool.AMFConfig) {
		c.Members[1].GUAMIs = c.Members[0].GUAMIs
		c.Members[1].AllowAttach = false
	}, 1, 1, 1)
	count := map[uint16]int{}
	for range 100 {
		d := p.Route(identity(home, 1, 0, 7, all(3)))
		if !d.Owned() {
			t.Fatal(d.Reason)
		}
		count[d.Member.ID]++
	}
	if count[3] != 0 || count[1] < 33 || count[2] < 33 {
		t.Errorf("shares %v", count)
	}
	r := identity(home, 1, 0, 7, all(3))
	r.Pin = pool.To(2)
	want(t, p, r, 2, pool.ByNRI)
	r.Up = only(1, 2)
	want(t, p, r, 2, pool.ByNRI)
}

// The owner is down: its backup, else its set, else anybody.
func TestOwnerDown(t *testing.T) {
	p := amfs(t, func(c *pool.AMFConfig) {
		c.Members[3].GUAMIs[0].Set = 2
		c.Members[0].Backups = []uint16{4}
	}, 1, 1, 1, 1)
	lost := func(up pool.Mask) *pool.AMFRequest { return identity(home, 1, 0, 7, up) }
	want(t, p, lost(only(1, 2, 3)), 4, pool.OwnerDown)
	for range 10 {
		if d := p.Route(lost(only(1, 2))); d.Reason != pool.OwnerDown || d.Member.Index == 3 {
			t.Fatalf("%v by %v", d.Member, d.Reason)
		}
	}
	p = amfs(t, func(c *pool.AMFConfig) { c.Members[3].GUAMIs[0].Set = 2 }, 1, 0, 0, 100)
	for range 10 { // within the set, though others have the capacity
		if d := p.Route(lost(only(1, 2, 3))); d.Member.Index == 3 {
			t.Fatal("left the set")
		}
	}
	want(t, p, lost(only(3)), 4, pool.OwnerDown)
	want(t, p, lost(pool.Mask{}), 0, pool.NoMember)
}

func TestDrainedAndMustServe(t *testing.T) {
	p := amfs(t, func(c *pool.AMFConfig) { c.Members[0].AllowAttach = false }, 1, 1)
	want(t, p, anonymous(only(0)), 0, pool.NoMember)
	r := anonymous(only(0))
	r.MustServe = true
	want(t, p, r, 1, pool.NoIdentity)
	r = anonymous(only(0))
	r.Pin = pool.To(1)
	want(t, p, r, 1, pool.Pinned)
	r = anonymous(all(2))
	r.Serves = only(1)
	want(t, p, r, 2, pool.NoIdentity)
	r.Serves = only(0)
	want(t, p, r, 0, pool.NoMember)
}

// A reroute stays within the set that was named.
func TestConfined(t *testing.T) {
	p := amfs(t, nil, 1, 1, 1)
	r := identity(home, 1, 0, 7, all(3))
	r.Confined, r.Within = true, only(2)
	want(t, p, r, 3, pool.OwnerDown)
	r.Within = pool.Mask{}
	want(t, p, r, 0, pool.NoMember)
}

// Without weights nobody is left out.
// Facts: N1-03
func TestNoWeights(t *testing.T) {
	p := amfs(t, nil, 0, 0)
	count := [2]int{}
	for range 10 {
		count[p.Route(anonymous(all(2))).Member.Index]++
	}
	if count != [2]int{5, 5} {
		t.Errorf("%v", count)
	}
	p = amfs(t, nil, 0, 1)
	want(t, p, anonymous(only(0)), 1, pool.NoIdentity)
}

// By hash a UE stays where it is whoever else comes or goes.
func TestHashSelection(t *testing.T) {
	hash := func(c *pool.AMFConfig) { c.Hash = true }
	p := amfs(t, hash, 100, 100, 50)
	count := [3]int{}
	for i := range uint32(10000) {
		r := identity(home, 7, 7, i*2654435761, all(3))
		d := p.Route(r)
		count[d.Member.Index]++
		for gone := range 3 {
			r.Up = all(3)
			r.Up.Del(gone)
			if e := p.Route(r); gone != d.Member.Index && e.Member.ID != d.Member.ID {
				t.Fatal("moved, though another went")
			}
		}
	}
	if count[0] < 3800 || count[0] > 4200 || count[2] < 1850 || count[2] > 2150 {
		t.Errorf("%v of 10000 for capacities 100, 100, 50", count)
	}
}

func TestAMFsRefuse(t *testing.T) {
	m := pool.AMFMember{MemberConfig: pool.MemberConfig{ID: 1}}
	if _, err := pool.NewAMFs(pool.AMFConfig{Members: []pool.AMFMember{m, m}}, nil); err == nil {
		t.Error("an ID twice")
	}
	if _, err := pool.NewAMFs(pool.AMFConfig{Members: make([]pool.AMFMember, pool.MaxAMFs+1)}, nil); err == nil {
		t.Error("too many")
	}
}

func TestAMFRouteDoesNotAllocate(t *testing.T) {
	p := amfs(t, nil, 100, 100, 50)
	r, a := identity(home, 1, 0, 7, all(3)), anonymous(all(3))
	if n := testing.AllocsPerRun(100, func() { p.Route(r); p.Route(a) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAMFRoute(b *testing.B) {
	p := amfs(b, nil, 100, 100, 50)
	r := identity(home, 1, 0, 7, all(3))
	for b.Loop() {
		p.Route(r)
	}
}

// A GUAMI that its AMF calls unavailable: as if that AMF were down, for it alone.
// Facts: N1-13
func TestUnavailable(t *testing.T) {
	p := amfs(t, func(c *pool.AMFConfig) {
		c.Members[0].GUAMIs = append(c.Members[0].GUAMIs, pool.GUAMI{PLMN: home, Region: 1, Set: 1, Pointer: 60})
		c.Members[0].Away = []pool.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: 60}}
		c.Members[0].Backups = []uint16{3}
	}, 1, 1, 1)
	want(t, p, identity(home, 1, 60, 7, all(3)), 3, pool.OwnerDown)
	want(t, p, identity(home, 1, 60, 7, only(0, 1)), 2, pool.OwnerDown)
	want(t, p, identity(home, 1, 0, 7, all(3)), 1, pool.ByNRI)
}
