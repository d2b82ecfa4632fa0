package gmm

// direction is where a message goes.
type direction uint8

const (
	either direction = iota
	up
	down
)

// row is how a message is written and read, behind its type.
type row struct {
	name  string
	dir   direction
	write func(*Message, *writer)
	read  func(*Message, *reader)
}

// rows is the table of messages (TS 24.008 9.4.1 to 9.4.17).
var rows = map[Type]*row{}

func init() {
	empty := func(*Message, *writer) {}
	ignore := func(*Message, *reader) {}
	for t, r := range map[Type]row{
		AttachRequest:        {"ATTACH REQUEST", up, writeAttachRequest, readAttachRequest},
		AttachAccept:         {"ATTACH ACCEPT", down, writeAttachAccept, readAttachAccept},
		AttachComplete:       {"ATTACH COMPLETE", up, empty, ignore},
		AttachReject:         {"ATTACH REJECT", down, writeAttachReject, readAttachReject},
		DetachRequest:        {"DETACH REQUEST", either, writeDetachRequest, readDetachRequest},
		DetachAccept:         {"DETACH ACCEPT", either, writeDetachAccept, readDetachAccept},
		RAURequest:           {"ROUTING AREA UPDATE REQUEST", up, writeRAURequest, readRAURequest},
		RAUAccept:            {"ROUTING AREA UPDATE ACCEPT", down, writeRAUAccept, readRAUAccept},
		RAUComplete:          {"ROUTING AREA UPDATE COMPLETE", up, empty, ignore},
		RAUReject:            {"ROUTING AREA UPDATE REJECT", down, writeRAUReject, readRAUReject},
		PTMSIReallocCommand:  {"P-TMSI REALLOCATION COMMAND", down, writeRealloc, readRealloc},
		PTMSIReallocComplete: {"P-TMSI REALLOCATION COMPLETE", up, empty, ignore},
		IdentityRequest:      {"IDENTITY REQUEST", down, writeIdentityRequest, readIdentityRequest},
		IdentityResponse:     {"IDENTITY RESPONSE", up, writeIdentityResponse, readIdentityResponse},
	} {
		rows[t] = &r
	}
}

// Values of half octet IEs.
const (
	gprsAttach       = 1 // attach type, attach result: GPRS only (10.5.5.2, 10.5.5.1)
	noKey            = 7 // ciphering key sequence number: no key (10.5.1.2)
	gprsDetach       = 1 // detach type of an MS (10.5.5.5)
	powerOff         = 8
	reattachRequired = 1 // detach type of the network
	noReattach       = 2
	raUpdated        = 0    // update result (10.5.5.17)
	priorities       = 0x44 // radio priority level 4 for SMS and TOM8 (10.5.7.2, 10.5.7.5)
)

// Optional IEs.
const (
	ieiReadyTimer = 0x17
	ieiPTMSI      = 0x18
	ieiSignature  = 0x19
	ieiCause      = 0x25
	ieiDRX        = 0x27
	ieiT3302      = 0x2a
)

// fixed are the optional IEs without length indicator and the length of their
// values (TV); all others below 0x80 are TLV, those above one octet.
var fixed = map[byte]int{ieiReadyTimer: 1, ieiSignature: 3, ieiCause: 1, ieiDRX: 2}

// In a DETACH REQUEST of an MS the signature has a length (9.4.5.2).
var fixedDetach = map[byte]int{ieiCause: 1}

func writeAttachRequest(m *Message, w *writer) {
	w.lv(networkCapability)
	w.halves(gprsAttach, noKey)
	w.octets(drx[:]...)
	if m.PTMSI != nil {
		w.lv(ptmsiValue(*m.PTMSI))
	} else {
		w.imsi(m.IMSI)
	}
	w.octets(m.OldRAI[:]...)
	w.lv(radioCapability)
	w.signature(m.Signature)
}

func readAttachRequest(m *Message, r *reader) {
	r.lv()
	r.octets(1 + len(drx))
	r.identity(m)
	m.OldRAI = r.rai()
	r.lv()
	r.optional(m, fixed)
}

func writeAttachAccept(m *Message, w *writer) {
	w.halves(gprsAttach, 0)
	w.octets(timerOctet(m.Timer), priorities)
	writeAccepted(m, w)
}

func readAttachAccept(m *Message, r *reader) {
	r.octets(1)
	m.Timer = timerValue(r.octet())
	r.octets(1)
	readAccepted(m, r)
}

// writeAccepted writes what ATTACH ACCEPT and ROUTING AREA UPDATE ACCEPT share.
func writeAccepted(m *Message, w *writer) {
	w.octets(m.RAI[:]...)
	w.signature(m.Signature)
	if m.PTMSI != nil {
		w.tlv(ieiPTMSI, ptmsiValue(*m.PTMSI))
	}
	w.t3302(m.T3302)
}

func readAccepted(m *Message, r *reader) {
	m.RAI = r.rai()
	r.optional(m, fixed)
}

func writeAttachReject(m *Message, w *writer) {
	w.octets(byte(m.Cause))
	w.t3302(m.T3302)
}

func readAttachReject(m *Message, r *reader) {
	m.Cause = Cause(r.octet())
	r.optional(m, fixed)
}

func writeRAURequest(m *Message, w *writer) {
	w.halves(byte(m.Update), noKey)
	w.octets(m.OldRAI[:]...)
	w.lv(radioCapability)
	w.signature(m.Signature)
	if m.PTMSI != nil {
		w.tlv(ieiPTMSI, ptmsiValue(*m.PTMSI))
	}
}

func readRAURequest(m *Message, r *reader) {
	m.Update = UpdateType(r.octet() & 7)
	m.OldRAI = r.rai()
	r.lv()
	r.optional(m, fixed)
}

func writeRAUAccept(m *Message, w *writer) {
	w.halves(0, raUpdated)
	w.octets(timerOctet(m.Timer))
	writeAccepted(m, w)
}

func readRAUAccept(m *Message, r *reader) {
	r.octets(1)
	m.Timer = timerValue(r.octet())
	readAccepted(m, r)
}

func writeRAUReject(m *Message, w *writer) {
	w.octets(byte(m.Cause), 0)
	w.t3302(m.T3302)
}

func readRAUReject(m *Message, r *reader) {
	m.Cause = Cause(r.octet())
	r.octets(1)
	r.optional(m, fixed)
}

func writeRealloc(m *Message, w *writer) {
	if m.PTMSI == nil {
		w.err = ErrIdentity
		return
	}
	w.lv(ptmsiValue(*m.PTMSI))
	w.octets(m.RAI[:]...)
	w.octets(0)
	w.signature(m.Signature)
}

func readRealloc(m *Message, r *reader) {
	r.identity(m)
	if r.err == nil && m.PTMSI == nil {
		r.err = ErrIdentity
	}
	m.RAI = r.rai()
	r.octets(1)
	r.optional(m, fixed)
}

func writeIdentityRequest(m *Message, w *writer) { w.halves(m.Identity&7, 0) }

func readIdentityRequest(m *Message, r *reader) { m.Identity = r.octet() & 7 }

func writeIdentityResponse(m *Message, w *writer) {
	switch {
	case m.IMEI != "":
		w.imei(m.IMEI)
	case m.IMSI == "" && m.PTMSI != nil:
		w.lv(ptmsiValue(*m.PTMSI))
	default:
		w.imsi(m.IMSI)
	}
}

func readIdentityResponse(m *Message, r *reader) { r.identity(m) }
