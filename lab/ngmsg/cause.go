package ngmsg

import (
	"fmt"
	"time"

	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"
)

// Cause is a cause of NGAP: its group, as ngapType.Cause.Present, and value
// (TS 38.413, 9.3.1.2).
type Cause struct {
	Group int
	Value int64
}

// The causes that the lab gives.
var (
	UserInactivity     = Cause{ngapType.CausePresentRadioNetwork, int64(ngapType.CauseRadioNetworkPresentUserInactivity)}
	HandoverDesirable  = Cause{ngapType.CausePresentRadioNetwork, int64(ngapType.CauseRadioNetworkPresentHandoverDesirableForRadioReason)}
	HandoverSucceeded  = Cause{ngapType.CausePresentRadioNetwork, int64(ngapType.CauseRadioNetworkPresentSuccessfulHandover)}
	UnknownLocalID     = Cause{ngapType.CausePresentRadioNetwork, int64(ngapType.CauseRadioNetworkPresentUnknownLocalUENGAPID)}
	InconsistentID     = Cause{ngapType.CausePresentRadioNetwork, int64(ngapType.CauseRadioNetworkPresentInconsistentRemoteUENGAPID)}
	HandoverFailure    = Cause{ngapType.CausePresentRadioNetwork, int64(ngapType.CauseRadioNetworkPresentHoFailureInTarget5GCNgranNodeOrTargetSystem)}
	UnknownTarget      = Cause{ngapType.CausePresentRadioNetwork, int64(ngapType.CauseRadioNetworkPresentUnknownTargetID)}
	NormalRelease      = Cause{ngapType.CausePresentNas, int64(ngapType.CauseNasPresentNormalRelease)}
	Deregistered       = Cause{ngapType.CausePresentNas, int64(ngapType.CauseNasPresentDeregister)}
	TransferSyntax     = Cause{ngapType.CausePresentProtocol, int64(ngapType.CauseProtocolPresentTransferSyntaxError)}
	NotCompatible      = Cause{ngapType.CausePresentProtocol, int64(ngapType.CauseProtocolPresentMessageNotCompatibleWithReceiverState)}
	ProcessingOverload = Cause{ngapType.CausePresentMisc, int64(ngapType.CauseMiscPresentControlProcessingOverload)}
	Intervention       = Cause{ngapType.CausePresentMisc, int64(ngapType.CauseMiscPresentOmIntervention)}
	UnknownPLMN        = Cause{ngapType.CausePresentMisc, int64(ngapType.CauseMiscPresentUnknownPLMN)}
)

var groups = []string{"none", "radio network", "transport", "NAS", "protocol", "misc"}

func (c Cause) String() string {
	if c.Group < 0 || c.Group >= len(groups) {
		return fmt.Sprintf("group %d, %d", c.Group, c.Value)
	}
	return fmt.Sprintf("%s %d", groups[c.Group], c.Value)
}

// MakeCause is the IE Cause.
func MakeCause(c Cause) *ngapType.Cause {
	v, o := aper.Enumerated(c.Value), &ngapType.Cause{Present: c.Group}
	switch c.Group {
	case ngapType.CausePresentRadioNetwork:
		o.RadioNetwork = &ngapType.CauseRadioNetwork{Value: v}
	case ngapType.CausePresentTransport:
		o.Transport = &ngapType.CauseTransport{Value: v}
	case ngapType.CausePresentNas:
		o.Nas = &ngapType.CauseNas{Value: v}
	case ngapType.CausePresentProtocol:
		o.Protocol = &ngapType.CauseProtocol{Value: v}
	default:
		o.Misc = &ngapType.CauseMisc{Value: v}
	}
	return o
}

// ReadCause is its inverse; the zero Cause for none.
func ReadCause(c *ngapType.Cause) Cause {
	switch {
	case c == nil:
		return Cause{}
	case c.RadioNetwork != nil:
		return Cause{c.Present, int64(c.RadioNetwork.Value)}
	case c.Transport != nil:
		return Cause{c.Present, int64(c.Transport.Value)}
	case c.Nas != nil:
		return Cause{c.Present, int64(c.Nas.Value)}
	case c.Protocol != nil:
		return Cause{c.Present, int64(c.Protocol.Value)}
	case c.Misc != nil:
		return Cause{c.Present, int64(c.Misc.Value)}
	}
	return Cause{Group: c.Present}
}

var waits = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, time.Minute}

// TimeToWait is the IE with the smallest value that is not below d.
func TimeToWait(d time.Duration) *ngapType.TimeToWait {
	i := 0
	for i < len(waits)-1 && waits[i] < d {
		i++
	}
	return &ngapType.TimeToWait{Value: aper.Enumerated(i)}
}

// ReadTimeToWait is its inverse; false: there is none.
func ReadTimeToWait(t *ngapType.TimeToWait) (time.Duration, bool) {
	if t == nil || int(t.Value) >= len(waits) {
		return 0, false
	}
	return waits[t.Value], true
}
