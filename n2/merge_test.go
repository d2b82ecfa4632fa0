package n2_test

import (
	"slices"
	"testing"

	"poolgw/n2"
	"poolgw/ngap"
)

// Answers with IEs that nobody here knows (a later release's): they go to the gNB
// as they are, unless it is known not to read them.
// Facts: N6-33, N6-34
func TestUnknownIEsOfSetup(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(c *n2.Config)
		want   []ngap.IEID
	}{
		{"merged", nil, []ngap.IEID{60000, 60001}},
		{"quirk by ID", func(c *n2.Config) { c.Quirks = []n2.Quirk{{GNB: "001-01-7"}} }, nil},
		{"quirk by name", func(c *n2.Config) { c.Quirks = []n2.Quirk{{GNB: "UERANSIM-gnb-1-1-1"}} }, nil},
		{"another's quirk", func(c *n2.Config) { c.Quirks = []n2.Quirk{{GNB: "001-01-8"}} }, []ngap.IEID{60000, 60001}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, 2, c.change, func(b *bed) {
				b.amfs[0].more = []ngap.IE{{ID: 60000, Criticality: ngap.Ignore, Value: []byte{1, 2, 3}},
					{ID: 60001, Criticality: ngap.Ignore, Value: []byte("first")}}
				b.amfs[1].more = []ngap.IE{{ID: 60001, Criticality: ngap.Ignore, Value: []byte("second")},
					{ID: ngap.IEUERetentionInformation, Criticality: ngap.Ignore, Value: []byte{0}}}
				p := b.gnb(7).want(ngap.CodeNGSetupRequest, ngap.Successful)
				var got []ngap.IEID
				for _, ie := range p.IEs {
					if ie.ID >= 60000 || ie.ID == ngap.IEUERetentionInformation {
						got = append(got, ie.ID)
					}
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("IEs %v, want %v", got, c.want)
				}
				if v, ok := p.Value(60001); ok && string(v) != "first" {
					t.Errorf("of two values the gNB got %q", v)
				}
			})
		})
	}
}

// "setup-response first": the first AMF's own answer.
// Facts: N6-38
func TestSetupFirst(t *testing.T) {
	run(t, 2, func(c *n2.Config) { c.SetupFirst = true }, func(b *bed) {
		g := b.gnb(7)
		if got := g.next().data; string(got) != string(b.amfs[0].setupResponse()) {
			t.Errorf("got %x", got)
		}
		g.wantNothing()
	})
}
