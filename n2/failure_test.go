package n2_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	free5gc "github.com/free5gc/ngap"

	"poolgw/lab/tshark"
	"poolgw/n2"
	"poolgw/ngap"
)

// The states in which the cases below find the gateway.
const (
	fresh    = iota // the gNB has not sent NG Setup
	underWay        // the AMF has not answered NG Setup
	served          // gNB and AMF are up, UE 1 is bound with the AMF's ID 5
)

// refusal is a message in error, and what clause 10 of TS 38.413 has its receiver
// answer: the message, its IEs in order, the cause ("-" where it has none), and the
// IEs that the Criticality Diagnostics name.
type refusal struct {
	what    string
	state   int
	fromAMF bool
	send    []byte
	code    ngap.Code
	kind    ngap.Kind // Initiating with CodeErrorIndication
	ies     string
	cause   ngap.Cause
	about   string // "27 missing"
}

// doubled is a message with its first IE twice.
func doubled(data []byte) []byte {
	var p ngap.PDU
	if err := p.Walk(data); err != nil {
		panic(err)
	}
	p.Add(p.IEs[0].ID, p.IEs[0].Criticality, p.IEs[0].Value)
	return p.Append(nil)
}

// without is a message that lacks an IE.
func without(data []byte, id ngap.IEID) []byte {
	var p ngap.PDU
	if err := p.Walk(data); err != nil || !p.Remove(id) {
		panic(fmt.Sprint(id, err))
	}
	return p.Append(nil)
}

