package ngap_test

import (
	"errors"
	"testing"

	free5gc "github.com/free5gc/ngap"
	"github.com/free5gc/ngap/ngapType"

	. "poolgw/ngap"
)

// Where free5gc/ngap v1.1.3 and this package differ, what each says, and who is
// right by the clause. The list only shrinks.
var disagreements = []struct {
	what   string
	octets string
	ours   error // what Walk says
	theirs bool  // whether free5gc/ngap decodes it
}{
	// X.691 gives padding no meaning; a sender sets it to zero (11.2.8), a receiver
	// need not look.
	{"padding in the PDU's first octet", "1f14 00 0e 000002 000f 40 02 0000 0058 00 01 00", nil, false},
	{"padding in the criticality's octet", "0014 3f 0e 000002 000f 40 02 0000 0058 00 01 00", nil, false},
}

// What tests of generated messages leave out, because free5gc/ngap differs:
//   - CauseRadioNetwork: it has 47 root values, the specification 45 (9.4.5, and
//     Wireshark says so): 45 and 46 are of the extension.
//   - SecondaryRATDataUsageReport: its number is missing, so it neither encodes nor
//     finds the type; PDUs by hand and tshark judge it.
//   - A length that is a multiple of 16384: its encoder leaves out the last
//     fragment, of none (11.9.3.8.3), and its decoder then refuses the PDU, as
//     Wireshark does; TestEncodeFragment sees that Encode refuses it too.
//   - PrivateMessage: it has no private IE.
//   - choice-Extensions that its types leave out (CP Transport Layer Information
//     with a port, W-AGF's location), and TAI and GUAMI Type in iE-Extensions.

// Facts: N6-78
func TestDisagreements(t *testing.T) {
	for _, d := range disagreements {
		b := unhex(t, d.octets)
		if err := new(PDU).Walk(b); !errors.Is(err, d.ours) || (err == nil) != (d.ours == nil) {
			t.Errorf("%s: %v, want %v", d.what, err, d.ours)
		}
		m, err := free5gc.Decoder(b)
		if got := err == nil && typed(m); got != d.theirs {
			t.Errorf("%s: free5gc/ngap decodes it: %v (%v), the list says %v", d.what, got, err, d.theirs)
		}
	}
	var pdu ngapType.NGAPPDU
	pdu.Present, pdu.InitiatingMessage = 1, new(ngapType.InitiatingMessage)
	pdu.InitiatingMessage.ProcedureCode.Value = int64(CodeSecondaryRATDataUsageReport)
	pdu.InitiatingMessage.Value.Present = ngapType.InitiatingMessagePresentSecondaryRATDataUsageReport
	pdu.InitiatingMessage.Value.SecondaryRATDataUsageReport = new(ngapType.SecondaryRATDataUsageReport)
	if b, err := free5gc.Encoder(pdu); err == nil {
		t.Errorf("free5gc/ngap encodes SecondaryRATDataUsageReport now: %x", b)
	}
}
