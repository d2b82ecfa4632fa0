package gmm_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"

	"poolgw/bssgp"
	. "poolgw/lab/gmm"
	"poolgw/lab/llc"
	"poolgw/lab/tshark"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	rac   = "18b3432b2596620060809ac2c662006080bac8c66200608000"
	hexID = "08 2926242143658709"
)

var (
	ptmsi  = uint32(0xc0000001)
	oldRAI = RAI{0x62, 0xf2, 0x24, 0x10, 0x00, 0x01}
	newRAI = RAI{0x62, 0xf2, 0x24, 0x10, 0x00, 0x02}
	sig    = [3]byte{1, 2, 3}
	imsi   = "262421234567890"
)

// samples are messages with their octets by hand from TS 24.008 9.4, and what
// tshark must read in them.
var samples = []struct {
	msg    Message
	hex    string
	fields map[string]string
}{
	{Message{Type: AttachRequest, Uplink: true, IMSI: imsi, OldRAI: oldRAI},
		"0801 02e5e0 71 0800" + hexID + "62f224100001 19" + rac,
		map[string]string{"e212.imsi": imsi, "gsm_a.gm.gmm.rac": "0x00,0x01"}},
	{Message{Type: AttachRequest, Uplink: true, PTMSI: &ptmsi, OldRAI: oldRAI, Signature: &sig},
		"0801 02e5e0 71 0800 05f4c0000001 62f224100001 19" + rac + "19010203",
		map[string]string{"3gpp.tmsi": "3221225473", "gsm_a.gm.gmm.ptmsi_sig": "0x010203"}},
	{Message{Type: AttachAccept, PTMSI: &ptmsi, RAI: newRAI, Timer: 30 * time.Minute, Signature: &sig, T3302: 12 * time.Minute},
		"0802 01 3e 44 62f224100002 19010203 1805f4c0000001 2a012c",
		map[string]string{"3gpp.tmsi": "3221225473", "gsm_a.gm.gmm.rac": "0x02", "gsm_a.lac": "0x1000"}},
	{Message{Type: AttachComplete, Uplink: true}, "0803", nil},
	{Message{Type: AttachReject, Cause: CauseMSIdentityUnknown}, "0804 09", map[string]string{"gsm_a.gm.gmm.cause": "9"}},
	{Message{Type: DetachRequest, Uplink: true, PowerOff: true, PTMSI: &ptmsi, Signature: &sig},
		"0805 09 1805f4c0000001 1903010203", map[string]string{"3gpp.tmsi": "3221225473"}},
	{Message{Type: DetachRequest, Uplink: true}, "0805 01", nil},
	{Message{Type: DetachRequest, Reattach: true, Cause: CauseImplicitlyDetached}, "0805 01 250a",
		map[string]string{"gsm_a.gm.gmm.cause": "10"}},
	{Message{Type: DetachRequest}, "0805 02", nil},
	{Message{Type: DetachAccept}, "0806 00", nil},
	{Message{Type: DetachAccept, Uplink: true}, "0806", nil},
	{Message{Type: RAURequest, Uplink: true, Update: RAUpdating, OldRAI: oldRAI, Signature: &sig},
		"0808 70 62f224100001 19" + rac + "19010203", map[string]string{"gsm_a.gm.gmm.update_type": "0"}},
	{Message{Type: RAURequest, Uplink: true, Update: PeriodicUpdating, OldRAI: oldRAI, PTMSI: &ptmsi},
		"0808 73 62f224100001 19" + rac + "1805f4c0000001", map[string]string{"gsm_a.gm.gmm.update_type": "3"}},
	{Message{Type: RAUAccept, PTMSI: &ptmsi, RAI: newRAI, Timer: 4 * time.Second},
		"0809 00 02 62f224100002 1805f4c0000001", map[string]string{"gsm_a.gm.gmm.rac": "0x02"}},
	{Message{Type: RAUAccept, RAI: newRAI}, "0809 00 e0 62f224100002", nil},
	{Message{Type: RAUComplete, Uplink: true}, "080a", nil},
	{Message{Type: RAUReject, Cause: CauseImplicitlyDetached}, "080b 0a 00", map[string]string{"gsm_a.gm.gmm.cause": "10"}},
	{Message{Type: PTMSIReallocCommand, PTMSI: &ptmsi, RAI: newRAI, Signature: &sig},
		"0810 05f4c0000001 62f224100002 00 19010203", map[string]string{"3gpp.tmsi": "3221225473"}},
	{Message{Type: PTMSIReallocComplete, Uplink: true}, "0811", nil},
	{Message{Type: IdentityRequest, Identity: IdentityIMSI}, "0815 01", nil},
	{Message{Type: IdentityResponse, Uplink: true, IMSI: imsi}, "0816" + hexID, map[string]string{"e212.imsi": imsi}},
	{Message{Type: IdentityRequest, Identity: IdentityIMEI}, "0815 02", nil},
	{Message{Type: IdentityResponse, Uplink: true, PTMSI: &ptmsi}, "0816 05 f4c0000001", map[string]string{"3gpp.tmsi": "3221225473"}},
	{Message{Type: IdentityResponse, Uplink: true, IMEI: "490154203237518"}, "0816 08 4a09512430325781",
		map[string]string{"gsm_a.imei": "490154203237518"}},
	{Message{Type: IdentityResponse, Uplink: true, IMEI: "4901542032375187"}, "0816 09 4309512430325781f7",
		map[string]string{"gsm_a.imeisv": "4901542032375187"}},
}

