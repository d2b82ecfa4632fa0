package gb_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/bssgp"
	"poolgw/gb"
)

// hostileFull is the whole product of TestHostilePDUs; else a sample of it.
var hostileFull = os.Getenv("GB_HOSTILE") == "full"

// Every PDU type with each of its IEs spoilt in every way, on every kind of
// BVC, from both sides and in every state: the gateway answers as specified,
// tells nobody who must not know, keeps its states and tables, and routes.
// Facts: G5-09, G5-11, G5.4-26
func TestHostilePDUs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(48018, 1))
	cases, n := 0, 0
	for _, state := range hostileStates() {
		var list []question
		for _, p := range allHostilePDUs() {
			for _, at := range hostilePlaces(state) {
				if n++; hostileFull || at.right(p) || rnd.IntN(100) == 0 {
					list = append(list, question{at, p.renumbered(n), ""})
				}
			}
		}
		cases += len(list)
		if siege(t, state, list); t.Failed() {
			break
		}
	}
	t.Logf("%d PDUs", cases)
}

func allHostilePDUs() []hostilePDU {
	list := []hostilePDU{{name: "empty", none: true}}
	for typ := range 256 {
		list = append(list, hostilePDUs(bssgp.PDUType(typ), 0)...)
	}
	return list
}

// right tells the places where it is the form of a PDU that decides.
func (p place) right(pdu hostilePDU) bool {
	d := bssgp.Definition(pdu.typ)
	return p.state == allUnblocked && (p.from == bssA || p.from == owner) && (p.bvci == 0 || p.bvci == 20011) &&
		(d == nil && pdu.typ%16 == 0xf || d != nil && d.Dirs.Has(p.dir()) && d.Kinds.Has(p.kind()))
}

// hostileStates lists the states, and puts those first in which most happens.
func hostileStates() []hostileState {
	return []hostileState{allUnblocked, allBlocked, bssAwaited, ownerAwaited, neverReset}
}

// hostilePlaces lists where a PDU comes in one state.
func hostilePlaces(s hostileState) (list []place) {
	for _, bvci := range []uint16{0, 1, 20011, 20021, 20099} {
		for _, from := range []uint16{bssA, owner} {
			list = append(list, place{from, bvci, s})
		}
		if s == allUnblocked {
			list = append(list, place{fresh, bvci, s}, place{lame, bvci, s})
		}
	}
	return list
}

// renumbered gives a PDU its own identities where it has the common ones.
func (p hostilePDU) renumbered(n int) hostilePDU {
	id := newIdentities(n)
	p.ies = slices.Clone(p.ies)
	for i, ie := range p.ies {
		var v []byte
		switch ie.iei {
		case bssgp.IETLLI, bssgp.IETMSI:
			v = id.tlli
		case bssgp.IEIMSI:
			v = id.imsi
		default:
			continue
		}
		p.ies[i].val = append(slices.Clone(v[:min(len(v), len(ie.val))]), ie.val[min(len(v), len(ie.val)):]...)
	}
	return p
}

// siege asks a list of questions, with as many gateways as it takes.
func siege(t *testing.T, state hostileState, list []question) {
	for len(list) > 0 && !t.Failed() {
		c := config(3)
		c.Limits.BVCs, c.Limits.CacheEntries = 64, 1024
		run(t, c, func(b *bed) {
			s := newStand(b, state)
			for n := 0; len(list) > 0 && n < 2000; n++ {
				q := list[0]
				list = list[1:]
				if !s.ask(&q) {
					break
				}
			}
			s.end()
		})
	}
}

// stand is a bed with two cells that stays as it is between two questions.
type stand struct {
	*bed
	state hostileState
	rest  gb.View
	goes  int // goroutines
	errs  int
}

