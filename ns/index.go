package ns

// Index finds the NSEs and NS-VCs of a Config at once, however many there are: a
// file with ten thousand NSEs is read in proportion to its length. The edits keep it
// up to date; who changes NSEs otherwise must not set one. It is no part of
// what is configured: a Clone has none.
type Index struct {
	nses map[uint16]int      // places in NSEs
	vcs  map[VCConfig]uint16 // NSEIs, by what sameVC compares
}

// Indexed gives the Config an Index for many edits or look-ups; false takes it away.
func (c *Config) Indexed(on bool) {
	c.Index = nil
	if !on {
		return
	}
	c.Index = &Index{make(map[uint16]int, len(c.NSEs)), map[VCConfig]uint16{}}
	for i := len(c.NSEs) - 1; i >= 0; i-- { // the first one counts
		e := &c.NSEs[i]
		c.Index.nses[e.NSEI] = i
		for _, v := range e.VCs {
			c.Index.vcs[v.wire()] = e.NSEI
		}
	}
}

// removed is told after something was taken out.
func (c *Config) removed() { c.Indexed(c.Index != nil) }

// wire is what an NS-VC is on the wire.
func (v VCConfig) wire() VCConfig {
	return VCConfig{Link: v.Link, Bind: v.Bind, Remote: v.Remote, DLCI: v.DLCI}
}

// holder returns the NSE that has the NS-VC, nil if none has.
func (c *Config) holder(v VCConfig) *NSEConfig {
	if c.Index != nil {
		if nsei, ok := c.Index.vcs[v.wire()]; ok {
			return c.NSE(nsei)
		}
		return nil
	}
	for i := range c.NSEs {
		for _, o := range c.NSEs[i].VCs {
			if sameVC(o, v) {
				return &c.NSEs[i]
			}
		}
	}
	return nil
}
