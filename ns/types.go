package ns

// PDUType is the first octet of every NS PDU (TS 48.016 10.3.7).
type PDUType uint8

const (
	PDUUnitdata        PDUType = 0x00
	PDUReset           PDUType = 0x02
	PDUResetAck        PDUType = 0x03
	PDUBlock           PDUType = 0x04
	PDUBlockAck        PDUType = 0x05
	PDUUnblock         PDUType = 0x06
	PDUUnblockAck      PDUType = 0x07
	PDUStatus          PDUType = 0x08
	PDUAlive           PDUType = 0x0a
	PDUAliveAck        PDUType = 0x0b
	PDUSNSAck          PDUType = 0x0c
	PDUSNSAdd          PDUType = 0x0d
	PDUSNSChangeWeight PDUType = 0x0e
	PDUSNSConfig       PDUType = 0x0f
	PDUSNSConfigAck    PDUType = 0x10
	PDUSNSDelete       PDUType = 0x11
	PDUSNSSize         PDUType = 0x12
	PDUSNSSizeAck      PDUType = 0x13
)

func (t PDUType) String() string {
	if int(t) < len(pduDefs) && pduDefs[t].name != "" {
		return pduDefs[t].name
	}
	return name(nil, "PDUType", uint8(t))
}

// IEI identifies an information element (TS 48.016 10.3).
type IEI uint8

const (
	IECause     IEI = 0x00
	IENSVCI     IEI = 0x01
	IENSPDU     IEI = 0x02
	IEBVCI      IEI = 0x03
	IENSEI      IEI = 0x04
	IEIPv4List  IEI = 0x05
	IEIPv6List  IEI = 0x06
	IEMaxNSVCs  IEI = 0x07
	IEIPv4Count IEI = 0x08
	IEIPv6Count IEI = 0x09
	IEResetFlag IEI = 0x0a
	IEIPAddress IEI = 0x0b
)

var ieNames = [...]string{"Cause", "NS-VCI", "NS PDU", "BVCI", "NSEI", "List of IP4 Elements",
	"List of IP6 Elements", "Maximum Number of NS-VCs", "Number of IP4 Endpoints",
	"Number of IP6 Endpoints", "Reset Flag", "IP Address"}

func (i IEI) String() string { return name(ieNames[:], "IEI", uint8(i)) }

// IESet is a set of the known IEIs.
type IESet uint16

func ies(list ...IEI) (s IESet) {
	for _, i := range list {
		s |= 1 << i
	}
	return s
}

// Has tells whether i is in the set.
func (s IESet) Has(i IEI) bool { return s&(1<<i) != 0 }

// Cause is the value of the Cause IE (TS 48.016 10.3.2).
type Cause uint8

const (
	CauseTransitFailure     Cause = 0x00
	CauseOAM                Cause = 0x01
	CauseEquipmentFailure   Cause = 0x02
	CauseBlocked            Cause = 0x03
	CauseUnknownVC          Cause = 0x04
	CauseUnknownBVCI        Cause = 0x05
	CauseSemanticallyWrong  Cause = 0x08
	CauseNotCompatible      Cause = 0x0a
	CauseProtocolError      Cause = 0x0b
	CauseInvalidEssentialIE Cause = 0x0c
	CauseMissingEssentialIE Cause = 0x0d
	CauseInvalidIPv4Count   Cause = 0x0e
	CauseInvalidIPv6Count   Cause = 0x0f
	CauseInvalidNSVCs       Cause = 0x10
	CauseInvalidWeights     Cause = 0x11
	CauseUnknownIPEndpoint  Cause = 0x12
	CauseUnknownIPAddress   Cause = 0x13
	CauseIPTestFailed       Cause = 0x14
)

