package gb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"poolgw/gb"
	"poolgw/ns"
)

// static is config with SGSN 101 by static UDP.
func static() gb.Config {
	c := config(2)
	c.NS.NSEs[0] = ns.NSEConfig{NSEI: 101, Dialect: ns.DialectStaticAlive, VCs: []ns.VCConfig{
		{Link: ns.LinkUDP, Bind: "sgsn", Remote: sgsnAddr(101), SigWeight: 1, DataWeight: 1}}}
	return c
}

// An SGSN may see us alive before we see it alive, and reset at once: it is
// acknowledged as soon as that is possible, and no reset of ours crosses it.
func TestResetBeforeAlive(t *testing.T) {
	run(t, static(), func(b *bed) {
		sgsn := b.at(101)
		sgsn.set(true, false)
		time.Sleep(5 * time.Minute)
		if b.snapshot().Pool.SGSNs[0].Up {
			t.Fatal("a dead SGSN is up")
		}
		sgsn.taken()
		sgsn.sig("22 04820000 078108")
		sgsn.set(false, false)
		time.Sleep(4 * time.Second)
		in := fmt.Sprint(sgsn.taken())
		if !strings.HasPrefix(in, "[0:2304820000") || strings.Contains(in, "0:22") {
			t.Errorf("the SGSN got %s, want BVC-RESET-ACK and no BVC-RESET", in)
		}
		if !b.snapshot().Pool.SGSNs[0].Up {
			t.Error("the SGSN is not up")
		}
	})
}

// One that came long before the NSE is alive is forgotten: ours follows.
func TestResetLongBeforeAlive(t *testing.T) {
	run(t, static(), func(b *bed) {
		sgsn := b.at(101)
		sgsn.set(true, false)
		time.Sleep(5 * time.Minute)
		sgsn.sig("22 04820000 078108")
		time.Sleep(time.Minute)
		sgsn.taken()
		sgsn.set(false, false)
		time.Sleep(4 * time.Second)
		if in := fmt.Sprint(sgsn.taken()); !strings.HasPrefix(in, "[0:2204820000") {
			t.Errorf("the SGSN got %s, want BVC-RESET", in)
		}
	})
}

// A subscriber that changes its TLLI is one subscriber, once the SGSN says so.
func TestChangedTLLICountsOnce(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		const random, local = 0x78001234, 0xc0181234 // NRI 3
		from := goesTo(b, random)
		bound := func() string {
			s := b.snapshot().Pool.SGSNs
			return fmt.Sprint(s[0].Bound, s[1].Bound)
		}
		before := bound()
		change := fmt.Sprintf("00%08x000080 168203e8 1f84%08x 0e8101", local, random)
		b.at(from).send(20011, change)
		b.clear()
		if before != bound() {
			t.Errorf("bound %s before, %s after the change of TLLI", before, bound())
		}
		if to := goesTo(b, random); to != from {
			t.Errorf("a repetition with the old TLLI went to %d, not to %d", to, from)
		}
	})
}