func TestBothWays(t *testing.T) {
	for _, s := range samples {
		want := unhex(t, s.hex)
		got, err := s.msg.Append(nil)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %v\n got %x\nwant %x", s.msg.Type, err, got, want)
		}
		m, err := Parse(want, s.msg.Uplink)
		if err != nil || !reflect.DeepEqual(m, s.msg) {
			t.Errorf("%s: %v\n got %+v\nwant %+v", s.hex, err, m, s.msg)
		}
	}
}

// Messages that were captured from a phone and an SGSN.
func TestCaptured(t *testing.T) {
	m, err := Parse(unhex(t, "080102f5e021080205f4fbc5467911223340506019"+rac), true)
	if err != nil || m.PTMSI == nil || *m.PTMSI != 0xfbc54679 || m.OldRAI != (RAI{0x11, 0x22, 0x33, 0x40, 0x50, 0x60}) {
		t.Errorf("attach request: %+v %v", m, err)
	}
	m, err = Parse(unhex(t, "08020149042163544050601 9cdd708171618 05f4fbc54722"), false)
	if err != nil || m.PTMSI == nil || *m.PTMSI != 0xfbc54722 || m.Timer != 54*time.Minute ||
		m.RAI != (RAI{0x21, 0x63, 0x54, 0x40, 0x50, 0x60}) || m.Signature == nil || *m.Signature != [3]byte{0xcd, 0xd7, 0x08} {
		t.Errorf("attach accept: %+v %v", m, err)
	}
	m, err = Parse(unhex(t, "0808101122334050601d19134233572bf7c8480213485 0c848021448 50c84802174910c848020019 8bb292171627070431 02e5e032022000"), true)
	if err != nil || m.Update != RAUpdating || m.Signature == nil || *m.Signature != [3]byte{0x8b, 0xb2, 0x92} {
		t.Errorf("RAU request: %+v %v", m, err)
	}
	m, err = Parse(unhex(t, "0809004921635440506019 54abb3 1805f4efe281171716"), false)
	if err != nil || m.PTMSI == nil || *m.PTMSI != 0xefe28117 || m.Timer != 54*time.Minute {
		t.Errorf("RAU accept: %+v %v", m, err)
	}
}

// tshark reads each message, inside LLC and BSSGP, without complaint.
func TestTshark(t *testing.T) {
	names := map[string]bool{}
	var pdus [][]byte
	for _, s := range samples {
		b, _ := s.msg.Append(nil)
		u := llc.UI{SAPI: llc.SAPIGMM, Protected: true, FromSGSN: !s.msg.Uplink, Info: b}
		pdus = append(pdus, tshark.UnitData(1000, wrap(s.msg.Uplink, u.Append(nil))))
		for f := range s.fields {
			names[f] = true
		}
	}
	fields := []string{"gsm_a.dtap.msg_gmm_type"}
	for f := range names {
		fields = append(fields, f)
	}
	sort.Strings(fields[1:])
	for i, f := range tshark.Dissect(t, pdus, fields...) {
		s := samples[i]
		if f.Malformed || f.Expert != "" || f.Field(fields[0]) != "0x"+s.hex[2:4] {
			t.Errorf("%v: tshark: %+v", s.msg.Type, f)
		}
		for name, want := range s.fields {
			if got := f.Field(name); got != want {
				t.Errorf("%v: tshark reads %s %q, want %q", s.msg.Type, name, got, want)
			}
		}
	}
}

