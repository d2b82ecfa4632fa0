package ns

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// The hostile NS PDUs: every type, correct and spoilt in every way, from every
// kind of remote in every state.

// hostileIE is one IE as it stands in a PDU.
type hostileIE struct {
	id    IEI
	val   []byte
	fixed bool   // no length indicator
	tail  []byte // the transaction id behind the NSEI
	cut   int    // 0: whole
}

type hostilePDU struct {
	name string
	typ  PDUType
	head []byte
	ies  []hostileIE
	rest []byte

	foreign bool // it names another NSE or NS-VC than that on which it comes
	unnamed bool // it comes on an NS-VC that has no NSVCI
}

func (ie hostileIE) octets() []byte {
	var b []byte
	if ie.fixed {
		b = append([]byte{byte(ie.id)}, ie.val...)
	} else {
		b = appendTLV(nil, ie.id, ie.val)
	}
	if b = append(b, ie.tail...); ie.cut > 0 {
		b = b[:ie.cut]
	}
	return b
}

func (p hostilePDU) octets() []byte {
	b := append([]byte{byte(p.typ)}, p.head...)
	for _, ie := range p.ies {
		b = append(b, ie.octets()...)
	}
	return append(b, p.rest...)
}

// hostileIDs are the identities by which a PDU would concern a remote's NS-VC.
type hostileIDs struct{ nsei, nsvci uint16 }

func (id hostileIDs) value(iei IEI, cause Cause) (v []byte, fixed bool) {
	switch iei {
	case IECause:
		return []byte{byte(cause)}, false
	case IENSVCI:
		return []byte{byte(id.nsvci >> 8), byte(id.nsvci)}, false
	case IENSEI:
		return []byte{byte(id.nsei >> 8), byte(id.nsei)}, false
	case IEBVCI:
		return []byte{0x4e, 0x2b}, false
	case IENSPDU:
		return []byte{0x0a}, false
	case IEIPv4List:
		return unhex("0a0002015a590101"), false
	case IEMaxNSVCs:
		return []byte{0, 8}, true
	case IEIPv4Count:
		return []byte{0, 1}, true
	case IEResetFlag:
		return []byte{1}, true
	case IEIPAddress:
		return []byte{1, 10, 0, 2, 1}, true
	}
	return nil, false
}

// correct makes the PDU of a type with what its row has but the lists that
// exclude each other.
func (id hostileIDs) correct(t PDUType, cause Cause) hostilePDU {
	d := t.def()
	p := hostilePDU{name: fmt.Sprintf("correct, cause %d", cause), typ: t}
	switch d.head {
	case headUnitdata:
		p.head, p.rest = []byte{0, 0x4e, 0x2b}, []byte("hello")
	case headEndFlag:
		p.head = []byte{1}
	}
	order := ieOrder[:]
	if t >= PDUSNSAck {
		order = snsOrder[:]
	}
	for _, iei := range order {
		if !(d.must | d.may).Has(iei) || t == PDUSNSDelete && iei == IEIPv4List ||
			t >= PDUSNSAck && iei == IECause && cause == CauseOAM { // an SNS PDU without a cause tells of success
			continue
		}
		if v, fixed := id.value(iei, cause); v != nil {
			ie := hostileIE{id: iei, val: v, fixed: fixed}
			if iei == IENSEI && d.transID {
				ie.tail = []byte{7}
			}
			p.ies = append(p.ies, ie)
		}
	}
	return p
}

