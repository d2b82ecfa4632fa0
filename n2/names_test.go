package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// Octets by hand (TS 38.413 9.3.3.51): "amf-two" as a VisibleString, and "zwölf" as a
// UTF8String as well.
const (
	visibleName = "4030 616d662d74776f"
	bothNames   = "6030 616d662d74776f 06 7a77c3b66c66"
)

// served is a Served GUAMI List with one GUAMI 1/1/pointer whose item has GUAMI Type
// native and an Extended Backup AMF Name as extensions.
func servedWithBackup(pointer uint8, name string) []byte {
	v := unhex(name)
	b := append(unhex("00 20 00f110 01 0040 0001 00b0 40 01 00 01ba 40"), byte(len(v)))
	b[7] |= pointer
	return append(b, v...)
}

// The AMF is known by its Extended AMF Name, which counts, and its AMF Name; a backup
// AMF is found by the Extended Backup AMF Name of a GUAMI, and by that of AMF Status
// Indication. Toward the gNB no name of an AMF goes, and other extensions stay.
// Facts: N1-13, N6-35
func TestExtendedNames(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		b.amfs[1].more = []ngap.IE{{ID: ngap.IEExtendedAMFName, Criticality: ngap.Ignore, Value: unhex(bothNames)}}
		b.amfs[0].more = []ngap.IE{{ID: ngap.IEServedGUAMIList, Criticality: ngap.Reject, Value: servedWithBackup(1, visibleName)}}
		g := b.gnb(7)
		b.sleep(time.Second)
		p := g.want(ngap.CodeNGSetupRequest, ngap.Successful)
		if p.Find(ngap.IEExtendedAMFName) >= 0 {
			t.Error("the gNB sees the name of an AMF")
		}
		v, _ := p.Value(ngap.IEServedGUAMIList)
		list, err := ngap.ReadServedGUAMIs(v, nil)
		if err != nil || len(list) != 3 || list[0].GUAMI.Pointer != 1 || len(list[0].Backups()) != 0 {
			t.Errorf("%+v %v", list, err)
		} else if _, ok := list[0].GUAMIType(); !ok {
			t.Error("GUAMI Type did not survive the merge")
		}
		s := b.snapshot()
		if a := s.AMF(2); a.Announced != "zw??lf" && a.Announced != "zw?lf" {
			t.Errorf("announced %q", a.Announced)
		}
		if q := s.AMF(1).GUAMIs; len(q) != 1 || q[0].Backup != "amf-two" {
			t.Errorf("%+v", q)
		}
		// AMF 1 is lost: its UEs go to the backup that it named, AMF 2, not to AMF 3.
		b.amfs[0].stop()
		b.sleep(time.Second)
		for i := range uint32(6) {
			b.goesTo(g, 10+i, 1, 2)
		}
		// AMF 3 names its backup in AMF Status Indication, by both names.
		var u ngap.PDU
		u.New(ngap.CodeAMFStatusIndication, ngap.Initiating)
		u.Add(ngap.IEUnavailableGUAMIList, ngap.Reject, append(unhex("00 10 00f110 01 0043 0000 01ba 40 10"), unhex(bothNames)...))
		b.amfs[2].last().send(0, u.Append(nil))
		for i := range uint32(6) {
			b.goesTo(g, 20+i, 3, 2)
		}
	})
}

// An Extended AMF Name that can't be read is ignored, as its criticality says.
func TestExtendedNameUnreadable(t *testing.T) {
	run(t, 1, func(*n2.Config) {}, func(b *bed) {
		b.amfs[0].more = []ngap.IE{{ID: ngap.IEExtendedAMFName, Criticality: ngap.Ignore, Value: []byte{0xff}}}
		b.up(7)
		s := b.snapshot()
		if a := s.AMF(1); a.Announced != "amf-1" {
			t.Errorf("announced %q", a.Announced)
		}
	})
}

// goesTo sends a UE with a 5G-S-TMSI of an AMF and checks which one gets it.
func (b *bed) goesTo(g *peer, ran uint32, pointer uint8, want int) {
	b.Helper()
	for _, a := range b.amfs {
		for _, p := range a.peers {
			p.got = nil
		}
	}
	g.send(1, initial(ran, &ngap.STMSI{Set: 1, Pointer: pointer, TMSI: ran}))
	if a := b.where(); a.id != want {
		b.Errorf("a UE of AMF %d went to AMF %d, want %d", pointer, a.id, want)
	}
}

// A gNB is known by its Extended RAN Node Name where it has one; its NG Setup Request
// goes on as it came, and an update of the plain name replaces both.
func TestExtendedRANNodeName(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		var p ngap.PDU
		if err := p.Walk(setupOf(7)); err != nil {
			t.Fatal(err)
		}
		p.Add(ngap.IEExtendedRANNodeName, ngap.Ignore, unhex(visibleName))
		request := p.Append(nil)
		g := b.associate()
		g.send(0, request)
		b.sleep(time.Second)
		g.want(ngap.CodeNGSetupRequest, ngap.Successful)
		if got := b.amfs[0].last().next().data; string(got) != string(request) {
			t.Errorf("the AMF got %x", got)
		}
		if s := b.snapshot(); s.GNBs[0].Name != "amf-two" {
			t.Errorf("name %q", s.GNBs[0].Name)
		}
		g.send(0, simple(ngap.CodeRANConfigurationUpdate, ngap.Initiating, ngap.IE{ID: ngap.IERANNodeName, Criticality: ngap.Ignore, Value: ngap.AppendName(nil, "plain")}))
		b.amfs[0].last().assoc.Abort("restart")
		b.sleep(5 * time.Second)
		var q ngap.PDU
		if err := q.Walk(b.amfs[0].last().got[0].data); err != nil || q.Find(ngap.IEExtendedRANNodeName) >= 0 {
			t.Errorf("replayed with the old name: %v", err)
		}
		if s := b.snapshot(); s.GNBs[0].Name != "plain" {
			t.Errorf("name %q", s.GNBs[0].Name)
		}
		g.got = nil
	})
}
