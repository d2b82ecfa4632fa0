package n2

import (
	"fmt"
	"strings"

	"poolgw/ngap"
	"poolgw/nri"
	"poolgw/pool"
)

// Query is a UE that might come.
type Query struct {
	Set     uint16 // of its 5G-S-TMSI
	Pointer uint8
	TMSI    uint32
	PLMN    nri.PLMN // selected network; zero: not known
}

// Answer is where the UE would go, and why.
type Answer struct {
	NRI     uint16   `json:"nri"` // Set and Pointer in 16 bits
	Set     uint16   `json:"amf_set"`
	Pointer uint8    `json:"amf_pointer"`
	TMSI    uint32   `json:"tmsi"`
	AMF     uint8    `json:"amf"`    // 0: none
	Member  string   `json:"member"` // its name, "": none
	Reason  string   `json:"reason"` // pool.Reason's name
	Text    string   `json:"text"`   // in words
	Owners  []string `json:"owners"` // that are configured with it or announce it, also when down
	Pinned  string   `json:"pinned"` // where it was seen going lately
	Stale   bool     `json:"stale"`  // its owner did not know it lately: it counts as new
}

// Subscriber tells where a UE would go now, an ordinary one by a gNB that has a
// way to every AMF that is up: by the code that decides for UEs.
func (g *Gateway) Subscriber(q Query) Answer {
	d, now := g.dir.Load(), g.clock()
	id := identity{known: true, plmn: ngap.PLMN(q.PLMN), stmsi: ngap.STMSI{Set: q.Set, Pointer: q.Pointer, TMSI: q.TMSI}}
	r := pool.AMFRequest{PLMN: q.PLMN, Serves: d.serving(id.plmn).Without(d.shut), Peek: true}
	for i, m := range d.members {
		if m.up() {
			r.Up.Add(i)
		}
	}
	dec := g.decide(d, &r, id, now)
	a := Answer{NRI: q.Set<<6 | uint16(q.Pointer), Set: q.Set, Pointer: q.Pointer, TMSI: q.TMSI, Reason: dec.Reason.String()}
	if dec.Member != nil {
		a.AMF, a.Member = uint8(dec.Member.ID), dec.Member.Name
	}
	owners := d.amfs.Owners(q.PLMN, q.Set, q.Pointer)
	for i, m := range d.members {
		if owners.Has(i) {
			a.Owners = append(a.Owners, m.label)
		}
	}
	if e, ok := g.affinity.get(id.key(), now); ok {
		a.Stale = e.isStale(now)
		if m := d.byID[e.member]; m != nil && e.isPinned(now) {
			a.Pinned = m.label
		}
	}
	a.Text = d.reasonText(dec, len(a.Owners), a.Stale)
	return a
}

// serving is the set of members that serve a PLMN; the zero PLMN stands for none
// known.
func (d *directory) serving(plmn ngap.PLMN) pool.Mask {
	s, known := d.serves[plmn]
	switch {
	case known:
		return s.Or(d.any)
	case plmn == (ngap.PLMN{}):
		return everyone
	}
	return d.any
}

// reasonTexts are the reasons of decisions as they are on N2; %s is how one is
// chosen among several.
var reasonTexts = map[pool.Reason]string{
	pool.ByNRI:      "it owns AMF Set and Pointer",
	pool.Unowned:    "nobody owns AMF Set and Pointer: chosen by %s",
	pool.OwnerDown:  "the owner is down: its backup AMF, else its AMF Set, else any AMF, by %s; the UE will register anew",
	pool.Hold:       "the owner is down and owner-down-hold runs: turned away",
	pool.NoIdentity: "no 5G-S-TMSI that counts: chosen by %s",
	pool.Pinned:     "seen going there lately",
	pool.NoMember:   "no AMF that serves it is up and allows attach",
}

// ReasonText is the meaning of a decision's reason, by the name that
// PoolState.Reasons and Answer.Reason have; hash tells "pool selection hash".
func ReasonText(name string, hash bool) string {
	how := "weighted round-robin"
	if hash {
		how = "weighted rendezvous hash"
	}
	for r, text := range reasonTexts {
		if r.String() == name {
			return strings.ReplaceAll(text, "%s", how)
		}
	}
	return ""
}

// reasonText tells a decision in words.
func (d *directory) reasonText(dec pool.AMFDecision, owners int, stale bool) string {
	text := ReasonText(dec.Reason.String(), d.cfg.Hash)
	switch {
	case dec.Reason == pool.ByNRI && owners > 1:
		text = fmt.Sprintf("%d AMFs own AMF Set and Pointer: one of them that is up", owners)
	case dec.Reason == pool.NoIdentity && d.cfg.NoAffinity:
		text += " (no pool affinity)"
	case dec.Reason == pool.NoIdentity && stale:
		text += " (its owner did not know it lately)"
	}
	return text
}
