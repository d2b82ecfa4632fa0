package ns

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Edits of a Config. Each changes the receiver only when it returns nil; the
// text of an error is what the VTY prints, word for word as operators know it.
// Names of binds are not looked up here, so that a file may name a bind before
// it defines it: Validate does that for the whole Config.

// EditError is the refusal of an edit; its text is printed as it is.
type EditError string

func (e EditError) Error() string { return string(e) }

func refuse(format string, a ...any) error { return EditError(fmt.Sprintf(format, a...)) }

const (
	errDialects  = EditError("Can not mix NS-VC with different dialects")
	errLinks     = EditError("Can not mix NS-VC with different link layer")
	errAddrInUse = EditError("A bind with the specified address already exists!")
	errNotFR     = EditError("fr can be only used with frame relay bind")
	errNotFRGRE  = EditError("frgre can be only used with frgre bind")
)

// badNameChars may not stand in the name of a bind.
const badNameChars = "., {}[]()<>|~\\^`'\"?=;/+*&%$#!"

func validName(s string) bool {
	for _, r := range s {
		if r < 0x21 || r > 0x7e || strings.ContainsRune(badNameChars, r) {
			return false
		}
	}
	return s != ""
}

// Clone returns a deep copy.
func (c Config) Clone() Config {
	c.Binds = slices.Clone(c.Binds)
	for i := range c.Binds {
		c.Binds[i].Accept = slices.Clone(c.Binds[i].Accept)
	}
	c.SNSDefaultBinds = slices.Clone(c.SNSDefaultBinds)
	c.NSEs, c.Index = slices.Clone(c.NSEs), nil
	for i := range c.NSEs {
		e := &c.NSEs[i]
		e.VCs = slices.Clone(e.VCs)
		e.SNSBinds = slices.Clone(e.SNSBinds)
		e.SNSRemotes = slices.Clone(e.SNSRemotes)
	}
	return c
}

// Bind returns the bind of that name, nil if there is none.
func (c *Config) Bind(name string) *BindConfig {
	for i := range c.Binds {
		if c.Binds[i].Name == name {
			return &c.Binds[i]
		}
	}
	return nil
}

// NSE returns the NSE of that NSEI, nil if there is none.
func (c *Config) NSE(nsei uint16) *NSEConfig {
	if c.Index != nil {
		if i, ok := c.Index.nses[nsei]; ok {
			return &c.NSEs[i]
		}
		return nil
	}
	for i := range c.NSEs {
		if c.NSEs[i].NSEI == nsei {
			return &c.NSEs[i]
		}
	}
	return nil
}

// SetTimer sets the timer called name in TimerDefs.
func (c *Config) SetTimer(name string, value uint16) error {
	for i, d := range TimerDefs {
		if d.Name == name {
			c.Timers[i] = value
			return nil
		}
	}
	return refuse("Unknown timer %s", name)
}

// AddBind adds a bind, or does nothing when it is there with the same link.
func (c *Config) AddBind(link Link, name string) error {
	if !validName(name) {
		return refuse("Invalid ID. The ID should be only alphanumeric.")
	}
	if b := c.Bind(name); b != nil {
		if b.Link != link {
			return refuse("A bind with the specified ID already exists with a different type (fr|frgre|udp)!")
		}
		return nil
	}
	c.Binds = append(c.Binds, BindConfig{Name: name, Link: link, SigWeight: 1, DataWeight: 1})
	return nil
}

// RemoveBind removes a bind, and with it what stands on it: NS-VCs, ip-sns-bind
// and ip-sns-default lines.
func (c *Config) RemoveBind(name string) error {
	i := slices.IndexFunc(c.Binds, func(b BindConfig) bool { return b.Name == name })
	if i < 0 {
		return refuse("bind %s does not exist!", name)
	}
	link := c.Binds[i].Link
	c.removeLine(c.Binds[i].FRNetIf)
	c.Binds = slices.Delete(c.Binds, i, i+1)
	is := func(n string) bool { return n == name }
	c.SNSDefaultBinds = slices.DeleteFunc(c.SNSDefaultBinds, is)
	for i := range c.NSEs {
		e := &c.NSEs[i]
		e.VCs = slices.DeleteFunc(e.VCs, func(v VCConfig) bool { return v.Link == link && v.Bind == name && link != LinkFR })
		e.SNSBinds = slices.DeleteFunc(e.SNSBinds, is)
		e.settle()
	}
	c.removed()
	return nil
}

// BindOf returns the bind of an NS-VC, nil if there is none: over a line it is
// the one that has the device.
func (c *Config) BindOf(v VCConfig) *BindConfig {
	for i := range c.Binds {
		b := &c.Binds[i]
		if b.Link == v.Link && (v.Link == LinkFR && b.FRNetIf == v.Bind || v.Link != LinkFR && b.Name == v.Bind) {
			return b
		}
	}
	return nil
}

// NoBind is the text for an NS-VC whose bind is missing.
func NoBind(v VCConfig) string {
	if v.Link == LinkFR {
		return fmt.Sprintf("Can not find fr interface \"%s\". Please configure it via fr vty.", v.Bind)
	}
	return fmt.Sprintf("Can not find bind with name %s", v.Bind)
}

