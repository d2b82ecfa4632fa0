package load

import "poolgw/ngap"

// n2Step is one message of the exchange that every UE makes: a registration as the
// gateway sees it, and the release.
type n2Step struct {
	code ngap.Code
	kind ngap.Kind
	dir  Direction
	nas  bool // with a NAS-PDU, which holds the probe
}

// n2Steps are the messages in their order. Who gets a message sends those that
// follow it, if the next one goes the other way.
var n2Steps = [...]n2Step{
	{ngap.CodeInitialUEMessage, ngap.Initiating, Up, true},
	{ngap.CodeDownlinkNASTransport, ngap.Initiating, Down, true},
	{ngap.CodeUplinkNASTransport, ngap.Initiating, Up, true},
	{ngap.CodeDownlinkNASTransport, ngap.Initiating, Down, true},
	{ngap.CodeUplinkNASTransport, ngap.Initiating, Up, true},
	{ngap.CodeInitialContextSetupRequest, ngap.Initiating, Down, true},
	{ngap.CodeInitialContextSetupRequest, ngap.Successful, Up, false},
	{ngap.CodeUplinkNASTransport, ngap.Initiating, Up, true},
	{ngap.CodeDownlinkNASTransport, ngap.Initiating, Down, true},
	{ngap.CodeUEContextReleaseCommand, ngap.Initiating, Down, false},
	{ngap.CodeUEContextReleaseCommand, ngap.Successful, Up, false},
}

const n2Last = len(n2Steps) - 1

// n2Follow is the range of steps that the receiver of step k sends.
func n2Follow(k int) (from, to int) {
	from = k + 1
	if k == n2Last || n2Steps[from].dir == n2Steps[k].dir {
		return from, from
	}
	for to = from; to <= n2Last && n2Steps[to].dir == n2Steps[from].dir; to++ {
	}
	return from, to
}

// n2Bare is the step of a message without NAS-PDU, -1 for one that is no step.
func n2Bare(c ngap.Code, k ngap.Kind) int {
	for i, s := range n2Steps {
		if !s.nas && s.code == c && s.kind == k {
			return i
		}
	}
	return -1
}

// n2UE is what is known of one UE: the place is used again when it is done.
type n2UE struct {
	ran   uint32 // RAN UE NGAP ID, the UE's number over all gNBs; 0: none
	gnb   uint16
	owner uint16 // index of the AMF that its 5G-S-TMSI names
	tmsi  uint32 // of the 5G-S-TMSI
	run   uint8
	got   uint16 // bit k: step k has come
	inner uint64 // AMF UE NGAP ID as the AMF gave it
	outer uint64 // … as the gNB saw it first
	at    [n2AllSteps]int64
	stays bool     // it is bound: no release follows
	gone  bool     // the gateway has released it
	heard [2]int64 // the latest of its talk that came, by direction
}

// n2Seen is what a receiver makes of a message.
type n2Seen struct {
	dir  Direction
	node int // index of the gNB or AMF that got it
	ran  uint32
	amf  uint64
	hasA bool
	step int
	said int64 // when it was sent, by its NAS-PDU
}

// judge checks a message against what is known of its UE, counts it, and reports
// whether the exchange goes on with it.
func (u *n2UE) judge(m n2Seen, r *N2Result) bool {
	if u.got&(1<<m.step) != 0 {
		r.Duplicates++
		return false
	}
	for k := m.step + 1; k <= n2Last; k++ {
		if n2Steps[k].dir == m.dir && u.got&(1<<k) != 0 {
			r.Overtaken++
			break
		}
	}
	u.got |= 1 << m.step
	r.Received++
	if m.dir == Up {
		u.judgeUp(m, r)
	} else {
		u.judgeDown(m, r)
	}
	return true
}

func (u *n2UE) judgeUp(m n2Seen, r *N2Result) {
	if m.node != int(u.owner) {
		r.WrongAMF++
	}
	if m.hasA && m.amf != u.inner {
		r.WrongIDs++
	}
}

func (u *n2UE) judgeDown(m n2Seen, r *N2Result) {
	if m.node != int(u.gnb) {
		r.WrongGNB++
	}
	if u.outer == 0 {
		u.outer = m.amf
	}
	if !m.hasA || m.amf != u.outer {
		r.WrongIDs++
	}
}
