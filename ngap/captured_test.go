package ngap_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	free5gc "github.com/free5gc/ngap"

	"poolgw/lab/tshark"
	. "poolgw/ngap"
)

// shown are fields of tshark and what we read for them, written as tshark does,
// "" for what is not in the message.
var shown = []struct {
	field string
	read  func(p *PDU) string
}{
	{"ngap.procedureCode", func(p *PDU) string { return strconv.Itoa(int(p.Code)) }},
	{"ngap.AMF_UE_NGAP_ID", func(p *PDU) string {
		if v, ok := p.Value(IEUENGAPIDs); ok {
			ids, err := ReadUENGAPIDs(v)
			return said(ids.AMF, err)
		}
		if v, ok := p.Value(IESourceAMFUENGAPID); ok {
			return said(ReadAMFUENGAPID(v))
		}
		id, at, err := p.AMFUENGAPID()
		return there(at >= 0, id, err)
	}},
	{"ngap.RAN_UE_NGAP_ID", func(p *PDU) string {
		if v, ok := p.Value(IEUENGAPIDs); ok {
			ids, err := ReadUENGAPIDs(v)
			return there(ids.HasRAN, ids.RAN, err)
		}
		id, at, err := p.RANUENGAPID()
		return there(at >= 0, id, err)
	}},
	{"ngap.RRCEstablishmentCause", value(IERRCEstablishmentCause, func(v []byte) string {
		e, err := ReadEstablishment(v)
		return said(uint8(e), err)
	})},
	{"ngap.RelativeAMFCapacity", value(IERelativeAMFCapacity, func(v []byte) string { return said(ReadCapacity(v)) })},
	{"ngap.AMFName", value(IEAMFName, readName)},
	{"ngap.RANNodeName", value(IERANNodeName, readName)},
	{"ngap.fiveG_TMSI", func(p *PDU) string {
		if v, ok := p.Value(IEUEPagingIdentity); ok {
			s, err := ReadUEPagingIdentity(v)
			return said(s.TMSI, err)
		}
		v, ok := p.Value(IEFiveGSTMSI)
		if !ok {
			return ""
		}
		s, err := ReadSTMSI(v)
		return said(s.TMSI, err)
	}},
	{"ngap.ResetType", value(IEResetType, func(v []byte) string {
		all, _, err := ReadResetType(v, nil)
		return said(bits(!all), err)
	})},
	{"ngap.RoutingID", value(IERoutingID, func(v []byte) string {
		o, err := ReadOctets(v)
		return said(fmt.Sprintf("%x", o), err)
	})},
	{"ngap.TimeToWait", value(IETimeToWait, func(v []byte) string { return strconv.Itoa(int(v[0] >> 4)) })},
}

func bits(v bool) int {
	if v {
		return 1
	}
	return 0
}

func there(ok bool, v any, err error) string {
	if !ok && err == nil {
		return ""
	}
	return said(v, err)
}

func value(id IEID, f func([]byte) string) func(*PDU) string {
	return func(p *PDU) string {
		if v, ok := p.Value(id); ok {
			return f(v)
		}
		return ""
	}
}

func readName(v []byte) string {
	n, err := ReadName(v)
	return said(string(n), err)
}

func fields() (names []string) {
	for _, s := range shown {
		names = append(names, s.field)
	}
	return names
}

// judge compares what we read with what tshark shows of captured PDUs: an ID may
// stand in nested containers too, and then tshark shows several.
func judge(t *testing.T, pdus [][]byte, clean func(i int) bool) {
	t.Helper()
	compared := map[string]int{}
	for i, f := range tshark.DissectNGAP(t, pdus, append(fields(), "ngap.id")...) {
		p := walk(t, pdus[i])
		if clean(i) && f.Malformed {
			t.Errorf("%x: malformed to tshark: %s", pdus[i], f.Expert)
		}
		if !within(strings.Split(ids(p), ","), f.Field("ngap.id")) {
			t.Errorf("%x: tshark shows the IEs %s, we %s", pdus[i], f.Field("ngap.id"), ids(p))
		}
		for _, s := range shown {
			got, want := s.read(p), f.Field(s.field)
			if p.Code == CodeNGReset || p.Code == CodeRerouteNASRequest { // IDs in lists and contained messages
				want = got
			}
			first, _, _ := strings.Cut(want, ",")
			if got != first {
				t.Errorf("%x: %s is %q, tshark shows %q", pdus[i], s.field, got, want)
			}
			if got != "" {
				compared[s.field]++
			}
		}
	}
	t.Logf("%d PDUs; compared %v", len(pdus), compared)
}

