package bssgp_test

import (
	"bytes"
	"errors"
	"sort"
	"strings"
	"testing"

	. "poolgw/bssgp"
	"poolgw/lab/tshark"
)

// Each builder makes the octets of the clause, and they pass Check.
func TestBuilders(t *testing.T) {
	for _, s := range samples() {
		want := unhex(t, s.hex)
		if !bytes.Equal(s.built, want) {
			t.Errorf("%s:\n got %x\nwant %x", s.name, s.built, want)
		}
		if e := Check(want, s.dir, s.kind); e != nil {
			t.Errorf("%s: %v", s.name, e)
		}
		if typ, _ := Type(want); !strings.HasPrefix(s.name, typ.String()) {
			t.Errorf("%s is a %v", s.name, typ)
		}
	}
}

// Each sample survives the way through the full struct.
func TestParseAppend(t *testing.T) {
	for _, s := range samples() {
		b := unhex(t, s.hex)
		p, err := Parse(b)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		if got := p.Append(nil); !bytes.Equal(got, b) {
			t.Errorf("%s:\n got %x\nwant %x", s.name, got, b)
		}
	}
}

// tshark agrees with every builder: nothing malformed, no expert message but
// the known ones, and the fields it reads.
func TestTshark(t *testing.T) {
	all := samples()
	names := map[string]bool{"bssgp.pdu_type": true}
	var pdus [][]byte
	for _, s := range all {
		pdus = append(pdus, tshark.UnitData(uint16(s.kind)*1000, s.built))
		for f := range s.fields {
			names[f] = true
		}
	}
	var fields []string
	for f := range names {
		fields = append(fields, f)
	}
	sort.Strings(fields)
	for i, f := range tshark.Dissect(t, pdus, fields...) {
		s := all[i]
		if !strings.Contains(f.Protocols, "gprs-ns:bssgp") || f.Malformed ||
			(f.Expert == "") != (s.expert == "") || !strings.Contains(f.Expert, s.expert) {
			t.Errorf("%s: tshark: %+v", s.name, f)
		}
		for name, want := range s.fields {
			if got := f.Field(name); got != want {
				t.Errorf("%s: tshark reads %s %q, want %q", s.name, name, got, want)
			}
		}
	}
}

// A PDU that is cut off anywhere never passes both Parse and Check: either it
// ends within an IE, or a mandatory IE is gone - unless only optional IEs are.
func TestTruncation(t *testing.T) {
	for _, s := range samples() {
		b := unhex(t, s.hex)
		for n := range b {
			p, err := Parse(b[:n])
			e := Check(b[:n], s.dir, s.kind)
			if err != nil && e == nil {
				t.Errorf("%s: %d octets pass Check but not Parse: %v", s.name, n, err)
			}
			if err == nil && e == nil && !bytes.Equal(p.Append(nil), b[:n]) {
				t.Errorf("%s: %d octets mean more than they say", s.name, n)
			}
			if err != nil && !errors.Is(err, ErrTruncated) {
				t.Errorf("%s: %d octets: %v", s.name, n, err)
			}
		}
	}
}

// An unknown IE survives, and more IEs than the bound are refused.
func TestParseBounds(t *testing.T) {
	b := unhex(t, "24 048203e8 ff83010203")
	p, err := Parse(b)
	if err != nil || len(p.IEs) != 2 || !bytes.Equal(p.Append(nil), b) {
		t.Errorf("unknown IE: %v %v", p, err)
	}
	b = []byte{0x24}
	for range MaxIEs {
		b = append(b, 0xff, 0x80)
	}
	if _, err := Parse(b); err != nil {
		t.Errorf("%d IEs: %v", MaxIEs, err)
	}
	if _, err := Parse(append(b, 0xff, 0x80)); err == nil {
		t.Errorf("%d IEs were taken", MaxIEs+1)
	}
}

// Length indicators: one octet to 127, two beyond; a two-octet one of a short
// value is read as well (11.2).
func TestLengthIndicator(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 255, 256, 32767} {
		b := AppendIE(nil, IELLCPDU, make([]byte, n))
		ie, rest, err := Next(b)
		if err != nil || len(rest) != 0 || len(ie.Value) != n || ie.IEI != IELLCPDU {
			t.Errorf("%d octets: %v %d %v", n, ie.IEI, len(ie.Value), err)
		}
		if short := n < 128; (b[1]&0x80 != 0) != short {
			t.Errorf("%d octets: length indicator %x", n, b[1:3])
		}
	}
	ie, rest, err := Next(unhex(t, "0e0003 010203 04"))
	if err != nil || len(rest) != 1 || !bytes.Equal(ie.Value, []byte{1, 2, 3}) {
		t.Errorf("two octets for a short value: %v %x %v", ie, rest, err)
	}
	for _, s := range []string{"", "0e", "0e00", "0e83", "0e830102", "0e000301", "0e7fff01"} {
		if _, _, err := Next(unhex(t, s)); !errors.Is(err, ErrTruncated) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		TypePagingPSReject.String():           "PAGING-PS-REJECT",
		PDUType(0x11).String():                "PAGING-PS-REJECT",
		PDUType(0x08).String():                "RA-CAPABILITY-UPDATE",
		PDUType(0xfe).String():                "Type(0xfe)",
		IETLLI.String():                       "TLLI",
		IEI(0xfe).String():                    "IEI(0xfe)",
		CauseBVCIUnknown.String():             "BVCI unknown",
		Cause(0xfe).String():                  "Cause(0xfe)",
		(FeatINR | FeatGBIT).String():         "INR,GBIT",
		rai.String():                          "262-42-4096-1",
		MakeRAI(310, 26, true, 7, 2).String(): "310-026-7-2",
		cell.String():                         "262-42-4096-1-42",
		imsi.String():                         "262421234567890",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
