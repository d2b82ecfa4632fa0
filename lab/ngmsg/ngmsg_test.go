package ngmsg

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/free5gc/ngap/ngapType"
)

// A UERANSIM gNB's NG Setup Request and Initial UE Message, as they came over
// kernel SCTP.
const (
	setupRequest = "0015003e000004001b00090000f1105000000001005240140880554552414e53494d2d676e622d312d312d310066000d00000000010000f110000000080015400140"
	initialUE    = "000f40480000050055000200010026001a197e004179000d0100f1100000000079653199532e04f0f0f0f0007900135000f110000000010000f110000001eeb72e36005a4001180070400100"
)

func decode(t *testing.T, s string) *Message {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What UERANSIM sent is built again, octet by octet: criticalities included.
func TestSetupRequestAsUERANSIM(t *testing.T) {
	home := [3]byte{0x00, 0xf1, 0x10}
	m := New(ngapType.ProcedureCodeNGSetup, Initiating).
		Add(ngapType.ProtocolIEIDGlobalRANNodeID, GNB(home, 1)).
		Add(ngapType.ProtocolIEIDRANNodeName, Text("UERANSIM-gnb-1-1-1")).
		Add(ngapType.ProtocolIEIDSupportedTAList, SupportedTAs([]TAI{{home, 1}}, []Slice{{SST: 1, SD: NoSD}})).
		Add(ngapType.ProtocolIEIDDefaultPagingDRX, PagingDRX())
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := decode(t, setupRequest)
	if id, ok := ReadGNB(Get[ngapType.GlobalRANNodeID](want, ngapType.ProtocolIEIDGlobalRANNodeID)); !ok || id != 1 {
		t.Errorf("gNB %d %v", id, ok)
	}
	if got := hex.EncodeToString(b); got != setupRequest {
		t.Errorf("%s\n%s", got, setupRequest)
	}
}

func TestReadsInitialUE(t *testing.T) {
	m := decode(t, initialUE)
	if m.Code != ngapType.ProcedureCodeInitialUEMessage || m.Kind != Initiating {
		t.Errorf("%d %d", m.Code, m.Kind)
	}
	if c := m.IDs(); c.AMF != nil || c.RAN == nil || *c.RAN != 1 {
		t.Errorf("%+v", c)
	}
	if n := m.NAS(); len(n) != 25 || n[2] != 0x41 {
		t.Errorf("%x", n)
	}
	where, ok := ReadLocation(Get[ngapType.UserLocationInformation](m, ngapType.ProtocolIEIDUserLocationInformation))
	if !ok || where.TAC != 1 {
		t.Errorf("%+v %v", where, ok)
	}
}

func TestHostile(t *testing.T) {
	b, _ := hex.DecodeString(setupRequest)
	for n := range len(b) {
		Decode(b[:n]) // must not panic
	}
	for _, s := range []string{"", "00", "0015", "ffff", "003540020000"} {
		b, _ := hex.DecodeString(s)
		if m, err := Decode(b); err == nil {
			t.Errorf("%q is %+v", s, m)
		}
	}
}

func TestTimeToWait(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{0: time.Second, time.Second: time.Second, 3 * time.Second: 5 * time.Second, time.Hour: time.Minute} {
		if got, ok := ReadTimeToWait(TimeToWait(d)); !ok || got != want {
			t.Errorf("%s became %s", d, got)
		}
	}
}