func refusals() []refusal {
	const outer = 1<<32 | 5
	session := ngap.IE{ID: ngap.IEMBSSessionID, Criticality: ngap.Reject, Value: unhex("00 00f110010203")}
	routing := ngap.IE{ID: ngap.IERoutingID, Criticality: ngap.Reject, Value: ngap.AppendOctets(nil, []byte{1})}
	broken := func(id ngap.IEID) ngap.IE { return ngap.IE{ID: id, Criticality: ngap.Reject, Value: []byte{0xff}} }
	reroute := simple(ngap.CodeRerouteNASRequest, ngap.Initiating, ngap.IE{ID: ngap.IERANUENGAPID, Value: ngap.AppendRANUENGAPID(nil, 1)},
		ngap.IE{ID: ngap.IENGAPMessage, Value: ngap.AppendOctets(nil, initial(1, nil))}, ngap.IE{ID: ngap.IEAMFSetID, Value: ngap.AppendAMFSetID(nil, 1)})
	handover := simple(ngap.CodeHandoverRequest, ngap.Initiating, ngap.IE{ID: ngap.IEAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, 9)})
	ask := func(c ngap.Code, ies ...ngap.IE) []byte { return simple(c, ngap.Initiating, ies...) }
	ofUE := func(c ngap.Code, id uint64, more ...ngap.IE) []byte {
		return message(c, ngap.Initiating, id, 1, more...)
	}
	const (
		lacks, twice, state = 1, 5, 3 // protocol causes
		failure, errorInd   = ngap.Unsuccessful, ngap.CodeErrorIndication
	)
	protocol := func(n uint8) ngap.Cause { return ngap.Cause{Group: ngap.CauseProtocol, Value: n} }
	return []refusal{
		{"NG Setup without Global RAN Node ID", fresh, false, without(setupOf(7), ngap.IEGlobalRANNodeID), 21, failure, "15,19", protocol(lacks), "27 missing"},
		{"NG Setup without Supported TA List", fresh, false, without(setupOf(7), ngap.IESupportedTAList), 21, failure, "15,19", protocol(lacks), "102 missing"},
		{"NG Setup with an IE twice", fresh, false, doubled(setupOf(7)), 21, failure, "15", protocol(twice), ""},
		{"a second NG Setup while one is under way", underWay, false, setupOf(7), 21, failure, "15", protocol(state), ""},
		{"RAN Configuration Update before NG Setup", fresh, false, ask(35), 35, failure, "15", protocol(state), ""},
		{"the same with a Global RAN Node ID", fresh, false, ask(35, ngap.IE{ID: 27, Value: unhex("00 00f110 50 00000007")}), 35, failure, "15", protocol(state), ""},
		{"NG Removal before NG Setup", fresh, false, ask(81), 81, failure, "15", protocol(state), ""},
		{"NG Reset before NG Setup", fresh, false, reset(nil), errorInd, 0, "15,19", protocol(state), ""},
		{"Handover Required before NG Setup", fresh, false, ofUE(12, outer), 12, failure, "10,85,15", protocol(state), ""},
		{"Uplink NAS Transport before NG Setup", fresh, false, ofUE(46, outer, nas), errorInd, 0, "10,85,15,19", protocol(state), ""},
		{"Broadcast Session Transport before NG Setup", fresh, false, ask(80, session), 80, failure, "299,15", protocol(state), ""},
		{"RAN Configuration Update that can't be read", served, false, ask(35, broken(ngap.IESupportedTAList)), 35, failure, "15", protocol(lacks), ""},
		{"Handover Required with an IE twice", served, false, doubled(ofUE(12, outer)), 12, failure, "10,85,15", protocol(twice), ""},
		{"Handover Required without RAN UE NGAP ID", served, false, without(ofUE(12, outer), 85), errorInd, 0, "10,15,19", protocol(lacks), "85 missing"},
		{"Path Switch from an AMF that is no member", served, false, pathSwitch(99<<32|1, 3), 25, failure, "10,85,69", ngap.CauseTransportUnavailable, ""},
		{"Path Switch without sessions", served, false, without(pathSwitch(99<<32|1, 3), 76), errorInd, 0, "85,15", ngap.CauseTransportUnavailable, ""},
		{"Path Switch with the RAN UE NGAP ID of another UE", served, false, pathSwitch(outer, 1), 25, failure, "10,85,69", protocol(state), ""},
		{"Path Switch with an IE twice", served, false, doubled(pathSwitch(outer, 3)), 25, failure, "10,85,69", protocol(twice), ""},
		{"UE Context Resume with an IE twice", served, false, doubled(ofUE(58, outer)), 58, failure, "10,85,15", protocol(twice), ""},
		{"UE Context Suspend with an IE twice", served, false, doubled(ofUE(59, outer)), 59, failure, "10,85,15", protocol(twice), ""},
		{"MT Communication Handling with an IE twice", served, false, doubled(ofUE(78, outer)), 78, failure, "10,85,15", protocol(twice), ""},
		{"PDU Session Resource Modify Indication with an IE twice", served, false, doubled(ofUE(27, outer)), errorInd, 0, "10,85,15,19", protocol(twice), ""},
		{"NG Reset without Reset Type", served, false, ask(20), errorInd, 0, "15,19", protocol(lacks), "88 missing"},
		{"Distribution Setup with an IE twice", served, false, doubled(ask(69, session)), errorInd, 0, "15,19", protocol(twice), ""},

		{"AMF Configuration Update before NG Setup Response", underWay, true, ask(0), 0, failure, "15", protocol(state), ""},
		{"AMF Configuration Update that can't be read", served, true, ask(0, broken(ngap.IEServedGUAMIList)), 0, failure, "15", protocol(lacks), ""},
		{"Handover Request with an IE twice", served, true, doubled(handover), 13, failure, "10,15", protocol(twice), ""},
		{"Handover Request without AMF UE NGAP ID", served, true, ask(13), errorInd, 0, "15,19", protocol(lacks), "10 missing"},
		{"Initial Context Setup with an IE twice", served, true, doubled(ofUE(14, 5)), 14, failure, "10,85,15", protocol(twice), ""},
		{"UE Context Modification with an ID that can't be read", served, true, ofUE(40, 5, broken(ngap.IENewAMFUENGAPID)), 40, failure, "10,85,15,19", protocol(lacks), "40"},
		{"Broadcast Session Setup with an IE twice", served, true, doubled(ask(68, session)), 68, failure, "299,15", protocol(twice), ""},
		{"Multicast Session Activation with an IE twice", served, true, doubled(ask(71, session)), 71, failure, "299,15", protocol(twice), ""},
		{"Timing Synchronisation Status with an IE twice", served, true, doubled(ask(76, routing)), 76, failure, "89,15", protocol(twice), ""},
		{"Reroute NAS Request without AMF Set ID", served, true, without(reroute, ngap.IEAMFSetID), errorInd, 0, "85,15,19", protocol(lacks), "3 missing"},
		{"AMF Status Indication without a list", served, true, ask(1), errorInd, 0, "15,19", protocol(lacks), "120 missing"},
		{"Paging without TAIs", served, true, ask(24), errorInd, 0, "15,19", protocol(lacks), "103 missing"},
		{"UE Context Release Command without IDs", served, true, ask(41), errorInd, 0, "15,19", protocol(lacks), "114 missing"},
	}
}

// A request in error is answered by the procedure's unsuccessful outcome where there
// is one and the request tells what it must hold, else by an Error Indication, and
// reaches nobody (10.3.5, 10.3.6, 10.4). free5gc/ngap and tshark read the answers.
// Facts: N6-44, N6-46
func TestRequestsInError(t *testing.T) {
	var answers [][]byte
	list := refusals()
	for _, c := range list {
		t.Run(c.what, func(t *testing.T) {
			run(t, 1, nil, func(b *bed) {
				from, to := b.in(c.state)
				if c.fromAMF {
					from, to = to, from
				}
				from.send(1, c.send)
				answer := from.got[0].data
				p := from.want(c.code, c.kind)
				c.check(t, p)
				if to != nil {
					to.wantNothing()
				}
				answers = append(answers, answer)
			})
		})
	}
	judge(t, answers)
}

