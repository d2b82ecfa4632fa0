package ngap_test

import (
	"fmt"
	"strings"
	"testing"

	"poolgw/lab/tshark"
	. "poolgw/ngap"
)

// NAS messages by hand from TS 24.501 8.2 and 9.11.3.4. The 5G-GUTI is 001-01,
// region 2, set 65 (0x041), pointer 21 (0x15), TMSI deadbeef: 04 15 << … is 1055.
const (
	guti       = "f2 00f110 02 1055 deadbeef"
	mappedGUTI = "f2 00f110 80 0142 01020304" // as mapped from 4G: MME group 8001, code 42
	tmsiOnly   = "f4 1055 deadbeef"
)

var (
	owner  = Identity{IdentityGUTI, GUAMI{PLMN{0x00, 0xf1, 0x10}, 2, 65, 21}, 0xdeadbeef}
	mapped = Identity{IdentityGUTI, GUAMI{PLMN{0x00, 0xf1, 0x10}, 128, 5, 2}, 0x01020304}
	short  = Identity{Type: IdentitySTMSI, GUAMI: GUAMI{Set: 65, Pointer: 21}, TMSI: 0xdeadbeef}
)

var nasSamples = []struct {
	name, hex string
	want      NAS
}{
	{"registration by GUTI", "7e0041 79 000b" + guti, NAS{Type: NASRegistrationRequest, Identity: owner}},
	{"registration by SUCI", "7e0041 79 000d 01 00f110 0000 0000 7965319953", NAS{Type: NASRegistrationRequest, Identity: Identity{Type: IdentitySUCI}}},
	{"protected registration", "7e01 a1a2a3a4 05 7e0041 79 000b" + guti, NAS{Type: NASRegistrationRequest, Protected: true, Identity: owner}},
	{"registration from 4G with a native GUTI", "7e0041 79 000b" + mappedGUTI + "1001 03 2e02f0f0 2f020101 5200f110000001 17 02 f0f0 b1 77000b" + guti + "18 01 01",
		NAS{Type: NASRegistrationRequest, Identity: mapped, Additional: owner}},
	{"registration from 4G with an EPS message before", "7e0041 79 000b" + mappedGUTI + "70 0003 075500 77000b" + guti,
		NAS{Type: NASRegistrationRequest, Identity: mapped, Additional: owner}},
	{"registration, additional GUTI cut off", "7e0041 79 000b" + mappedGUTI + "77000b f200", NAS{Type: NASRegistrationRequest, Identity: mapped}},
	{"service request", "7e004c 10 0007" + tmsiOnly, NAS{Type: NASServiceRequest, Identity: short}},
	{"protected service request", "7e01 00000000 00 7e004c 10 0007" + tmsiOnly, NAS{Type: NASServiceRequest, Protected: true, Identity: short}},
	{"deregistration", "7e0045 01 000b" + guti, NAS{Type: NASDeregistrationRequest, Identity: owner}},
	{"control plane service request", "7e004f 01", NAS{Type: NASControlPlaneServiceRequest}},
	{"registration reject", "7e0044 0a", NAS{Type: NASRegistrationReject, Cause: 10}},
	{"service reject", "7e004d 09", NAS{Type: NASServiceReject, Cause: 9}},
	{"ciphered", "7e02 a1a2a3a4 05 7e0041 79 000b" + guti, NAS{}},
	{"protected in protected", "7e01 a1a2a3a4 05 7e01 41 79 000b" + guti, NAS{}},
	{"session management", "2e0041 79 000b" + guti, NAS{}},
	{"another message", "7e0042 01", NAS{}},
	{"identity longer than the message", "7e0041 79 000c" + guti, NAS{Type: NASRegistrationRequest}},
	{"GUTI of 10 octets", "7e0041 79 000a f2 00f110 02 1055 deadbe", NAS{Type: NASRegistrationRequest}},
	{"nothing", "", NAS{}},
	{"protected nothing", "7e01 a1a2a3a4", NAS{}},
}

// Facts: N1-06, N1-07, N1-08, N6-06
func TestNAS(t *testing.T) {
	for _, s := range nasSamples {
		b := unhex(t, s.hex)
		if got := ReadNAS(b); got != s.want {
			t.Errorf("%s: %+v, want %+v", s.name, got, s.want)
		}
		for n := range b {
			ReadNAS(b[:n:n])
		}
	}
	if n := (NAS{Identity: mapped, Additional: owner}); n.Owner() != owner {
		t.Errorf("%+v", n.Owner())
	}
}

// tshark reads the same identities, in messages that are whole and have their IEs
// in order.
// Facts: N1-07
func TestNASTshark(t *testing.T) {
	cases := append(nasSamples[:4:4], nasSamples[6:9]...)
	var pdus [][]byte
	for _, s := range cases {
		b := new(PDU).New(CodeInitialUEMessage, Initiating).
			Add(IERANUENGAPID, Reject, AppendRANUENGAPID(nil, 1)).
			Add(IENASPDU, Reject, AppendOctets(nil, unhex(t, s.hex))).Append(nil)
		if got := walk(t, b).NAS(); got != s.want {
			t.Errorf("%s: %+v", s.name, got)
		}
		pdus = append(pdus, b)
	}
	names := []string{"nas_5gs.mm.type_id", "nas_5gs.amf_region_id", "nas_5gs.amf_set_id", "nas_5gs.amf_pointer", "3gpp.tmsi"}
	for i, f := range tshark.DissectNGAP(t, pdus, names...) {
		var want [5]string
		for _, id := range []Identity{cases[i].want.Identity, cases[i].want.Additional} {
			add := func(i int, n uint32) { want[i] = strings.TrimPrefix(fmt.Sprintf("%s,%d", want[i], n), ",") }
			if id.Type != NoIdentity {
				add(0, uint32(id.Type))
			}
			if id.Type == IdentityGUTI {
				add(1, uint32(id.GUAMI.Region))
			}
			if s, ok := id.STMSI(); ok {
				add(2, uint32(s.Set))
				add(3, uint32(s.Pointer))
				add(4, s.TMSI)
			}
		}
		for j, n := range names {
			if f.Malformed || f.Field(n) != want[j] {
				t.Errorf("%s: tshark shows %s %q, want %q; %s", cases[i].name, n, f.Field(n), want[j], f.Expert)
			}
		}
	}
}
