package ns

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestIndexedEdits has edits by chance refused or made alike with an Index and
// without one.
func TestIndexedEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	plain, indexed := Config{}, Config{}
	indexed.Indexed(true)
	refused := 0
	for range 20000 {
		nsei, n := uint16(rng.IntN(40)), rng.IntN(60)
		v := VCConfig{Link: LinkUDP, Bind: fmt.Sprint("b", n%3), Remote: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(n)}), 23000)}
		if n%7 == 0 {
			v.NSVCI, v.HasNSVCI = uint16(n), true
		}
		what := rng.IntN(12)
		edit := func(c *Config) error {
			switch what {
			case 0:
				return c.RemoveNSE(nsei)
			case 1:
				return c.RemoveVC(nsei, v)
			case 2:
				return c.RemoveNSVCI(nsei, uint16(n))
			case 3:
				return c.AddBind(LinkUDP, v.Bind)
			case 4:
				if n < 10 {
					return c.RemoveBind(v.Bind)
				}
				return nil
			case 5, 6, 7:
				return c.AddNSE(nsei, RoleBSS)
			}
			return c.AddVC(nsei, v)
		}
		a, b := edit(&plain), edit(&indexed)
		if a != b {
			t.Fatalf("%v without, %v with an index", a, b)
		}
		if a != nil {
			refused++
		}
	}
	if d := cmp.Diff(plain, indexed.Clone(), pduCmp); d != "" {
		t.Error(d)
	}
	if len(plain.NSEs) == 0 || refused < 1000 {
		t.Errorf("%d NSEs, %d refusals", len(plain.NSEs), refused)
	}
}

// TestIndexedEditsTakeTimeInProportion adds 2,000 and 60,000 NSEs: thirty times the
// lines take nowhere near 900 times the time.
func TestIndexedEditsTakeTimeInProportion(t *testing.T) {
	add := func(n int) time.Duration {
		var c Config
		c.Indexed(true)
		start := time.Now()
		for i := range n {
			at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 23000)
			if c.AddNSE(uint16(i), RoleBSS) != nil || c.AddVC(uint16(i), VCConfig{Link: LinkUDP, Bind: "b", Remote: at}) != nil {
				t.Fatal("refused")
			}
		}
		return time.Since(start)
	}
	few, many := time.Hour, time.Hour
	for range 5 {
		few, many = min(few, add(2000)), min(many, add(60000))
	}
	if ratio := float64(many) / float64(few); ratio > 300 {
		t.Errorf("30 times the NSEs take %.0f times as long: %v and %v", ratio, few, many)
	}
}
