package pool

import "math"

// Weighted rendezvous hashing: each member draws a number for the subscriber's
// key and the best one wins. Whatever happens to one member, the draws of the
// others stay, so that only its own subscribers move. A draw depends on the key
// and the member's ID alone, so that every gateway chooses alike, whatever the
// order of its members.

// mix is a bijection of 64 bits whose every output bit depends on every input
// bit (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

func memberSeed(id uint16) uint64 { return mix(uint64(id) + 0x9E3779B97F4A7C15) }

// draw is the number that a member with that seed draws for a key; mixedKey is
// mix of it.
func draw(mixedKey, seed uint64) uint64 { return mix(mixedKey ^ seed) }

// cost of a draw u for a weight: exponentially distributed with the weight as
// its rate, so that the least cost falls to each member in proportion to its
// weight. It is infinite for weight 0: any other member comes before.
func cost(u uint64, weight uint16) float64 {
	unit := (float64(u>>12) + 0.5) / (1 << 52) // exact, above 0 and below 1
	return -math.Log(unit) / float64(weight)
}

// contender is the best member so far.
type contender struct {
	member *Member
	draw   uint64
	weight uint16
}

// beats reports whether m with its draw and weight comes before c. The
// logarithms are needed only when one has the better draw and the other the
// greater weight: never in a pool of equal weights.
func (c *contender) beats(m *Member, draw uint64, weight uint16) bool {
	switch {
	case c.member == nil:
		return true
	case draw == c.draw && weight == c.weight:
		return m.ID < c.member.ID
	case draw >= c.draw && weight >= c.weight:
		return true
	case draw <= c.draw && weight <= c.weight:
		return false
	}
	a, b := cost(draw, weight), cost(c.draw, c.weight)
	return a < b || a == b && m.ID < c.member.ID
}

// KeyOf makes a subscriber's key of a text such as an IMSI (FNV-1a, 64 bits).
func KeyOf(text string) uint64 {
	h := uint64(0xCBF29CE484222325)
	for i := 0; i < len(text); i++ {
		h = (h ^ uint64(text[i])) * 0x100000001B3
	}
	return h
}