// spoilt makes the mutations of a PDU.
func (p hostilePDU) spoilt() (list []hostilePDU) {
	edit := func(name string, f func(l []hostileIE) []hostileIE) {
		q := p
		q.name, q.ies = name, f(slices.Clone(p.ies))
		list = append(list, q)
	}
	unknown := hostileIE{id: 0x7e, val: []byte{1, 2, 3}}
	if len(p.ies) > 0 {
		edit("unknown IE first", func(l []hostileIE) []hostileIE { return slices.Insert(l, 0, unknown) })
		edit("backwards", func(l []hostileIE) []hostileIE { slices.Reverse(l); return l })
	}
	for i, ie := range p.ies {
		set := func(name string, val []byte) {
			if !ie.fixed {
				edit(fmt.Sprintf("%s %v", name, ie.id), func(l []hostileIE) []hostileIE { l[i].val = val; return l })
			}
		}
		edit(fmt.Sprintf("without %v", ie.id), func(l []hostileIE) []hostileIE { return slices.Delete(l, i, i+1) })
		edit(fmt.Sprintf("unknown IE after %v", ie.id), func(l []hostileIE) []hostileIE { return slices.Insert(l, i+1, unknown) })
		edit(fmt.Sprintf("again %v", ie.id), func(l []hostileIE) []hostileIE {
			other := slices.Clone(ie.val)
			other[len(other)-1] ^= 0x55
			return slices.Insert(l, i+1, hostileIE{id: ie.id, val: other, fixed: ie.fixed})
		})
		set("empty", nil)
		set("short", ie.val[:len(ie.val)-1])
		set("longer", append(slices.Clone(ie.val), 0x55))
		set("as long as can be", append(slices.Clone(ie.val), make([]byte, MaxDatagram-len(p.octets())-1)...))
	}
	whole := p.octets()
	if p.typ != PDUUnitdata && len(p.ies) == 0 {
		q := p
		q.name, q.rest = "with more behind it", []byte{0}
		list = append(list, q)
	}
	for n := 1; n < len(whole); n++ {
		q := hostilePDU{name: fmt.Sprintf("cut at %d", n), typ: p.typ, rest: whole[1:n]}
		list = append(list, q)
	}
	return list
}

// allHostile makes the PDUs of all types.
func (id hostileIDs) allHostile() (list []hostilePDU) {
	for t := range 256 {
		typ := PDUType(t)
		if typ.def() == nil {
			list = append(list, hostilePDU{name: "alone", typ: typ}, hostilePDU{name: "with garbage", typ: typ, rest: make([]byte, 100)},
				hostilePDU{name: "as long as can be", typ: typ, rest: make([]byte, MaxDatagram-1)})
			continue
		}
		for _, c := range []Cause{CauseOAM, CauseBlocked, CauseUnknownVC, CauseNotCompatible} {
			p := id.correct(typ, c)
			list = append(append(list, p), p.spoilt()...)
			if !(typ.def().must | typ.def().may).Has(IECause) {
				break
			}
		}
		for _, other := range []hostileIDs{{id.nsei, 0x7777}, {0x7777, id.nsvci}, {104, id.nsvci}, {102, id.nsvci}} {
			for _, c := range []Cause{CauseOAM, CauseBlocked, CauseUnknownVC} {
				p := other.correct(typ, c)
				p.name, p.foreign = fmt.Sprintf("ids %v", other), other.nsei != id.nsei && typ.def().must.Has(IENSEI) ||
					other.nsvci != id.nsvci && typ.def().must.Has(IENSVCI) || typ == PDUStatus && other.nsvci != id.nsvci
				list = append(list, p)
			}
		}
	}
	return append(list, hostilePDU{name: "the four octets", typ: PDUStatus, rest: unhex("008103")})
}

// hostilePlace is a remote and the state of what it belongs to.
type hostilePlace struct {
	name  string
	bind  string
	from  string
	ids   hostileIDs
	known bool
	enter func(r *rig)
}

const (
	staticPeer = "10.0.4.1:2"
	stranger   = "10.0.8.8:1"
)

