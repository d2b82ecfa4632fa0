package n2_test

import (
	"bytes"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

func servedList(list ...ngap.ServedGUAMI) ngap.IE {
	return ngap.IE{ID: ngap.IEServedGUAMIList, Criticality: ngap.Reject, Value: ngap.AppendServedGUAMIs(nil, list)}
}

// pointer is a GUAMI of the pool's set.
func pointer(p uint8) ngap.ServedGUAMI {
	return ngap.ServedGUAMI{GUAMI: ngap.GUAMI{PLMN: home, Region: 1, Set: 1, Pointer: p}}
}

var acknowledge = simple(ngap.CodeAMFConfigurationUpdate, ngap.Successful)

// The union holds no more than a message may: 256 GUAMIs, 12 PLMNs.
// Facts: N6-31
func TestUnionIsBounded(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		for i, a := range b.amfs {
			var guamis []ngap.ServedGUAMI
			for n := range 120 {
				guamis = append(guamis, ngap.ServedGUAMI{GUAMI: ngap.GUAMI{PLMN: home, Region: uint8(1 + i), Set: uint16(n), Pointer: 1}})
			}
			var plmns []ngap.PLMNSupport
			for n := range 5 {
				plmns = append(plmns, ngap.PLMNSupport{PLMN: ngap.PLMN{byte(i), 0xf0 | byte(n), 0x10}, Slices: slicesFrom(i*500, 500)})
			}
			plmns[4] = ngap.PLMNSupport{PLMN: home, Slices: slicesFrom(i*500, 500)}
			a.more = []ngap.IE{servedList(guamis...), {ID: ngap.IEPLMNSupportList, Criticality: ngap.Reject, Value: ngap.AppendPLMNSupport(nil, plmns)}}
		}
		p := b.gnb(7).want(ngap.CodeNGSetupRequest, ngap.Successful)
		v, _ := p.Value(ngap.IEServedGUAMIList)
		if list, err := ngap.ReadServedGUAMIs(v, nil); err != nil || len(list) != 256 || list[255].GUAMI.Region != 3 {
			t.Errorf("%d GUAMIs, %v", len(list), err)
		}
		v, _ = p.Value(ngap.IEPLMNSupportList)
		list, err := ngap.ReadPLMNSupport(v, nil)
		if err != nil || len(list) != 12 {
			t.Errorf("%d PLMNs, %v", len(list), err)
		}
		for _, s := range list {
			if s.PLMN == home && len(s.Slices) != 1024 || s.PLMN != home && len(s.Slices) != 500 {
				t.Errorf("%s has %d slices", s.PLMN, len(s.Slices))
			}
		}
	})
}

func slicesFrom(first, n int) (list []ngap.Slice) {
	for i := range n {
		list = append(list, ngap.Slice{SNSSAI: ngap.SNSSAI{SST: 1, SD: uint32(first + i), HasSD: true}})
	}
	return list
}

// The gNB sees the largest capacity, and no backup: those are names that it does
// not know.
// Facts: N6-32, N6-35
func TestNamesOfMembersStayInside(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		b.amfs[0].capacity, b.amfs[1].capacity = 30, 200
		with := pointer(1)
		with.Backup = []byte("amf-2")
		b.amfs[0].more = []ngap.IE{servedList(with), {ID: ngap.IEExtendedAMFName, Criticality: ngap.Ignore, Value: []byte{0x40, 0x18, 'a', 'm', 'f', '1'}}}
		g := b.gnb(7)
		data := g.got[0].data
		p := g.want(ngap.CodeNGSetupRequest, ngap.Successful)
		v, _ := p.Value(ngap.IERelativeAMFCapacity)
		if c, err := ngap.ReadCapacity(v); err != nil || c != 200 {
			t.Errorf("capacity %d %v", c, err)
		}
		if bytes.Contains(data, []byte("amf")) {
			t.Errorf("the gNB is told the name of a member: %q", data)
		}
		b.settle()
		b.amfs[0].last().send(0, simple(ngap.CodeAMFConfigurationUpdate, ngap.Initiating, servedList(with, pointer(9))))
		if data := g.got[0].data; bytes.Contains(data, []byte("amf")) {
			t.Errorf("the gNB is told the name of a member: %q", data)
		}
		g.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)
		g.send(0, acknowledge)
		// And the backup is used.
		b.amfs[0].last().assoc.Abort("killed")
		b.settle()
		b.amfs[1].last().got = nil
		if got := b.count(g, 1, 4, func(int) *ngap.STMSI { return &ngap.STMSI{Set: 1, Pointer: 1, TMSI: 1} }); got[2] != 4 {
			t.Errorf("%v", got)
		}
	})
}

