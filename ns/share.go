package ns

// share is the load sharing of an NSE: an immutable table of its unblocked
// NS-VCs that workers read through an atomic pointer. An NS-VC of weight 0
// stands in no list, so that it is never chosen and no sum divides by zero.
type share struct {
	data, sig       []shareEntry
	dataSum, sigSum uint32
	mtu             int  // the least of its NS-VCs, in octets; 0: none
	frames          bool // Frame Relay: BVCI 0 goes by the rule of all others
}

// shareEntry covers the indexes below upTo that no entry before it covers.
type shareEntry struct {
	upTo uint32
	vc   *VC
	bind *bind // vc's: workers do not read that of the NS-VC, which may change
	mtu  int   // of bind
}

// newShare builds the table from the NS-VCs that are unblocked.
func newShare(vcs []*VC) *share {
	s := &share{}
	for _, v := range vcs {
		if v.current() != stUnblocked || v.leaving {
			continue
		}
		s.frames = v.bind.fr != nil
		if m := v.bind.mtu(); s.mtu == 0 || m < s.mtu {
			s.mtu = m
		}
		if v.dataWeight > 0 {
			s.dataSum += uint32(v.dataWeight)
			s.data = append(s.data, shareEntry{s.dataSum, v, v.bind, v.bind.mtu()})
		}
		if v.sigWeight > 0 {
			s.sigSum += uint32(v.sigWeight)
			s.sig = append(s.sig, shareEntry{s.sigSum, v, v.bind, v.bind.mtu()})
		}
	}
	return s
}

// carries tells whether the NSE is available: signalling and data have a way.
func (s *share) carries() bool { return s.dataSum > 0 && s.sigSum > 0 }

func choose(list []shareEntry, index uint32) *shareEntry {
	for i := range list {
		if index < list[i].upTo {
			return &list[i]
		}
	}
	return nil
}

// pick chooses the NS-VC for a PDU: of data weights by (BVCI + LSP) mod their
// sum, TS 48.016 4.4a, so that a subscriber keeps to one NS-VC; signalling
// (BVCI 0) by turn in the proportion of its weights, but over Frame Relay, whose
// NS-VCs have weight 1, as data. It returns nil when the NSE is not available.
func (s *share) pick(bvci uint16, lsp uint32, turn *uint32) *shareEntry {
	if s == nil || !s.carries() {
		return nil
	}
	if bvci == 0 && !s.frames {
		*turn++
		return choose(s.sig, (*turn-1)%s.sigSum)
	}
	return choose(s.data, uint32((uint64(bvci)+uint64(lsp))%uint64(s.dataSum)))
}
