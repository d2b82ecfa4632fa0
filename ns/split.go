package ns

// User data and the rest on sockets of their own: at more user data than the
// workers can carry, it is user data that the kernel drops, and not the
// NS-ALIVE, NS-ALIVE-ACK or BVC-RESET that waits behind it.
//
// The rest is read by one goroutine per bind, so that it keeps its order: NS
// control, BVCI 0 and 1, and what the DataPath leaves to the loop. User data
// keeps its order too, but may overtake the rest and be overtaken by it.

// UserData tells which NS SDUs on PTP BVCs (BVCI from 2 on) the DataPath
// decides, by their first octet; nil: all.
type UserData *[256]bool

// Splitter is what a Network may offer besides: a socket of its own, on the same
// address, for what is no user data.
type Splitter interface {
	// Split opens that socket beside those of Listen. An error tells that it can't
	// be had; conns get everything then, as without Split.
	Split(b BindConfig, conns []Conn, data UserData) (Conn, error)
}

// listen opens the sockets of a bind: one for each worker, and behind them that
// for what is no user data if it can be had.
func (s *Stack) listen(c BindConfig) ([]Conn, error) {
	conns, err := s.network.Listen(c, s.workers)
	if err != nil {
		return nil, err
	}
	sp, ok := s.network.(Splitter)
	if !ok || c.Link != LinkUDP {
		return conns, nil
	}
	control, err := sp.Split(c, conns, s.userData)
	if err != nil {
		s.log.Info("NS control has no socket of its own: user data in excess may delay it", "cat", "lns", "bind", c.Name, "err", err)
		return conns, nil
	}
	return append(conns, control), nil
}

// split tells whether a bind has a socket for what is no user data.
func (b *bind) split() bool { return len(b.conns) > len(b.drops)-1 }

// awaitUnblock has user data wait for the NS-UNBLOCK-ACK that the peer has sent
// before it but on the other socket; false: it is not that.
func (v *VC) awaitUnblock(src path, dgram []byte) bool {
	if !v.bind.split() || v.current() != stBlocked || v.omBlocked || v.peerBlocked || v.proc.pos == 0 || len(v.waiting) >= maxEarly {
		return false
	}
	v.waiting = append(v.waiting, newHeld(src, dgram))
	return true
}

// releaseWaiting has what waited dealt with.
func (v *VC) releaseWaiting() {
	v.stack.early = append(v.stack.early, v.waiting...)
	v.waiting = nil
}

// dropWaiting gives up what waited.
func (v *VC) dropWaiting() {
	for _, h := range v.waiting {
		h.bind.drop(DropBlocked)
	}
	v.waiting = nil
}