func hostilePlaces() []hostilePlace {
	ipa := func(name string, pdus ...string) hostilePlace {
		return hostilePlace{name, "a", remote, hostileIDs{101, 101}, true, func(r *rig) { r.write("a", remote, pdus...) }}
	}
	bssRole := func(name string, pdus ...string) hostilePlace {
		return hostilePlace{name, "a", sgsn1, hostileIDs{102, 0}, true, func(r *rig) { r.write("a", sgsn1, pdus...) }}
	}
	sgsnRole := func(name string, pdus ...string) hostilePlace {
		return hostilePlace{name, "b", bss, hostileIDs{2001, 0}, true, func(r *rig) { r.write("b", bss, pdus...) }}
	}
	for102 := func(s string) string { return strings.Replace(s, "04820065", "04820066", 1) }
	none := func(*rig) {}
	blocked := ipa("ip.access blocked by O&M", resetAck101, unblockOK)
	up := blocked.enter
	blocked.enter = func(r *rig) { up(r); must(r.t, r.s.BlockVC(101, r.now)) }
	return []hostilePlace{
		ipa("ip.access RESET"), ipa("ip.access BLOCKED", resetAck101), ipa("ip.access UNBLOCKED", resetAck101, unblockOK, aliveAckHex), blocked,
		{"static RECOVERING", "b", staticPeer, hostileIDs{103, 0}, true, none},
		{"static UNBLOCKED", "b", staticPeer, hostileIDs{103, 0}, true, func(r *rig) { r.write("b", staticPeer, aliveAckHex) }},
		bssRole("SNS BSS_SIZE"), bssRole("SNS BSS_CONFIG_BSS", for102(sizeAck101)),
		bssRole("SNS BSS_CONFIG_SGSN", for102(sizeAck101), for102(configAck101)),
		bssRole("SNS CONFIGURED as BSS", for102(sizeAck101), for102(configAck101), for102(sgsnConfig), aliveAckHex),
		sgsnRole("SNS SGSN_WAIT_CONFIG", size2001), sgsnRole("SNS SGSN_WAIT_CONFIG_ACK", size2001, conf2001),
		sgsnRole("SNS CONFIGURED as SGSN", size2001, conf2001, confAck, aliveAckHex),
		{"dynamic ip.access BLOCKED", "b", bts, hostileIDs{2001, 2002}, true, func(r *rig) { r.write("b", bts, reset2001) }},
		{"dynamic ip.access UNBLOCKED", "b", bts, hostileIDs{2001, 2002}, true, func(r *rig) { r.write("b", bts, reset2001, unblock) }},
		{"unknown, accepted", "b", stranger, hostileIDs{2001, 2002}, false, none},
		{"unknown, accepted, known ids", "b", stranger, hostileIDs{101, 101}, false, none},
		{"unknown, not accepted", "a", stranger, hostileIDs{2001, 2002}, false, none},
	}
}

func hostileConfig(t *testing.T) func(c *Config) {
	return func(c *Config) {
		must(t, c.SetAcceptSNS("b", true))
		must(t, c.SetAcceptIPAccess("b", true))
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
		must(t, c.AddNSE(102, RoleBSS))
		must(t, c.AddSNSBind(102, "a"))
		must(t, c.AddSNSRemote(102, ap(sgsn1)))
		must(t, c.AddNSE(103, RoleBSS))
		must(t, staticVC(c, 103, "b", staticPeer, 1, 1))
		must(t, c.AddNSE(104, RoleBSS)) // the one that nothing is about
		must(t, staticVC(c, 104, "b", "10.0.4.1:4", 1, 1))
	}
}

// TestHostilePDUs: the stack lives, answers each PDU as its form and state say,
// answers strangers with no more than they sent, and leaves alone what a PDU
// is not about.
func TestHostilePDUs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(48016, 1))
	n := 0
	for _, at := range hostilePlaces() {
		t.Run(strings.ReplaceAll(at.name, " ", "_"), func(t *testing.T) {
			var r *rig
			fresh := ""
			for _, p := range at.ids.allHostile() {
				if os.Getenv("GB_HOSTILE") != "full" && !p.foreign && (p.typ.def() == nil && rnd.IntN(8) != 0 || rnd.IntN(2) != 0) {
					continue
				}
				if n%(statusBurst/2) == 0 || r == nil || r.stateText(-1) != fresh { // or no STATUS would be left
					r = at.rig(t)
					fresh = r.stateText(-1)
				}
				n++
				at.ask(r, p)
				if t.Failed() {
					return
				}
			}
		})
	}
	t.Logf("%d PDUs", n)
}

func (at hostilePlace) rig(t *testing.T) *rig {
	r := newRig(t, hostileConfig(t), Limits{DynamicNSEs: 4, VCsPerNSE: 8, ControlQueue: 64})
	r.write("b", "10.0.4.1:4", aliveAckHex)
	at.enter(r)
	r.turn()
	r.frames()
	r.events = nil
	return r
}

// stateText is the state of all NSEs but one.
func (r *rig) stateText(but int) string {
	var s strings.Builder
	for _, n := range r.s.Snapshot(r.now).NSEs {
		if int(n.NSEI) == but || but >= 0 && n.NSEI == 0x7777 { // a new one
			continue
		}
		fmt.Fprintf(&s, "%d %v", n.NSEI, n.Alive)
		if n.SNS != nil {
			fmt.Fprintf(&s, " %s %v", n.SNS.State, n.SNS.Remote)
		}
		for _, v := range n.VCs {
			fmt.Fprintf(&s, " %v %s %s %d %d", v.Remote, v.State, v.BlockedBy, v.SigWeight, v.DataWeight)
		}
		s.WriteString("; ")
	}
	return s.String()
}
