package ngap_test

import (
	"testing"

	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"

	. "poolgw/ngap"
)

// The causes that a gateway sends have the numbers that free5gc/ngap has for their
// names, and their octets.
// Facts: N4-08
func TestCauseNumbers(t *testing.T) {
	type e = aper.Enumerated
	for _, c := range []struct {
		cause Cause
		group int
		value e
	}{
		{CauseUnspecified, ngapType.CausePresentRadioNetwork, ngapType.CauseRadioNetworkPresentUnspecified},
		{CauseRelease5GCReason, ngapType.CausePresentRadioNetwork, ngapType.CauseRadioNetworkPresentReleaseDueTo5gcGeneratedReason},
		{CauseUnknownTargetID, ngapType.CausePresentRadioNetwork, ngapType.CauseRadioNetworkPresentUnknownTargetID},
		{CauseUnknownLocalUENGAPID, ngapType.CausePresentRadioNetwork, ngapType.CauseRadioNetworkPresentUnknownLocalUENGAPID},
		{CauseInconsistentRemoteUENGAPID, ngapType.CausePresentRadioNetwork, ngapType.CauseRadioNetworkPresentInconsistentRemoteUENGAPID},
		{CauseTransportUnavailable, ngapType.CausePresentTransport, ngapType.CauseTransportPresentTransportResourceUnavailable},
		{CauseNormalRelease, ngapType.CausePresentNas, ngapType.CauseNasPresentNormalRelease},
		{CauseTransferSyntaxError, ngapType.CausePresentProtocol, ngapType.CauseProtocolPresentTransferSyntaxError},
		{CauseAbstractSyntaxReject, ngapType.CausePresentProtocol, ngapType.CauseProtocolPresentAbstractSyntaxErrorReject},
		{CauseAbstractSyntaxIgnoreNotify, ngapType.CausePresentProtocol, ngapType.CauseProtocolPresentAbstractSyntaxErrorIgnoreAndNotify},
		{CauseNotCompatibleWithState, ngapType.CausePresentProtocol, ngapType.CauseProtocolPresentMessageNotCompatibleWithReceiverState},
		{CauseSemanticError, ngapType.CausePresentProtocol, ngapType.CauseProtocolPresentSemanticError},
		{CauseFalselyConstructedMessage, ngapType.CausePresentProtocol, ngapType.CauseProtocolPresentAbstractSyntaxErrorFalselyConstructedMessage},
		{CauseControlProcessingOverload, ngapType.CausePresentMisc, ngapType.CauseMiscPresentControlProcessingOverload},
		{CauseNotEnoughUserPlaneResources, ngapType.CausePresentMisc, ngapType.CauseMiscPresentNotEnoughUserPlaneProcessingResources},
		{CauseHardwareFailure, ngapType.CausePresentMisc, ngapType.CauseMiscPresentHardwareFailure},
		{CauseOMIntervention, ngapType.CausePresentMisc, ngapType.CauseMiscPresentOmIntervention},
		{CauseUnknownPLMN, ngapType.CausePresentMisc, ngapType.CauseMiscPresentUnknownPLMN},
		{CauseMiscUnspecified, ngapType.CausePresentMisc, ngapType.CauseMiscPresentUnspecified},
	} {
		other := ngapType.Cause{Present: c.group, RadioNetwork: &ngapType.CauseRadioNetwork{Value: c.value}, Transport: &ngapType.CauseTransport{Value: c.value},
			Nas: &ngapType.CauseNas{Value: c.value}, Protocol: &ngapType.CauseProtocol{Value: c.value}, Misc: &ngapType.CauseMisc{Value: c.value}}
		want, err := aper.MarshalWithParams(other, "valueLB:0,valueUB:5")
		if got := AppendCause(nil, c.cause); err != nil || string(got) != string(want) {
			t.Errorf("%s: %x, free5gc has %x, %v", c.cause, got, want, err)
		}
	}
}
