package ns

import "crypto/sha256"

// answers remembers what the peer's last procedures were answered, by their
// transaction: one that comes again, because our answer was lost or because it
// was overtaken, gets the same answer and is not done twice. A transaction that
// is used anew for something else replaces the old one.
type answers struct {
	list [rememberedAnswers]answer
	next int
}

const rememberedAnswers = 4

type answer struct {
	id      uint8
	request [sha256.Size]byte
	octets  []byte // nil: none
}

// find returns the answer that a request has had.
func (a *answers) find(id uint8, request [sha256.Size]byte) []byte {
	for _, e := range a.list {
		if e.octets != nil && e.id == id && e.request == request {
			return e.octets
		}
	}
	return nil
}

func (a *answers) add(id uint8, request [sha256.Size]byte, octets []byte) {
	for i, e := range a.list {
		if e.octets != nil && e.id == id {
			a.list[i] = answer{id, request, octets}
			return
		}
	}
	a.list[a.next%rememberedAnswers] = answer{id, request, octets}
	a.next++
}
