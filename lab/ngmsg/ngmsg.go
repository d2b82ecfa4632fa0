// Package ngmsg makes and reads NGAP messages (TS 38.413) with the types of
// github.com/free5gc/ngap, for the simulated gNBs and AMFs of the lab. It shares
// nothing with the gateway's own codec, package ngap: what one gets wrong the
// other does not.
//
// A Message is a procedure, a kind and a list of IEs whose values are pointers to
// ngapType's types. It knows procedures 0 to 52, as that library does, and is
// slow. values.go makes the values that are clumsy in ngapType.
package ngmsg

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/free5gc/aper"
	aperlog "github.com/free5gc/aper/logger"
	free5gc "github.com/free5gc/ngap"
	ngaplog "github.com/free5gc/ngap/logger"
	"github.com/free5gc/ngap/ngapType"
	"github.com/sirupsen/logrus"
)

// free5gc/ngap logs to stderr; what it has to say comes back as an error.
func init() {
	for _, l := range []*logrus.Logger{aperlog.GetLogger(), ngaplog.GetLogger()} {
		l.SetOutput(io.Discard)
		l.SetLevel(logrus.PanicLevel)
	}
}

// Kind is what a message is of its procedure.
type Kind int

// Kinds, as ngapType.NGAPPDU.Present has them.
const (
	Initiating   = Kind(ngapType.NGAPPDUPresentInitiatingMessage)
	Successful   = Kind(ngapType.NGAPPDUPresentSuccessfulOutcome)
	Unsuccessful = Kind(ngapType.NGAPPDUPresentUnsuccessfulOutcome)
)

// Message is one NGAP PDU.
type Message struct {
	Code int64 // ngapType.ProcedureCode…
	Kind Kind
	pdu  *ngapType.NGAPPDU
	list reflect.Value // of the IEs
}

// New begins a message. A procedure or kind that ngapType has not panics: it is
// the caller's mistake.
func New(code int64, k Kind) *Message {
	m := &Message{Code: code, Kind: k, pdu: &ngapType.NGAPPDU{Present: int(k)}}
	outer := reflect.ValueOf(m.pdu).Elem().Field(int(k))
	outer.Set(reflect.New(outer.Type().Elem()))
	o := outer.Elem()
	o.FieldByName("ProcedureCode").Field(0).SetInt(code)
	o.FieldByName("Criticality").Field(0).SetUint(uint64(criticalityOf(code)))
	body := choose(o.FieldByName("Value"), code)
	m.list = body.Elem().FieldByName("ProtocolIEs").FieldByName("List")
	return m
}

// choose sets the alternative of a choice that its reference value selects, to a
// new value, and returns it.
func choose(choice reflect.Value, reference int64) reflect.Value {
	i := alternative(choice.Type(), reference)
	if i == 0 {
		panic(fmt.Sprintf("ngmsg: %s has no %d", choice.Type(), reference))
	}
	choice.Field(0).SetInt(int64(i))
	f := choice.Field(i)
	f.Set(reflect.New(f.Type().Elem()))
	return f
}

type choiceKey struct {
	t         reflect.Type
	reference int64
}

var alternatives sync.Map // of choiceKey to int

// alternative is the index of the field with that reference value; 0: none.
func alternative(t reflect.Type, reference int64) int {
	key := choiceKey{t, reference}
	if v, ok := alternatives.Load(key); ok {
		return v.(int)
	}
	found := 0
	for i := 1; i < t.NumField(); i++ {
		for _, tag := range strings.Split(t.Field(i).Tag.Get("aper"), ",") {
			if v, ok := strings.CutPrefix(tag, "referenceFieldValue:"); ok && v == strconv.FormatInt(reference, 10) {
				found = i
			}
		}
	}
	alternatives.Store(key, found)
	return found
}

