package main

import (
	"encoding/hex"
	"strings"
	"testing"

	"poolgw/lab/tshark"
)

// suiteOctets is each kind of PDU that the cases send, with what tshark must
// read in it.
func suiteOctets() []suiteOctet {
	m, c := subscriber(1, 2), suiteCells()[2][1]
	const frame = "41c001081501ff6cba" // a captured LLC frame
	tlli := map[string]string{"gsm_a.rr.tlli": "0xc0200002"}
	imsi := map[string]string{"e212.imsi": "001010000001002"}
	rai := map[string]string{"gsm_a.rr.tlli": "0xc0200002", "gsm_a.lac": "0x33f4", "gsm_a.gm.gmm.rac": "0x00"}
	bvci := map[string]string{"bssgp.bvci": "0x4e2b"}
	list := []suiteOctet{
		{m.up(c, frame), map[string]string{"gsm_a.rr.tlli": "0xc0200002", "bssgp.ci": "0x7550", "gsm_a.lac": "0x33f4"}},
		{m.down(frame), map[string]string{"gsm_a.rr.tlli": "0xc0200002", "e212.imsi": "001010000001002", "bssgp.delay_val": "65535"}},
		{"02" + m.id() + suiteRACap, tlli},
		{"08" + m.id() + "1e8117", map[string]string{"gsm_a.rr.tlli": "0xc0200002", "bssgp.tag": "23"}},
		{"09" + m.id() + "1e8117 1a8142", map[string]string{"bssgp.ra_cap_upd_cause": "66"}},
		{"0a" + m.id() + "198100", tlli},
		{"0a2084" + m.ptmsi + "198100", map[string]string{"bssgp.ra_cause": "0"}},
		{"0a" + m.imsi + "198100", imsi},
		{"0b" + m.id() + c.rai(), rai},
		{"0c" + m.id() + c.rai() + "1d8107", map[string]string{"bssgp.suspend_ref_no": "7"}},
		{"0d" + m.id() + c.rai() + "078104", map[string]string{"bssgp.cause": "4"}},
		{"0e" + m.id() + c.rai() + "1d8107", map[string]string{"bssgp.suspend_ref_no": "7"}},
		{"0f" + m.id() + c.rai(), rai},
		{"10" + m.id() + c.rai() + "078104", rai},
		{"40 228123 21824321", map[string]string{"bssgp.trace_ref": "17185"}},
		{"42 8f8101", map[string]string{"bssgp.prio_class_ind": "0x01"}},
		{m.discarded(20011), map[string]string{"bssgp.llc_frames_disc": "23", "bssgp.no_of_oct": "2342", "bssgp.bvci": "0x4e2b"}},
		{"2b" + m.id() + "0c8101 04824e2b 2583000017", map[string]string{"bssgp.flush_action": "1", "bssgp.no_of_oct": "23"}},
		{"26 1e8101 05822800 038207d0 01820400 1c8203e8", map[string]string{"bssgp.tag": "1", "bssgp.bucket_size": "10240",
			"bssgp.r": "2000", "bssgp.bmax": "1024", "bssgp.r_default_ms": "1000"}},
		{"27 1e8101", map[string]string{"bssgp.tag": "1"}},
		{"28" + m.id() + "1e8112 12820064 038200c8", tlli},
		{"29" + m.id() + "1e8112", map[string]string{"bssgp.tag": "18"}},
		{"14" + m.imsi, nil}, {"15" + m.imsi, nil}, // tshark does not know their types
		{"12" + m.imsi, imsi}, {"13" + m.imsi + "93820105", imsi},
		{m.reject(true), imsi}, {m.reject(false), imsi},
		{status(m.discarded(20011)), map[string]string{"bssgp.cause": "1"}},
		{"22 04824e2b" + omReset + tlv("08", c.id), map[string]string{"bssgp.bvci": "0x4e2b", "bssgp.cause": "8", "bssgp.ci": "0x7550"}},
		{"23 04824e2b", bvci}, {"20 04824e2b" + omReset, bvci}, {"24 04824e2b", bvci},
	}
	for _, a := range suiteAreas() {
		list = append(list, suiteOctet{m.page("ps", a.steps[0].area, true), imsi}, suiteOctet{m.page("cs", a.steps[0].area, false), imsi})
	}
	for _, r := range rimTypes() {
		list = append(list, suiteOctet{r.rim(c, "00"+c.id, "0262f224000312345678123456"), map[string]string{"bssgp.ci": "0x7550"}})
	}
	return list
}

type suiteOctet struct {
	pdu    string
	fields map[string]string
}

// The octets of the cases are what their comments say, to an outside witness.
func TestSuiteOctets(t *testing.T) {
	list := suiteOctets()
	var pdus [][]byte
	want := map[string]bool{}
	for _, o := range list {
		b, err := hex.DecodeString(strings.ReplaceAll(o.pdu, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		pdus = append(pdus, tshark.UnitData(20011, b))
		for f := range o.fields {
			want[f] = true
		}
	}
	var fields []string
	for f := range want {
		fields = append(fields, f)
	}
	for i, f := range tshark.Dissect(t, pdus, fields...) {
		note := f.Expert == "Erroneous Application Container including IEI and LI" // what follows is what it says
		if f.Malformed || f.Expert != "" && !note || !strings.Contains(f.Protocols, "bssgp") {
			t.Errorf("%s: %s, %s", list[i].pdu, f.Protocols, f.Expert)
		}
		for name, value := range list[i].fields {
			if got := f.Field(name); got != value && !strings.HasPrefix(got, value+",") {
				t.Errorf("%s: %s is %q, want %q", list[i].pdu, name, got, value)
			}
		}
	}
}
