package nas5g

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var home = PLMN{0x00, 0xf1, 0x10}

// Octets by hand after TS 24.501 8.2 and 9.11.3; the first is a UERANSIM UE's.
var golden = []struct {
	octets string
	m      Message
	only   bool // decoded only: it has what we don't write
}{
	{"7e004179000d0100f1100000000079653199532e04f0f0f0f0",
		Message{Type: RegistrationRequest, Kind: InitialRegistration | FollowOn, KSI: NoKey, Identity: WithSUCI(home, "9756139935")}, true},
	{"7e004171000d0100f110f0ff00001032547698",
		Message{Type: RegistrationRequest, Kind: InitialRegistration, KSI: NoKey, Identity: WithSUCI(home, "0123456789")}, false},
	{"7e010000000005 7e00411b 000b f200f110 02 0041 01020304",
		Message{Type: RegistrationRequest, Protected: true, Sequence: 5, Kind: PeriodicRegistration | FollowOn, KSI: 1,
			Identity: WithGUTI(GUTI{PLMN: home, Region: 2, Set: 1, Pointer: 1, TMSI: 0x01020304})}, false},
	{"7e0042 0101 77000bf200f11002ffff00000001",
		Message{Type: RegistrationAccept, GUTI: &GUTI{PLMN: home, Region: 2, Set: 1023, Pointer: 63, TMSI: 1}}, false},
	{"7e0043", Message{Type: RegistrationComplete}, false},
	{"7e004416 5f0121", Message{Type: RegistrationReject, Cause: CauseCongestion, Backoff: 0x21}, false},
	{"7e004c 10 0007 f4 0041 00000002", Message{Type: ServiceRequest, Kind: ServiceData, Identity: WithSTMSI(GUTI{Set: 1, Pointer: 1, TMSI: 2})}, false},
	{"7e004d09", Message{Type: ServiceReject, Cause: CauseIdentityNotDerived}, false},
	{"7e004e", Message{Type: ServiceAccept}, false},
	{"7e005b01", Message{Type: IdentityRequest, Kind: 1}, false},
	{"7e005c 0008 01 00f110 f0ff 00 00", Message{Type: IdentityResponse, Identity: WithSUCI(home, "")}, false},
	{"7e0067 05 0002 abcd", Message{Type: UplinkTransport, Kind: ContainerUEPolicy, Container: []byte{0xab, 0xcd}}, false},
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	var c []byte
	for _, r := range s {
		if r != ' ' {
			c = append(c, byte(r))
		}
	}
	b, err := hex.DecodeString(string(c))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGolden(t *testing.T) {
	for _, g := range golden {
		b := unhex(t, g.octets)
		m, err := Parse(b)
		if err != nil {
			t.Errorf("%s: %v", g.octets, err)
			continue
		}
		if d := cmp.Diff(g.m, *m); d != "" {
			t.Errorf("%s: %s", g.octets, d)
		}
		if got := g.m.Append(nil); !g.only && string(got) != string(b) {
			t.Errorf("%v: %x, want %x", g.m.Type, got, b)
		}
	}
}

// A message that is cut short within its mandatory part is refused.
func TestTruncated(t *testing.T) {
	for _, g := range golden {
		b := unhex(t, g.octets)
		if g.m.GUTI != nil || g.m.Backoff != 0 || g.only {
			continue
		}
		for n := range len(b) {
			if m, err := Parse(b[:n]); err == nil {
				t.Errorf("%x of %x is taken for %+v", b[:n], b, m)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, g := range golden {
		var t testing.T
		f.Add(unhex(&t, g.octets))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Parse(b)
		if err != nil {
			return
		}
		o := m.Append(nil)
		again, err := Parse(o)
		if err != nil {
			t.Fatalf("%x became %x: %v", b, o, err)
		}
		if d := cmp.Diff(m.Append(nil), again.Append(nil)); d != "" {
			t.Error(d)
		}
	})
}
