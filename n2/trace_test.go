package n2_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"poolgw/lab/ngmsg"
	"poolgw/lab/tshark"
	"poolgw/n2"
	"poolgw/ngap"
)

const secret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// contextSetup is an Initial Context Setup Request with a Security Key; a second
// one, as no peer may send it, must not leak either.
func contextSetup(amfID uint64, ran uint32) []byte {
	var p ngap.PDU
	p.New(ngap.CodeInitialContextSetupRequest, ngap.Initiating)
	p.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, amfID))
	p.Add(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, ran))
	p.Add(94, ngap.Reject, unhex(secret))
	p.Add(93, ngap.Reject, unhex("08"+secret))
	return p.Append(nil)
}

// traceOf runs a UE's setup with a trace and returns the file's packets.
func traceOf(t *testing.T, order n2.TraceOrder, more func(b *bed, g *peer)) (packets [][]byte, file []byte) {
	t.Helper()
	run(t, 1, nil, func(b *bed) {
		g := b.up(0x1234)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		path, err := b.gw.StartTrace(ctx, order)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.gw.StartTrace(ctx, order); !errors.Is(err, n2.ErrTraced) {
			t.Errorf("a second trace: %v", err)
		}
		if _, err := b.gw.StartTrace(ctx, n2.TraceOrder{GNB: "nosuch", Packets: 1}); !errors.Is(err, n2.ErrNoGNB) {
			t.Errorf("trace of nobody: %v", err)
		}
		g.send(1, unhex(initialUE))
		b.amfs[0].last().send(1, contextSetup(1, 1))
		if more != nil {
			more(b, g)
		}
		if s := b.snapshot(); order.Packets > 100 && (len(s.Traces) != 1 || s.Traces[0].Packets == 0) {
			t.Errorf("traces %+v", s.Traces)
		}
		ended := b.gw.StopTraces(ctx)
		if want := map[bool]int{true: 1}[order.Packets > 100]; ended != want {
			t.Errorf("%d traces ended, want %d", ended, want)
		}
		b.settle()
		g.got = nil
		for _, a := range b.amfs {
			a.last().got = nil
		}
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", st.Mode(), err)
		}
		file, _ = os.ReadFile(path)
	})
	r, err := pcapgo.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for {
		data, _, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return packets, file
		}
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, data)
	}
}

func TestTraceOpensInWireshark(t *testing.T) {
	long := func(b *bed, g *peer) {
		var p ngap.PDU
		p.Walk(unhex(initialUE))
		p.Replace(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, 9))
		p.Replace(ngap.IENASPDU, ngap.Reject, ngap.AppendOctets(nil, bytes.Repeat([]byte{0x7e}, 70000)))
		g.send(2, p.Append(nil))
	}
	packets, _ := traceOf(t, n2.TraceOrder{GNB: "001-01-1234", Packets: 1000}, long)
	frames := tshark.DissectLink(t, tshark.LinkRaw, packets, []string{"-o", "sctp.checksum:crc-32c", "-o", "ip.check_checksum:TRUE", "-2"},
		"ngap.procedureCode", "sctp.checksum.status", "ip.checksum.status", "sctp.data_payload_proto_id", "ip.src", "ip.dst", "ngap.RAN_UE_NGAP_ID")
	var codes []string
	for _, f := range frames {
		if f.Malformed || f.Field("sctp.checksum.status") != "1" || f.Field("ip.checksum.status") != "1" || f.Field("sctp.data_payload_proto_id") != "60" {
			t.Errorf("%s: malformed %v, checksums %q %q, PPID %q: %s", f.Protocols, f.Malformed, f.Field("sctp.checksum.status"), f.Field("ip.checksum.status"),
				f.Field("sctp.data_payload_proto_id"), f.Expert)
		}
		if c := f.Field("ngap.procedureCode"); c != "" {
			codes = append(codes, c+" "+f.Field("ip.src")+">"+f.Field("ip.dst"))
		}
	}
	want := "15 10.0.2.1>10.0.0.1, 15 10.0.0.2>10.0.1.1, 14 10.0.1.1>10.0.0.2, 14 10.0.0.1>10.0.2.1, 15 10.0.2.1>10.0.0.1, 15 10.0.0.2>10.0.1.1"
	if got := strings.Join(codes, ", "); got != want {
		t.Errorf("tshark sees\n%s, want\n%s", got, want)
	}
}

// container is a Source NG-RAN Node to Target NG-RAN Node Transparent Container: that
// of the simulated gNB with another RRC container.
func container(rrc []byte) []byte {
	c := ngmsg.SourceContainer(ngmsg.TAI{PLMN: home, TAC: 1}, 1, 2, 3).Value
	return slices.Concat(c[:1], ngap.AppendOctets(nil, rrc), c[2+c[1]:])
}

