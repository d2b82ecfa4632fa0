package n2

import "poolgw/ngap"

// What a trace must not show, of all IEs of TS 38.413:
//
//   - Security Key (9.3.1.87), KgNB or the key of a non-3GPP node: Initial Context
//     Setup Request, UE Context Modification Request.
//   - Security Context (9.3.1.88), the Next Hop: Handover Request, Path Switch Request
//     Acknowledge, UE Context Resume and Suspend Response.
//   - Source to Target Transparent Container (9.3.1.20): its RRC container may hold
//     KgNB* for re-establishment (TS 38.331 11.2.3, TS 36.331 10.2.3); toward UTRAN it
//     holds CK and IK (TS 25.413).
//   - An NGAP Message (9.2.5.6) within a PDU that holds one of these.
//   - Whatever can't be read: a PDU with a fault, a Private Message, octets behind a PDU.
//
// No key is in NASC and NAS Security Parameters from NG-RAN (counters and a MAC), in
// UL and DL CP Security Information (likewise), New Security Context Indicator, UE
// Security Capabilities, Security Indication and Result (what is to be done), Masked
// IMEISV (an identity, masked), the Target to Source container (a chaining count),
// RAN Status Transfer (counters); a NAS PDU is ciphered by the UE's AMF.
const (
	ieNGAPSecurityContext ngap.IEID = 93
	ieNGAPSecurityKey     ngap.IEID = 94
	ieSourceToTarget      ngap.IEID = 101
	keyOctets                       = 32
	handoverToUTRAN                 = 3 // the first Handover Type whose container does not begin with an RRC container
)

// masked returns the value of an IE of p without what is secret in it; false: there
// is nothing.
func masked(ie *ngap.IE, p *ngap.PDU) ([]byte, bool) {
	switch ie.ID {
	case ieNGAPSecurityContext: // preamble, Next Hop Chaining Count, and the key from an octet's edge on
		return zeroed(ie.Value, 1, 1+keyOctets), true
	case ieNGAPSecurityKey:
		return zeroed(ie.Value, 0, keyOctets), true
	case ieSourceToTarget:
		return maskedContainer(ie.Value, p), true
	case ngap.IENGAPMessage:
		return maskedMessage(ie.Value)
	}
	return nil, false
}

// zeroed is a copy of v with zeros from one octet to before another.
func zeroed(v []byte, from, to int) []byte {
	v = append([]byte(nil), v...)
	for i := from; i < min(to, len(v)); i++ {
		v[i] = 0
	}
	return v
}

// maskedContainer has no RRC container; of one toward another kind of node, or that
// can't be read, nothing is left.
func maskedContainer(v []byte, p *ngap.PDU) []byte {
	content, err := ngap.ReadOctets(v)
	if err != nil {
		return zeroed(v, 0, len(v))
	}
	from, to, ok := ngap.RRCContainer(content)
	if kind, _ := p.Value(ngap.IEHandoverType); len(kind) != 1 || kind[0]>>5 >= handoverToUTRAN || !ok {
		from, to = 0, len(content)
	}
	return ngap.AppendOctets(nil, zeroed(content, from, to))
}

// maskedMessage has nothing of a PDU that holds secrets itself, or can't be read.
func maskedMessage(v []byte) ([]byte, bool) {
	var p ngap.PDU
	holds := p.WalkContained(v) != nil || p.Surplus() > 0
	for _, ie := range p.IEs {
		holds = holds || ie.ID == ieNGAPSecurityContext || ie.ID == ieNGAPSecurityKey || ie.ID == ieSourceToTarget
	}
	content, err := ngap.ReadOctets(v)
	if err != nil {
		return zeroed(v, 0, len(v)), true
	}
	return ngap.AppendOctets(nil, zeroed(content, 0, len(content))), holds
}

// mask returns the PDU without its secrets, not ok when it can't be read.
func (t *trace) mask(data []byte) ([]byte, bool) {
	if t.pdu.Walk(data) != nil || t.pdu.Private() {
		return nil, false
	}
	changed := t.pdu.Surplus() > 0
	for i := range t.pdu.IEs {
		if v, secret := masked(&t.pdu.IEs[i], &t.pdu); secret {
			t.pdu.Set(i, v)
			changed = true
		}
	}
	if !changed {
		return data, true
	}
	return t.pdu.Append(nil), true
}
