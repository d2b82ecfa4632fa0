package ns

import (
	"net/netip"
	"slices"
)

// AddNSE adds an NSE, or finds it. RoleSGSN changes the role of one that is
// there; RoleBSS, the default, does not.
func (c *Config) AddNSE(nsei uint16, role Role) error {
	if e := c.NSE(nsei); e != nil {
		if role == RoleSGSN {
			e.Role = role
		}
		return nil
	}
	if c.Index != nil {
		c.Index.nses[nsei] = len(c.NSEs)
	}
	c.NSEs = append(c.NSEs, NSEConfig{NSEI: nsei, Role: role})
	return nil
}

// RemoveNSE removes an NSE.
func (c *Config) RemoveNSE(nsei uint16) error {
	i := slices.IndexFunc(c.NSEs, func(e NSEConfig) bool { return e.NSEI == nsei })
	if i < 0 {
		return refuse("Can not find NS Entity %d", nsei)
	}
	c.NSEs = slices.Delete(c.NSEs, i, i+1)
	c.removed()
	return nil
}

func (c *Config) needNSE(nsei uint16) (*NSEConfig, error) {
	if e := c.NSE(nsei); e != nil {
		return e, nil
	}
	return nil, refuse("Can not find NS Entity %d", nsei)
}

// vcDialect is the dialect that an NS-VC gives its NSE.
func vcDialect(v VCConfig) Dialect {
	switch {
	case v.Link == LinkFR || v.Link == LinkFRGRE:
		return DialectStaticResetBlock
	case v.HasNSVCI:
		return DialectIPAccess
	}
	return DialectStaticAlive
}

// Link returns the link layer of the NSE, taken from its NS-VCs.
func (e *NSEConfig) Link() Link {
	switch {
	case len(e.VCs) > 0:
		return e.VCs[0].Link
	case e.Dialect == DialectSNS:
		return LinkUDP
	}
	return LinkUndefined
}

// settle returns the dialect to undefined when nothing holds it.
func (e *NSEConfig) settle() {
	if len(e.VCs)+len(e.SNSBinds)+len(e.SNSRemotes) == 0 {
		e.Dialect = DialectUndefined
	}
}

// sameVC tells whether two NS-VCs would be one on the wire.
func sameVC(a, b VCConfig) bool {
	return a.Link == b.Link && a.Bind == b.Bind && a.Remote == b.Remote && a.DLCI == b.DLCI
}

// AddVC adds an NS-VC to an NSE. Link, HasNSVCI and the link's address of v
// decide the dialect; static-alive weights are taken as they are.
func (c *Config) AddVC(nsei uint16, v VCConfig) error {
	e, err := c.needNSE(nsei)
	if err != nil {
		return err
	}
	if l := e.Link(); l != LinkUndefined && l != v.Link {
		return errLinks
	}
	if e.Dialect != DialectUndefined && e.Dialect != vcDialect(v) {
		return errDialects
	}
	switch other := c.holder(v); {
	case other == nil:
	case v.Link == LinkFR:
		return refuse("A NS-VC with the specified DLCI already exist!")
	case other == e:
		return refuse("Specified NSVC is already present in this NSE.")
	default:
		return refuse("Specified NSVC is already present in another NSE%05d.", other.NSEI)
	}
	if c.Index != nil {
		c.Index.vcs[v.wire()] = nsei
	}
	e.Dialect = vcDialect(v)
	e.VCs = append(e.VCs, v)
	return nil
}

// RemoveVC removes the NS-VC that is v on the wire; with HasNSVCI its NSVCI
// must agree too.
func (c *Config) RemoveVC(nsei uint16, v VCConfig) error {
	e, err := c.needNSE(nsei)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(e.VCs, func(o VCConfig) bool {
		return sameVC(o, v) && (!v.HasNSVCI || o.NSVCI == v.NSVCI)
	})
	switch {
	case i < 0 && v.Link == LinkUDP:
		return refuse("Can not find NS-VC with remote %s", v.Remote)
	case i < 0 && v.Link == LinkFRGRE:
		return refuse("Can not find NS-VC with remote %s dlci %d", v.Remote.Addr(), v.DLCI)
	case i < 0:
		return refuse("Can not find a NS-VC on fr interface %s with dlci %d", v.Bind, v.DLCI)
	}
	e.VCs = slices.Delete(e.VCs, i, i+1)
	e.settle()
	c.removed()
	return nil
}

// RemoveNSVCI removes every NS-VC of an NSE that has the NSVCI.
func (c *Config) RemoveNSVCI(nsei, nsvci uint16) error {
	e, err := c.needNSE(nsei)
	if err != nil {
		return err
	}
	n := len(e.VCs)
	e.VCs = slices.DeleteFunc(e.VCs, func(v VCConfig) bool { return v.HasNSVCI && v.NSVCI == nsvci })
	if len(e.VCs) == n {
		return refuse("Can not find NS-VC with NSVCI %d", nsvci)
	}
	e.settle()
	c.removed()
	return nil
}

// wantSNS returns the NSE when it is, or can become, an IP-SNS one.
func (c *Config) wantSNS(nsei uint16) (*NSEConfig, error) {
	e, err := c.needNSE(nsei)
	if err == nil && e.Dialect != DialectUndefined && e.Dialect != DialectSNS {
		return nil, errDialects
	}
	return e, err
}

// AddSNSBind appends "ip-sns-bind NAME" to an NSE; whether the bind exists is
// a question for Validate.
func (c *Config) AddSNSBind(nsei uint16, name string) error {
	e, err := c.wantSNS(nsei)
	if err != nil {
		return err
	}
	if slices.Contains(e.SNSBinds, name) {
		return refuse("Specified SNS bind already part of the NSE.")
	}
	e.Dialect = DialectSNS
	e.SNSBinds = append(e.SNSBinds, name)
	return nil
}

// RemoveSNSBind removes "ip-sns-bind NAME".
func (c *Config) RemoveSNSBind(nsei uint16, name string) error {
	e, err := c.needNSE(nsei)
	if err != nil {
		return err
	}
	i := slices.Index(e.SNSBinds, name)
	if i < 0 {
		return errNoBind(name)
	}
	e.SNSBinds = slices.Delete(e.SNSBinds, i, i+1)
	e.settle()
	return nil
}

// AddSNSRemote appends an initial SGSN endpoint to an NSE.
func (c *Config) AddSNSRemote(nsei uint16, remote netip.AddrPort) error {
	e, err := c.wantSNS(nsei)
	if err != nil {
		return err
	}
	if slices.Contains(e.SNSRemotes, remote) {
		return refuse("Specified SNS endpoint already part of the NSE.")
	}
	e.Dialect = DialectSNS
	e.SNSRemotes = append(e.SNSRemotes, remote)
	return nil
}

// RemoveSNSRemote removes an initial SGSN endpoint.
func (c *Config) RemoveSNSRemote(nsei uint16, remote netip.AddrPort) error {
	e, err := c.needNSE(nsei)
	if err != nil {
		return err
	}
	i := slices.Index(e.SNSRemotes, remote)
	if i < 0 {
		return refuse("Specified SNS endpoint is not part of the NSE.")
	}
	e.SNSRemotes = slices.Delete(e.SNSRemotes, i, i+1)
	e.settle()
	return nil
}
