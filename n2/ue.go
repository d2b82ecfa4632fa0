package n2

import "time"

// ue is the binding of one UE of a gNB: 32 octets in a slab, found by its RAN UE
// NGAP ID.
type ue struct {
	amf    uint64 // AMF UE NGAP ID, the AMF's own; valid with hasAMF
	since  int64  // ns, gateway's clock: of the binding, or of what its state says
	tmsi   uint32 // 5G-TMSI that the UE came with; valid with hasTMSI
	ran    uint32
	guami  uint16 // Set and Pointer of the 5G-S-TMSI
	stream uint16 // of the gNB's association
	member uint8
	flags  ueFlags
}

// ueFlags is a UE's state.
type ueFlags uint16

const (
	hasAMF    ueFlags = 1 << iota // the AMF has answered: its ID is known
	hasTMSI                       // the UE came with a 5G-S-TMSI
	releasing                     // the AMF commanded the release: Complete ends it
	orphaned                      // its AMF was lost: ours to release, or to bind anew
	switching                     // a path switch was asked for
	suspended                     // the context is suspended; it counts as bound
	changing                      // a new AMF UE NGAP ID was given: see ueTable.changes
	unbound                       // released from its TNLA: the next uplink binds anew
	leaving                       // its release was asked for, and the AMF has not commanded it
	arriving                      // handed over to this gNB: Handover Notify is to come
	past                          // the association to its AMF has ended: see lives.go
)

func (u *ue) has(f ueFlags) bool { return u.flags&f != 0 }

func (u *ue) ref() ref { return ref{u.member, u.amf} }

// ueTable is the UEs of one gNB.
type ueTable struct {
	byRAN   compact[uint32, uint32] // place in slab, from 1
	slab    []*[slabPart]ue         // in parts: none is copied, and little is empty
	used    uint32                  // places that ever were in use
	free    []uint32                // of these, those that are not
	perAMF  [256]int                // UEs, by member's number
	pending map[uint32]pendingUE
	held    int            // octets of pending
	spare   [][]byte       // room of answered ones, for the next
	changes map[uint32]ref // the ID before New AMF UE NGAP ID, until the answer
}

// pendingUE is an Initial UE Message that no AMF has answered yet.
type pendingUE struct {
	pdu []byte // as the gNB sent it
	at  time.Time
}

const (
	maxPending = 4096    // messages kept for a second try, per gNB
	maxHeld    = 1 << 20 // octets of these
	maxSpare   = 16      // rooms, of
	maxRoom    = 1 << 10 // octets each
	slabPart   = 64
)

func newUETable() *ueTable {
	return &ueTable{pending: make(map[uint32]pendingUE), changes: make(map[uint32]ref)}
}

// at returns the UE at a place.
func (t *ueTable) at(place uint32) *ue { return &t.slab[(place-1)/slabPart][(place-1)%slabPart] }

// get returns the UE with a RAN UE NGAP ID, nil when there is none. It is valid
// until that UE's del.
func (t *ueTable) get(ran uint32) *ue {
	place, ok := t.byRAN.get(ran)
	if !ok {
		return nil
	}
	return t.at(place)
}

// add enters u, whose RAN UE NGAP ID is free.
func (t *ueTable) add(u ue) *ue {
	place := t.room()
	t.byRAN.put(u.ran, place)
	t.perAMF[u.member]++
	p := t.at(place)
	*p = u
	return p
}

// room is a place in slab that is not in use.
func (t *ueTable) room() uint32 {
	if n := len(t.free); n > 0 {
		place := t.free[n-1]
		t.free = t.free[:n-1]
		return place
	}
	if t.used%slabPart == 0 {
		t.slab = append(t.slab, new([slabPart]ue))
	}
	t.used++
	return t.used
}

// del takes a UE out.
func (t *ueTable) del(ran uint32) {
	place, ok := t.byRAN.get(ran)
	if !ok {
		return
	}
	u := t.at(place)
	t.perAMF[u.member]--
	t.byRAN.del(ran)
	t.answered(ran)
	delete(t.changes, ran)
	*u = ue{}
	t.free = append(t.free, place)
}

// move binds a UE to another member.
func (t *ueTable) move(u *ue, member uint8) {
	t.perAMF[u.member]--
	t.perAMF[member]++
	u.member, u.amf = member, 0
	u.flags &^= hasAMF | orphaned | unbound | changing | leaving | arriving | past
}

// each calls f with every UE; f must neither add nor delete.
func (t *ueTable) each(f func(u *ue)) {
	for _, part := range t.slab {
		for i := range part {
			if u := &part[i]; u.since != 0 { // else the place is not in use
				f(u)
			}
		}
	}
}

// len is how many UEs there are.
func (t *ueTable) len() int { return t.byRAN.n }

// keep remembers the Initial UE Message of ran for a second try, as far as there
// is room.
func (t *ueTable) keep(ran uint32, pdu []byte, now time.Time) {
	if len(t.pending) < maxPending && t.held+len(pdu) <= maxHeld {
		t.answered(ran)
		t.pending[ran] = pendingUE{append(t.empty(), pdu...), now}
		t.held += len(pdu)
	}
}

// empty is room for a message: where one was that has been answered, if there is one.
func (t *ueTable) empty() (b []byte) {
	if n := len(t.spare); n > 0 {
		b, t.spare = t.spare[n-1], t.spare[:n-1]
	}
	return b
}

// answered forgets the Initial UE Message of ran.
func (t *ueTable) answered(ran uint32) {
	if p, ok := t.pending[ran]; ok {
		t.held -= len(p.pdu)
		delete(t.pending, ran)
		if len(t.spare) < maxSpare && cap(p.pdu) <= maxRoom {
			t.spare = append(t.spare, p.pdu[:0])
		}
	}
}

// of returns the RAN UE NGAP IDs of a member's UEs.
func (t *ueTable) of(member uint8) []uint32 {
	if t.perAMF[member] == 0 {
		return nil
	}
	list := make([]uint32, 0, t.perAMF[member])
	t.byRAN.each(func(ran, place uint32) bool {
		if t.at(place).member == member {
			list = append(list, ran)
		}
		return true
	})
	return list
}

// all returns the RAN UE NGAP IDs of all UEs.
func (t *ueTable) all() []uint32 {
	list := make([]uint32, 0, t.len())
	t.byRAN.each(func(ran, _ uint32) bool {
		list = append(list, ran)
		return true
	})
	return list
}
