package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/nri"
)

// first is an Initial UE Message without a 5G-S-TMSI, changed. Its TAI is of
// 001-01, its NAS message a Registration Request with a SUCI.
func first(ran uint32, change func(p *ngap.PDU)) []byte {
	var p ngap.PDU
	if err := p.Walk(initial(ran, nil)); err != nil {
		panic(err)
	}
	change(&p)
	return p.Append(nil)
}

// withNAS has another NAS message, in hex.
func withNAS(nas string) func(p *ngap.PDU) {
	return func(p *ngap.PDU) {
		p.Replace(ngap.IENASPDU, ngap.Reject, ngap.AppendOctets(nil, unhex(nas)))
	}
}

// goes sends n such messages with IDs from ran on, and says how many each AMF got.
func (b *bed) goes(g *peer, ran uint32, n int, change func(p *ngap.PDU)) map[int]int {
	b.Helper()
	got := make(map[int]int)
	for i := range uint32(n) {
		g.send(1, first(ran+i, change))
		a := b.where()
		got[a.id]++
		for _, p := range a.peers {
			p.got = nil
		}
	}
	return got
}

// Octets by hand from TS 24.501: 5G-GUTIs of 001-01, Region 1, Set 1 (0x001), and
// Pointer 2; and one as mapped from MME group 0x8001, code 0x02 (TS 23.003
// 2.10.2.1.2): Region 0x80, Set 0x004, Pointer 2.
const (
	gutiOf2   = "f2 00f110 01 0042 0000002a"
	mappedTo2 = "f2 00f110 80 0102 0000002a"
	stmsiOf2  = "f4 0042 0000002a"
)

// Without the IE 5G-S-TMSI the NAS message names the UE, when it can be read.
// Facts: N6-05, N6-06, N6-07, N1-09, N1-17
func TestIdentityOfNAS(t *testing.T) {
	for _, c := range []struct {
		what, nas string
		owned     bool // by AMF 2, which is drained: nobody else goes there
	}{
		{"registration", "7e0041 79 000b" + gutiOf2, true},
		{"protected registration", "7e01 a1a2a3a4 05 7e0041 79 000b" + gutiOf2, true},
		{"deregistration", "7e0045 01 000b" + gutiOf2, true},
		{"service request", "7e004c 10 0007" + stmsiOf2, true},
		{"protected service request", "7e01 a1a2a3a4 05 7e004c 10 0007" + stmsiOf2, true},
		{"control plane service request", "7e004f 01", false},
		{"ciphered registration", "7e02 a1a2a3a4 05 7e0041 79 000b" + gutiOf2, false},
		{"mapped from 4G", "7e0041 79 000b" + mappedTo2, false},
		{"mapped from 4G, native beside", "7e0041 79 000b" + mappedTo2 + "77000b" + gutiOf2, true},
		{"another region", "7e0041 79 000b f2 00f110 02 0042 0000002a", false},
		{"another set", "7e0041 79 000b f2 00f110 01 0082 0000002a", false},
		{"another network", "7e0041 79 000b f2 99f907 01 0042 0000002a", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			run(t, 3, func(c *n2.Config) { c.AMFs[1].AllowAttach = false }, func(b *bed) {
				b.amfs[2].guamis = append(b.amfs[2].guamis, ngap.GUAMI{PLMN: home, Region: 1, Set: 4, Pointer: 3})
				g := b.up(7)
				if got := b.goes(g, 1, 2, withNAS(c.nas)); (got[2] == 2) != c.owned || got[2] == 1 {
					t.Errorf("went to %v", got)
				}
			})
		})
	}
}

// A GUTI that was mapped from 4G is native where an AMF announces what it was
// mapped to: Region and Set are the pool's.
// Facts: N1-09
func TestMappedGUTIOfThePool(t *testing.T) {
	run(t, 2, func(c *n2.Config) { c.AMFs[1].AllowAttach = false }, func(b *bed) {
		b.amfs[1].guamis = append(b.amfs[1].guamis, ngap.GUAMI{PLMN: home, Region: 0x80, Set: 4, Pointer: 2})
		g := b.up(7)
		if got := b.goes(g, 1, 2, withNAS("7e0041 79 000b"+mappedTo2)); got[2] != 2 {
			t.Errorf("went to %v", got)
		}
	})
}

