package n2_test

import (
	"slices"
	"testing"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/nri"
)

// Answers with IEs that nobody here knows (a later release's): they go to the gNB
// as they are, unless it is known not to read them.
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
func TestSetupFirst(t *testing.T) {
	run(t, 2, func(c *n2.Config) { c.SetupFirst = true }, func(b *bed) {
		g := b.gnb(7)
		if got := g.next().data; string(got) != string(b.amfs[0].setupResponse()) {
			t.Errorf("got %x", got)
		}
		g.wantNothing()
	})
}

var visited = ngap.PLMN{0x99, 0xf9, 0x07} // 999-70

// in is an Initial UE Message of a UE in a PLMN.
func in(plmn ngap.PLMN, ran uint32, s *ngap.STMSI) []byte {
	var p ngap.PDU
	if err := p.Walk(initial(ran, s)); err != nil {
		panic(err)
	}
	p.Add(ngap.IESelectedPLMNIdentity, ngap.Ignore, plmn[:])
	return p.Append(nil)
}

// Two networks share the gNB: the same AMF Set and Pointer are one AMF's in the
// one and another's in the other; a Pointer of two AMFs of a set is shared out; a
// configured NRI holds in both.
func TestTwoPLMNs(t *testing.T) {
	configured := func(c *n2.Config) {
		s, err := nri.Set(nil).AddAMF(nri.Single(3<<6 | 33))
		if err != nil {
			t.Fatal(err)
		}
		c.AMFs[2].NRI = s
	}
	run(t, 4, configured, func(b *bed) {
		b.amfs[0].guamis = []ngap.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: 1}, {PLMN: visited, Region: 1, Set: 1, Pointer: 2}}
		b.amfs[1].guamis = []ngap.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: 2}, {PLMN: visited, Region: 1, Set: 1, Pointer: 1}}
		b.amfs[3].guamis = append([]ngap.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: 9}}, b.amfs[1].guamis[1])
		b.amfs[1].guamis = append(b.amfs[1].guamis, b.amfs[3].guamis[0])
		for i := range b.amfs {
			b.amfs[i].more = []ngap.IE{{ID: ngap.IEPLMNSupportList, Criticality: ngap.Reject, Value: ngap.AppendPLMNSupport(nil, []ngap.PLMNSupport{
				{PLMN: home, Slices: []ngap.Slice{{SNSSAI: ngap.SNSSAI{SST: 1}}}}, {PLMN: visited, Slices: []ngap.Slice{{SNSSAI: ngap.SNSSAI{SST: 1}}}}})}}
		}
		g := b.up(7)
		ran := uint32(0)
		go4 := func(plmn ngap.PLMN, set uint16, pointer uint8) map[int]int {
			got := make(map[int]int)
			for range 4 {
				ran++
				g.send(1, in(plmn, ran, &ngap.STMSI{Set: set, Pointer: pointer, TMSI: ran}))
				a := b.where()
				got[a.id]++
				a.last().got = nil
			}
			return got
		}
		for _, c := range []struct {
			plmn    ngap.PLMN
			set     uint16
			pointer uint8
			amfs    []int
		}{
			{home, 1, 1, []int{1}}, {visited, 1, 2, []int{1}}, {home, 1, 2, []int{2}},
			{home, 1, 9, []int{2, 4}}, {visited, 1, 1, []int{2, 4}}, {home, 3, 33, []int{3}}, {visited, 3, 33, []int{3}},
		} {
			got := go4(c.plmn, c.set, c.pointer)
			for _, id := range c.amfs {
				if got[id] != 4/len(c.amfs) {
					t.Errorf("%s %d/%d went to %v, want %v alike", c.plmn, c.set, c.pointer, got, c.amfs)
				}
			}
		}
	})
}
