package n2_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"poolgw/ngap"
)

// bystanders are a gNB and two AMFs that do nothing wrong, with UEs of the gNB on
// each AMF, while other gNBs and a third AMF do anything.
type bystanders struct {
	*play
	gnb   *peer
	ue    [4]uint64          // by RAN UE NGAP ID: as the gNB calls it
	owner [4]*amf            //
	given map[*peer][]uint64 // by association: the IDs that an honest AMF gave its UEs
	asked map[*peer][]uint64 // by association: the IDs of UEs whose path was asked for
	next  map[*amf]uint64    // ID
}

const badAMF = 3

// asHonest has an AMF answer first messages, and checks what comes: of the UEs of
// that association alone.
func (y *bystanders) asHonest(a *amf) func(q *peer, data []byte) {
	return func(q *peer, data []byte) {
		var m ngap.PDU
		if err := m.Walk(data); err != nil {
			y.Errorf("AMF %d got %x: %v", a.id, data, err)
			return
		}
		y.may(&m, ngap.AMF)
		mine := func(id uint64) {
			if !slices.Contains(y.given[q], id) {
				y.Errorf("AMF %d got %s about %d, no UE of that gNB: %x", a.id, m.Name(), id, data)
			}
		}
		if v, ok := m.Value(ngap.IESourceAMFUENGAPID); ok && m.Code == ngap.CodePathSwitchRequest {
			id, _ := ngap.ReadAMFUENGAPID(v)
			y.asked[q] = append(y.asked[q], id)
		}
		// What a UE itself says, before the AMF has agreed to its path, is protected by NAS.
		says := func(id uint64) bool {
			return m.Code == ngap.CodeUplinkNASTransport && slices.Contains(y.asked[q], id)
		}
		if id, at, err := m.AMFUENGAPID(); err == nil && at >= 0 && isUE(m.Code) && m.Code != ngap.CodePathSwitchRequest && !says(id) {
			mine(id)
		}
		if v, ok := m.Value(ngap.IEResetType); ok && m.Code == ngap.CodeNGReset {
			if _, list, err := ngap.ReadResetType(v, nil); err == nil {
				for _, c := range list {
					mine(c.AMF)
				}
			}
		}
		if ran, at, err := m.RANUENGAPID(); m.Code == ngap.CodeInitialUEMessage && err == nil && at >= 0 {
			y.next[a]++
			y.given[q] = append(y.given[q], y.next[a])
			y.put(q, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, y.next[a], ran, nas))
		}
	}
}

// begin has the gNB come up and its UEs be served, two by one of the AMFs.
func (y *bystanders) begin() {
	y.gnb = y.up(7)
	for _, a := range y.amfs[:2] {
		a.play = y.asHonest(a)
	}
	for ran := uint32(1); ran < 4; ran++ {
		y.gnb.send(1, initial(ran, &ngap.STMSI{Set: uint16(1 + ran%2), Pointer: uint8(1 + ran%2), TMSI: 1 << 20}))
		y.owner[ran] = y.where()
		y.ue[ran], _, _ = y.gnb.want(ngap.CodeDownlinkNASTransport, ngap.Initiating).AMFUENGAPID()
		y.seen = append(y.seen, y.ue[ran])
		y.bed.clear(y.gnb)
	}
}

// mischief is one thing that the others do.
func (y *bystanders) mischief() {
	guami := func() ngap.GUAMI { return ngap.GUAMI{PLMN: home, Region: 1, Set: 9, Pointer: uint8(y.n(6))} }
	switch y.n(12) {
	case 0, 1:
		y.join()
	case 2, 3, 4, 5, 6:
		y.put(y.someGNB(), y.pdu(y.outer, guami))
	case 7, 8, 9:
		if q := y.ofBadAMF(); q != nil {
			was := y.mutates
			y.mutates = false // an Old AMF, or another's set, would be right to take UEs over
			y.put(q, noOldAMF(y.pdu(func() uint64 { return uint64(y.n(12)) }, guami)))
			y.mutates = was
		}
	case 10:
		time.Sleep(time.Duration(1+y.n(100)) * 50 * time.Millisecond)
	case 11:
		if g := y.someGNB(); g != nil {
			y.gnbs = slices.DeleteFunc(y.gnbs, func(q *peer) bool { return q == g })
			g.assoc.Abort("gone")
		}
	}
	if y.one(1, 2) {
		y.settle()
	}
}

func (y *bystanders) ofBadAMF() *peer {
	a := y.amfs[badAMF-1]
	y.mu.Lock()
	defer y.mu.Unlock()
	if len(a.peers) == 0 {
		return nil
	}
	return a.peers[y.n(len(a.peers))]
}

// noOldAMF is a message that does not claim to come after another AMF.
func noOldAMF(b []byte) []byte {
	var m ngap.PDU
	if m.Walk(b) != nil {
		return b
	}
	m.Remove(ngap.IEOldAMF)
	m.Remove(ngap.IEExtendedOldAMF)
	return m.Append(nil)
}