func newStand(b *bed, state hostileState) *stand {
	b.t.Helper()
	b.at(lame).set(true, true)
	time.Sleep(3 * time.Minute) // it is gone …
	b.at(lame).set(false, true)
	time.Sleep(time.Minute) // … and back, but does not acknowledge the reset
	b.bss(bssA, cell20011)
	b.bss(bssB, hostileOther)
	b.add(fresh, false).start()
	s := &stand{bed: b, state: state}
	s.quiet(false)
	s.enter()
	s.rest, s.goes = b.gw.View(20011, 20021), runtime.NumGoroutine()
	if want := stateText[state]; !strings.HasSuffix(s.rest.States, want) {
		b.t.Fatalf("state %v: %s, want %s", state, s.rest.States, want)
	}
	return s
}

const (
	other20021 = " 20021@2002 UNBLOCKED/UNBLOCKED,UNBLOCKED, "
	hostileUp  = "true true false 2001:true 2002:true 2003:false "
)

var stateText = map[hostileState]string{
	allUnblocked: hostileUp + "20011@2001 UNBLOCKED/UNBLOCKED,UNBLOCKED," + other20021,
	allBlocked:   hostileUp + "20011@2001 BLOCKED/BLOCKED,BLOCKED," + other20021,
	bssAwaited:   hostileUp + "20011@2001 WAIT_RESET_ACK/UNBLOCKED,UNBLOCKED," + other20021,
	ownerAwaited: hostileUp + "20011@2001 UNBLOCKED/WAIT_RESET_ACK,UNBLOCKED," + other20021,
	neverReset:   hostileUp + "20011@2001/BLOCKED,BLOCKED," + other20021,
}

// quiet: peers that are quiet acknowledge nothing. The lame one never does.
func (s *stand) quiet(on bool) {
	for _, p := range s.all {
		p.set(false, on || p.nsei == lame)
	}
}

// enter makes the state from one in which all is unblocked; then nobody
// acknowledges anything, so that what a PDU does is seen and stays.
func (s *stand) enter() {
	a := s.at(bssA)
	switch s.state {
	case allBlocked:
		a.sig("2004824e2b078101")
	case bssAwaited:
		a.set(false, true)
		s.at(other).sig("2204824e2b078108")
	case ownerAwaited:
		s.at(owner).set(false, true)
		a.sig("2204824e2b0781080888" + cell20011.id)
	case neverReset:
		a.sig("2204820000078108")
	}
	synctest.Wait()
	s.quiet(true)
	s.clear()
}

// again makes the state anew; false when it takes another gateway.
func (s *stand) again() bool {
	s.quiet(false)
	for _, nsei := range []uint16{bssA, fresh} {
		_ = s.gw.DeleteBVC(nsei, 20099) // the one that was new, if there is one
	}
	s.at(bssA).reset(cell20011)
	time.Sleep(11 * time.Second) // T2: what was not acknowledged is sent again
	s.enter()
	v := s.gw.View(20011, 20021)
	return v.States == s.rest.States && v.Cells == s.rest.Cells
}

// ask sends one PDU and sees what comes of it; false ends the stand.
func (s *stand) ask(q *question) bool {
	b := q.octets()
	q.hex = hex.EncodeToString(b)
	before := s.gw.View(20011, 20021)
	s.at(q.from).write(append([]byte{0, 0, byte(q.bvci >> 8), byte(q.bvci)}, b...))
	e := q.expect()
	if wrong := e.compare(s.collect(), q); wrong != "" {
		s.errorf("%v %s, %v: %s\n  %.200s", q.typ, q.name, q.place, wrong, q.hex)
	}
	after := s.gw.View(20011, 20021)
	s.checkTables(q, &before, &after, e)
	if after.States != before.States || after.Cells != before.Cells {
		if !s.again() {
			return false
		}
	}
	s.probe(q)
	return s.errs < 20
}

func (s *stand) errorf(format string, a ...any) {
	s.t.Helper()
	s.errs++
	s.t.Errorf(format, a...)
}

// collect takes what all peers got.
func (s *stand) collect() map[uint16][]string {
	m := map[uint16][]string{}
	for _, p := range s.all {
		for _, g := range p.taken() {
			m[p.nsei] = append(m[p.nsei], g.String())
		}
	}
	return m
}