// The GUAMI that gNBs of Release 19 tell is the owner of a UE that names none, and
// says when what the UE calls itself is another pool's.
// Facts: N1-18
func TestGUAMIOfTheGNB(t *testing.T) {
	own := ngap.GUAMI{PLMN: home, Region: 1, Set: 1, Pointer: 2}
	for _, c := range []struct {
		what   string
		guami  ngap.GUAMI
		mapped byte // GUAMI Type by hand: 00 native, 40 mapped
		stmsi  *ngap.STMSI
		owned  bool
	}{
		{"nothing else", own, 0, nil, true},
		{"the same 5G-S-TMSI", own, 0, &ngap.STMSI{Set: 1, Pointer: 2, TMSI: 42}, true},
		{"mapped", own, 0x40, nil, false},
		{"mapped, with a 5G-S-TMSI", own, 0x40, &ngap.STMSI{Set: 1, Pointer: 2, TMSI: 42}, false},
		{"another region", ngap.GUAMI{PLMN: home, Region: 9, Set: 1, Pointer: 2}, 0, &ngap.STMSI{Set: 1, Pointer: 2, TMSI: 42}, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			run(t, 3, func(c *n2.Config) { c.AMFs[1].AllowAttach = false }, func(b *bed) {
				g := b.up(7)
				tell := func(p *ngap.PDU) {
					p.Add(ngap.IEGUAMI, ngap.Ignore, ngap.AppendGUAMI(nil, c.guami))
					p.Add(ngap.IEGUAMIType, ngap.Ignore, []byte{c.mapped})
					if c.stmsi != nil {
						p.Add(ngap.IEFiveGSTMSI, ngap.Reject, ngap.AppendSTMSI(nil, *c.stmsi))
					}
				}
				if got := b.goes(g, 1, 2, tell); (got[2] == 2) != c.owned || got[2] == 1 {
					t.Errorf("went to %v", got)
				}
			})
		})
	}
}

// in is an Initial UE Message of a UE in a PLMN.
func in(plmn ngap.PLMN, ran uint32, s *ngap.STMSI) []byte {
	return first(ran, func(p *ngap.PDU) {
		p.Add(ngap.IEFiveGSTMSI, ngap.Reject, ngap.AppendSTMSI(nil, *s))
		p.Add(ngap.IESelectedPLMNIdentity, ngap.Ignore, plmn[:])
	})
}

// inTAI tells the PLMN by the TAI alone: NR, its cell in 001-01.
func inTAI(plmn ngap.PLMN, ran uint32, s *ngap.STMSI) []byte {
	return first(ran, func(p *ngap.PDU) {
		p.Add(ngap.IEFiveGSTMSI, ngap.Reject, ngap.AppendSTMSI(nil, *s))
		p.Replace(ngap.IEUserLocationInformation, ngap.Reject, append(append(unhex("40 00f110 0000000010"), plmn[:]...), 0, 0, 1))
	})
}

var visited = ngap.PLMN{0x99, 0xf9, 0x07} // 999-70

// inBoth makes every AMF serve both PLMNs.
func (b *bed) inBoth() {
	for i := range b.amfs {
		b.amfs[i].more = []ngap.IE{{ID: ngap.IEPLMNSupportList, Criticality: ngap.Reject, Value: ngap.AppendPLMNSupport(nil, []ngap.PLMNSupport{
			{PLMN: home, Slices: []ngap.Slice{{SNSSAI: ngap.SNSSAI{SST: 1}}}}, {PLMN: visited, Slices: []ngap.Slice{{SNSSAI: ngap.SNSSAI{SST: 1}}}}})}}
	}
}

// whose is where 4 UEs of that Set and Pointer ought to go.
type whose struct {
	plmn    ngap.PLMN
	set     uint16
	pointer uint8
	amfs    []int // alike
}

func (b *bed) wantOwners(g *peer, list []whose, as func(plmn ngap.PLMN, ran uint32, s *ngap.STMSI) []byte) {
	b.Helper()
	ran := uint32(0)
	for _, c := range list {
		got := make(map[int]int)
		for range 4 {
			ran++
			g.send(1, as(c.plmn, ran, &ngap.STMSI{Set: c.set, Pointer: c.pointer, TMSI: ran}))
			a := b.where()
			got[a.id]++
			a.last().got = nil
		}
		for _, id := range c.amfs {
			if got[id] != 4/len(c.amfs) {
				b.Errorf("%s %d/%d went to %v, want %v alike", c.plmn, c.set, c.pointer, got, c.amfs)
			}
		}
	}
}

// Two networks share the gNB: the same AMF Set and Pointer are one AMF's in the
// one and another's in the other, told by Selected PLMN Identity or by the TAI.
// Facts: N1-16
func TestLearnedGUAMIsInTwoPLMNs(t *testing.T) {
	for _, as := range []func(plmn ngap.PLMN, ran uint32, s *ngap.STMSI) []byte{in, inTAI} {
		run(t, 2, nil, func(b *bed) {
			b.amfs[0].guamis = []ngap.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: 1}, {PLMN: visited, Region: 1, Set: 1, Pointer: 2}}
			b.amfs[1].guamis = []ngap.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: 2}, {PLMN: visited, Region: 1, Set: 1, Pointer: 1}}
			b.inBoth()
			b.wantOwners(b.up(7), []whose{{home, 1, 1, []int{1}}, {visited, 1, 2, []int{1}}, {home, 1, 2, []int{2}}, {visited, 1, 1, []int{2}}}, as)
		})
	}
}

