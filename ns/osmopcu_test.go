package ns

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// osmoPCU is what the PDUs in testdata/osmo-pcu.txt hold: the values that
// osmo-pcu's own log told when it sent them (SNS-SIZE: "reset=1,
// max_nr_nsvc=8192, num_ip4=1"; SNS-CONFIG: "end_flag=1, num_ip4=1"), and the
// weights of its binds, 1 and 1.
var osmoPCU = []PDU{
	{Type: PDUReset, Has: ies(IECause, IENSVCI, IENSEI), Cause: CauseOAM, NSVCI: 1800, NSEI: 2001},
	{Type: PDUUnblock}, {Type: PDUAlive}, {Type: PDUAliveAck},
	{Type: PDUUnitdata, SDU: unhex("2204820000078108")},
	{Type: PDUUnitdata, BVCI: 20011, SDU: unhex("261e81010582012c038200f00182012c1c8200f006820000")},
	{Type: PDUSNSSize, Has: ies(IENSEI, IEResetFlag, IEMaxNSVCs, IEIPv4Count),
		NSEI: 2001, Reset: true, MaxNSVCs: 8192, IPv4Count: 1},
	{Type: PDUSNSConfig, EndFlag: true, Has: ies(IENSEI, IEIPv4List), NSEI: 2001,
		IPv4: []Endpoint{{netip.MustParseAddrPort("127.0.0.1:48927"), 1, 1}}},
	{Type: PDUSNSConfigAck, Has: ies(IENSEI), NSEI: 2001},
	{Type: PDUUnitdata, SDU: unhex("2204820000078108")},
	{Type: PDUAlive}, {Type: PDUAliveAck},
}

// TestOsmoPCU reads what a real PCU sent, and makes the same octets of it.
func TestOsmoPCU(t *testing.T) {
	text, err := os.ReadFile("testdata/osmo-pcu.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var dialect, octets string
		if _, err := fmt.Sscan(line, &dialect, &octets); err != nil || seen >= len(osmoPCU) {
			t.Fatalf("%q: %v, after %d PDUs", line, err, seen)
		}
		p, err := Parse(unhex(octets))
		if d := cmp.Diff(osmoPCU[seen], p, pduCmp); err != nil || d != "" {
			t.Errorf("%s %s: %v (-want +got)\n%s", dialect, octets, err, d)
		}
		if got := hex.EncodeToString(p.Append(nil)); got != octets {
			t.Errorf("%s %s: encoded as\n%s", dialect, octets, got)
		}
		seen++
	}
	if seen != len(osmoPCU) {
		t.Errorf("%d PDUs, not %d", seen, len(osmoPCU))
	}
}
