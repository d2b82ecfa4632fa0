package bssgp_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	. "poolgw/bssgp"
)

func seed(f *testing.F) {
	for _, s := range samples() {
		f.Add(unhex(f, s.hex))
	}
	f.Add([]byte{})
}

// Whatever parses means the same after it was encoded again, and the lazy
// readers agree with the full parse.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Parse(b)
		for _, d := range []Dir{Uplink, Downlink} {
			for _, k := range []BVCKind{SIG, PTP, PTM} {
				Check(b, d, k)
			}
		}
		readAll(b)
		if err != nil {
			return
		}
		again := p.Append(nil)
		q, err := Parse(again)
		if err != nil || !bytes.Equal(q.Append(nil), again) || p.String() != q.String() {
			t.Fatalf("%x became %x: %v", b, again, err)
		}
		for i, ie := range p.IEs {
			n := 0
			for _, before := range p.IEs[:i] {
				if before.IEI == ie.IEI {
					n++
				}
			}
			if v, ok := FindN(b, ie.IEI, n); !ok || !bytes.Equal(v, ie.Value) {
				t.Fatalf("%v number %d of %x: %x %v", ie.IEI, n, b, v, ok)
			}
		}
	})
}

func readAll(b []byte) {
	ReadTLLI(b)
	ReadOldTLLI(b)
	ReadTMSI(b)
	ReadBVCI(b)
	ReadNewBVCI(b)
	ReadNSEI(b)
	ReadCause(b)
	ReadTag(b)
	ReadRAI(b)
	ReadLAI(b)
	ReadCellID(b)
	ReadFeatures(b)
	ReadLLC(b)
	if inner, ok := ReadPDUInError(b); ok {
		ReadTLLI(inner)
		ReadTMSI(inner)
		ReadBVCI(inner)
	}
}

func FuzzIMSI(f *testing.F) {
	f.Add(unhex(f, hexIMSI[4:]))
	f.Fuzz(func(t *testing.T, v []byte) {
		i, ok := DecodeIMSI(v)
		if !ok {
			return
		}
		j, ok := ParseIMSI(i.String())
		if !ok || i != j {
			t.Fatalf("%x is %v, but that is %v %v", v, i, j, ok)
		}
		if k, ok := DecodeIMSI(i.Append(nil)); !ok || k != i {
			t.Fatalf("%v encodes to %x", i, i.Append(nil))
		}
	})
}

func FuzzFlowControlBVC(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		fc, ok := DecodeFlowControlBVC(b)
		if !ok {
			return
		}
		again, ok := DecodeFlowControlBVC(fc.Append(nil))
		if !ok || !reflect.DeepEqual(again, fc) {
			t.Fatalf("%+v became %+v", fc, again)
		}
		half := fc.Scale(50)
		if half.BucketSize > fc.BucketSize || (half.BucketSize == 0) != (fc.BucketSize == 0) {
			t.Fatalf("half of %d is %d", fc.BucketSize, half.BucketSize)
		}
	})
}

// No sequence of PDUs brings the BVC machine out of its table or makes it
// answer a PDU with more than one.
func FuzzBVC(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, role := range []BVCRole{RoleBSS, RoleSGSN} {
			for _, id := range []uint16{0, 1000} {
				h := newHarness(t, BVCConfig{BVCI: id, Role: role, Cell: &cell})
				h.b.Recv(h.now, b)
				if len(h.sent) > 1 {
					t.Fatalf("%x was answered by %d PDUs", b, len(h.sent))
				}
				h.b.Reset(h.now, CauseOMIntervention)
				h.b.Recv(h.now, b)
				h.now = h.now.Add(time.Minute)
				h.b.Expire(h.now)
				if h.b.State() > BVCUnblocked {
					t.Fatalf("state %v", h.b.State())
				}
			}
		}
	})
}
