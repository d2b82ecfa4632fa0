package ngap_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/free5gc/aper"
	free5gc "github.com/free5gc/ngap"
	"github.com/free5gc/ngap/ngapType"

	. "poolgw/ngap"
)

// generator fills free5gc/ngap's types with values of their constraints, which
// stand in the fields' tags.
type generator struct {
	*rand.Rand
	depth int
}

// tag is one of those tags.
type tag map[string]int64

func parseTag(s string) tag {
	t := tag{}
	for w := range strings.SplitSeq(s, ",") {
		name, v, _ := strings.Cut(w, ":")
		n, _ := strconv.ParseInt(v, 10, 64)
		t[name] = n
	}
	if t["valueUB"] == 46 { // CauseRadioNetwork, see disagreements
		t["valueUB"] = 44
	}
	return t
}

func (t tag) has(name string) bool { _, ok := t[name]; return ok }

// between is a number from lb to ub, ub preferred now and then.
func (g generator) between(lb, ub int64) int64 {
	switch g.IntN(4) {
	case 0:
		return ub
	case 1:
		return lb
	}
	return lb + g.Int64N(ub-lb+1)
}

// size is a number of items or octets.
func (g generator) size(t tag, most int64) int64 {
	if !t.has("sizeUB") {
		return g.Int64N(most)
	}
	return g.between(t["sizeLB"], min(t["sizeUB"], t["sizeLB"]+most))
}

// fill sets v; false: the type has no value (an empty set of extensions).
func (g generator) fill(v reflect.Value, t tag) bool {
	switch x := v.Addr().Interface().(type) {
	case *aper.BitString:
		n := g.size(t, 200)
		*x = aper.BitString{Bytes: g.octets((n + 7) / 8), BitLength: uint64(n)}
		if r := n % 8; r != 0 {
			x.Bytes[len(x.Bytes)-1] &= 0xff << (8 - r)
		}
		return true
	case *aper.OctetString:
		*x = g.octets(g.size(t, 300))
		return true
	case *aper.Enumerated:
		*x = aper.Enumerated(g.between(t["valueLB"], t["valueUB"]))
		return true
	}
	switch v.Kind() {
	case reflect.Int64:
		v.SetInt(g.between(t["valueLB"], t["valueUB"]))
	case reflect.String:
		v.SetString(strings.Repeat("aZ 9", 50)[:g.size(t, 160)])
	case reflect.Pointer:
		if t.has("optional") && (g.depth > 7 || g.IntN(2) == 0) {
			return true
		}
		v.Set(reflect.New(v.Type().Elem()))
		if !g.fill(v.Elem(), t) {
			v.SetZero()
			return t.has("optional")
		}
	case reflect.Slice:
		return g.list(v, t)
	case reflect.Struct:
		g.depth++
		return g.structure(v, t)
	default:
		return false
	}
	return true
}

func (g generator) octets(n int64) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

func (g generator) list(v reflect.Value, t tag) bool {
	n := int(g.size(t, max(1, int64(6-g.depth))))
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		if !g.fill(v.Index(i), tag{}) {
			return false
		}
	}
	return true
}

func (g generator) structure(v reflect.Value, t tag) bool {
	if v.NumField() > 0 && v.Type().Field(0).Name == "Present" {
		return g.choice(v)
	}
	for i := range v.NumField() {
		ft := parseTag(v.Type().Field(i).Tag.Get("aper"))
		if ft.has("openType") {
			if !g.choice(v.Field(i)) {
				return false
			}
			alt := v.Field(i).Type().Field(int(v.Field(i).Field(0).Int()))
			v.Field(0).Field(0).SetInt(parseTag(alt.Tag.Get("aper"))["referenceFieldValue"])
		} else if !g.fill(v.Field(i), ft) {
			return false
		}
	}
	return true
}

// choice takes an alternative that has values.
func (g generator) choice(v reflect.Value) bool {
	for range 8 {
		if v.NumField() == 1 {
			return false
		}
		i := 1 + g.IntN(v.NumField()-1)
		f := v.Type().Field(i)
		if f.Type.Elem().Kind() == reflect.Struct && f.Type.Elem().NumField() == 0 || // choice-Extensions of nothing
			f.Name == "ChoiceExtensions" && g.IntN(4) > 0 || !g.fill(v.Field(i), parseTag(f.Tag.Get("aper"))) || v.Field(i).IsNil() {
			v.Field(i).SetZero()
			continue
		}
		v.Field(0).SetInt(int64(i))
		return true
	}
	return false
}

