package cli

import (
	"fmt"
	"strings"

	"poolgw/n2"
	"poolgw/nri"
	"poolgw/sctp"
)

// n2 makes a configuration of the N2 gateway; without the node ngap it has
// AMFs and limits alone.
func (g gen) n2(c *n2.Config) {
	for i := range g.IntN(4) {
		c.AMFs = append(c.AMFs, g.amf(uint8(1+i*60+g.IntN(60))))
	}
	if g.IntN(4) == 0 {
		return
	}
	c.Enabled = true
	c.Name = pick(g, c.Name, strings.ReplaceAll(g.word(), "_", "."))
	for i := range ngapChoices {
		d := &ngapChoices[i]
		d.set(c, g.IntN(len(d.values)))
	}
	for i := range ngapValues {
		d := &ngapValues[i]
		if g.bool() && d.words != "amf-ue-ngap-id index-bits" {
			d.set(c, d.min+uint32(g.IntN(int(d.max-d.min)+1)))
		}
	}
	if len(c.AMFs) == 0 || c.Transparent {
		c.IndexBits = uint8(1 + g.IntN(8))
	}
	c.NoAffinity = g.bool()
	c.Stale = pick(g, n2.StaleReject, n2.StaleEarlyRelease, n2.StaleOff)
	if c.Stale == n2.StaleEarlyRelease {
		c.EarlyRelease = millis(1 + uint32(g.IntN(60000)))
	}
	for i := range g.IntN(3) {
		c.Quirks = append(c.Quirks, n2.Quirk{GNB: fmt.Sprintf("262-42-%x%d", g.u16(), i)})
	}
	if g.bool() {
		s := &c.SCTP
		s.RTOMin, s.RTOInitial, s.RTOMax = millis(1+uint32(g.IntN(100))), millis(100+uint32(g.IntN(100))), millis(200+uint32(g.IntN(1000)))
	}
	for i := range g.IntN(3) {
		b := n2.Bind{Name: fmt.Sprintf("b%d%s", i, g.word()), Listen: g.endpoint(), Transport: g.transport(7)}
		for range g.IntN(3) {
			a := g.addr().Addr()
			p, _ := a.Prefix(g.IntN(a.BitLen() + 1))
			if len(b.Accept) == 0 || b.Accept[0] != p {
				b.Accept = append(b.Accept, p)
			}
		}
		c.Binds = append(c.Binds, b)
	}
}

func (g gen) amf(id uint8) n2.AMF {
	a := n2.AMF{ID: id, Name: pick(g, "", g.word()), Remote: g.endpoint(), Local: g.endpoint().Addrs, Transport: g.transport(g.u16()),
		Capacity: pick(g, -1, 0, g.IntN(256)), AllowAttach: g.bool()}
	for range g.IntN(4) {
		first := g.u16()
		a.NRI, _ = a.NRI.AddAMF(nri.Range{First: first, Last: first + nri.V(g.IntN(int(65535-first)+1))})
	}
	return a
}

// endpoint has up to two addresses, and a port when it has one.
func (g gen) endpoint() (e sctp.Endpoint) {
	for i := range g.IntN(3) {
		a := g.addr()
		if i > 0 && e.Addrs[0] == a.Addr() {
			continue
		}
		e.Addrs, e.Port = append(e.Addrs, a.Addr()), a.Port()
	}
	return e
}

func (g gen) transport(port uint16) n2.Transport {
	return n2.Transport{Choice: pick(g, sctp.Auto, sctp.OnlyKernel, sctp.OnlyUserspace), Encapsulation: pick(g, 0, port)}
}
