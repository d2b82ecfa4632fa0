package lab

import (
	"testing"
	"time"

	"poolgw/nri"
)

func testRegister(now time.Time) *Register {
	r := NewRegister(10, nri.Set{nri.Single(0)})
	r.setMember(101, nri.Set{{First: 1, Last: 10}}, true, now.Add(-time.Hour))
	r.setMember(102, nri.Set{{First: 11, Last: 20}}, false, now.Add(-time.Hour))
	r.setMember(103, nri.Set{{First: 21, Last: 30}}, true, now.Add(-time.Second))
	return r
}

// A PDU is at the wrong SGSN when the owner of its NRI is another that has been
// up for a while.
func TestWrong(t *testing.T) {
	now := time.Unix(100000, 0)
	r := testRegister(now)
	local := func(v nri.V) uint32 { return nri.WithNRI(0xc0000000, v, 10) }
	for _, c := range []struct {
		name string
		tlli uint32
		nsei uint16
		want bool
	}{
		{"owner", local(5), 101, false},
		{"owner is another", local(5), 102, true},
		{"foreign TLLI, owner is another", nri.ForeignTLLI(local(5)), 102, true},
		{"owner is down", local(15), 101, false},
		{"owner just came up", local(25), 101, false},
		{"nobody owns it", local(99), 101, false},
		{"NULL-NRI", local(0), 101, false},
		{"random TLLI", 0x78000000 | local(5)&0x00ffffff, 102, false},
	} {
		if got := r.wrong(c.tlli, c.nsei, now); got != c.want {
			t.Errorf("%s: wrong = %t", c.name, got)
		}
	}
}

func TestBoundCountsTheLastPlace(t *testing.T) {
	now := time.Unix(100000, 0)
	r := testRegister(now)
	at := func(tlli uint32, nsei uint16, age time.Duration) { r.saw(tlli, nsei, now.Add(-age)) }
	at(0xc0000001, 101, 50*time.Second)
	at(0xc0000001, 102, 10*time.Second) // went elsewhere
	at(0x80000002, 101, 10*time.Second) // foreign and local are one
	at(0xc0000002, 101, 5*time.Second)
	at(0x78000003, 101, 5*time.Second)  // random: not in least
	at(0xc0000004, 101, 59*time.Second) // within slack of the window's end
	at(0xc0000005, 101, 61*time.Second)
	at(0xc0000006, 101, 64*time.Second) // beyond
	least, most := r.Bound(time.Minute, 3*time.Second, now)
	if least[101] != 1 || most[101] != 4 || least[102] != 1 || most[102] != 1 {
		t.Errorf("least %v, most %v", least, most)
	}
	r.Bound(time.Minute, 3*time.Second, now.Add(time.Hour))
	if len(r.seen) != 0 {
		t.Errorf("%d old sightings are kept", len(r.seen))
	}
}