// Add appends an IE. The value is a pointer to its ngapType type; a nil value is
// left out.
func (m *Message) Add(id int64, value any) *Message {
	v := reflect.ValueOf(value)
	if value == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return m
	}
	ie := reflect.New(m.list.Type().Elem()).Elem()
	ie.FieldByName("Id").Field(0).SetInt(id)
	ie.FieldByName("Criticality").Field(0).SetUint(uint64(m.criticality(id)))
	choose(ie.FieldByName("Value"), id).Set(v)
	m.list.Set(reflect.Append(m.list, ie))
	return m
}

// Encode returns the octets.
func (m *Message) Encode() (b []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("ngmsg: encoding procedure %d: %v", m.Code, r)
		}
	}()
	return free5gc.Encoder(*m.pdu)
}

// Decode reads a message.
func Decode(b []byte) (m *Message, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("ngmsg: %x: %v", b[:min(len(b), 16)], r)
		}
	}()
	pdu, err := free5gc.Decoder(b)
	if err != nil {
		return nil, err
	}
	m = &Message{Kind: Kind(pdu.Present), pdu: pdu}
	o := reflect.ValueOf(pdu).Elem().Field(pdu.Present).Elem()
	m.Code = o.FieldByName("ProcedureCode").Field(0).Int()
	choice := o.FieldByName("Value")
	present := int(choice.Field(0).Int())
	if present == 0 {
		return nil, fmt.Errorf("ngmsg: procedure %d is not known", m.Code)
	}
	m.list = choice.Field(present).Elem().FieldByName("ProtocolIEs").FieldByName("List")
	return m, nil
}

// Get returns the value of an IE, nil when the message has none, or none of that
// type.
func Get[T any](m *Message, id int64) *T {
	for i := range m.list.Len() {
		ie := m.list.Index(i)
		if ie.FieldByName("Id").Field(0).Int() != id {
			continue
		}
		choice := ie.FieldByName("Value")
		if p := int(choice.Field(0).Int()); p > 0 {
			v, _ := choice.Field(p).Interface().(*T)
			return v
		}
	}
	return nil
}

// criticalityOf is that of a procedure (TS 38.413, 9.4.3).
func criticalityOf(code int64) aper.Enumerated {
	if rejects[code] {
		return ngapType.CriticalityPresentReject
	}
	return ngapType.CriticalityPresentIgnore
}

var rejects = map[int64]bool{}

func init() {
	for _, c := range []int64{0, 10, 12, 13, 14, 20, 21, 23, 25, 26, 27, 28, 29, 32, 35, 36, 40, 41, 43, 51} {
		rejects[c] = true
	}
}

// ignored are the IEs with criticality ignore in the messages that the lab sends
// (9.2); those of an answer are ignored when they are the UE's IDs.
var ignored = map[int64]bool{
	ngapType.ProtocolIEIDCause: true, ngapType.ProtocolIEIDTimeToWait: true, ngapType.ProtocolIEIDDefaultPagingDRX: true,
	ngapType.ProtocolIEIDRANNodeName: true, ngapType.ProtocolIEIDRRCEstablishmentCause: true,
	ngapType.ProtocolIEIDUEContextRequest: true, ngapType.ProtocolIEIDRelativeAMFCapacity: true,
	ngapType.ProtocolIEIDUEPagingIdentity: true, ngapType.ProtocolIEIDTAIListForPaging: true,
	ngapType.ProtocolIEIDAMFTrafficLoadReductionIndication: true, ngapType.ProtocolIEIDUESecurityCapabilities: false,
}

func (m *Message) criticality(id int64) aper.Enumerated {
	ids := id == ngapType.ProtocolIEIDAMFUENGAPID || id == ngapType.ProtocolIEIDRANUENGAPID
	location := id == ngapType.ProtocolIEIDUserLocationInformation && m.Code != ngapType.ProcedureCodeInitialUEMessage
	if ignored[id] || location || ids && (m.Kind != Initiating || m.Code == ngapType.ProcedureCodeErrorIndication) {
		return ngapType.CriticalityPresentIgnore
	}
	return ngapType.CriticalityPresentReject
}
