package ngap_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	. "poolgw/ngap"

	"poolgw/lab/tshark"
)

// reader reads an IE's value, and writes it again where there is an encoder: nil
// where there is none.
type reader struct {
	id   IEID
	read func(v []byte) (again []byte, err error)
}

func only[T any](f func([]byte) (T, error)) func([]byte) ([]byte, error) {
	return func(v []byte) ([]byte, error) {
		_, err := f(v)
		return nil, err
	}
}

func list[T any](read func([]byte, []T) ([]T, error), write func([]byte, []T) []byte) func([]byte) ([]byte, error) {
	return func(v []byte) ([]byte, error) {
		l, err := read(v, nil)
		if err != nil || write == nil {
			return nil, err
		}
		return write(nil, l), nil
	}
}

func both[T any](read func([]byte) (T, error), write func([]byte, T) []byte) func([]byte) ([]byte, error) {
	return func(v []byte) ([]byte, error) {
		x, err := read(v)
		if err != nil {
			return nil, err
		}
		return write(nil, x), nil
	}
}

// readers are all readers of values.
var readers = []reader{
	{IEAllowedNSSAI, list(ReadNSSAI, AppendNSSAI)},
	{IEAMFName, both(ReadName, func(b, n []byte) []byte { return AppendName(b, string(n)) })},
	{IEAMFOverloadResponse, both(ReadOverloadResponse, AppendOverloadResponse)},
	{IEAMFSetID, both(ReadAMFSetID, AppendAMFSetID)},
	{IEAMFTNLAssociationFailedToSetupList, list(ReadFailedTNLAs, nil)},
	{IEAMFTNLAssociationSetupList, list(ReadTNLAs, func(b []byte, l []TNLA) []byte { AppendFailedTNLAs(b, l, CauseMiscUnspecified); return nil })},
	{IEAMFTNLAssociationToAddList, list(ReadTNLAsToAdd, nil)},
	{IEAMFTNLAssociationToUpdateList, list(ReadTNLAsToUpdate, nil)},
	{IEAMFTrafficLoadReductionIndication, both(ReadLoadReduction, AppendLoadReduction)},
	{IEAMFUENGAPID, both(ReadAMFUENGAPID, AppendAMFUENGAPID)},
	{IECause, both(ReadCause, appendCause)},
	{IEExtendedAMFName, list(ReadExtendedName, nil)},
	{IEFiveGSTMSI, both(ReadSTMSI, AppendSTMSI)},
	{IEGlobalRANNodeID, only(ReadNodeID)},
	{IEGUAMI, both(ReadGUAMI, AppendGUAMI)},
	{IEGUAMIType, only(ReadGUAMIType)},
	{IEMBSSessionID, only(ReadMBSSession)},
	{IENASPDU, both(ReadOctets, AppendOctets)},
	{IENGAPMessage, func(v []byte) ([]byte, error) { return nil, new(PDU).WalkContained(v) }},
	{IEOverloadStartNSSAIList, list(ReadSliceOverloads, nil)},
	{IESessionsToBeSwitchedDL, list(ReadSwitchedSessions, nil)},
	{IEPLMNSupportList, list(ReadPLMNSupport, AppendPLMNSupport)},
	{IERANUENGAPID, both(ReadRANUENGAPID, AppendRANUENGAPID)},
	{IERelativeAMFCapacity, both(ReadCapacity, AppendCapacity)},
	{IEResetType, func(v []byte) ([]byte, error) {
		all, l, err := ReadResetType(v, nil)
		if err != nil || all {
			return nil, err
		}
		return AppendResetPart(nil, l), nil
	}},
	{IERRCEstablishmentCause, only(ReadEstablishment)},
	{IESelectedPLMNIdentity, only(ReadPLMN)},
	{IEServedGUAMIList, list(ReadServedGUAMIs, AppendServedGUAMIs)},
	{IESupportedTAList, list(ReadSupportedTAs, nil)},
	{IETAI, only(ReadTAI)},
	{IETAIListForPaging, list(ReadPagingTAIs, nil)},
	{IETimeToWait, only(ReadTimeToWait)},
	{IEUEAssociatedLogicalNGConnectionList, list(ReadConnections, AppendConnections)},
	{IEUENGAPIDs, both(ReadUENGAPIDs, func(b []byte, ids UENGAPIDs) []byte { return ids.Append(b) })},
	{IEUEPagingIdentity, only(ReadUEPagingIdentity)},
	{IEUERetentionInformation, only(ReadUERetention)},
	{IEUnavailableGUAMIList, list(ReadUnavailableGUAMIs, AppendUnavailableGUAMIs)},
	{IEUserLocationInformation, func(v []byte) ([]byte, error) { _, _, err := ReadLocation(v); return nil, err }},
}

// appendCause leaves out what is of the choice-Extensions, which is not kept.
func appendCause(b []byte, c Cause) []byte {
	if c.Group == CauseOther {
		return nil
	}
	return AppendCause(b, c)
}