// ieRef is one IE of a generated message.
type ieRef struct {
	id    IEID
	crit  Criticality
	value any // a pointer to one of ngapType's values
}

// message makes a message of the table with each of its IEs in turn, or nil when
// free5gc/ngap has no such message.
func (g generator) message(row *Procedure, k Kind) (*ngapType.NGAPPDU, []ieRef) {
	pdu := &ngapType.NGAPPDU{Present: int(k) + 1}
	alt := reflect.ValueOf(pdu).Elem().Field(int(k) + 1)
	alt.Set(reflect.New(alt.Type().Elem()))
	m := alt.Elem()
	m.FieldByName("ProcedureCode").Field(0).SetInt(int64(row.Code))
	m.FieldByName("Criticality").Field(0).SetUint(uint64(row.Criticality))
	value := m.FieldByName("Value")
	for i := 1; i < value.NumField(); i++ {
		if f := value.Type().Field(i); f.Name == row.Message(k) {
			value.Field(0).SetInt(int64(i))
			value.Field(i).Set(reflect.New(f.Type.Elem()))
			return pdu, g.ies(pdu, value.Field(i).Elem().Field(0).Field(0))
		}
	}
	return nil, nil
}

// ies fills a ProtocolIEs.List with what free5gc/ngap can encode.
func (g generator) ies(pdu *ngapType.NGAPPDU, list reflect.Value) (refs []ieRef) {
	typ := list.Type().Elem()
	alternatives, _ := typ.FieldByName("Value")
	whole := reflect.MakeSlice(list.Type(), 0, 0)
	for i := 1; i < alternatives.Type.NumField(); i++ {
		for range 8 {
			ie, ref, ok := g.ie(typ, i)
			if !ok {
				continue
			}
			list.Set(reflect.Append(reflect.MakeSlice(list.Type(), 0, 1), ie))
			if _, err := free5gc.Encoder(*pdu); err == nil {
				whole, refs = reflect.Append(whole, ie), append(refs, ref)
				break
			}
		}
	}
	list.Set(whole)
	return refs
}

// ie makes the IE of alternative i.
func (g generator) ie(typ reflect.Type, i int) (reflect.Value, ieRef, bool) {
	ie := reflect.New(typ).Elem()
	v := ie.FieldByName("Value")
	t := parseTag(v.Type().Field(i).Tag.Get("aper"))
	g.depth = 0
	if !g.fill(v.Field(i), t) || v.Field(i).IsNil() {
		return ie, ieRef{}, false
	}
	crit := Criticality(g.IntN(3))
	v.Field(0).SetInt(int64(i))
	ie.Field(0).Field(0).SetInt(t["referenceFieldValue"])
	ie.Field(1).Field(0).SetUint(uint64(crit))
	return ie, ieRef{IEID(t["referenceFieldValue"]), crit, v.Field(i).Interface()}, true
}

// eachMessage calls f with generated messages of every procedure that free5gc/ngap
// knows, rounds times.
func eachMessage(t *testing.T, rounds int, f func(t *testing.T, g generator, row *Procedure, k Kind)) {
	g := generator{Rand: rand.New(rand.NewPCG(38413, 1))}
	for i := range Procedures()[:lastOfFree5GC+1] {
		row := &Procedures()[i]
		if row.Code == CodePrivateMessage || row.Code == CodeSecondaryRATDataUsageReport { // see disagreements
			continue
		}
		for k := Initiating; k <= Unsuccessful; k++ {
			if row.Message(k) == "" {
				continue
			}
			t.Run(fmt.Sprintf("%d/%s", row.Code, row.Message(k)), func(t *testing.T) {
				for range rounds {
					f(t, g, row, k)
				}
			})
		}
	}
}

// lastOfFree5GC is the last procedure that free5gc/ngap v1.1.3 knows.
const lastOfFree5GC = 52
