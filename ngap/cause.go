package ngap

import "strconv"

// CauseGroup is the alternative of a Cause (9.3.1.2).
type CauseGroup uint8

// The groups.
const (
	CauseRadioNetwork CauseGroup = iota
	CauseTransport
	CauseNAS
	CauseProtocol
	CauseMisc
	CauseOther // choice-Extensions
)

// Cause is a cause: a value of its group's ENUMERATED.
type Cause struct {
	Group CauseGroup
	Value uint8
}

// The causes that a gateway uses.
var (
	CauseUnspecified                 = Cause{CauseRadioNetwork, 0}
	CauseReleaseNGRANReason          = Cause{CauseRadioNetwork, 3}
	CauseRelease5GCReason            = Cause{CauseRadioNetwork, 4}
	CauseNGRelocOverallExpiry        = Cause{CauseRadioNetwork, 9}
	CauseNGRelocPrepExpiry           = Cause{CauseRadioNetwork, 10}
	CauseUnknownTargetID             = Cause{CauseRadioNetwork, 12}
	CauseUnknownLocalUENGAPID        = Cause{CauseRadioNetwork, 14}
	CauseInconsistentRemoteUENGAPID  = Cause{CauseRadioNetwork, 15}
	CauseTransportUnavailable        = Cause{CauseTransport, 0}
	CauseNormalRelease               = Cause{CauseNAS, 0}
	CauseTransferSyntaxError         = Cause{CauseProtocol, 0}
	CauseAbstractSyntaxReject        = Cause{CauseProtocol, 1}
	CauseAbstractSyntaxIgnoreNotify  = Cause{CauseProtocol, 2}
	CauseNotCompatibleWithState      = Cause{CauseProtocol, 3}
	CauseSemanticError               = Cause{CauseProtocol, 4}
	CauseFalselyConstructedMessage   = Cause{CauseProtocol, 5}
	CauseControlProcessingOverload   = Cause{CauseMisc, 0}
	CauseNotEnoughUserPlaneResources = Cause{CauseMisc, 1}
	CauseHardwareFailure             = Cause{CauseMisc, 2}
	CauseOMIntervention              = Cause{CauseMisc, 3}
	CauseUnknownPLMN                 = Cause{CauseMisc, 4}
	CauseMiscUnspecified             = Cause{CauseMisc, 5}
)

// causeForm is the ENUMERATED of each group: bits and number of its root values.
// Values of the extension follow the root's.
var causeForm = [...]struct {
	name string
	bits int
	root uint32
}{{"radioNetwork", 6, 45}, {"transport", 1, 2}, {"nas", 2, 4}, {"protocol", 3, 7}, {"misc", 3, 6}}

// String returns "group value", with the field's name for what has one here.
func (c Cause) String() string {
	if n, ok := causeNames[c]; ok {
		return n
	}
	if int(c.Group) < len(causeForm) {
		return causeForm[c.Group].name + " " + strconv.Itoa(int(c.Value))
	}
	return "other"
}

