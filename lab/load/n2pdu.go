package load

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"

	"poolgw/ngap"
)

// NG Setup Request of UERANSIM 3.3.0, as captured: PLMN 001-01, TAC 1, SST 1. The
// last four octets of the Global RAN Node ID are the gNB's.
const n2Setup = "0015003e000004001b00090000f1105000000001005240140880554552414e53494d2d676e622d312d312d310066000d00000000010000f110000000080015400140"

// User Location Information: NR, PLMN 001-01, TAC 1.
const n2Location = "4000f110000000010000f110000001"

var (
	n2PLMN     = ngap.PLMN{0x00, 0xf1, 0x10}
	n2LocValue = mustHex(n2Location)
	n2NSSAI    = ngap.AppendNSSAI(nil, []ngap.Slice{{SNSSAI: ngap.SNSSAI{SST: 1}}})
	n2Cause    = ngap.AppendCause(nil, ngap.CauseNormalRelease)
)

func mustHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// n2SetupRequest is the NG Setup Request of a gNB.
func n2SetupRequest(gnb int) []byte {
	b := mustHex(n2Setup)
	var p ngap.PDU
	if err := p.Walk(b); err != nil {
		panic(err)
	}
	v, _ := p.Value(ngap.IEGlobalRANNodeID)
	binary.BigEndian.PutUint32(v[len(v)-4:], uint32(gnb+1)) // in b itself
	return b
}

// n2GUAMI is that of an AMF: they differ in the pointer.
func n2GUAMI(amf int) ngap.GUAMI {
	return ngap.GUAMI{PLMN: n2PLMN, Region: 1, Set: 1, Pointer: uint8(amf)}
}

// n2SetupResponse is an AMF's answer.
func n2SetupResponse(amf int) []byte {
	p := new(ngap.PDU).New(ngap.CodeNGSetupRequest, ngap.Successful)
	p.Add(ngap.IEAMFName, ngap.Reject, ngap.AppendName(nil, "load-amf"))
	p.Add(ngap.IEServedGUAMIList, ngap.Reject, ngap.AppendServedGUAMIs(nil, []ngap.ServedGUAMI{{GUAMI: n2GUAMI(amf)}}))
	p.Add(ngap.IERelativeAMFCapacity, ngap.Ignore, ngap.AppendCapacity(nil, 100))
	p.Add(ngap.IEPLMNSupportList, ngap.Reject, ngap.AppendPLMNSupport(nil,
		[]ngap.PLMNSupport{{PLMN: n2PLMN, Slices: []ngap.Slice{{SNSSAI: ngap.SNSSAI{SST: 1}}}}}))
	return p.Append(nil)
}

// The NAS-PDU: an integrity protected and ciphered message as far as anybody can
// tell, with UE, step, run and time in its first octets.
const n2ProbeSize = 16

type n2Probe struct {
	ran  uint32
	step uint8
	run  uint8
	at   int64
}

// append appends the NAS-PDU of size octets.
func (q n2Probe) append(b []byte, size int) []byte {
	b = append(b, 0x7e, 0x02)
	b = binary.BigEndian.AppendUint32(b, q.ran)
	b = append(b, q.step, q.run)
	b = binary.BigEndian.AppendUint64(b, uint64(q.at))
	for i := n2ProbeSize; i < size; i++ {
		b = append(b, byte(i)^byte(q.ran))
	}
	return b
}

// readN2Probe reads a NAS-PDU; false when it is not, to the octet, as one was sent.
func readN2Probe(nas []byte, size int) (q n2Probe, ok bool) {
	if len(nas) != size {
		return q, false
	}
	q = n2Probe{ran: binary.BigEndian.Uint32(nas[2:]), step: nas[6], run: nas[7], at: int64(binary.BigEndian.Uint64(nas[8:]))}
	var again [N2MaxNAS]byte
	return q, bytes.Equal(nas, q.append(again[:0], size))
}

// n2Message makes the message of step k of u, whose AMF UE NGAP ID is id there.
func n2Message(p *ngap.PDU, u *n2UE, k int, id uint64, size int) []byte {
	s := n2StepOf(k)
	ran := ngap.AppendRANUENGAPID(nil, u.ran)
	p.New(s.code, s.kind)
	crit := ngap.Reject
	if s.kind != ngap.Initiating {
		crit = ngap.Ignore
	}
	switch {
	case k == 0:
		p.Add(ngap.IERANUENGAPID, ngap.Reject, ran)
	case s.code == ngap.CodeUEContextReleaseCommand && s.kind == ngap.Initiating:
		p.Add(ngap.IEUENGAPIDs, ngap.Reject, ngap.UENGAPIDs{AMF: id, RAN: u.ran, HasRAN: true}.Append(nil))
		p.Add(ngap.IECause, ngap.Ignore, n2Cause)
	default:
		p.Add(ngap.IEAMFUENGAPID, crit, ngap.AppendAMFUENGAPID(nil, id))
		p.Add(ngap.IERANUENGAPID, crit, ran)
	}
	if s.code == ngap.CodeInitialContextSetupRequest && s.kind == ngap.Initiating {
		addContext(p, int(u.owner))
	}
	if s.nas {
		nas := n2Probe{u.ran, uint8(k), u.run, u.at[k]}.append(nil, size)
		p.Add(ngap.IENASPDU, ngap.Reject, ngap.AppendOctets(nil, nas))
	}
	if s.dir == Up && s.nas {
		p.Add(ngap.IEUserLocationInformation, ngap.Reject, n2LocValue)
	}
	if k == 0 {
		p.Add(ngap.IERRCEstablishmentCause, ngap.Ignore, ngap.AppendEstablishment(nil, ngap.EstablishmentMOSignalling))
		p.Add(ngap.IEFiveGSTMSI, ngap.Reject, ngap.AppendSTMSI(nil, ngap.STMSI{Set: 1, Pointer: uint8(u.owner), TMSI: u.tmsi}))
	}
	return p.Append(nil)
}

// addContext adds what an Initial Context Setup Request must have beside the IDs
// (TS 38.413 clause 9.2.2.1).
func addContext(p *ngap.PDU, amf int) {
	const ueSecurityCapabilities, securityKey = 119, 94
	p.Add(ngap.IEGUAMI, ngap.Reject, n2GUAMIValue[amf])
	p.Add(ngap.IEAllowedNSSAI, ngap.Reject, n2NSSAI)
	p.Add(ueSecurityCapabilities, ngap.Reject, make([]byte, 9))
	p.Add(securityKey, ngap.Reject, make([]byte, 32))
}

// n2GUAMIValue is the value of the IE GUAMI of each AMF: preamble, PLMN, Region,
// Set (10 bits) and Pointer (6 bits), which are 1, 1 and the AMF's index (9.3.3.3).
var n2GUAMIValue = func() (v [N2MaxAMFs][]byte) {
	for i := range v {
		v[i] = []byte{0, n2PLMN[0], n2PLMN[1], n2PLMN[2], 1, 0, 0x40 | byte(i)}
	}
	return v
}()
