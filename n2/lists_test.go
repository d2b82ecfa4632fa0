package n2_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/sctp"
)

// The longest lists that can be told, in each message whose list the gateway
// walks: answered or passed on, with memory as before.
func TestLongestLists(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		ran, outer := b.twoUEs(g)
		b.clear(g)
		a := b.amfs[0].from(0)
		before := heap()
		for _, l := range longLists(outer[1]) {
			p := g
			if l.fromAMF {
				p = a
			}
			if n := p.press(3, l.pdu); n != 3 {
				t.Fatalf("%s: %d taken", l.name, n)
			}
			b.settle()
			for _, q := range append(slices.Clone(a.b.amfs[0].peers), g) {
				for _, r := range q.got {
					var pdu ngap.PDU
					if err := pdu.Walk(r.data); err != nil {
						t.Errorf("%s: %s got %v", l.name, q.name, err)
					}
				}
			}
			if l.answer && len(p.got) == 0 {
				t.Errorf("%s was not answered", l.name)
			}
			if g.down != nil || a.down != nil {
				t.Fatalf("%s: %v %v", l.name, g.down, a.down)
			}
			b.sleep(20 * time.Second)
			b.clear(g)
		}
		if grown := heap() - before; grown > 8<<20 {
			t.Errorf("%d octets are held", grown)
		}
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer[2], ran[2], nas))
		b.amfs[1].from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, uint64(ran[2]), ran[2])
	})
}

type longList struct {
	name    string
	pdu     []byte
	fromAMF bool
	answer  bool
}

func longLists(outer uint64) (all []longList) {
	add := func(name string, fromAMF, answer bool, c ngap.Code, k ngap.Kind, ies ...ngap.IE) {
		all = append(all, longList{name, simple(c, k, ies...), fromAMF, answer})
	}
	empty, strange := make([]ngap.Connection, 65536), make([]ngap.Connection, 20000)
	for i := range strange {
		strange[i] = ngap.Connection{AMF: uint64(i) + 1<<39, HasAMF: true, RAN: uint32(i) + 1<<31, HasRAN: true}
	}
	for _, side := range []bool{false, true} {
		add("reset of 65536 connections without IDs", side, true, ngap.CodeNGReset, ngap.Initiating, ngap.IE{ID: ngap.IEResetType, Value: ngap.AppendResetPart(nil, empty)})
		add("reset of 20000 that are not there", side, true, ngap.CodeNGReset, ngap.Initiating, ngap.IE{ID: ngap.IEResetType, Value: ngap.AppendResetPart(nil, strange)})
		add("acknowledge of 65536", side, false, ngap.CodeNGReset, ngap.Successful, ngap.IE{ID: ngap.IEUEAssociatedLogicalNGConnectionList, Value: ngap.AppendConnections(nil, empty)})
	}
	var guamis []ngap.ServedGUAMI
	var away []ngap.UnavailableGUAMI
	for i := range 256 {
		id := ngap.GUAMI{PLMN: home, Region: 9, Set: uint16(i), Pointer: 3}
		guamis = append(guamis, ngap.ServedGUAMI{GUAMI: id, Backup: bytes.Repeat([]byte("x"), 150)})
		away = append(away, ngap.UnavailableGUAMI{GUAMI: id, Backup: bytes.Repeat([]byte("y"), 150)})
	}
	var plmns []ngap.PLMNSupport
	for i := range 12 {
		p := ngap.PLMNSupport{PLMN: ngap.PLMN{byte(i), 0xf1, 0x10}}
		for k := range 1024 {
			p.Slices = append(p.Slices, ngap.Slice{SNSSAI: ngap.SNSSAI{SST: uint8(k), SD: uint32(k), HasSD: true}})
		}
		plmns = append(plmns, p)
	}
	add("256 GUAMIs, 12 PLMNs with 1024 slices each", true, true, ngap.CodeAMFConfigurationUpdate, ngap.Initiating,
		ngap.IE{ID: ngap.IEServedGUAMIList, Value: ngap.AppendServedGUAMIs(nil, guamis)}, ngap.IE{ID: ngap.IEPLMNSupportList, Value: ngap.AppendPLMNSupport(nil, plmns)})
	add("256 unavailable GUAMIs", true, false, ngap.CodeAMFStatusIndication, ngap.Initiating, ngap.IE{ID: ngap.IEUnavailableGUAMIList, Value: ngap.AppendUnavailableGUAMIs(nil, away)})
	add("1024 requested slices", false, false, ngap.CodeInitialUEMessage, ngap.Initiating, append(iesOf(initial(4000, nil)),
		ngap.IE{ID: ngap.IERequestedNSSAI, Value: ngap.AppendNSSAI(nil, plmns[0].Slices[:8])})...)
	// TAI List for Paging of 16, by hand: 4 bits 15; each TAI 1 octet preamble, PLMN, TAC.
	tais := []byte{0xf0}
	for i := range 16 {
		if i > 0 {
			tais = append(tais, 0)
		}
		tais = append(tais, 0, 0xf1, 0x20, 0, 0, byte(i))
	}
	add("16 areas of others", true, false, ngap.CodePaging, ngap.Initiating, ngap.IE{ID: ngap.IETAIListForPaging, Value: tais})
	for id, code := range map[ngap.IEID]ngap.Code{36: ngap.CodeInitialContextSetupRequest, 74: ngap.CodePDUSessionResourceSetupRequest} {
		add(fmt.Sprintf("60000 octets in IE %d", id), true, false, code, ngap.Initiating, append(iesOf(message(code, ngap.Initiating, 1, 1)),
			ngap.IE{ID: id, Value: make([]byte, 60000)})...)
	}
	return append(all, longList{"256 areas of 12 PLMNs", longAreas(), false, true})
}

