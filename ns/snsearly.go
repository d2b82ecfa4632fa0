package ns

import (
	"bytes"
	"time"
)

// A BSS that has sent its SNS-CONFIG-ACK uses all of its NS-VCs at once. What
// comes to another bind of ours may be read before that answer: a little of it
// waits here until the mesh is made, so that the BSS need not repeat its
// NS-ALIVEs and BVC-RESETs.

// maxEarly is how many datagrams wait for the mesh of one NSE.
const maxEarly = 8

// held is a datagram that waits.
type held struct {
	path
	dgram []byte
}

func newHeld(src path, dgram []byte) held { return held{src, bytes.Clone(dgram)} }

// keep has a datagram wait for the mesh; false: it is not one of these.
func (x *sns) keep(src path, dgram []byte) bool {
	t := PDUType(dgram[0])
	if x.state != snsWaitConfigAck || t != PDUUnitdata && t != PDUAlive || len(x.early) >= maxEarly {
		return false
	}
	x.early = append(x.early, newHeld(src, dgram))
	return true
}

// dropEarly gives up what waits: the BSS has repeated it, or never will.
func (x *sns) dropEarly() {
	for _, h := range x.early {
		h.bind.drop(DropState)
	}
	x.early = nil
}

// replay deals with what waited for meshes that are made now.
func (s *Stack) replay(now time.Time) {
	for len(s.early) > 0 {
		h := s.early[0]
		s.early = s.early[1:]
		s.receive(now, h.bind, h.remote, h.dgram)
	}
	s.early = nil
}