func wrap(uplink bool, frame []byte) []byte {
	if uplink {
		return bssgp.AppendULUnitdata(nil, ptmsi, bssgp.QoS{0, 0, 4}, bssgp.CellID{}, frame)
	}
	return (&bssgp.DLUnitdata{TLLI: ptmsi, QoS: bssgp.QoS{0, 0x50, 0x20}, Lifetime: 600, LLC: frame}).Append(nil)
}

// What is cut off within the mandatory part fails; behind it, it is another
// message, or fails.
func TestTruncation(t *testing.T) {
	for _, s := range samples {
		b := unhex(t, s.hex)
		for n := range b {
			m, err := Parse(b[:n], s.msg.Uplink)
			if err == nil && reflect.DeepEqual(m, s.msg) {
				t.Errorf("%s: %d octets mean the same", s.hex, n)
			}
			if err != nil && !errors.Is(err, ErrShort) {
				t.Errorf("%s: %d octets: %v", s.hex, n, err)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		hex    string
		uplink bool
		want   error
	}{
		{"", true, ErrShort}, {"08", true, ErrShort},
		{"0a41", true, ErrNotGMM}, {"0833", true, ErrUnknown},
		{"0802", true, ErrDirection}, {"0801", false, ErrDirection},
		{"0816 00", true, ErrIdentity},
		{"0816 08 2926242143a58709", true, ErrIdentity},
		{"0816 07 4a095124303257", true, ErrIdentity},
		{"0816 08 4a0951243032578a", true, ErrIdentity}, {"0816 08 4a09512a30325781", true, ErrIdentity},
		{"0816 08 4309512430325781", true, ErrIdentity}, {"0816 09 4309512430325781fa", true, ErrIdentity},
		{"0810 08 2926242143658709 62f224100002 00", false, ErrIdentity},
	} {
		if _, err := Parse(unhex(t, tt.hex), tt.uplink); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.hex, err, tt.want)
		}
	}
	for _, m := range []Message{{Type: 0x33}, {Type: AttachRequest}, {Type: AttachRequest, IMSI: "12345"},
		{Type: IdentityResponse, IMSI: "1234567890123456"},
		{Type: IdentityResponse, IMEI: "49015420323751"}, {Type: IdentityResponse, IMEI: "49015420323751871"},
		{Type: IdentityResponse, IMEI: "490154203237518x"}, {Type: IdentityResponse, IMEI: "49015420x237518"}, {Type: PTMSIReallocCommand}} {
		if b, err := m.Append(nil); err == nil {
			t.Errorf("%+v became %x", m, b)
		}
	}
}

// TS 24.008 10.5.7.3: units of 2 s, 1 min and 6 min, 31 of each.
func TestTimer(t *testing.T) {
	for d, want := range map[time.Duration]byte{
		0: 0xe0, time.Second: 0x01, 2 * time.Second: 0x01, 4 * time.Second: 0x02, 62 * time.Second: 0x1f,
		63 * time.Second: 0x22, 31 * time.Minute: 0x3f, 32 * time.Minute: 0x46, 54 * time.Minute: 0x49,
		186 * time.Minute: 0x5f, 24 * time.Hour: 0x5f,
	} {
		b, err := Message{Type: RAUAccept, Timer: d}.Append(nil)
		if err != nil || b[3] != want {
			t.Errorf("%v is %02x, want %02x", d, b[3], want)
		}
	}
	m, err := Parse(unhex(t, "0809 00 63 62f224100002"), false)
	if err != nil || m.Timer != 3*time.Minute {
		t.Errorf("a unit that is not known counts minutes: %v %v", m.Timer, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range samples {
		f.Add(unhex(f, s.hex), s.msg.Uplink)
	}
	f.Fuzz(func(t *testing.T, b []byte, uplink bool) {
		m, err := Parse(b, uplink)
		if err != nil {
			return
		}
		again, err := m.Append(nil)
		if err != nil {
			// only what names no subscriber can't be written
			if m.IMSI == "" && m.PTMSI == nil {
				return
			}
			t.Fatalf("%+v: %v", m, err)
		}
		n, err := Parse(again, uplink)
		if err != nil || n.Type != m.Type || n.IMSI != m.IMSI && m.PTMSI == nil || n.Timer != m.Timer || n.RAI != m.RAI {
			t.Fatalf("%+v became %+v: %v", m, n, err)
		}
	})
}