// sharedData is the folder of captures that only some checkouts have.
const sharedData = "../../shared/data"

// Every PDU of the list of captured PDUs walks to the message that it is, is the
// same when built again, and is read as tshark and free5gc/ngap read it.
func TestCapturedList(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sharedData, "ngap-pdus.tsv"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the list of captured NGAP PDUs is not here")
	}
	var pdus [][]byte
	var clean []bool
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if f[0] == "message" {
			continue
		}
		b := unhex(t, f[4])
		p := walk(t, b)
		if name, _, _ := strings.Cut(f[0], "_"); p.Name() != name {
			t.Errorf("%s: %s", f[0], p.Name())
		}
		pdus, clean = append(pdus, b), append(clean, f[3] == "clean")
		asFree5GC(t, p, b, f[3] == "clean")
	}
	judge(t, pdus, func(i int) bool { return clean[i] })
}

// asFree5GC compares the walk with what free5gc/ngap decodes and encodes again.
// What is not clean holds arbitrary octets in containers, which it may refuse.
func asFree5GC(t *testing.T, p *PDU, b []byte, clean bool) {
	t.Helper()
	b = b[:len(b)-p.Surplus()]
	if p.Criticality != Lookup(p.Code).Criticality {
		t.Errorf("%s came with criticality %v, the table has %v", p.Name(), p.Criticality, Lookup(p.Code).Criticality)
	}
	if again := rebuilt(p); !bytes.Equal(again, b) {
		t.Errorf("built again\n%x\ncaptured\n%x", again, b)
	}
	m, err := free5gc.Decoder(b)
	if err != nil && !clean {
		return
	}
	if err != nil || !typed(m) {
		t.Errorf("%s %x: free5gc/ngap: %v", p.Name(), b, err)
		return
	}
	if o, err := Encode(nil, m); err == nil && !bytes.Equal(o, b) {
		t.Logf("%s: free5gc/ngap encodes %x again as %x", p.Name(), b, o)
	}
}

// The captured associations: every NGAP PDU walks, and tshark reads the same.
func TestCapturedAssociations(t *testing.T) {
	for name, want := range map[string]int{"n2-registration.pcap": 27, "n2-oai.pcap": 14} {
		f, err := os.Open(filepath.Join(sharedData, name))
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("the captured NGAP associations are not here")
		}
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		pdus := sctpMessages(t, f)
		if len(pdus) < want {
			t.Errorf("%s: %d NGAP PDUs, want %d", name, len(pdus), want)
		}
		for _, b := range pdus {
			asFree5GC(t, walk(t, b), b, true)
		}
		judge(t, pdus, func(int) bool { return true })
	}
}

// sctpMessages are the user messages with PPID 60 of a capture, none of which is
// fragmented.
func sctpMessages(t *testing.T, f io.Reader) (all [][]byte) {
	t.Helper()
	r, err := pcapgo.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for {
		b, _, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range gopacket.NewPacket(b, r.LinkType(), gopacket.Default).Layers() {
			if d, ok := l.(*layers.SCTPData); ok && d.PayloadProtocol == 60 {
				all = append(all, bytes.Clone(d.Contents[16:d.Length]))
			}
		}
	}
}

const captured = "testdata/captured.txt"

// A few captured PDUs are here in any checkout, with what tshark showed of them.
func TestCaptured(t *testing.T) {
	for _, g := range tshark.ReadGolden(t, captured) {
		p := walk(t, g.Octets)
		for _, s := range shown {
			if got := s.read(p); got != g.Fields[s.field] {
				t.Errorf("%s: %s is %q, tshark shows %q", p.Name(), s.field, got, g.Fields[s.field])
			}
		}
		asFree5GC(t, p, g.Octets, true)
	}
}

// tshark still shows the same.
func TestCapturedTshark(t *testing.T) {
	all := tshark.ReadGolden(t, captured)
	var pdus [][]byte
	for _, g := range all {
		pdus = append(pdus, g.Octets)
	}
	for i, f := range tshark.DissectNGAP(t, pdus, fields()...) {
		for _, s := range shown {
			if got := f.Field(s.field); f.Malformed || got != all[i].Fields[s.field] {
				t.Errorf("%x: tshark shows %s %q, and %q when captured", all[i].Octets, s.field, got, all[i].Fields[s.field])
			}
		}
	}
}