var causeNames = [...]string{
	CauseTransitFailure:     "Transit network failure",
	CauseOAM:                "O&M intervention",
	CauseEquipmentFailure:   "Equipment failure",
	CauseBlocked:            "NS-VC blocked",
	CauseUnknownVC:          "NS-VC unknown",
	CauseUnknownBVCI:        "BVCI unknown on that NSE",
	CauseSemanticallyWrong:  "Semantically incorrect PDU",
	CauseNotCompatible:      "PDU not compatible with the protocol state",
	CauseProtocolError:      "Protocol error, unspecified",
	CauseInvalidEssentialIE: "Invalid essential IE",
	CauseMissingEssentialIE: "Missing essential IE",
	CauseInvalidIPv4Count:   "Invalid Number of IPv4 Endpoints",
	CauseInvalidIPv6Count:   "Invalid Number of IPv6 Endpoints",
	CauseInvalidNSVCs:       "Invalid Number of NS-VCs",
	CauseInvalidWeights:     "Invalid weights",
	CauseUnknownIPEndpoint:  "Unknown IP endpoint",
	CauseUnknownIPAddress:   "Unknown IP address",
	CauseIPTestFailed:       "IP test failed",
}

func (c Cause) String() string { return name(causeNames[:], "Cause", uint8(c)) }

// head is what stands between the type and the IEs of a PDU.
type head uint8

const (
	headNone     head = iota
	headUnitdata      // SDU control bits, BVCI, then the NS SDU (TS 48.016 9.2.10)
	headEndFlag       // end flag, one octet (SNS-CONFIG)
)

// pduDef describes a PDU type: TS 48.016 9.2 and 9.3.
type pduDef struct {
	name    string
	head    head
	must    IESet // mandatory
	may     IESet // others that the PDU is defined with
	bare    bool  // nothing follows the type
	transID bool  // a transaction id, one octet, follows the NSEI
}

var (
	listIEs = ies(IEIPv4List, IEIPv6List)
	statIEs = ies(IENSVCI, IENSPDU, IEBVCI) | listIEs
)

// pduDefs is indexed by PDUType. To add a PDU: its constant, its row here, its
// octets in the golden table of the tests, its handler in receive.go.
var pduDefs = [...]pduDef{
	PDUUnitdata:        {name: "NS-UNITDATA", head: headUnitdata},
	PDUReset:           {name: "NS-RESET", must: ies(IECause, IENSVCI, IENSEI)},
	PDUResetAck:        {name: "NS-RESET-ACK", must: ies(IENSVCI, IENSEI)},
	PDUBlock:           {name: "NS-BLOCK", must: ies(IECause, IENSVCI)},
	PDUBlockAck:        {name: "NS-BLOCK-ACK", must: ies(IENSVCI)},
	PDUUnblock:         {name: "NS-UNBLOCK", bare: true},
	PDUUnblockAck:      {name: "NS-UNBLOCK-ACK", bare: true},
	PDUStatus:          {name: "NS-STATUS", must: ies(IECause), may: statIEs},
	PDUAlive:           {name: "NS-ALIVE", bare: true},
	PDUAliveAck:        {name: "NS-ALIVE-ACK", bare: true},
	PDUSNSAck:          {name: "SNS-ACK", must: ies(IENSEI), may: ies(IECause) | listIEs, transID: true},
	PDUSNSAdd:          {name: "SNS-ADD", must: ies(IENSEI), may: listIEs, transID: true},
	PDUSNSChangeWeight: {name: "SNS-CHANGEWEIGHT", must: ies(IENSEI), may: listIEs, transID: true},
	PDUSNSConfig:       {name: "SNS-CONFIG", head: headEndFlag, must: ies(IENSEI), may: listIEs},
	PDUSNSConfigAck:    {name: "SNS-CONFIG-ACK", must: ies(IENSEI), may: ies(IECause)},
	PDUSNSDelete:       {name: "SNS-DELETE", must: ies(IENSEI), may: ies(IEIPAddress) | listIEs, transID: true},
	PDUSNSSize:         {name: "SNS-SIZE", must: ies(IENSEI, IEResetFlag, IEMaxNSVCs), may: ies(IEIPv4Count, IEIPv6Count)},
	PDUSNSSizeAck:      {name: "SNS-SIZE-ACK", must: ies(IENSEI), may: ies(IECause)},
}

// def returns the row of a PDU type, nil for an unknown one.
func (t PDUType) def() *pduDef {
	if int(t) < len(pduDefs) && pduDefs[t].name != "" {
		return &pduDefs[t]
	}
	return nil
}
