package pcusock

import "fmt"

// Version is the interface version that this package speaks.
const Version = 10

// MsgType is a message's type.
type MsgType uint8

// The message types of version 10. PCU and BTS tell who sends it.
const (
	MsgDataReq   MsgType = 0x00 // PCU: a block for the radio
	MsgDataCnf   MsgType = 0x01 // BTS: it was sent (PCH)
	MsgDataInd   MsgType = 0x02 // BTS: a block from the radio
	MsgSuspReq   MsgType = 0x03 // BTS: a GPRS suspension request
	MsgAppInfo   MsgType = 0x04 // BTS: application information to broadcast
	MsgRTSReq    MsgType = 0x10 // BTS: a block is due
	MsgDataCnfDT MsgType = 0x11 // BTS: as DATA_CNF, by TLLI
	MsgRACHInd   MsgType = 0x22 // BTS: a channel request
	MsgInfoInd   MsgType = 0x32 // BTS: the cell
	MsgActReq    MsgType = 0x40 // PCU: activate or deactivate a PDCH
	MsgTimeInd   MsgType = 0x52 // BTS: the frame number
	MsgInterfInd MsgType = 0x53 // BTS: interference measured
	MsgPagReq    MsgType = 0x60 // BTS: a paging request from the BSC
	MsgTextInd   MsgType = 0x70 // PCU: its version, or an alarm
	MsgContainer MsgType = 0x80 // both: PCU to BSC and back
)

var msgNames = map[MsgType]string{
	MsgDataReq: "DATA_REQ", MsgDataCnf: "DATA_CNF", MsgDataInd: "DATA_IND", MsgSuspReq: "SUSP_REQ",
	MsgAppInfo: "APP_INFO_REQ", MsgRTSReq: "RTS_REQ", MsgDataCnfDT: "DATA_CNF_DT", MsgRACHInd: "RACH_IND",
	MsgInfoInd: "INFO_IND", MsgActReq: "ACT_REQ", MsgTimeInd: "TIME_IND", MsgInterfInd: "INTERF_IND",
	MsgPagReq: "PAG_REQ", MsgTextInd: "TXT_IND", MsgContainer: "CONTAINER",
}

func (t MsgType) String() string {
	if s := msgNames[t]; s != "" {
		return s
	}
	return fmt.Sprintf("MsgType(0x%02x)", uint8(t))
}

// headerSize counts type, BTS number and two spare octets.
const headerSize = 4

// MessageSize is how long every message is as Osmocom's programs send it: the
// longest one's length, whatever its type. A receiver asks only for what the type needs.
const MessageSize = headerSize + infoSize

const infoSize = 1002

// bodySizes are the lengths, without header, of the messages that have a codec
// here.
var bodySizes = map[MsgType]int{
	MsgDataReq: 180,
	MsgRTSReq:  13,
	MsgInfoInd: infoSize,
	MsgActReq:  4,
	MsgTimeInd: 4,
	MsgTextInd: 1 + maxText,
}

// SAPI is a logical channel of the radio side.
type SAPI uint8

// The SAPIs that a server without a radio uses.
const (
	SAPIAGCH  SAPI = 2
	SAPIPCH   SAPI = 3
	SAPIPDTCH SAPI = 5
	SAPIPTCCH SAPI = 7
)

// Flags of a cell.
type Flags uint32

// FlagActive says that the cell is on air: without it a PCU stops. The codings
// CS-1 to CS-4 are the bits from 16 on, MCS-1 to MCS-9 those from 20 on.
const (
	FlagActive Flags = 1 << 0
	FlagCS1    Flags = 1 << 16
	FlagCS2    Flags = 1 << 17
	FlagCS3    Flags = 1 << 18
	FlagCS4    Flags = 1 << 19
)
