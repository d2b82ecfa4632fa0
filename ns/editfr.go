package ns

import (
	"net/netip"
	"slices"
)

// SetFR names the net device of a Frame Relay bind and its side.
func (c *Config) SetFR(name, netif string, network bool) error {
	b := c.Bind(name)
	if b == nil {
		return refuse("bind %s does not exist!", name)
	}
	if b.Link != LinkFR {
		return errNotFR
	}
	for i := range c.Binds {
		if c.Binds[i].Link == LinkFR && c.Binds[i].FRNetIf == netif && &c.Binds[i] != b {
			return errNetIfUsed(netif)
		}
	}
	b.FRNetIf, b.FRNetwork = netif, network
	return nil
}

func errNetIfUsed(netif string) error { return refuse("Interface %s already used.", netif) }

// ClearFR takes the net device from a Frame Relay bind, and with it the NS-VCs
// on it.
func (c *Config) ClearFR(name, netif string) error {
	b := c.Bind(name)
	switch {
	case b == nil:
		return refuse("bind %s does not exist!", name)
	case b.Link != LinkFR:
		return errNotFR
	case b.FRNetIf != netif:
		return refuse("Interface not found.")
	}
	c.removeLine(netif)
	b.FRNetIf, b.FRNetwork = "", false
	return nil
}

// removeLine removes the NS-VCs on a net device.
func (c *Config) removeLine(netif string) {
	for i := range c.NSEs {
		e := &c.NSEs[i]
		e.VCs = slices.DeleteFunc(e.VCs, func(v VCConfig) bool { return v.Link == LinkFR && v.Bind == netif })
		e.settle()
	}
}

// SetGRE makes a GRE bind receive at an address; it refuses one that another
// bind has.
func (c *Config) SetGRE(name string, addr netip.Addr) error {
	b, err := c.greBind(name)
	if err != nil {
		return err
	}
	at := netip.AddrPortFrom(addr, 0)
	for i := range c.Binds {
		if c.Binds[i].Link == LinkFRGRE && c.Binds[i].Listen == at {
			return errAddrInUse
		}
	}
	b.Listen = at
	return nil
}

// ClearGRE makes a GRE bind receive no more.
func (c *Config) ClearGRE(name string) error {
	b, err := c.greBind(name)
	if err == nil {
		b.Listen = netip.AddrPort{}
	}
	return err
}

func (c *Config) greBind(name string) (*BindConfig, error) {
	b := c.Bind(name)
	switch {
	case b == nil:
		return nil, refuse("bind %s does not exist!", name)
	case b.Link != LinkFRGRE:
		return nil, errNotFRGRE
	}
	return b, nil
}
