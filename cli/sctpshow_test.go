package cli

import (
	"bytes"
	"strings"
	"testing"
)

// TestShowSCTP: each association tells its state, transport, streams and paths; an AMF
// that is not reached says so.
func TestShowSCTP(t *testing.T) {
	var out bytes.Buffer
	b := newBench(t, benchN2, &out)
	if err := b.Exec("show sctp"); err != nil {
		t.Fatal(err)
	}
	want := `gNB 262-42-1
 established over userspace, NGAP up; streams 10 in, 10 out
 127.0.0.50:38412 - 127.0.0.70:38412
 messages 2500 in, 3000 out; retransmitted 0; unacked 0; queued 0
 path 127.0.0.70 active, primary, RTO 200ms, SRTT 240µs, MTU 1500
gNB 262-42-1 - AMF AMF01
`
	if !strings.Contains(out.String(), want) || !strings.Contains(out.String(), " no association, NGAP waiting; 4 attempts in vain") {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	if err := b.Exec("show sctp json"); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"state": "established"`, `"transport": "userspace"`, `"ngap": "up"`, `"primary": true`, `"rto_ns"`, `"in_streams": 10`} {
		if !strings.Contains(out.String(), field) {
			t.Errorf("no %s in\n%s", field, out.String())
		}
	}
}