// in brings a gNB and the AMF into a state.
func (b *bed) in(state int) (g, a *peer) {
	switch state {
	case fresh:
		return b.associate(), nil
	case underWay:
		b.amfs[0].silent = true
		g := b.gnb(7)
		a := b.amfs[0].last()
		a.want(ngap.CodeNGSetupRequest, ngap.Initiating)
		return g, a
	}
	g = b.up(7)
	b.ue(g, 1, 5)
	return g, b.amfs[0].last()
}

func (c *refusal) check(t *testing.T, p *ngap.PDU) {
	t.Helper()
	var ies []string
	for _, ie := range p.IEs {
		ies = append(ies, fmt.Sprint(uint16(ie.ID)))
	}
	if got := strings.Join(ies, ","); got != c.ies {
		t.Errorf("IEs %s, want %s", got, c.ies)
	}
	if v, ok := p.Value(ngap.IEReleasedSessionsPSFail); ok {
		if want := ngap.AppendReleasedSessions(nil, []uint8{1, 9}, c.cause); string(v) != string(want) {
			t.Errorf("released %x, want %x", v, want)
		}
	} else {
		v, _ := p.Value(ngap.IECause)
		if got, err := ngap.ReadCause(v); err != nil || got != c.cause {
			t.Errorf("cause %v %v, want %v", got, err, c.cause)
		}
	}
	var d ngap.Diagnostics
	if c.kind == ngap.Unsuccessful {
		d.InAnswer = true
	} else {
		var q ngap.PDU
		q.Walk(c.send)
		d.Code, d.Kind, d.Criticality = q.Code, q.Kind, q.Criticality
	}
	if c.about != "" {
		ie := ngap.IEDiagnostics{Missing: strings.HasSuffix(c.about, "missing")}
		fmt.Sscan(c.about, &ie.ID)
		d.IEs = append(d.IEs, ie)
	}
	if v, ok := p.Value(ngap.IECriticalityDiagnostics); ok && string(v) != string(d.Append(nil)) {
		t.Errorf("diagnostics %x, want %x", v, d.Append(nil))
	}
}

// judge has free5gc/ngap decode answers of procedures that it knows, and tshark all
// that it knows.
func judge(t *testing.T, answers [][]byte) {
	var known [][]byte
	for _, b := range answers {
		if b[1] <= 75 { // what tshark 4.0 knows
			known = append(known, b)
		}
		if b[1] > 52 {
			continue
		}
		m, err := free5gc.Decoder(b)
		if err != nil {
			t.Errorf("free5gc/ngap: %x: %v", b, err)
			continue
		}
		v := reflect.ValueOf(m).Elem().Field(m.Present)
		if v.IsNil() || v.Elem().FieldByName("Value").Field(0).Int() == 0 {
			t.Errorf("free5gc/ngap: %x has no type", b)
		}
	}
	for i, f := range tshark.DissectNGAP(t, known) {
		if f.Malformed || !strings.Contains(f.Protocols, "ngap") {
			t.Errorf("tshark: %x: %+v", known[i], f)
		}
	}
}

// An answer in error ends its procedure where it arrives, and is not answered
// (10.3.5, 10.3.6, 10.4).
func TestAnswersInError(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		b.ue(g, 1, 5)
		a := b.amfs[0].last()
		a.send(0, b.amfs[0].setupResponse()) // nobody asked
		a.send(1, doubled(message(ngap.CodeHandoverRequired, ngap.Successful, 5, 1)))
		g.send(1, without(message(ngap.CodeInitialContextSetupRequest, ngap.Successful, 1<<32|5, 1), ngap.IERANUENGAPID))
		g.send(1, simple(ngap.CodeHandoverRequest, ngap.Successful))
		g.wantNothing()
		a.wantNothing()
		d := b.gw.Conservation().Dropped
		if d[n2.DropMalformed.String()] != 3 || d[n2.DropOrder.String()] != 1 {
			t.Errorf("dropped %v", d)
		}
	})
}

// An NG Setup Response that lacks what it must hold is none: the association is given
// up and tried again.
func TestSetupResponseIncomplete(t *testing.T) {
	for _, id := range []ngap.IEID{ngap.IEAMFName, ngap.IEServedGUAMIList, ngap.IEPLMNSupportList} {
		run(t, 1, nil, func(b *bed) {
			a := b.amfs[0]
			a.silent = true
			a.play = func(p *peer, _ []byte) {
				if len(a.peers) == 1 {
					_ = p.assoc.Send(sctpMessage(without(a.setupResponse(), id)))
				}
			}
			g := b.gnb(7)
			b.sleep(10 * time.Second)
			b.settle()
			g.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
			if b.amfs[0].peers[0].down == nil {
				t.Errorf("without %v: taken", id)
			}
		})
	}
}
