package n2

import "fmt"

// Leaks tells what a gateway that was stopped still holds.
func (g *Gateway) Leaks() (list []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	say := func(what string, n int) {
		if n != 0 {
			list = append(list, fmt.Sprintf("%s: %d", what, n))
		}
	}
	say("gNBs", len(g.gnbs))
	say("gNB IDs", len(g.nodes))
	for i := range g.bindings.shards {
		say("bindings", g.bindings.shards[i].one.n)
		say("older bindings", len(g.bindings.shards[i].old))
	}
	say("large IDs", len(g.overflow.byRef))
	say("numbers of large IDs", len(g.overflow.byN))
	for _, m := range g.members {
		say(m.label+" associations", int(m.legs.Load()))
		say(m.label+" UEs", int(m.bound.Load()))
		if len(m.away) > 256 {
			say(m.label+" unavailable GUAMIs", len(m.away))
		}
	}
	for i := range g.affinity.shards {
		if n := g.affinity.shards[i].m.n; n > affinityShare {
			say("affinity", n)
		}
	}
	return list
}

// RaceDetector tells whether it is on.
func RaceDetector() bool { return raceDetector }
