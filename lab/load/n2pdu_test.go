package load

import (
	"fmt"
	"testing"

	free5gc "github.com/free5gc/ngap"

	"poolgw/ngap"
)

// Every message of the exchange is one that free5gc/ngap decodes, as the procedure
// and kind that it is meant to be.
func TestN2MessagesDecoded(t *testing.T) {
	u := &n2UE{ran: 70000, gnb: 1, owner: 2, run: 1}
	var p ngap.PDU
	check := func(name string, b []byte, code ngap.Code, kind ngap.Kind) {
		d, err := free5gc.Decoder(b)
		if err != nil {
			t.Errorf("%s: %v: %x", name, err, b)
			return
		}
		var got int64
		switch {
		case d.InitiatingMessage != nil && kind == ngap.Initiating:
			got = d.InitiatingMessage.ProcedureCode.Value
		case d.SuccessfulOutcome != nil && kind == ngap.Successful:
			got = d.SuccessfulOutcome.ProcedureCode.Value
		default:
			got = -1
		}
		if got != int64(code) {
			t.Errorf("%s: decoded as procedure %d", name, got)
		}
	}
	for k, s := range n2Steps {
		check(fmt.Sprintf("step %d, %s", k, s.code), n2Message(&p, u, k, 1<<32|5, 60), s.code, s.kind)
	}
	check("NG Setup Request", n2SetupRequest(7), ngap.CodeNGSetupRequest, ngap.Initiating)
	check("NG Setup Response", n2SetupResponse(7), ngap.CodeNGSetupRequest, ngap.Successful)
}

// The exchange is what the documentation says: 6 NAS transports, a context set up,
// a release; nobody has to send what another would.
func TestN2Exchange(t *testing.T) {
	transports, sent := 0, map[int]int{0: 1}
	for k, s := range n2Steps {
		if s.code == ngap.CodeUplinkNASTransport || s.code == ngap.CodeDownlinkNASTransport {
			transports++
		}
		from, to := n2Follow(k)
		for n := from; n < to; n++ {
			sent[n]++
			if n2Steps[n].dir == s.dir {
				t.Errorf("the receiver of step %d can't send step %d", k, n)
			}
		}
	}
	if transports != 6 {
		t.Errorf("%d NAS transports", transports)
	}
	for k := range n2Steps {
		if sent[k] != 1 {
			t.Errorf("step %d is sent %d times", k, sent[k])
		}
	}
}
