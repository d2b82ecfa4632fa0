package n2_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

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

// Facts: N6-73
func TestTraceMasksKeys(t *testing.T) {
	key := unhex(secret)
	broken := func(_ *bed, g *peer) { g.send(0, append([]byte{0xff}, key...)) }
	_, masked := traceOf(t, n2.TraceOrder{GNB: "001-01-1234", Packets: 1000}, broken)
	if bytes.Contains(masked, key) {
		t.Errorf("a key is in the trace:\n%s", hex.Dump(masked))
	}
	_, open := traceOf(t, n2.TraceOrder{GNB: "001-01-1234", Packets: 1000, Unmasked: true}, broken)
	if n := bytes.Count(open, key); n != 5 { // two keys from the AMF, the same to the gNB, what can't be read
		t.Errorf("%d keys in an unmasked trace", n)
	}
}

// Facts: N6-74
func TestTraceIsBounded(t *testing.T) {
	packets, _ := traceOf(t, n2.TraceOrder{GNB: "001-01-1234", Packets: 3}, nil)
	if len(packets) != 3 {
		t.Errorf("%d packets", len(packets))
	}
}
