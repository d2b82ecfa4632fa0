package pool

import "fmt"

// Reason is why a Decision is as it is; its String is a metrics label.
type Reason uint8

const (
	ByNRI         Reason = iota // the owner of the NRI is up
	OverlapSecond               // several own the NRI, the first of them is down
	NullNRI                     // the NRI is a NULL-NRI
	Unowned                     // nobody owns the NRI
	OwnerDown                   // the owner is down: the subscriber will attach anew
	Hold                        // the owner is down, its subscribers still wait: drop
	NoNRI                       // random, auxiliary or reserved TLLI
	NoIdentity                  // the PDU names no subscriber
	BitLenZero                  // NRI length 0: pooling off
	Pinned                      // seen going there lately
	Fixed                       // the operator fixed the choice
	NoMember                    // nobody is left: drop
	Reasons       = iota        // their number
)

var reasons = [Reasons]struct{ name, text string }{
	ByNRI:         {"nri", "it owns the NRI"},
	OverlapSecond: {"overlap_second", "it owns the NRI, and every earlier owner is down"},
	NullNRI:       {"null_nri", "the NRI is a NULL-NRI, chosen by hash among the others"},
	Unowned:       {"unowned", "nobody owns the NRI, chosen by hash"},
	OwnerDown:     {"owner_down", "the owner of the NRI is down, chosen by hash; the subscriber will attach anew"},
	Hold:          {"hold", "the owner of the NRI is down and owner-down-hold runs"},
	NoNRI:         {"no_nri", "the identity carries no NRI, chosen by hash"},
	NoIdentity:    {"no_identity", "no identity is given"},
	BitLenZero:    {"bitlen_zero", "the NRI length is 0 (pooling off), chosen by hash"},
	Pinned:        {"pinned", "seen going there lately"},
	Fixed:         {"fixed", "sgsn-pool nsf fixed"},
	NoMember:      {"no_member", "no member is up and allows attach"},
}

// String is the reason's name: "nri", "null_nri", …
func (r Reason) String() string {
	if r < Reasons {
		return reasons[r].name
	}
	return fmt.Sprintf("Reason(0x%02X)", uint8(r))
}

// Text is the reason in words, a clause after the member's name.
func (r Reason) Text() string {
	if r < Reasons {
		return reasons[r].text
	}
	return r.String()
}