func iesOf(pdu []byte) []ngap.IE {
	var p ngap.PDU
	if err := p.Walk(pdu); err != nil {
		panic(err)
	}
	return slices.Clone(p.IEs)
}

// longAreas is a RAN Configuration Update with a Supported TA List (TS 38.413
// 9.2.6.4) of 256 areas with 12 PLMNs of one slice each, by hand.
func longAreas() []byte {
	v := []byte{255}
	for i := range 256 {
		v = append(v, 0, 0, 0, byte(i)) // preamble; TAC
		v = append(v, 0xb0)             // 12 PLMNs less 1 in 4 bits
		for k := range 12 {
			if k > 0 {
				v = append(v, 0)
			}
			v = append(v, byte(k), 0xf1, 0x10) // PLMN
			v = append(v, 0, 0, 0, 1)          // one slice: list length, SST 1
		}
	}
	return simple(ngap.CodeRANConfigurationUpdate, ngap.Initiating, ngap.IE{ID: ngap.IESupportedTAList, Value: v})
}

// Lengths and counts that lie, in every IE that the gateway reads, in every message
// of either side: nothing is held for what is not there, and who is served stays so.
func TestLengthBombs(t *testing.T) {
	bombs := [][]byte{{}, {0xff}, bytes.Repeat([]byte{0xff}, 200), bytes.Repeat([]byte{0x7f, 0xff}, 100), bytes.Repeat([]byte{0xc4}, 100),
		append([]byte{0x40, 0xc4}, make([]byte, 20)...), make([]byte, 300), bytes.Repeat([]byte{0xbf, 0xff}, 50)}
	read := []ngap.IEID{ngap.IEResetType, ngap.IEUEAssociatedLogicalNGConnectionList, ngap.IEServedGUAMIList, ngap.IEPLMNSupportList, ngap.IESupportedTAList,
		ngap.IETAIListForPaging, ngap.IEUnavailableGUAMIList, ngap.IEUENGAPIDs, ngap.IERequestedNSSAI, ngap.IENASPDU, ngap.IENGAPMessage, ngap.IERoutingID,
		ngap.IEAMFTNLAssociationToAddList, ngap.IEUserLocationInformation, ngap.IEFiveGSTMSI, ngap.IEGlobalRANNodeID, ngap.IEAMFName, ngap.IERANNodeName,
		ngap.IEAMFOverloadResponse, ngap.IEMBSSessionID, ngap.IECause, ngap.IESourceAMFUENGAPID, ngap.IENewAMFUENGAPID, ngap.IEAMFSetID}
	run(t, 2, func(c *n2.Config) { c.Limits.NewUEs = 1 << 20 }, func(b *bed) {
		b.amfs[0].guamis[0].Set = 2
		g := b.up(7)
		ran, outer := b.twoUEs(g)
		b.clear(g)
		a := b.amfs[0].from(0)
		before := heap()
		for c := range ngap.Code(90) {
			for k := range ngap.Kind(3) {
				for n, bomb := range bombs {
					ies := []ngap.IE{{ID: ngap.IEAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, 1<<30)}, {ID: ngap.IERANUENGAPID, Value: ngap.AppendRANUENGAPID(nil, uint32(n))}}
					if n%2 == 1 {
						ies = nil
					}
					for _, id := range read {
						ies = append(ies, ngap.IE{ID: id, Value: bomb})
					}
					pdu := simple(c, k, ies...)
					if g.down == nil {
						g.assoc.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: pdu})
					}
					a.assoc.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: pdu})
					b.settle()
					b.clear(g)
				}
			}
		}
		if grown := heap() - before; grown > 8<<20 {
			t.Errorf("%d octets are held", grown)
		}
		if a.down != nil || g.down != nil {
			t.Fatalf("%v %v", a.down, g.down)
		}
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer[2], ran[2], nas))
		b.amfs[1].from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, uint64(ran[2]), ran[2])
	})
}