var causeNames = map[Cause]string{
	CauseUnspecified:                 "radioNetwork unspecified",
	CauseReleaseNGRANReason:          "radioNetwork release-due-to-ngran-generated-reason",
	CauseRelease5GCReason:            "radioNetwork release-due-to-5gc-generated-reason",
	CauseNGRelocOverallExpiry:        "radioNetwork tngrelocoverall-expiry",
	CauseNGRelocPrepExpiry:           "radioNetwork tngrelocprep-expiry",
	CauseUnknownTargetID:             "radioNetwork unknown-targetID",
	CauseUnknownLocalUENGAPID:        "radioNetwork unknown-local-UE-NGAP-ID",
	CauseInconsistentRemoteUENGAPID:  "radioNetwork inconsistent-remote-UE-NGAP-ID",
	{CauseRadioNetwork, 2}:           "radioNetwork successful-handover",
	{CauseRadioNetwork, 20}:          "radioNetwork user-inactivity",
	{CauseRadioNetwork, 21}:          "radioNetwork radio-connection-with-ue-lost",
	{CauseRadioNetwork, 39}:          "radioNetwork slice-not-supported",
	CauseTransportUnavailable:        "transport transport-resource-unavailable",
	{CauseTransport, 1}:              "transport unspecified",
	CauseNormalRelease:               "nas normal-release",
	{CauseNAS, 1}:                    "nas authentication-failure",
	{CauseNAS, 2}:                    "nas deregister",
	{CauseNAS, 3}:                    "nas unspecified",
	CauseTransferSyntaxError:         "protocol transfer-syntax-error",
	CauseAbstractSyntaxReject:        "protocol abstract-syntax-error-reject",
	CauseAbstractSyntaxIgnoreNotify:  "protocol abstract-syntax-error-ignore-and-notify",
	CauseNotCompatibleWithState:      "protocol message-not-compatible-with-receiver-state",
	CauseSemanticError:               "protocol semantic-error",
	CauseFalselyConstructedMessage:   "protocol abstract-syntax-error-falsely-constructed-message",
	{CauseProtocol, 6}:               "protocol unspecified",
	CauseControlProcessingOverload:   "misc control-processing-overload",
	CauseNotEnoughUserPlaneResources: "misc not-enough-user-plane-processing-resources",
	CauseHardwareFailure:             "misc hardware-failure",
	CauseOMIntervention:              "misc om-intervention",
	CauseUnknownPLMN:                 "misc unknown-PLMN-or-SNPN",
	CauseMiscUnspecified:             "misc unspecified",
}

// ReadCause reads a Cause, IE 15.
func ReadCause(v []byte) (Cause, error) {
	c := cursor{b: v}
	cause := c.cause()
	return cause, c.done()
}

func (c *cursor) cause() Cause {
	g := c.within(3, uint32(CauseOther))
	if CauseGroup(g) == CauseOther {
		c.single()
		return Cause{CauseOther, 0}
	}
	v := c.enum(causeForm[g].bits, causeForm[g].root)
	if v > 255 {
		c.fail(OutOfRange)
	}
	return Cause{CauseGroup(g), uint8(v)}
}

// AppendCause appends the value of a Cause of one of the first five groups.
func AppendCause(b []byte, c Cause) []byte {
	w := writer{b: b}
	w.cause(c)
	return w.b
}

func (w *writer) cause(c Cause) {
	if c.Group >= CauseOther {
		c = CauseMiscUnspecified
	}
	f := causeForm[c.Group]
	w.bits(uint32(c.Group), 3)
	w.enum(uint32(c.Value), f.root, f.bits)
}

// Diagnostics is a Criticality Diagnostics (9.3.1.3).
type Diagnostics struct {
	// InAnswer says that it stands in the procedure's own answer, which names no
	// Code, Kind and Criticality; in an Error Indication they are those of the
	// message in error.
	InAnswer    bool
	Code        Code
	Kind        Kind
	Criticality Criticality
	IEs         []IEDiagnostics // at most 256
}

// IEDiagnostics tells one IE that was not understood, or missing.
type IEDiagnostics struct {
	Criticality Criticality
	ID          IEID
	Missing     bool
}

// Append appends the value of the Criticality Diagnostics, IE 19.
func (d Diagnostics) Append(b []byte) []byte {
	w := writer{b: b}
	if d.InAnswer {
		w.preamble(nil, bit(len(d.IEs) > 0), 4)
	} else {
		w.preamble(nil, 0b1110|bit(len(d.IEs) > 0), 4)
		w.octets([]byte{byte(d.Code)})
		w.bits(uint32(d.Kind), 2)
		w.bits(uint32(d.Criticality), 2)
	}
	if len(d.IEs) == 0 {
		return w.b
	}
	ies := d.IEs[:min(len(d.IEs), 256)]
	w.count256(len(ies))
	for _, ie := range ies {
		w.preamble(nil, 0, 0)
		w.bits(uint32(ie.Criticality), 2)
		w.uint16(int(ie.ID))
		w.enum(bit(ie.Missing), 2, 1)
	}
	return w.b
}