// aboutUEs forgets what came about the pool: a change waits some time before it is
// told, and is told again where nobody answers.
func (p *peer) aboutUEs() {
	p.got = slices.DeleteFunc(p.got, func(r received) bool {
		var m ngap.PDU
		return m.Walk(r.data) == nil && (m.Code == ngap.CodeAMFConfigurationUpdate || m.Code == ngap.CodeRANConfigurationUpdate)
	})
}

// judge checks that the gNB heard nothing about its UEs, and that they talk.
func (y *bystanders) judge() {
	y.settle()
	if y.gnb.down != nil {
		y.Fatalf("the gNB lost its association: %v", y.gnb.down)
	}
	for _, r := range y.gnb.got {
		var m ngap.PDU
		if err := m.Walk(r.data); err != nil {
			y.Errorf("the gNB got %x: %v", r.data, err)
		}
		ran, at, err := m.RANUENGAPID()
		if v, ok := m.Value(ngap.IEUENGAPIDs); ok {
			if i, err := ngap.ReadUENGAPIDs(v); err == nil { // nothing else names the UE there
				if ran, at = i.RAN, 0; !i.HasRAN {
					at = -1
				}
			}
		}
		if err == nil && at >= 0 && ran < 4 && ran > 0 && (isUE(m.Code) && m.Code != ngap.CodeHandoverRequest || m.Code == ngap.CodeErrorIndication) {
			y.Errorf("the gNB got %s about its UE %d: %x", m.Name(), ran, r.data)
		}
	}
	y.bed.clear(y.gnb)
	for ran := uint32(1); ran < 4; ran++ {
		y.gnb.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, y.ue[ran], ran, nas))
		p := y.owner[ran].from(0)
		p.aboutUEs()
		p.want(ngap.CodeUplinkNASTransport, ngap.Initiating)
		p.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, y.ue[ran]&(1<<16-1), ran, nas))
		y.gnb.aboutUEs()
		y.gnb.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, y.ue[ran], ran)
	}
}

func stand(t *testing.T, in []byte, seed uint64) {
	y := &bystanders{play: &play{in: in, rnd: rand.New(rand.NewPCG(seed, 2))}, given: make(map[*peer][]uint64), asked: make(map[*peer][]uint64), next: make(map[*amf]uint64)}
	y.mutates = y.one(1, 2)
	run(t, 3, nil, func(b *bed) {
		y.bed = b
		for i, a := range b.amfs {
			a.guamis[0].Set = []uint16{1, 2, 9}[i]
		}
		y.begin()
		b.amfs[badAMF-1].play = func(q *peer, data []byte) {}
		for n := 0; n < 200 && (len(y.in) > 0 || n < 150); n++ {
			y.mischief()
		}
		y.judge()
		b.endsClean(append(y.gnbs, y.gnb))
	})
}

// Whatever other gNBs and another AMF do, in whatever order, a gNB's UEs at AMFs
// that do nothing wrong go on as if nothing was; an AMF hears from a gNB of that
// gNB's UEs alone.
func FuzzBystanders(f *testing.F) {
	f.Add([]byte{}, uint64(1))
	f.Add([]byte("0"), uint64(84))              // a UE talks before its path is switched
	f.Add([]byte("17"), uint64(3))              // a handover is ended by the name of another AMF's UE
	f.Add([]byte("r\xff\xd6\xbc"), uint64(124)) // a reset of a UE whose path another gNB wants switched
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) { stand(t, in, seed) })
}

func TestBystanders(t *testing.T) {
	for seed := range 40 {
		if !t.Run(strconv.Itoa(seed), func(t *testing.T) { stand(t, nil, uint64(seed)) }) {
			return
		}
	}
}

// A gNB that asks for a UE's path has no other say about it before the AMF agrees:
// no reset, no release, no error of its own reaches the AMF.
func TestAPathAskedForGivesNoSay(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g, bad := b.up(7), b.up(8)
		a, outer := b.ue(g, 1, 1)
		bad.send(1, pathSwitch(outer, 50))
		a.from(1).want(ngap.CodePathSwitchRequest, ngap.Initiating)
		bad.send(1, message(ngap.CodeUEContextReleaseRequest, ngap.Initiating, outer, 50))
		bad.send(1, message(ngap.CodeErrorIndication, ngap.Initiating, outer, 50,
			ngap.IE{ID: ngap.IECause, Value: ngap.AppendCause(nil, ngap.CauseMiscUnspecified)}))
		bad.send(0, reset([]ngap.Connection{{AMF: outer, HasAMF: true, RAN: 50, HasRAN: true}}))
		a.from(1).wantNothing()
		bad.got = nil
		g.wantNothing()
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
	})
}
