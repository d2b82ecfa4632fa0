package lab

import (
	"encoding/hex"
	"testing"
)

// An echo request as the SN-PDU of TS 44.065 7.1 around RFC 791 and 792 by
// hand: subscriber 1, sequence 2.
const pingHex = "65000002" + // SN-UNITDATA, first segment, NSAPI 5; N-PDU 2
	"45000026000000004001aed50a000001c0000201" + // IPv4, 38 octets, ICMP, 10.0.0.1 to 192.0.2.1
	"0800f7f900010002" + // echo request, identifier 1, sequence 2
	"00000001000000020000"

func TestPing(t *testing.T) {
	p := ping{subscriber: 1, seq: 2}
	if got := hex.EncodeToString(p.append(nil)); got != pingHex {
		t.Errorf("got  %s\nwant %s", got, pingHex)
	}
	for _, p := range []ping{{subscriber: 1, seq: 2}, {reply: true, subscriber: 0xffffff, seq: 1 << 20, sgsn: 101, pad: 33}} {
		b := p.append(nil)
		if got, err := parsePing(b); err != nil || got != p {
			t.Errorf("%+v read as %+v, %v", p, got, err)
		}
		for i := range b {
			if _, err := parsePing(b[:i]); err == nil {
				t.Errorf("%d of %d octets taken", i, len(b))
			}
		}
		b[len(b)-1] ^= 1
		if _, err := parsePing(b); err == nil {
			t.Error("a wrong checksum is taken")
		}
	}
}

func FuzzPing(f *testing.F) {
	seed, _ := hex.DecodeString(pingHex)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := parsePing(b); err == nil && p.pad < 0 {
			t.Errorf("pad %d", p.pad)
		}
	})
}