// A configured NRI holds in both networks, and instead of what its AMF announces.
// Facts: N1-21
func TestConfiguredNRIsInTwoPLMNs(t *testing.T) {
	configured := func(c *n2.Config) {
		s, err := nri.Set(nil).AddAMF(nri.Single(3<<6 | 33))
		if err != nil {
			t.Fatal(err)
		}
		c.AMFs[2].NRI, c.AMFs[2].AllowAttach = s, false
	}
	run(t, 3, configured, func(b *bed) {
		b.amfs[2].guamis = []ngap.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: 3}, {PLMN: visited, Region: 1, Set: 1, Pointer: 3}}
		b.inBoth()
		b.wantOwners(b.up(7), []whose{{home, 3, 33, []int{3}}, {visited, 3, 33, []int{3}}, {home, 1, 3, []int{1, 2}}, {visited, 1, 3, []int{1, 2}}}, in)
	})
}

// A Pointer that two AMFs of a set announce is shared out among them, in the
// network where they do, drained ones included.
// Facts: N1-15
func TestSharedPointerInTwoPLMNs(t *testing.T) {
	run(t, 4, func(c *n2.Config) { c.AMFs[3].AllowAttach = false }, func(b *bed) {
		shared, alone := ngap.GUAMI{PLMN: home, Region: 1, Set: 1, Pointer: 9}, ngap.GUAMI{PLMN: visited, Region: 1, Set: 1, Pointer: 9}
		b.amfs[1].guamis = append(b.amfs[1].guamis, shared)
		b.amfs[3].guamis = append(b.amfs[3].guamis, shared)
		b.amfs[2].guamis = append(b.amfs[2].guamis, alone)
		b.inBoth()
		b.wantOwners(b.up(7), []whose{{home, 1, 9, []int{2, 4}}, {visited, 1, 9, []int{3}}}, in)
	})
}

// The slices that a UE asks for narrow the choice; nobody is turned away for them.
// Facts: N1-19
func TestRequestedSlices(t *testing.T) {
	run(t, 3, nil, func(b *bed) { // AMF n serves the slice with SST n
		g := b.up(7)
		asks := func(sst ...uint8) func(p *ngap.PDU) {
			return func(p *ngap.PDU) {
				var list []ngap.Slice
				for _, s := range sst {
					list = append(list, ngap.Slice{SNSSAI: ngap.SNSSAI{SST: s}})
				}
				if list != nil {
					p.Add(ngap.IERequestedNSSAI, ngap.Ignore, ngap.AppendNSSAI(nil, list))
				}
			}
		}
		ran := uint32(1)
		for _, c := range []struct {
			sst  []uint8
			amfs []int
		}{{[]uint8{2}, []int{2}}, {[]uint8{9, 3}, []int{3}}, {[]uint8{1, 3}, []int{1, 3}}, {[]uint8{9}, []int{1, 2, 3}}, {nil, []int{1, 2, 3}}} {
			got := b.goes(g, ran, 12, asks(c.sst...))
			ran += 12
			if len(got) != len(c.amfs) {
				t.Errorf("slices %v went to %v", c.sst, got)
			}
			for _, id := range c.amfs {
				if got[id] == 0 {
					t.Errorf("slices %v went to %v", c.sst, got)
				}
			}
		}
	})
}

// A gNB that was told of a reroute may name the set: the choice is within it,
// whoever owns the 5G-S-TMSI; a set that nobody here serves is no set.
// Facts: N6-08
func TestAMFSetOfTheGNB(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		b.amfs[2].guamis[0].Set = 5
		g := b.up(7)
		within := func(set uint16) func(p *ngap.PDU) {
			return func(p *ngap.PDU) {
				p.Add(ngap.IEAMFSetID, ngap.Ignore, ngap.AppendAMFSetID(nil, set))
				p.Add(ngap.IEFiveGSTMSI, ngap.Reject, ngap.AppendSTMSI(nil, ngap.STMSI{Set: 1, Pointer: 1, TMSI: 9}))
			}
		}
		if got := b.goes(g, 1, 4, within(5)); got[3] != 4 {
			t.Errorf("within set 5: %v", got)
		}
		b.sleep(76 * time.Second) // nobody was seen going there any more
		if got := b.goes(g, 10, 4, within(8)); got[1] != 4 {
			t.Errorf("within a set of nobody: %v", got)
		}
	})
}
