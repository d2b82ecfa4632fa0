package ngap_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	free5gc "github.com/free5gc/ngap"
	"github.com/free5gc/ngap/ngapType"

	. "poolgw/ngap"
)

// The table has the messages of free5gc/ngap for the procedures that it knows, and
// no others.
func TestTableFree5GC(t *testing.T) {
	var pdu ngapType.NGAPPDU
	alternatives := []any{pdu.InitiatingMessage, pdu.SuccessfulOutcome, pdu.UnsuccessfulOutcome}
	seen := 0
	for k, a := range alternatives {
		value, _ := reflect.TypeOf(a).Elem().FieldByName("Value")
		for i := 1; i < value.Type.NumField(); i++ {
			f := value.Type.Field(i)
			code := Code(parseTag(f.Tag.Get("aper"))["referenceFieldValue"])
			if f.Name == "SecondaryRATDataUsageReport" { // the number is missing there
				code = CodeSecondaryRATDataUsageReport
			}
			if row := Lookup(code); row.Message(Kind(k)) != f.Name {
				t.Errorf("%d %v: %q, free5gc/ngap has %s", code, Kind(k), row.Message(Kind(k)), f.Name)
			}
			seen++
		}
	}
	for _, row := range Procedures()[:lastOfFree5GC+1] {
		for k := Initiating; k <= Unsuccessful; k++ {
			if row.Message(k) != "" {
				seen--
			}
		}
	}
	if seen != 0 {
		t.Errorf("free5gc/ngap has %+d messages", seen)
	}
}

// encode is the message by free5gc/ngap, or nil when it can't (see disagreements).
func encode(t *testing.T, m *ngapType.NGAPPDU) []byte {
	t.Helper()
	b, err := free5gc.Encoder(*m)
	if err != nil {
		t.Fatalf("free5gc/ngap can't encode: %v", err)
	}
	return b
}

// A generated message walks to the IEs that free5gc/ngap encoded, its values are
// read as it wrote them, and it is the same when built again.
// Facts: N6-75
func TestFree5GCMessages(t *testing.T) {
	read := map[IEID]int{}
	eachMessage(t, 20, func(t *testing.T, g generator, row *Procedure, k Kind) {
		m, refs := g.message(row, k)
		if m == nil {
			t.Fatal("free5gc/ngap has no such message")
		}
		b := encode(t, m)
		p := walk(t, b)
		if p.Code != row.Code || p.Kind != k || p.Criticality != row.Criticality || p.Name() != row.Message(k) || len(p.IEs) != len(refs) {
			t.Fatalf("%v %v with %s, want %d IEs", p.Code, p.Kind, ids(p), len(refs))
		}
		if again := rebuilt(p); !bytes.Equal(again, b) {
			t.Errorf("built\n%x\nencoded\n%x", again, b)
		}
		for i, r := range refs {
			ie := p.IEs[i]
			if ie.ID != r.id || ie.Criticality != r.crit {
				t.Errorf("IE %d is %v %v, want %v %v", i, ie.ID, ie.Criticality, r.id, r.crit)
			}
			if f := oracle[r.id]; f != nil {
				read[r.id]++
				if got, want := f(ie.Value, r.value); got != want {
					t.Errorf("%v %x:\nread    %s\nencoded %s", ie.ID, ie.Value, got, want)
				}
			}
		}
		if d, err := free5gc.Decoder(b); err != nil || !typed(d) {
			t.Errorf("free5gc/ngap: %v, typed %v", err, typed(d))
		}
	})
	for id := range oracle {
		if read[id] == 0 {
			t.Errorf("%v was never compared", id)
		}
	}
}

// typed says that free5gc/ngap found the message's own type.
func typed(d *ngapType.NGAPPDU) bool {
	v := reflect.ValueOf(d).Elem().Field(d.Present)
	return !v.IsNil() && v.Elem().FieldByName("Value").Field(0).Int() > 0
}

// A changed AMF UE NGAP ID gives the octets that free5gc/ngap gives for it,
// whatever the lengths become.
func TestFree5GCEdit(t *testing.T) {
	values := []uint64{0, 0x7f, 0xff, 0x100, 0xffff, 0x10000, 0xffffff, 0x1000000, 0xffffffff, 1 << 32, MaxAMFUENGAPID}
	edited := 0
	eachMessage(t, 6, func(t *testing.T, g generator, row *Procedure, k Kind) {
		m, refs := g.message(row, k)
		b := encode(t, m)
		for _, id := range values {
			p := walk(t, b)
			for i, r := range refs {
				switch v := r.value.(type) {
				case *ngapType.AMFUENGAPID:
					v.Value = int64(id)
					p.SetAMFUENGAPID(i, id)
				case *ngapType.RANUENGAPID:
					v.Value = int64(uint32(id))
					p.SetRANUENGAPID(i, uint32(id))
				default:
					continue
				}
				edited++
			}
			want := encode(t, m)
			if got := p.Append(nil); !bytes.Equal(got, want) || p.Size() != len(want) {
				t.Fatalf("%d: edited\n%x\nencoded\n%x", id, got, want)
			}
		}
	})
	if edited < 1000 {
		t.Errorf("only %d edits", edited)
	}
}

// Encode gives what free5gc/ngap gives, and an error for what it can't.
func TestEncode(t *testing.T) {
	eachMessage(t, 1, func(t *testing.T, g generator, row *Procedure, k Kind) {
		m, _ := g.message(row, k)
		b, err := Encode([]byte("x"), m)
		if err != nil || !bytes.Equal(b[1:], encode(t, m)) {
			t.Errorf("%x, %v", b, err)
		}
	})
	if b, err := Encode(nil, &ngapType.NGAPPDU{Present: 1, InitiatingMessage: new(ngapType.InitiatingMessage)}); err == nil {
		t.Errorf("a message of nothing: %x", b)
	} else if !strings.HasPrefix(err.Error(), "ngap: ") {
		t.Error(err)
	}
}

// Encode refuses what free5gc/ngap encodes without the last fragment.
func TestEncodeFragment(t *testing.T) {
	refused := 0
	for n := 16384 - 10; n <= 16384; n++ {
		var pdu ngapType.NGAPPDU
		pdu.Present, pdu.InitiatingMessage = 1, new(ngapType.InitiatingMessage)
		m := pdu.InitiatingMessage
		m.ProcedureCode.Value, m.Value.Present = int64(CodeUplinkNonUEAssociatedNRPPaTransport), ngapType.InitiatingMessagePresentUplinkNonUEAssociatedNRPPaTransport
		m.Value.UplinkNonUEAssociatedNRPPaTransport = new(ngapType.UplinkNonUEAssociatedNRPPaTransport)
		ie := ngapType.UplinkNonUEAssociatedNRPPaTransportIEs{}
		ie.Id.Value, ie.Value.Present = int64(IERoutingID), ngapType.UplinkNonUEAssociatedNRPPaTransportIEsPresentRoutingID
		ie.Value.RoutingID = &ngapType.RoutingID{Value: make([]byte, n)}
		list := &m.Value.UplinkNonUEAssociatedNRPPaTransport.ProtocolIEs
		list.List = append(list.List, ie)
		b, err := Encode(nil, &pdu)
		if err != nil {
			refused++
			continue
		}
		p := walk(t, b)
		if o, err := ReadOctets(p.IEs[0].Value); err != nil || len(o) != n || !bytes.Equal(rebuilt(p), b) {
			t.Errorf("%d octets: %d, %v", n, len(o), err)
		}
	}
	if refused == 0 || refused > 3 {
		t.Errorf("%d of 11 lengths refused", refused)
	}
}