// compare tells what differs from what is expected.
func (e expected) compare(have map[uint16][]string, q *question) string {
	var wrong []string
	hits := 0
	for nsei, pdus := range have {
		must := slices.Clone(e.must[nsei])
		for _, pdu := range pdus {
			if i := slices.IndexFunc(must, func(m string) bool { return fits(pdu, m) }); i >= 0 {
				must = slices.Delete(must, i, i+1)
				continue
			}
			if slices.Contains(e.oneOf, nsei) && pdu == fmt.Sprintf("%d:%s", q.bvci, q.hex) {
				hits++
				continue
			}
			if !slices.ContainsFunc(e.may[nsei], func(m string) bool { return strings.HasPrefix(pdu, m) }) {
				wrong = append(wrong, fmt.Sprintf("%d got %.120s", nsei, pdu))
			}
		}
		if len(must) > 0 {
			wrong = append(wrong, fmt.Sprintf("%d did not get %.120s", nsei, must))
		}
	}
	for nsei, must := range e.must {
		if have[nsei] == nil && len(must) > 0 {
			wrong = append(wrong, fmt.Sprintf("%d got nothing, want %.120s", nsei, must))
		}
	}
	if len(e.oneOf) > 0 && hits != 1 {
		wrong = append(wrong, fmt.Sprintf("%d of %v got it", hits, e.oneOf))
	}
	return strings.Join(wrong, "; ")
}

// fits compares a PDU with what it must be, or with its beginning ("…*"). What
// is longer than a datagram arrives cut.
func fits(pdu, want string) bool {
	if p, ok := strings.CutSuffix(want, "*"); ok {
		return strings.HasPrefix(pdu, p)
	}
	head, body, _ := strings.Cut(want, ":")
	return pdu == head+":"+body[:min(len(body), 2*hostileLongest)]
}

// checkTables: a PDU makes one cache entry at most; only BVC management changes
// states, and only a BSS's BVC-RESET makes a cell.
func (s *stand) checkTables(q *question, before, after *gb.View, e expected) {
	if !e.moves && after.States != before.States {
		s.errorf("%v %s, %v: states\n  %s became\n  %s", q.typ, q.name, q.place, before.States, after.States)
	}
	cells := 0
	if q.typ == bssgp.TypeBVCReset && q.up() {
		cells = 1
	}
	if after.Cells > before.Cells+cells || after.BVCs > before.BVCs+4*cells+4 || after.TLLIs > before.TLLIs+1 ||
		after.IMSIs > before.IMSIs+1 || after.NSEs != before.NSEs || after.Timers > before.Timers+8 {
		s.errorf("%v %s, %v: tables %+v became %+v", q.typ, q.name, q.place, *before, *after)
	}
}

// probe: subscribers of a cell that the PDU was not about are served.
func (s *stand) probe(q *question) {
	up, down := ul(tlliOf(3, 1), hostileOther, "01"), dl(tlliOf(3, 1), "02")
	s.at(bssB).put(20021, up)
	s.at(owner).put(20021, down)
	have := s.collect()
	for _, p := range s.all {
		want := strings.ReplaceAll(map[uint16]string{owner: at(20021, up), bssB: at(20021, down)}[p.nsei], " ", "")
		if got := strings.Join(have[p.nsei], " "); got != want {
			s.errorf("after %v %s, %v: %d got %s, want %s", q.typ, q.name, q.place, p.nsei, got, want)
		}
	}
}

// end: what was remembered is forgotten, and all is as it was.
func (s *stand) end() {
	s.again()
	time.Sleep(15 * time.Second)
	s.clear()
	v := s.gw.View(20011, 20021)
	if v.TLLIs != 0 || v.IMSIs != 0 || v.Timers > s.rest.Timers+8 || v.NSEs != s.rest.NSEs || v.Queued != 0 {
		s.errorf("at rest %+v, was %+v", v, s.rest)
	}
	if n := runtime.NumGoroutine(); n > s.goes {
		s.errorf("%d goroutines, were %d", n, s.goes)
	}
}
