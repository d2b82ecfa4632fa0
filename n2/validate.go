package n2

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"poolgw/finding"
	"poolgw/nri"
)

// Validate finds what is wrong with the configuration as a whole, in the order
// in which its nodes are written.
func (c Config) Validate() []finding.Finding {
	v := validation{c: &c}
	v.values()
	v.binds()
	for i := range c.AMFs {
		v.amf(i)
	}
	v.pool()
	return v.found
}

// printable are the characters of an AMF Name, which is a PrintableString (TS
// 38.413 9.3.3.21, X.680 41.4).
const printable = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 '()+,-./:=?"

type validation struct {
	c     *Config
	found []finding.Finding
}

func (v *validation) add(class finding.Class, node, format string, args ...any) {
	v.found = append(v.found, finding.Finding{Class: class, Node: node, Text: fmt.Sprintf(format, args...)})
}

// values refuses what no command can set, but a program can.
func (v *validation) values() {
	c := v.c
	for _, t := range []struct {
		bad  bool
		text string
	}{
		{c.IndexBits < 1 || c.IndexBits > 8, fmt.Sprintf("amf-ue-ngap-id index-bits %d is not 1 to 8", c.IndexBits)},
		{c.BitLen != 16 && c.BitLen != 6, fmt.Sprintf("nri bitlen %d is neither 16 nor 6", c.BitLen)},
		{len(c.Name) < 1 || len(c.Name) > 150, "amf-name has 1 to 150 characters"},
		{strings.Trim(c.Name, printable) != "", "amf-name: letters, digits, space and '()+,-./:=? alone can be in an AMF Name"},
		{c.SetupTimeout <= 0, "timer ng-setup 0"},
		{c.InitialGuard <= 0, "timer initial-ue 0"},
		{c.ReleaseGuard <= 0, "timer release 0"},
		{c.HandoverGuard <= 0, "timer handover 0"},
		{c.RequestGuard <= 0, "timer request 0"},
		{int(c.Stale) >= len(StaleNames) || int(c.OnLoss) >= len(LossNames), "unknown value"},
	} {
		if t.bad {
			v.add(finding.Error, "ngap", "%s", t.text)
		}
	}
	if err := c.SCTP.Validate(); err != nil {
		v.add(finding.Error, "ngap", "%v", err)
	}
}

// binds finds those that could not listen.
func (v *validation) binds() {
	type place struct {
		addr netip.Addr
		port uint16
		udp  uint16
	}
	taken, names := map[place]string{}, map[string]bool{}
	for i := range v.c.Binds {
		b := &v.c.Binds[i]
		node := "ngap bind " + b.Name
		if names[b.Name] {
			v.add(finding.Error, node, "there are two of this name")
		}
		names[b.Name] = true
		if len(b.Listen.Addrs) == 0 {
			v.add(finding.Note, node, "listens nowhere: it has no listen line")
		}
		for _, a := range b.Listen.Addrs {
			if a.IsUnspecified() {
				v.add(finding.Error, node, "listen %s: a wildcard would announce every address of this host to the gNBs: name the addresses", a)
			}
			p := place{a, b.Listen.Port, b.Transport.Encapsulation}
			if by, ok := taken[p]; ok {
				v.add(finding.FatalAtStart, node, "%s %d is also listened at by bind %s", a, p.port, by)
			}
			taken[p] = b.Name
		}
	}
	if v.c.Enabled && len(v.c.Binds) == 0 {
		v.add(finding.Note, "ngap", "there is no bind: no gNB can associate")
	}
	v.encapsulation()
}

// encapsulation: the userspace stack of a process has one UDP port.
func (v *validation) encapsulation() {
	port := uint16(0)
	for i := range v.c.Binds {
		b := &v.c.Binds[i]
		if e := b.Transport.Encapsulation; e != 0 && port != 0 && e != port {
			v.add(finding.Error, "ngap bind "+b.Name, "udp-encapsulation %d: another bind has %d, and there is one port for all", e, port)
		} else if e != 0 {
			port = e
		}
	}
}

