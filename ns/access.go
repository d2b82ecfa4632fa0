package ns

import (
	"net/netip"
	"reflect"
	"slices"
)

// AccessList says from which sources a bind takes datagrams; an empty one lets
// all in. It is a value: With and Without return another.
type AccessList []netip.Prefix

// MaxAccess is the greatest number of prefixes of one AccessList.
const MaxAccess = 256

// Accepts tells whether a source may send to the bind. It allocates nothing.
func (l AccessList) Accepts(a netip.Addr) bool {
	if len(l) == 0 {
		return true
	}
	if a.Zone() != "" {
		a = a.WithZone("") // Contains knows no zones
	}
	for _, p := range l {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// With returns l with p at its end, host bits cleared, unless it is there.
func (l AccessList) With(p netip.Prefix) (AccessList, error) {
	p = p.Masked()
	switch {
	case !p.IsValid() || p.Addr().Is4In6():
		return l, refuse("%s is no prefix of IPv4 or IPv6 addresses", p)
	case slices.Contains(l, p):
		return l, nil
	case len(l) >= MaxAccess:
		return l, refuse("an access list has %d prefixes at most", MaxAccess)
	}
	return append(slices.Clone(l), p), nil
}

// Without returns l without p, which must be there.
func (l AccessList) Without(p netip.Prefix) (AccessList, error) {
	i := slices.Index(l, p.Masked())
	if i < 0 {
		return l, refuse("%s is not on the access list", p.Masked())
	}
	return slices.Delete(slices.Clone(l), i, i+1), nil
}

// AddAccept puts a prefix on the access list of a bind of UDP or GRE.
func (c *Config) AddAccept(name string, p netip.Prefix) error {
	return c.editAccept(name, func(l AccessList) (AccessList, error) { return l.With(p) })
}

// RemoveAccept takes a prefix off it.
func (c *Config) RemoveAccept(name string, p netip.Prefix) error {
	return c.editAccept(name, func(l AccessList) (AccessList, error) { return l.Without(p) })
}

// ClearAccept lets all sources in.
func (c *Config) ClearAccept(name string) error {
	return c.editAccept(name, func(AccessList) (AccessList, error) { return nil, nil })
}

func (c *Config) editAccept(name string, f func(AccessList) (AccessList, error)) error {
	b := c.Bind(name)
	switch {
	case b == nil:
		return refuse("bind %s does not exist!", name)
	case b.Link == LinkFR:
		return refuse("accept is not for frame relay binds")
	}
	var err error
	b.Accept, err = f(b.Accept)
	return err
}

// Equal reports whether b and o set the same.
func (b BindConfig) Equal(o BindConfig) bool {
	same := slices.Equal(b.Accept, o.Accept)
	b.Accept, o.Accept = nil, nil
	return same && reflect.DeepEqual(b, o)
}
