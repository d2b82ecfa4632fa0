package sctp

import (
	"fmt"
	"time"
)

// Options are the parameters of an association; those of a Listener hold for
// the associations that it accepts. NODELAY is always on: Nagle's algorithm
// beside delayed acknowledgements makes one-way signalling crawl.
type Options struct {
	HeartbeatInterval time.Duration // of each idle path
	PathMaxRetrans    uint16        // losses in a row that mark a path inactive
	AssocMaxRetrans   uint16        // losses in a row that end the association
	RTOInitial        time.Duration
	RTOMin            time.Duration
	RTOMax            time.Duration
	InitAttempts      uint16        // INITs sent in vain before Dial gives up
	InitTimeout       time.Duration // the longest time between two of them
	Streams           uint16        // outbound streams asked for, and inbound ones allowed
	SendBuffer        int           // octets, no message may be longer; 0: the stack's own; the kernel's limit is net.core.wmem_max
	ReceiveBuffer     int           // octets; 0: the stack's own; the kernel's limit is net.core.rmem_max
	DSCP              uint8         // 0..63, of every packet
	MaxMessage        int           // longest message taken from the peer, octets
	Backlog           int           // associations that wait for Accept
	// Encapsulation is the peer's UDP port for RFC 6951; 0: SCTP over IP.
	// The kernel takes it where sysctl net.sctp.udp_port is set, the userspace
	// stack where UserspaceOptions.UDPPort is.
	Encapsulation uint16
}

// Defaults are the options of a configuration that says nothing. They find a
// dead peer in about six seconds.
func Defaults() Options {
	return Options{
		HeartbeatInterval: time.Second,
		PathMaxRetrans:    2,
		AssocMaxRetrans:   4,
		RTOInitial:        500 * time.Millisecond,
		RTOMin:            200 * time.Millisecond,
		RTOMax:            2 * time.Second,
		InitAttempts:      4,
		InitTimeout:       2 * time.Second,
		Streams:           10,
		MaxMessage:        1 << 18,
		Backlog:           4096,
	}
}

// Validate tells the first value that no stack would take.
func (o *Options) Validate() error {
	for _, c := range []struct {
		ok   bool
		what string
	}{
		{o.HeartbeatInterval >= 10*time.Millisecond, "heartbeat-interval below 10 ms"},
		{o.RTOMin > 0 && o.RTOMin <= o.RTOInitial && o.RTOInitial <= o.RTOMax, "rto: not min <= initial <= max"},
		{o.AssocMaxRetrans > 0, "association-max-retrans 0"},
		{o.InitAttempts > 0, "init attempts 0"},
		{o.Streams > 0, "streams 0"},
		{o.DSCP < 64, "dscp above 63"},
		{o.MaxMessage >= 1500, "messages below 1500 octets"},
	} {
		if !c.ok {
			return fmt.Errorf("sctp: %s", c.what)
		}
	}
	return nil
}