// Where AMFs differ in an IE that is copied, that is counted.
// Facts: N6-33
func TestDifferencesAreCounted(t *testing.T) {
	for _, c := range []struct {
		second string
		want   uint64
	}{{"same", 0}, {"other", 1}} {
		run(t, 2, nil, func(b *bed) {
			b.amfs[0].more = []ngap.IE{{ID: 60001, Criticality: ngap.Ignore, Value: []byte("same")}}
			b.amfs[1].more = []ngap.IE{{ID: 60001, Criticality: ngap.Ignore, Value: []byte(c.second)}}
			b.gnb(7).want(ngap.CodeNGSetupRequest, ngap.Successful)
			if n := b.snapshot().Counts.Differences; n != c.want {
				t.Errorf("%s: %d differences", c.second, n)
			}
		})
	}
}

// One update is under way with a gNB at a time. A gNB that says nothing is sent
// the same octets once more; one that refuses, or is silent still, gets the next
// change all the same, and it holds everything.
// Facts: N6-39, N6-40
func TestUpdatesOfTheUnion(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		run(t, 2, nil, func(b *bed) {
			g := b.up(7)
			change := func(p uint8) {
				b.amfs[0].last().send(0, simple(ngap.CodeAMFConfigurationUpdate, ngap.Initiating, servedList(pointer(1), pointer(p))))
				b.amfs[0].last().want(ngap.CodeAMFConfigurationUpdate, ngap.Successful)
			}
			change(11)
			first := g.next().data
			change(12)
			change(13)
			g.wantNothing()
			if refuses {
				g.send(0, simple(ngap.CodeAMFConfigurationUpdate, ngap.Unsuccessful,
					ngap.IE{ID: ngap.IECause, Criticality: ngap.Ignore, Value: ngap.AppendCause(nil, ngap.CauseUnspecified)}))
			} else {
				b.sleep(5 * time.Second)
				b.settle()
				if again := g.next().data; !bytes.Equal(again, first) {
					t.Errorf("first %x, then %x", first, again)
				}
				g.wantNothing()
				b.sleep(5 * time.Second)
				b.settle()
			}
			p := g.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)
			if got := guamisOf(t, p); string(got) != "\x01\x0d\x02" {
				t.Errorf("GUAMIs %v", got)
			}
			for _, id := range []ngap.IEID{ngap.IEAMFTNLAssociationToAddList, ngap.IEAMFTNLAssociationToUpdateList} {
				if p.Find(id) >= 0 {
					t.Errorf("%s is there", id)
				}
			}
			g.send(0, acknowledge)
			b.sleep(time.Minute)
			g.wantNothing()
		})
	}
}

// The union holds also what AMFs announced that are down now: the gNB hears of no
// loss, and a gNB that comes meanwhile is told the same.
// Facts: N6-41
func TestUnionDoesNotShrink(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		b.amfs[0].stop()
		b.sleep(time.Minute)
		g.wantNothing()
		h := b.gnb(8)
		b.sleep(n2.DefaultSetup)
		b.settle()
		if got := guamisOf(t, h.want(ngap.CodeNGSetupRequest, ngap.Successful)); string(got) != "\x01\x02" {
			t.Errorf("GUAMIs %v", got)
		}
		g.wantNothing()
	})
}

// What an AMF wants of TNL associations can't be had: it is told so, by their
// addresses, and gNBs hear nothing of it. An update that can't be read is refused.
// Facts: N6-42, N6-43
func TestTNLAssociationsAreNotPassedOn(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a := b.amfs[0].last()
		// By hand: 10.0.0.5 with weight 1.
		add := ngap.IE{ID: ngap.IEAMFTNLAssociationToAddList, Criticality: ngap.Ignore, Value: unhex("00 07c0 0a000005 01")}
		a.send(0, simple(ngap.CodeAMFConfigurationUpdate, ngap.Initiating, add))
		v, _ := a.want(ngap.CodeAMFConfigurationUpdate, ngap.Successful).Value(ngap.IEAMFTNLAssociationFailedToSetupList)
		failed, err := ngap.ReadFailedTNLAs(v, nil)
		if err != nil || len(failed) != 1 || failed[0].Addr.String() != "10.0.0.5" || failed[0].Cause != ngap.CauseTransportUnavailable {
			t.Errorf("%v %v", failed, err)
		}
		g.wantNothing()
		a.send(0, simple(ngap.CodeAMFConfigurationUpdate, ngap.Initiating, add, servedList(pointer(1), pointer(9))))
		a.want(ngap.CodeAMFConfigurationUpdate, ngap.Successful)
		p := g.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)
		if p.Find(ngap.IEAMFTNLAssociationToAddList) >= 0 || string(guamisOf(t, p)) != "\x01\x09\x02" {
			t.Errorf("the gNB got %v", p.IEs)
		}
		g.send(0, acknowledge)
		for _, bad := range []ngap.IE{{ID: ngap.IEServedGUAMIList, Value: []byte{1}}, {ID: ngap.IEAMFTNLAssociationToAddList, Value: []byte{0xff}}} {
			a.send(0, simple(ngap.CodeAMFConfigurationUpdate, ngap.Initiating, bad))
			a.want(ngap.CodeAMFConfigurationUpdate, ngap.Unsuccessful)
		}
		g.wantNothing()
	})
}