// udpBind returns a bind that must be UDP for the command what.
func (c *Config) udpBind(name, what string) (*BindConfig, error) {
	b := c.Bind(name)
	switch {
	case b == nil:
		return nil, refuse("bind %s does not exist!", name)
	case b.Link != LinkUDP:
		return nil, refuse("%s can be only used with UDP bind", what)
	}
	return b, nil
}

// SetListen makes a bind listen; it refuses an address that any bind has.
func (c *Config) SetListen(name string, addr netip.AddrPort) error {
	b, err := c.udpBind(name, "listen")
	if err != nil {
		return err
	}
	for i := range c.Binds {
		if c.Binds[i].Link == LinkUDP && c.Binds[i].Listen == addr {
			return errAddrInUse
		}
	}
	b.Listen = addr
	return nil
}

// ClearListen makes a bind listen no more.
func (c *Config) ClearListen(name string) error {
	b, err := c.udpBind(name, "listen")
	if err == nil {
		b.Listen = netip.AddrPort{}
	}
	return err
}

// ipBind returns a bind that must have an IP address for the command what.
func (c *Config) ipBind(name, what string) (*BindConfig, error) {
	if b := c.Bind(name); b != nil && b.Link == LinkFRGRE {
		return b, nil
	}
	return c.udpBind(name, what)
}

// SetDSCP sets the DSCP (0..63) of a UDP or GRE bind.
func (c *Config) SetDSCP(name string, v uint8) error {
	b, err := c.ipBind(name, "dscp")
	if err == nil {
		b.DSCP = v
	}
	return err
}

// SetPriority sets SO_PRIORITY of a UDP or GRE bind.
func (c *Config) SetPriority(name string, v uint8) error {
	b, err := c.ipBind(name, "socket-priority")
	if err == nil {
		b.Priority = v
	}
	return err
}

// Socket buffers in octets: what a bind's sockets get without a word, and the
// least and most that may be asked for. A datagram of 100 octets takes about 770
// of a receive buffer (the kernel doubles what is asked for).
const (
	DefaultReceiveBuffer = 16 << 20
	DefaultSendBuffer    = 4 << 20
	MinSocketBuffer      = 4096
	MaxSocketBuffer      = 1<<30 - 1
)

// SetBuffers sets the receive and send buffer of a UDP bind's sockets, in octets;
// 0 is the default. A nil one stays.
func (c *Config) SetBuffers(name string, receive, send *uint32) error {
	b, err := c.udpBind(name, "socket-buffer")
	if err != nil {
		return err
	}
	for _, v := range []struct{ to, from *uint32 }{{&b.ReceiveBuffer, receive}, {&b.SendBuffer, send}} {
		if v.from == nil {
			continue
		}
		if *v.from != 0 && (*v.from < MinSocketBuffer || *v.from > MaxSocketBuffer) {
			return refuse("A socket buffer has %d to %d octets.", MinSocketBuffer, MaxSocketBuffer)
		}
		*v.to = *v.from
	}
	return nil
}

// SetSegmentation sets whether a UDP bind may hand PDUs of one size and destination
// to the kernel together.
func (c *Config) SetSegmentation(name string, on bool) error {
	b, err := c.udpBind(name, "udp-segmentation")
	if err == nil {
		b.Segmentation = on
	}
	return err
}

// SetSNSWeights sets the IP-SNS weights (0..254) of a UDP bind.
func (c *Config) SetSNSWeights(name string, sig, data uint8) error {
	b, err := c.udpBind(name, "ip-sns signalling-weight <0-254> data-weight <0-254>")
	if err == nil {
		b.SigWeight, b.DataWeight = sig, data
	}
	return err
}

// SetAcceptIPAccess lets unknown remotes make NSEs by NS-RESET.
func (c *Config) SetAcceptIPAccess(name string, on bool) error {
	b, err := c.udpBind(name, "accept-ipaccess")
	if err == nil {
		b.AcceptIPAccess = on
	}
	return err
}

// SetAcceptSNS lets unknown remotes make NSEs by SNS-SIZE.
func (c *Config) SetAcceptSNS(name string, on bool) error {
	b, err := c.udpBind(name, "accept-dynamic-ip-sns")
	if err == nil {
		b.AcceptSNS = on
	}
	return err
}

// AddDefaultBind appends to "ip-sns-default bind".
func (c *Config) AddDefaultBind(name string) error {
	if !slices.Contains(c.SNSDefaultBinds, name) {
		c.SNSDefaultBinds = append(c.SNSDefaultBinds, name)
	}
	return nil
}

// RemoveDefaultBind removes from "ip-sns-default bind".
func (c *Config) RemoveDefaultBind(name string) error {
	i := slices.Index(c.SNSDefaultBinds, name)
	if i < 0 {
		return errNoBind(name)
	}
	c.SNSDefaultBinds = slices.Delete(c.SNSDefaultBinds, i, i+1)
	return nil
}

func errNoBind(name string) error { return refuse("Can not find the given bind '%s'", name) }
