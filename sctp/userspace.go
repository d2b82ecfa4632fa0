package sctp

// UserspaceOptions are those of the one userspace stack of this process. It
// learns the host's addresses when it starts, and never later.
type UserspaceOptions struct {
	// UDPPort is where the stack takes SCTP over UDP (RFC 6951); 0: nowhere.
	UDPPort uint16
	// Shared says that other SCTP stacks use this host's addresses too: packets
	// that belong to no association of ours are left to them, not aborted.
	Shared bool
}

// Room is the kernel's for packets that wait for the userspace stack. What finds none
// is lost, and sent again after a time-out.
type Room struct {
	Octets  int    `json:"octets"`  // of which a small packet takes some 800; 0: the stack was not started
	Asked   int    `json:"asked"`   // octets that it would like to have
	Dropped uint64 `json:"dropped"` // packets
}
