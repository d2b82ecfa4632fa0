package gb

import "poolgw/bssgp"

// rule is how a PDU finds its destination.
type rule uint8

const (
	refuse rule = iota // no row in the table
	byTLLI
	byIdentity
	byTLLIRemembered
	toCell
	pageCell
	pageArea
	byPagingCache
	registrationEnquiry
	byEnquiryCache
	byTLLICache
	flushLL
	byBVCI
	bvcMachine
	flowControl
	flowControlAck
	statusUp
	statusDown
	allBSSs
	rimUp
	rimDown
	unknownUp
	unknownDown
	numRules
)

// ruleDef is a rule's name and text in doc/routing.md, and what does it in the
// loop. Workers do the rules that are marked data themselves (path.go).
type ruleDef struct {
	name string
	doc  string
	data bool
	do   func(*Gateway, *message) outcome
}

var rules = [numRules]ruleDef{
	refuse: {name: "refuse", doc: "no row: STATUS \"Protocol error - unspecified\", dropped"},
	byTLLI: {name: "by TLLI", data: true, do: (*Gateway).relayByTLLI,
		doc: "to the SGSN that the pool chooses for the TLLI, on the BVC it came on"},
	byIdentity: {name: "by identity", do: (*Gateway).relayByIdentity,
		doc: "as by TLLI; without one by the NRI of the TMSI; else by a hash of the IMSI"},
	byTLLIRemembered: {name: "by TLLI, remembered", do: (*Gateway).relayRemembered,
		doc: "as by TLLI; the answer finds the BSS by the TLLI cache; NACK when no SGSN can serve"},
	toCell: {name: "to the cell", data: true, do: (*Gateway).relayToCell,
		doc: "to the cell's BSS on the BVC it came on"},
	pageCell: {name: "page the cell", do: (*Gateway).pageCell,
		doc: "to the cell's BSS on the BVC it came on, whatever area it names; PS: IMSI remembered"},
	pageArea: {name: "page the area", do: (*Gateway).pageArea,
		doc: "by BVCI, RAI, LAI or BSS area indication to each BSS with such a cell, once; PS: IMSI remembered"},
	byPagingCache: {name: "by IMSI cache (paging)", do: (*Gateway).answerPaging,
		doc: "to the SGSN that paged the IMSI, on the BVC it came on"},
	registrationEnquiry: {name: "registration enquiry", do: (*Gateway).registrationEnquiry,
		doc: "to all live SGSNs (or one, pool registration-enquiry); IMSI remembered"},
	byEnquiryCache: {name: "by IMSI cache (enquiry)", do: (*Gateway).answerEnquiry,
		doc: "to the BSS that enquired for the IMSI; the first answer ends it"},
	byTLLICache: {name: "by TLLI cache", do: (*Gateway).answerByTLLI,
		doc: "to the BSS that sent SUSPEND or RESUME for the TLLI; ends the entry"},
	flushLL: {name: "by old BVCI", do: (*Gateway).relayFlush,
		doc: "to the BSS of the old BVCI; a new BVCI in another BSS is taken out"},
	byBVCI: {name: "by BVCI", do: (*Gateway).relayByBVCI,
		doc: "to the BSS of the cell that the BVCI IE names"},
	bvcMachine: {name: "BVC machine", do: (*Gateway).manageBVC,
		doc: "terminated by the BVC's state machine; its changes go to the other side"},
	flowControl: {name: "flow control", do: (*Gateway).flowControl,
		doc: "acknowledged at once; scaled and sent to every SGSN that has the BVC"},
	flowControlAck: {name: "terminated", do: (*Gateway).flowControlAck,
		doc: "consumed"},
	statusUp: {name: "STATUS up", do: (*Gateway).statusUp,
		doc: "by the TLLI or TMSI in the PDU in error, else any SGSN; \"BVCI unknown\" and \"blocked\" on SIG end here"},
	statusDown: {name: "STATUS down", do: (*Gateway).statusDown,
		doc: "PTP: to the cell; SIG: by the BVCI, else the cached TLLI in the PDU in error; \"BVCI unknown\" and \"blocked\" end here"},
	allBSSs: {name: "all BSSs", do: (*Gateway).relayToAll,
		doc: "a copy to every BSS"},
	rimUp: {name: "RIM up", do: (*Gateway).rimUp,
		doc: "by destination: a cell of ours to its BSS, else any SGSN"},
	rimDown: {name: "RIM down", do: (*Gateway).rimDown,
		doc: "to the BSS of the destination cell"},
	unknownUp: {name: "unknown, up", do: (*Gateway).unknownUp,
		doc: "by the TLLI in it, else any SGSN if it has a BVCI; else refused"},
	unknownDown: {name: "unknown, down", do: (*Gateway).unknownDown,
		doc: "PTP: to the cell if it has a TLLI or BVCI; SIG: by the BVCI in it, else the cached TLLI; else refused"},
}

// message is one PDU on its way through the loop.
type message struct {
	from *peer
	bvci uint16 // of the NS-UNITDATA
	pdu  []byte // valid during the call only
	typ  bssgp.PDUType
	dir  bssgp.Dir
	kind bssgp.BVCKind
	cell *cell // PTP: the cell of bvci
	bvc  *bvc  // PTP: the end of the BVC that it came on
}

// outcome is what a rule made of a PDU: delivered, or dropped for a reason,
// perhaps with a STATUS as the answer.
type outcome struct {
	drop   dropReason
	answer bool
	cause  bssgp.Cause
	bvci   uint16 // to be named with causes "BVCI unknown" and "BVCI blocked"
}

var done = outcome{}

func dropped(r dropReason) outcome { return outcome{drop: r} }

func refused(r dropReason, c bssgp.Cause) outcome { return outcome{drop: r, answer: true, cause: c} }

func refusedBVCI(r dropReason, c bssgp.Cause, bvci uint16) outcome {
	return outcome{drop: r, answer: true, cause: c, bvci: bvci}
}
