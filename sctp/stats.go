package sctp

import (
	"net/netip"
	"time"
)

// Stats is what a stack tells of an association; figures that it does not
// know are 0.
type Stats struct {
	State                   AssocState
	InMessages, OutMessages uint64 // user messages given by Recv, taken by Send
	InOctets, OutOctets     uint64 // of user data
	Retransmitted           uint64 // DATA chunks sent again
	InStreams, OutStreams   uint16 // as negotiated
	Unacked                 uint64 // DATA chunks sent and not acknowledged
	Full                    uint64 // Sends refused with ErrFull
	Paths                   []PathStats
}

// PathStats is one path of an association.
type PathStats struct {
	Path
	Local      netip.Addr // where the stack tells it
	Primary    bool
	SRTT, RTO  time.Duration
	CongWindow uint32 // octets
	MTU        uint32 // octets
}
