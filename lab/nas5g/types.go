package nas5g

import "fmt"

// Type is a 5GMM message type (TS 24.501, 9.7).
type Type uint8

// Message types.
const (
	RegistrationRequest     Type = 0x41
	RegistrationAccept      Type = 0x42
	RegistrationComplete    Type = 0x43
	RegistrationReject      Type = 0x44
	DeregistrationRequest   Type = 0x45 // by the UE
	DeregistrationAccept    Type = 0x46
	DeregistrationCommand   Type = 0x47 // by the network; the clause calls it a request too
	DeregistrationConfirmed Type = 0x48
	ServiceRequest          Type = 0x4c
	ServiceReject           Type = 0x4d
	ServiceAccept           Type = 0x4e
	IdentityRequest         Type = 0x5b
	IdentityResponse        Type = 0x5c
	Status                  Type = 0x64
	UplinkTransport         Type = 0x67
	DownlinkTransport       Type = 0x68
)

var typeNames = map[Type]string{
	RegistrationRequest: "Registration Request", RegistrationAccept: "Registration Accept",
	RegistrationComplete: "Registration Complete", RegistrationReject: "Registration Reject",
	DeregistrationRequest: "Deregistration Request (UE)", DeregistrationAccept: "Deregistration Accept (UE)",
	DeregistrationCommand: "Deregistration Request (network)", DeregistrationConfirmed: "Deregistration Accept (network)",
	ServiceRequest: "Service Request", ServiceReject: "Service Reject", ServiceAccept: "Service Accept",
	IdentityRequest: "Identity Request", IdentityResponse: "Identity Response", Status: "5GMM Status",
	UplinkTransport: "UL NAS Transport", DownlinkTransport: "DL NAS Transport",
}

func (t Type) String() string {
	if s, ok := typeNames[t]; ok {
		return s
	}
	return fmt.Sprintf("Type(0x%02x)", uint8(t))
}

// Values of Message.Kind in a Registration Request (9.11.3.7).
const (
	InitialRegistration  = 1
	MobilityRegistration = 2
	PeriodicRegistration = 3
	Emergency            = 4
	FollowOn             = 8 // beside one of these
)

// Values of Message.Kind in a Service Request (9.11.3.50).
const (
	ServiceSignalling   = 0
	ServiceData         = 1
	ServiceMobileTermin = 2
)

// Values of Message.Kind in a Deregistration Request (9.11.3.20).
const (
	Deregister3GPP = 1
	SwitchOff      = 8 // beside it
)

// ContainerUEPolicy and the others are values of Message.Kind in NAS transport
// (9.11.3.40).
const (
	ContainerSMS      = 2
	ContainerLPP      = 3
	ContainerUEPolicy = 5
)

// NoKey is the ngKSI of a UE without a security context (9.11.3.32).
const NoKey = 7

// Causes of rejects (9.11.3.2).
const (
	CauseIllegalUE             = 3
	CauseIdentityNotDerived    = 9
	CauseImplicitlyDetached    = 10
	CausePLMNNotAllowed        = 11
	CauseTrackingAreaForbidden = 12
	CauseCongestion            = 22
)
