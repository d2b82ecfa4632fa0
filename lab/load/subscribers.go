package load

import (
	"errors"
	"math/rand/v2"

	"poolgw/nri"
)

// subscriber is one TLLI and what is known of its PDUs in both directions.
type subscriber struct {
	tlli  uint32
	cell  uint16 // index among all cells
	bss   uint16 // index of the BSS that has it
	owner uint16 // index of the SGSN
	sent  [2]uint32
	order [2]order
}

// subscribers are all, and who sends to whom.
type subscribers struct {
	all    []subscriber
	ofBSS  [][]uint32 // indices
	ofSGSN [][]uint32
}

var errNRIs = errors.New("load: the NRIs of the SGSNs leave nobody to send to")

// newSubscribers draws n different local TLLIs, whose NRIs are spread over all
// that the SGSNs own, in turn for each cell.
func newSubscribers(n, bsss, cells int, sgsns []SGSN, bitLen uint8, rng *rand.Rand) (*subscribers, error) {
	owner := make(map[nri.V]uint16)
	for i := len(sgsns) - 1; i >= 0; i-- { // the first one wins, as in the gateway
		for _, r := range sgsns[i].NRI {
			for v := int(r.First); v <= int(r.Last) && v < 1<<bitLen; v++ {
				owner[nri.V(v)] = uint16(i)
			}
		}
	}
	if len(owner) == 0 {
		return nil, errNRIs
	}
	s := &subscribers{ofBSS: make([][]uint32, bsss), ofSGSN: make([][]uint32, len(sgsns))}
	taken := make(map[uint32]bool, n)
	for len(s.all) < n {
		tlli := nri.LocalTLLI(rng.Uint32())
		o, ok := owner[nri.FromTMSI(tlli, bitLen)]
		if !ok || taken[tlli] {
			continue
		}
		taken[tlli] = true
		i := uint32(len(s.all))
		c := int(i) % (bsss * cells)
		b := uint16(c / cells)
		s.all = append(s.all, subscriber{tlli: tlli, cell: uint16(c), bss: b, owner: o})
		s.ofBSS[b] = append(s.ofBSS[b], i)
		s.ofSGSN[o] = append(s.ofSGSN[o], i)
	}
	return s, nil
}