// Garbage of each layer in each state of either side: answered at most by an Error
// Indication, and what the state was it stays.
func TestGarbageInEachState(t *testing.T) {
	setup := setupOf(7)
	garbage := [][]byte{{0}, {0xff}, {0x60, 0, 0, 0}, {0, 21, 0}, {0, 21, 0xc0, 0}, bytes.Repeat([]byte{0xff}, 64<<10), make([]byte, 100<<10),
		{0, 15, 0x40, 0x80}, {0, 15, 0x40, 0xc4}, []byte("GET / HTTP/1.0\r\n\r\n")}
	for n := 1; n < len(setup); n += 3 {
		garbage = append(garbage, setup[:n])
	}
	run(t, 1, nil, func(b *bed) {
		fresh, up, silent := b.associate(), b.up(8), b.amfs[0]
		silent.silent = true
		asked := b.gnb(9)
		probing := b.gnb(8)
		b.settle()
		amfUp, amfSetup := silent.peers[0], silent.last()
		states := map[string]*peer{"fresh": fresh, "up": up, "setup": asked, "probing": probing, "AMF up": amfUp, "AMF in setup": amfSetup}
		dropped := b.snapshot().Conservation.Dropped
		for name, p := range states {
			if p.down != nil {
				t.Fatalf("%s: %v", name, p.down)
			}
			p.got = nil
			for i, data := range garbage {
				p.assoc.Send(sctp.Message{Stream: uint16(i % 10), PPID: sctp.PPIDNGAP, Data: data})
			}
			for _, ppid := range []uint32{1, 18, 66, 61, 1 << 24, 0xffffffff} {
				p.assoc.Send(sctp.Message{PPID: ppid, Data: setup})
			}
		}
		b.settle()
		for name, p := range states {
			for _, r := range p.got {
				var pdu ngap.PDU
				if err := pdu.Walk(r.data); err != nil || pdu.Code != ngap.CodeErrorIndication {
					t.Errorf("%s got %s %v", name, pdu.Name(), err)
				}
			}
			if p.down != nil {
				t.Errorf("%s: %v", name, p.down)
			}
			p.got = nil
		}
		s := b.snapshot()
		if s.Conservation.Dropped["malformed"] == dropped["malformed"] || s.Conservation.Dropped["ppid"] != 6*6 {
			t.Errorf("%v", s.Conservation.Dropped)
		}
		if len(s.GNBs) != 4 {
			t.Errorf("%d gNBs", len(s.GNBs))
		}
		silent.silent = false
		b.clear(up)
		up.send(1, initial(1, nil))
		amfUp.want(ngap.CodeInitialUEMessage, ngap.Initiating)
	})
}

// A PPID in the wrong byte order, none, and any stream are taken.
func TestPPIDsAndStreams(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		n := 0
		for _, ppid := range []uint32{sctp.PPIDNGAP, 0, sctp.PPIDNGAP << 24} {
			for stream := range uint16(10) {
				if err := g.assoc.Send(sctp.Message{Stream: stream, PPID: ppid, Data: message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas)}); err != nil {
					t.Fatal(err)
				}
				n++
			}
		}
		b.settle()
		for range n {
			a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
		}
		a.last().wantNothing()
	})
}

// Messages about the bounds of lengths pass unchanged in either direction; what is
// longer than an association takes is lost, and counted.
func TestMessagesOfAllLengths(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		for _, n := range []int{0, 1, 127, 128, 16383, 16384, 16385, 32768, 65535, 65536, 65537, 100000, 200000} {
			v := ngap.IE{ID: ngap.IENASPDU, Value: ngap.AppendOctets(nil, bytes.Repeat([]byte{0x7e}, n))}
			g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, v))
			if got, _ := a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1).Value(ngap.IENASPDU); !bytes.Equal(got, v.Value) {
				t.Errorf("%d octets up: it is another one", n)
			}
			a.last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1, 1, v))
			if got, _ := g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, outer, 1).Value(ngap.IENASPDU); !bytes.Equal(got, v.Value) {
				t.Errorf("%d octets down: it is another one", n)
			}
		}
		o := sctp.Defaults()
		o.SendBuffer = 4 << 20
		big, err := b.net.Dial(context.Background(), sctp.At(0, address(2, 99)), sctp.At(n2.DefaultPort, address(0, 1)), o)
		if err != nil {
			t.Fatal(err)
		}
		p := b.newPeer("long", big, nil)
		before := heap()
		for _, n := range []int{1 << 18, 1<<18 + 1, 1 << 20, 3 << 20} {
			if err := big.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: make([]byte, n)}); err != nil {
				t.Fatal(err)
			}
			b.settle()
		}
		s := b.snapshot()
		if s.Counts.Oversized != 3 || s.Conservation.Dropped["malformed"] != 1 || p.down != nil {
			t.Errorf("%+v %v", s.Counts, s.Conservation.Dropped)
		}
		if grown := heap() - before; grown > 4<<20 {
			t.Errorf("%d octets are held", grown)
		}
	})
}
