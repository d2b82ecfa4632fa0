package pool

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"poolgw/nri"
)

// Errors of New; they are wrapped with what is wrong.
var (
	ErrTooMany   = errors.New("pool: too many members")
	ErrDuplicate = errors.New("pool: member given twice")
	ErrBitLen    = errors.New("pool: NRI length not in 0..15")
)

// Config is all that a Pool is built of.
type Config struct {
	BitLen        uint8          // NRI length in bits, 0..nri.MaxBitLen; 0: pooling off
	Null          nri.NullSet    // NULL-NRIs
	OwnerDownHold time.Duration  // how long an owner's subscribers wait for it
	Members       []MemberConfig // in configuration order: earlier ones win overlaps
}

// Pool is a set of members with its lookup tables, immutable but for the state
// of its members, and safe for use by any number of goroutines.
type Pool struct {
	members []Member
	bitLen  uint8
	hold    time.Duration
	byID    []idIndex // sorted by ID
	owners  ownerTable
	null    nullTable
}

type idIndex struct {
	id    uint16
	index uint16
}

// New builds a Pool. Members that prev has too (by ID) keep their state; new
// ones are down. prev may be nil. The error wraps ErrTooMany, ErrDuplicate or
// ErrBitLen.
func New(cfg Config, prev *Pool) (*Pool, error) {
	if cfg.BitLen > nri.MaxBitLen {
		return nil, fmt.Errorf("%w: %d", ErrBitLen, cfg.BitLen)
	}
	if len(cfg.Members) > MaxMembers {
		return nil, fmt.Errorf("%w: %d, at most %d", ErrTooMany, len(cfg.Members), MaxMembers)
	}
	p := &Pool{bitLen: cfg.BitLen, hold: cfg.OwnerDownHold, members: make([]Member, len(cfg.Members))}
	for i, mc := range cfg.Members {
		mc.NRI = mc.NRI.Clone()
		p.members[i] = Member{MemberConfig: mc, Index: i, state: entry(prev, mc.ID), seed: memberSeed(mc.ID)}
	}
	if err := p.indexIDs(); err != nil {
		return nil, err
	}
	p.owners = newOwnerTable(p.members, p.bitLen)
	p.null = newNullTable(cfg.Null, p.bitLen)
	return p, nil
}

// entry is the state of member id in prev, else a new one.
func entry(prev *Pool, id uint16) *atomic.Int64 {
	if prev != nil {
		if m := prev.Member(id); m != nil {
			return m.state
		}
	}
	return new(atomic.Int64)
}

func (p *Pool) indexIDs() error {
	p.byID = make([]idIndex, len(p.members))
	for i := range p.members {
		p.byID[i] = idIndex{p.members[i].ID, uint16(i)}
	}
	slices.SortFunc(p.byID, func(a, b idIndex) int { return cmp.Compare(a.id, b.id) })
	for i := 1; i < len(p.byID); i++ {
		if p.byID[i].id == p.byID[i-1].id {
			return fmt.Errorf("%w: %d", ErrDuplicate, p.byID[i].id)
		}
	}
	return nil
}

// Members returns the members in configuration order, for reading. Their
// addresses are valid as long as the Pool is.
func (p *Pool) Members() []Member { return p.members }

// Member returns the member with that ID, or nil.
func (p *Pool) Member(id uint16) *Member {
	lo, hi := 0, len(p.byID)
	for lo < hi {
		if mid := (lo + hi) / 2; p.byID[mid].id < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(p.byID) && p.byID[lo].id == id {
		return &p.members[p.byID[lo].index]
	}
	return nil
}

// BitLen is the NRI length in bits.
func (p *Pool) BitLen() uint8 { return p.bitLen }

// Owner returns the first member in configuration order whose ranges hold v, or
// nil; also when it is down.
func (p *Pool) Owner(v nri.V) *Member {
	if n := p.owners.first(v); n != noOwner {
		return &p.members[p.owners.nodes[n].member]
	}
	return nil
}

// Up is the number of members that are up.
func (p *Pool) Up() int {
	n := 0
	for i := range p.members {
		if p.members[i].Up() {
			n++
		}
	}
	return n
}

// Open is the number of members that are up and allow attach: 0 means that the
// pool is down for new subscribers.
func (p *Pool) Open() int {
	n := 0
	for i := range p.members {
		if m := &p.members[i]; m.AllowAttach && m.Up() {
			n++
		}
	}
	return n
}
