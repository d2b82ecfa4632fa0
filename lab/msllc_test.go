package lab

import (
	"bytes"
	"encoding/hex"
	"testing"
	"time"

	"poolgw/lab/gmm"
	"poolgw/lab/llc"
)

// rawAir is a BSS that keeps the frames that a subscriber sends.
type rawAir struct {
	air
	frames [][]byte
}

func (a *rawAir) uplink(_ time.Time, _ *ms, _ uint32, frame []byte) {
	a.frames = append(a.frames, frame)
}

// What osmo-sgsn 1.9.0 sent to a subscriber: an identity request for the IMEI,
// and an XID that begins anew. The phone answers both, and numbers its frames
// from 0 after the reset.
func TestPhoneAnswers(t *testing.T) {
	a := &rawAir{}
	m := newMS(7, 1, Behaviour{})
	m.at = a
	for range 2 {
		m.downlink(time.Time{}, mustHex(t, "41c001081502de8e9a"))
	}
	m.downlink(time.Time{}, mustHex(t, "41fb8410ba79f89230fcc5af"))
	m.downlink(time.Time{}, mustHex(t, "41c001081502de8e9a"))
	if len(a.frames) != 4 || m.count.Identities != 3 || m.count.Unintelligible != 0 {
		t.Fatalf("%d frames, %+v", len(a.frames), m.count)
	}
	for i, nu := range map[int]uint16{0: 0, 1: 1, 3: 0} {
		u, err := llc.Parse(a.frames[i])
		if err != nil || u.FromSGSN || u.NU != nu {
			t.Errorf("frame %d: %+v %v, want N(U) %d", i, u, err, nu)
		}
		if msg, err := gmm.Parse(u.Info, true); err != nil || msg.IMEI != "350000000000070" {
			t.Errorf("frame %d: %+v %v", i, msg, err)
		}
	}
	// an XID response with the F bit and without parameters, by hand
	if x := a.frames[2]; !bytes.Equal(x[:2], []byte{0x41, 0xfb}) || len(x) != 5 {
		t.Errorf("XID: %x", x)
	}
}

// A response is not answered, a damaged frame is counted.
func TestPhoneKeepsSilent(t *testing.T) {
	a := &rawAir{}
	m := newMS(7, 1, Behaviour{})
	m.at = a
	response := llc.XID{SAPI: llc.SAPIGMM, FromSGSN: true, Response: true, Final: true}
	m.downlink(time.Time{}, response.Append(nil))
	m.downlink(time.Time{}, mustHex(t, "41fb8410ba79f89230fcc5ae"))
	if len(a.frames) != 0 || m.count.Unintelligible != 1 {
		t.Errorf("%x, %+v", a.frames, m.count)
	}
}

func mustHex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
