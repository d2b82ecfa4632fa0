package cli

import (
	"net/netip"
	"testing"

	"poolgw/ns"
)

// A change that is being told to the peer, and what it did not take, are seen.
func TestShowNSTellsOfProcedures(t *testing.T) {
	a, b := netip.MustParseAddrPort("10.0.0.1:23000"), netip.MustParseAddrPort("[2001:db8::2]:23000")
	var w writer
	textSNS(&w, &ns.NSEState{NSEI: 101, SNS: &ns.SNSState{Role: "SGSN", State: "LOCAL_PROCEDURE", Timer: 5, MaxNSVCs: 8, MaxIPv4: 2,
		Local: []ns.Endpoint{{Addr: a, SigWeight: 1, DataWeight: 2}},
		Procedure: &ns.SNSProcedure{PDU: "SNS-ADD", Transaction: 7, Sent: 2, Limit: 4, Waiting: 3,
			Endpoints: []ns.Endpoint{{Addr: b, SigWeight: 3, DataWeight: 4}}},
		Refused: []ns.Endpoint{{Addr: a, SigWeight: 5, DataWeight: 6}}}})
	const want = ` FSM Instance Name: 'GPRS-NS2-SNS-SGSN(NSE00101-SNS)', ID: 'NSE00101-SNS'
  State: 'LOCAL_PROCEDURE'
  Timer: 5
 Maximum number of remote  NS-VCs: 8, IPv4 Endpoints: 2, IPv6 Endpoints: 0
 Local IPv4 Endpoints:
  10.0.0.1:23000, Signalling Weight: 1, Data Weight: 2
 Local procedure: SNS-ADD, transaction 7, sent 2 of 4 times, 3 waiting
  [2001:db8::2]:23000, Signalling Weight: 3, Data Weight: 4
 Refused IPv4 Endpoints:
  10.0.0.1:23000, Signalling Weight: 5, Data Weight: 6
`
	if got := w.String(); got != want {
		t.Errorf("%s", got)
	}
}
