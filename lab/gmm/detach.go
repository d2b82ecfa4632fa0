package gmm

// The two DETACH REQUESTs differ: that of the MS (9.4.5.2) has its P-TMSI, that
// of the network (9.4.5.1) a cause.

func writeDetachRequest(m *Message, w *writer) {
	if m.Uplink {
		writeDetachByMS(m, w)
		return
	}
	kind := byte(noReattach)
	if m.Reattach {
		kind = reattachRequired
	}
	w.halves(kind, 0)
	if m.Cause != 0 {
		w.octets(ieiCause, byte(m.Cause))
	}
}

func writeDetachByMS(m *Message, w *writer) {
	kind := byte(gprsDetach)
	if m.PowerOff {
		kind |= powerOff
	}
	w.halves(kind, 0)
	if m.PTMSI != nil {
		w.tlv(ieiPTMSI, ptmsiValue(*m.PTMSI))
	}
	if m.Signature != nil {
		w.tlv(ieiSignature, m.Signature[:])
	}
}

func readDetachRequest(m *Message, r *reader) {
	kind := r.octet()
	if m.Uplink {
		m.PowerOff = kind&powerOff != 0
		r.optional(m, fixedDetach)
		return
	}
	m.Reattach = kind&7 == reattachRequired
	r.optional(m, fixed)
}

// writeDetachAccept writes the force to standby of the network's (9.4.6.2); that
// of the MS is empty (9.4.6.1).
func writeDetachAccept(m *Message, w *writer) {
	if !m.Uplink {
		w.halves(0, 0)
	}
}

func readDetachAccept(m *Message, r *reader) {
	if !m.Uplink {
		r.octets(1)
	}
}
