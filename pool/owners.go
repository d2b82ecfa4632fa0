package pool

import "poolgw/nri"

// ownerTable tells for each NRI the members whose ranges hold it, in
// configuration order, so that a look-up costs one load however many ranges
// there are. A list of owners is a chain of nodes; NRIs with the same owners
// share it.
type ownerTable struct {
	table []uint32 // NRI -> its first node, noOwner if none
	nodes []ownerNode
}

type ownerNode struct {
	member uint16 // index
	next   uint32 // node of the next owner, noOwner if none
}

const noOwner = 0 // nodes[0] is not used

func newOwnerTable(members []Member, bitLen uint8) ownerTable {
	t := ownerTable{nodes: make([]ownerNode, 1)}
	if bitLen == 0 {
		return t
	}
	t.table = make([]uint32, 1<<bitLen)
	// From the last member to the first, each put before the owners so far.
	for i := len(members) - 1; i >= 0; i-- {
		t.prepend(uint16(i), members[i].NRI)
	}
	return t
}

func (t *ownerTable) prepend(member uint16, set nri.Set) {
	made := make(map[uint32]uint32) // next -> node
	for _, r := range set {
		for v := int(r.First); v <= int(r.Last) && v < len(t.table); v++ {
			next := t.table[v]
			node, ok := made[next]
			if !ok {
				node = uint32(len(t.nodes))
				t.nodes = append(t.nodes, ownerNode{member, next})
				made[next] = node
			}
			t.table[v] = node
		}
	}
}

func (t *ownerTable) first(v nri.V) uint32 {
	if int(v) >= len(t.table) {
		return noOwner
	}
	return t.table[v]
}

// holds reports whether member is in the chain that begins at node.
func (t *ownerTable) holds(node uint32, member int) bool {
	for ; node != noOwner; node = t.nodes[node].next {
		if int(t.nodes[node].member) == member {
			return true
		}
	}
	return false
}

// nullTable tells the NULL-NRIs.
type nullTable struct {
	any    bitset
	byPLMN []plmnNull // few; nil when none has its own
}

type plmnNull struct {
	plmn nri.PLMN
	bits bitset
}

func newNullTable(set nri.NullSet, bitLen uint8) nullTable {
	t := nullTable{any: newBitset(set.Any, bitLen)}
	for p, s := range set.ByPLMN {
		if len(s) > 0 {
			t.byPLMN = append(t.byPLMN, plmnNull{p, newBitset(s, bitLen)})
		}
	}
	return t
}

func (t *nullTable) contains(p nri.PLMN, v nri.V) bool {
	if t.any.has(v) {
		return true
	}
	for i := range t.byPLMN {
		if t.byPLMN[i].plmn == p {
			return t.byPLMN[i].bits.has(v)
		}
	}
	return false
}

// bitset has one bit for each NRI; nil is empty.
type bitset []uint64

func newBitset(set nri.Set, bitLen uint8) bitset {
	if len(set) == 0 || bitLen == 0 {
		return nil
	}
	b := make(bitset, (1<<bitLen+63)/64)
	for _, r := range set {
		for v := int(r.First); v <= int(r.Last) && v < 1<<bitLen; v++ {
			b[v/64] |= 1 << (v % 64)
		}
	}
	return b
}

func (b bitset) has(v nri.V) bool {
	return int(v/64) < len(b) && b[v/64]&(1<<(v%64)) != 0
}