// secrets are PDUs with the secret in every place where there may be one, from the
// gNB of the trace's tests (ID 1<<32|1, RAN ID 1) and from its AMF.
func secrets() (up, down [][]byte) {
	key := unhex(secret)
	handover := func(kind byte, content []byte) []byte {
		return message(ngap.CodeHandoverRequired, ngap.Initiating, 1<<32|1, 1, ngap.IE{ID: ngap.IEHandoverType, Value: []byte{kind}},
			ngap.IE{ID: 101, Value: ngap.AppendOctets(nil, content)})
	}
	long := bytes.Repeat(key, 600)
	reroute := func(contained []byte) []byte {
		return simple(ngap.CodeRerouteNASRequest, ngap.Initiating, ngap.IE{ID: ngap.IERANUENGAPID, Value: ngap.AppendRANUENGAPID(nil, 7)},
			ngap.IE{ID: ngap.IENGAPMessage, Value: ngap.AppendOctets(nil, contained)}, ngap.IE{ID: ngap.IEAMFSetID, Value: ngap.AppendAMFSetID(nil, 1)})
	}
	up = [][]byte{
		handover(0x00, container(key)),    // intra5gs
		handover(0x80, key),               // 5gs to UTRAN
		handover(0x00, container(long)),   // in fragments
		append([]byte{0xff}, key...),      // no PDU
		append(unhex("001f4020"), key...), // a Private Message
		append(message(ngap.CodeUplinkNASTransport, ngap.Initiating, 1<<32|1, 1, nas), key...),
	}
	next := ngap.IE{ID: 93, Value: unhex("08" + secret)}
	down = [][]byte{
		message(ngap.CodeUEContextModificationRequest, ngap.Initiating, 1, 1, ngap.IE{ID: 94, Value: key}),
		simple(ngap.CodeHandoverRequest, ngap.Initiating, ngap.IE{ID: ngap.IEAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, 9)}, next,
			ngap.IE{ID: ngap.IEHandoverType, Value: []byte{0}}, ngap.IE{ID: 101, Value: ngap.AppendOctets(nil, container(key))}),
		message(ngap.CodePathSwitchRequest, ngap.Successful, 1, 1, next),
		message(ngap.CodeUEContextResumeRequest, ngap.Successful, 1, 1, next),
		message(ngap.CodeUEContextSuspendRequest, ngap.Successful, 1, 1, next),
		reroute(simple(ngap.CodeHandoverRequest, ngap.Initiating, next)),
		reroute(simple(ngap.CodeInitialUEMessage, ngap.Initiating, next)),
	}
	return up, down
}

// A trace has no key of any PDU, and tshark reads what is left; unmasked it has all.
// Facts: N6-73
func TestTraceMasksKeys(t *testing.T) {
	key := unhex(secret)
	all := func(b *bed, g *peer) {
		up, down := secrets()
		for _, p := range up {
			g.send(1, p)
		}
		for _, p := range down {
			b.amfs[0].last().send(1, p)
		}
		if s := b.snapshot(); s.Traces[0].LeftOut != map[bool]uint64{true: 0, false: 3}[s.Traces[0].Unmasked] { // no PDU, and the Private Message twice
			t.Errorf("%+v", s.Traces[0])
		}
	}
	packets, masked := traceOf(t, n2.TraceOrder{GNB: "001-01-1234", Packets: 1000}, all)
	for n := len(key); n >= 8; n -= 8 {
		if bytes.Contains(masked, key[:n]) {
			at := bytes.Index(masked, key[:n])
			t.Fatalf("%d octets of a key are in the trace:\n%s", n, hex.Dump(masked[max(0, at-150):at+n]))
		}
	}
	handovers := 0
	for _, f := range tshark.DissectLink(t, tshark.LinkRaw, packets, nil, "ngap.procedureCode", "ngap.NRCellIdentity", "ngap.HandoverType") {
		if f.Malformed && f.Field("ngap.HandoverType") == "0" {
			t.Errorf("%+v", f)
		}
		if f.Field("ngap.procedureCode") == "12" && strings.Contains(f.Field("ngap.NRCellIdentity"), ",") {
			handovers++ // what is behind the RRC container can be read
		}
	}
	if handovers == 0 {
		t.Error("the containers are masked as a whole")
	}
	up, down := secrets()
	_, open := traceOf(t, n2.TraceOrder{GNB: "001-01-1234", Packets: 1000, Unmasked: true}, all)
	if n := bytes.Count(open, key); n < len(up)+len(down) {
		t.Errorf("%d keys in an unmasked trace", n)
	}
}

// What is no secret stays in a trace: the NAS message, the AMF's ID, a contained
// Initial UE Message.
// Facts: N6-73
func TestTraceKeepsTheRest(t *testing.T) {
	contained := initial(7, nil)
	_, masked := traceOf(t, n2.TraceOrder{GNB: "001-01-1234", Packets: 1000}, func(b *bed, g *peer) {
		b.amfs[0].last().send(1, simple(ngap.CodeRerouteNASRequest, ngap.Initiating, ngap.IE{ID: ngap.IERANUENGAPID, Value: ngap.AppendRANUENGAPID(nil, 7)},
			ngap.IE{ID: ngap.IENGAPMessage, Value: ngap.AppendOctets(nil, contained)}, ngap.IE{ID: ngap.IEAMFSetID, Value: ngap.AppendAMFSetID(nil, 1)}))
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, 1<<32|1, 1, nas, ngap.IE{ID: 34, Value: unhex("0123456789abcdef")}))
	})
	for _, v := range [][]byte{contained, nas.Value, unhex("0123456789abcdef")} {
		if !bytes.Contains(masked, v) {
			t.Errorf("%x is not in the trace", v)
		}
	}
}

// Facts: N6-74
func TestTraceIsBounded(t *testing.T) {
	packets, _ := traceOf(t, n2.TraceOrder{GNB: "001-01-1234", Packets: 3}, nil)
	if len(packets) != 3 {
		t.Errorf("%d packets", len(packets))
	}
}