// readerOf is the reader of an IE, nil for others.
func readerOf(id IEID) *reader {
	for i := range readers {
		if readers[i].id == id {
			return &readers[i]
		}
	}
	return nil
}

// check reads a value: an error must be an *Error within the value, and what was
// written again must be read to the same octets.
func (r *reader) check(t *testing.T, v []byte) {
	t.Helper()
	whole := append(bytes.Clone(v), 0xaa)
	again, err := r.read(whole[:len(v):len(v)])
	if whole[len(v)] != 0xaa {
		t.Fatalf("%v %x: written behind the value", r.id, v)
	}
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(v)+1 && r.id != IENGAPMessage {
			t.Fatalf("%v %x: %v", r.id, v, err)
		}
		return
	}
	if again == nil {
		return
	}
	third, err := r.read(again)
	if err != nil || !bytes.Equal(third, again) {
		t.Fatalf("%v %x: written as %x, and that as %x, %v", r.id, v, again, third, err)
	}
}

func seeds(f *testing.F) (all [][]byte) {
	for _, s := range byHand(f) {
		all = append(all, s.pdu)
	}
	for _, g := range tshark.ReadGolden(f, captured) {
		all = append(all, g.Octets)
	}
	long, _ := message(16384)
	return append(all, nil, long)
}

// Walking never fails but by an *Error within the PDU; a walked PDU is appended as
// it came; built from its list it walks to the same list; readers and edits of its
// IEs do as they should.
func FuzzWalk(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b, uint64(1)<<32, byte(0))
	}
	f.Fuzz(func(t *testing.T, b []byte, id uint64, at byte) {
		var p PDU
		if err := p.Walk(b); err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(b) {
				t.Fatalf("%x: %v", b, err)
			}
			return
		}
		if got := p.Append(nil); !bytes.Equal(got, b[:len(b)-p.Surplus()]) {
			t.Fatalf("%x appended as %x", b, got)
		}
		if p.Private() {
			return
		}
		sameList(t, &p, rebuilt(&p))
		for _, ie := range p.IEs {
			if r := readerOf(ie.ID); r != nil {
				r.check(t, ie.Value)
			}
		}
		p.NAS()
		if len(p.IEs) > 0 {
			edit(t, &p, int(at)%len(p.IEs), id&MaxAMFUENGAPID)
		}
	})
}

// sameList wants octets that walk to p's list.
func sameList(t *testing.T, p *PDU, b []byte) {
	t.Helper()
	q := walk(t, b)
	if q.Code != p.Code || q.Kind != p.Kind || q.Criticality != p.Criticality || ids(q) != ids(p) {
		t.Fatalf("%x: %v %v %s", b, q.Code, q.Kind, ids(q))
	}
	for i := range p.IEs {
		if q.IEs[i].Criticality != p.IEs[i].Criticality || !bytes.Equal(q.IEs[i].Value, p.IEs[i].Value) {
			t.Fatalf("IE %d is %+v, want %+v", i, q.IEs[i], p.IEs[i])
		}
	}
}

// edit changes, puts in and takes away, and wants to find each in what is appended.
func edit(t *testing.T, p *PDU, i int, id uint64) {
	p.SetAMFUENGAPID(i, id)
	b := p.Append(nil)
	if p.Size() != len(b) {
		t.Fatalf("size %d of %d", p.Size(), len(b))
	}
	sameList(t, p, b)
	if got, err := ReadAMFUENGAPID(walk(t, b).IEs[i].Value); err != nil || got != id {
		t.Fatalf("%d became %d, %v", id, got, err)
	}
	p.Insert(i, 9999, Notify, []byte{1, 2, 3})
	sameList(t, p, p.Append(nil))
	p.Remove(9999)
	sameList(t, p, p.Append(nil))
	p.Translate(func(_ IEID, was uint64) uint64 { return was ^ 1<<39 })
	sameList(t, p, p.Append(nil))
}

// Each reader takes any octets.
func FuzzReaders(f *testing.F) {
	for i, r := range readers {
		for _, b := range seeds(f) {
			var p PDU
			if p.Walk(b) == nil {
				if v, ok := p.Value(r.id); ok {
					f.Add(byte(i), v)
				}
			}
		}
		f.Add(byte(i), []byte{0x40, 1, 2, 3, 4, 5, 6, 7})
	}
	f.Fuzz(func(t *testing.T, i byte, v []byte) { readers[int(i)%len(readers)].check(t, v) })
}

// Any octets are a NAS-PDU, and an identity that is found is in them.
func FuzzNAS(f *testing.F) {
	for _, b := range seeds(f) {
		var p PDU
		if p.Walk(b) == nil {
			if v, ok := p.Value(IENASPDU); ok {
				o, _ := ReadOctets(v)
				f.Add(o)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n := ReadNAS(b)
		if s, ok := n.Owner().STMSI(); ok {
			v := AppendSTMSI(nil, s)
			if got, err := ReadSTMSI(v); err != nil || got != s || !bytes.Contains(b, v[3:]) {
				t.Fatalf("%x: %s", b, fmt.Sprint(n))
			}
		}
	})
}