// amf checks member i against the members before it.
func (v *validation) amf(i int) {
	a := &v.c.AMFs[i]
	node := fmt.Sprintf("amf %d", a.ID)
	most := 1<<v.c.IndexBits - 2 // all ones stands for the table of values that don't fit
	switch {
	case a.ID < 1 || a.ID > 254:
		v.add(finding.Error, node, "the number of an AMF is 1 to 254")
	case int(a.ID) > most && !v.c.Transparent:
		v.add(finding.Error, node, "with amf-ue-ngap-id index-bits %d the numbers of AMFs are 1 to %d", v.c.IndexBits, most)
	}
	if a.Capacity < -1 || a.Capacity > 255 {
		v.add(finding.Error, node, "relative-capacity %d is not 0 to 255", a.Capacity)
	}
	if len(a.Remote.Addrs) == 0 {
		v.add(finding.Note, node, "there is no remote line: it will never be up")
	}
	for _, r := range a.Remote.Addrs {
		if r.IsUnspecified() || r.IsMulticast() || r == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
			v.add(finding.Error, node, "remote %s is no address of a host", r)
		}
		for i := range v.c.Binds {
			if l := &v.c.Binds[i].Listen; l.Port == a.Remote.Port && slices.Contains(l.Addrs, r) {
				v.add(finding.Note, node, "remote %s %d is where ngap bind %s listens: the gateway would be its own AMF", r, l.Port, v.c.Binds[i].Name)
			}
		}
	}
	v.ranges(a, node)
	for j := range v.c.AMFs[:i] {
		o := &v.c.AMFs[j]
		if o.ID == a.ID {
			v.add(finding.Error, node, "stands twice")
		}
		if a.Name != "" && a.Name == o.Name {
			v.add(finding.Note, node, "has the name of amf %d: log lines tell them apart no more", o.ID)
		}
		if len(a.Remote.Addrs) > 0 && o.sameAssociation(*a) {
			v.add(finding.Note, node, "has the remote of amf %d: both are one AMF", o.ID)
		}
		for _, r := range a.NRI.Overlap(o.NRI) {
			v.add(finding.FatalAtStart, node, "NRI %s overlaps between amf %d and amf %d; UEs are spread over both", r.Dots(), o.ID, a.ID)
		}
	}
}

// ranges finds NRIs that can't occur.
func (v *validation) ranges(a *AMF, node string) {
	for _, r := range a.NRI {
		if v.c.BitLen == 6 && r.Last > 63 {
			v.add(finding.Note, node, "NRI range surpasses current NRI bitlen: %s", nri.Range.Dots(r))
		}
	}
}

func (v *validation) pool() {
	if !v.c.Enabled && len(v.c.AMFs) > 0 {
		v.add(finding.Note, fmt.Sprintf("amf %d", v.c.AMFs[0].ID), "there is no node ngap: AMFs are not used")
	}
	if v.c.Enabled && len(v.c.AMFs) == 0 {
		v.add(finding.Note, "ngap", "there is no amf: gNBs get an NG Setup Failure")
	}
	v.ports()
	if v.c.Transparent && len(v.c.AMFs) > 1 {
		v.add(finding.Note, "ngap", "amf-ue-ngap-id transparent: AMFs that use the same numbers disturb each other's UEs")
	}
}

// localPorts is about how many associations one address can begin (Linux's
// net.ipv4.ip_local_port_range).
const localPorts = 28000

// ports tells of associations to AMFs that would find no port.
func (v *validation) ports() {
	amfs := make(map[netip.Addr]int)
	for i := range v.c.AMFs {
		for _, a := range v.c.AMFs[i].Local {
			amfs[a]++
		}
	}
	for i := range v.c.AMFs {
		for _, a := range v.c.AMFs[i].Local {
			if n := amfs[a]; n*int(v.c.Limits.GNBs) > localPorts {
				v.add(finding.Note, fmt.Sprintf("amf %d", v.c.AMFs[i].ID), "local %s begins the associations of %d AMFs: its %d ports suffice for %d gNBs, not for the %d of limits gnbs",
					a, n, localPorts, localPorts/n, v.c.Limits.GNBs)
				amfs[a] = 0
			}
		}
	}
}
