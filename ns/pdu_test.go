package ns

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// golden octets: those marked w were seen on the wire of another
// implementation; the others are written from the tables of TS 48.016 9.2,
// 9.3 and 10.3 by hand.
var golden = []struct {
	hex string
	pdu PDU
}{
	// w
	{"020081010182006504820065", PDU{Type: PDUReset, Has: ies(IECause, IENSVCI, IENSEI), Cause: CauseOAM, NSVCI: 101, NSEI: 101}},
	{"030182006504820065", PDU{Type: PDUResetAck, Has: ies(IENSVCI, IENSEI), NSVCI: 101, NSEI: 101}},
	{"06", PDU{Type: PDUUnblock}},
	{"07", PDU{Type: PDUUnblockAck}},
	{"0a", PDU{Type: PDUAlive}},
	{"0b", PDU{Type: PDUAliveAck}},
	{"0000000022048200000781083b8100698100", PDU{Type: PDUUnitdata, SDU: unhex("22048200000781083b8100698100")}},
	{"000008ae01c0000001000080", PDU{Type: PDUUnitdata, BVCI: 2222, SDU: unhex("01c0000001000080")}},
	{"0800810a02810a", PDU{Type: PDUStatus, Has: ies(IECause, IENSPDU), Cause: CauseNotCompatible, NSPDU: unhex("0a")}},
	{"0800810a028c000000002204820000078108", PDU{Type: PDUStatus, Has: ies(IECause, IENSPDU), Cause: CauseNotCompatible,
		NSPDU: unhex("000000002204820000078108")}},
	{"0800810d028402008101", PDU{Type: PDUStatus, Has: ies(IECause, IENSPDU), Cause: CauseMissingEssentialIE, NSPDU: unhex("02008101")}},
	// clause
	{"0400810101820065", PDU{Type: PDUBlock, Has: ies(IECause, IENSVCI), Cause: CauseOAM, NSVCI: 101}},
	{"0501820065", PDU{Type: PDUBlockAck, Has: ies(IENSVCI), NSVCI: 101}},
	{"0800810301820065", PDU{Type: PDUStatus, Has: ies(IECause, IENSVCI), Cause: CauseBlocked, NSVCI: 101}},
	{"0800810503821234", PDU{Type: PDUStatus, Has: ies(IECause, IEBVCI), Cause: CauseUnknownBVCI, BVCI: 0x1234}},
	{"0c048207d12a", PDU{Type: PDUSNSAck, Has: ies(IENSEI), NSEI: 2001, TransID: 0x2a}},
	{"0c048207d12a008112", PDU{Type: PDUSNSAck, Has: ies(IENSEI, IECause), NSEI: 2001, TransID: 0x2a, Cause: CauseUnknownIPEndpoint}},
	{"0d048207d1010588" + "7f00000a1e610100", PDU{Type: PDUSNSAdd, Has: ies(IENSEI, IEIPv4List), NSEI: 2001, TransID: 1,
		IPv4: []Endpoint{{netip.MustParseAddrPort("127.0.0.10:7777"), 1, 0}}}},
	{"0e048207d1020588" + "7f00000a1e610203", PDU{Type: PDUSNSChangeWeight, Has: ies(IENSEI, IEIPv4List), NSEI: 2001, TransID: 2,
		IPv4: []Endpoint{{netip.MustParseAddrPort("127.0.0.10:7777"), 2, 3}}}},
	{"0f01048207d10590" + "7f00000a1e610100" + "7f00000a1e5a0001", PDU{Type: PDUSNSConfig, EndFlag: true,
		Has: ies(IENSEI, IEIPv4List), NSEI: 2001, IPv4: []Endpoint{
			{netip.MustParseAddrPort("127.0.0.10:7777"), 1, 0}, {netip.MustParseAddrPort("127.0.0.10:7770"), 0, 1}}}},
	{"0f00048207d10694" + "20010db8000000000000000000000001" + "59d80101", PDU{Type: PDUSNSConfig, Has: ies(IENSEI, IEIPv6List), NSEI: 2001,
		IPv6: []Endpoint{{netip.MustParseAddrPort("[2001:db8::1]:23000"), 1, 1}}}},
	{"10048207d1", PDU{Type: PDUSNSConfigAck, Has: ies(IENSEI), NSEI: 2001}},
	{"10048207d1008111", PDU{Type: PDUSNSConfigAck, Has: ies(IENSEI, IECause), NSEI: 2001, Cause: CauseInvalidWeights}},
	{"11048207d1030b017f00000a", PDU{Type: PDUSNSDelete, Has: ies(IENSEI, IEIPAddress), NSEI: 2001, TransID: 3,
		IP: netip.MustParseAddr("127.0.0.10")}},
	{"11048207d1030b0220010db8000000000000000000000001", PDU{Type: PDUSNSDelete, Has: ies(IENSEI, IEIPAddress), NSEI: 2001, TransID: 3,
		IP: netip.MustParseAddr("2001:db8::1")}},
	{"1204820bb80a01070008080001", PDU{Type: PDUSNSSize, Has: ies(IENSEI, IEResetFlag, IEMaxNSVCs, IEIPv4Count),
		NSEI: 3000, Reset: true, MaxNSVCs: 8, IPv4Count: 1}},
	{"1204820bb80a00070010090002", PDU{Type: PDUSNSSize, Has: ies(IENSEI, IEResetFlag, IEMaxNSVCs, IEIPv6Count),
		NSEI: 3000, MaxNSVCs: 16, IPv6Count: 2}},
	{"1304820bb8", PDU{Type: PDUSNSSizeAck, Has: ies(IENSEI), NSEI: 3000}},
	{"1304820bb8008110", PDU{Type: PDUSNSSizeAck, Has: ies(IENSEI, IECause), NSEI: 3000, Cause: CauseInvalidNSVCs}},
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

var pduCmp = cmp.Options{cmpopts.EquateComparable(netip.AddrPort{}, netip.Addr{}), cmpopts.EquateEmpty()}

func TestGolden(t *testing.T) {
	seen := map[PDUType]bool{}
	for _, g := range golden {
		got, err := Parse(unhex(g.hex))
		if err != nil {
			t.Errorf("%s: %v", g.hex, err)
			continue
		}
		if d := cmp.Diff(g.pdu, got, pduCmp); d != "" {
			t.Errorf("%s parsed (-want +got):\n%s", g.hex, d)
		}
		if b := hex.EncodeToString(g.pdu.Append(nil)); b != g.hex {
			t.Errorf("%s encoded as\n%s", g.hex, b)
		}
		seen[got.Type] = true
	}
	for i := range pduDefs {
		if typ := PDUType(i); typ.def() != nil && !seen[typ] {
			t.Errorf("no golden octets of %s", typ)
		}
	}
}

// The order of IEs is free on receipt: this SNS-SIZE was seen on the wire.
func TestForeignOrder(t *testing.T) {
	p, err := Parse(unhex("120a0107000808000104820bb8"))
	if err != nil || p.NSEI != 3000 || !p.Reset || p.MaxNSVCs != 8 || p.IPv4Count != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
}

// Whatever a PDU is cut to is another PDU or refused, never taken for whole.
func TestTruncation(t *testing.T) {
	for _, g := range golden {
		b := unhex(g.hex)
		for n := range len(b) {
			p, err := Parse(b[:n:n])
			if err != nil {
				continue
			}
			if cmp.Equal(g.pdu, p, pduCmp) {
				t.Errorf("%s cut to %d octets parses as the whole", g.hex, n)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	long := "08008101" // NS-STATUS with more unknown IEs than are kept
	for range maxUnknown + 1 {
		long += "7f80"
	}
	for _, c := range []struct {
		hex  string
		want Cause
	}{
		{"", CauseProtocolError},
		{"55", CauseNotCompatible},
		{"01", CauseNotCompatible},
		{"0a00", CauseProtocolError},
		{"0600", CauseProtocolError},
		{"000000", CauseProtocolError},
		{"02008101", CauseMissingEssentialIE},
		{"0200810101820065", CauseMissingEssentialIE},
		{"0201820065", CauseMissingEssentialIE},
		{"02008101018200", CauseProtocolError},
		{"0200810101816504820065", CauseInvalidEssentialIE},
		{"08008103", CauseMissingEssentialIE}, // blocked, but which?
		{"08008105", CauseMissingEssentialIE},
		{"0800810a", CauseMissingEssentialIE},
		{"0c048207d1", CauseMissingEssentialIE}, // no transaction id
		{"0f", CauseMissingEssentialIE},
		{"0f01048207d10587" + "7f00000a1e6101", CauseInvalidEssentialIE},
		{"0f01048207d10580", CauseInvalidEssentialIE},
		{"11048207d1030b037f00000a", CauseProtocolError},
		{long, CauseProtocolError},
	} {
		_, err := Parse(unhex(c.hex))
		var pe *PDUError
		if !errors.As(err, &pe) || pe.Cause != c.want {
			t.Errorf("%s: %v, want cause %v", c.hex, err, c.want)
		}
	}
}

func TestLength(t *testing.T) {
	for _, n := range []int{0, 1, 0x7f, 0x80, 0xff, 0x7fff} {
		v, used := consumeLength(appendLength(nil, n))
		if v != n || used != len(appendLength(nil, n)) {
			t.Errorf("%d came back as %d in %d octets", n, v, used)
		}
	}
	// 10.1.2: an extended indicator has bit 8 clear in its first octet
	if b := appendLength(nil, 0x123); !bytes.Equal(b, []byte{0x01, 0x23}) {
		t.Errorf("% x", b)
	}
}

func TestStrings(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{PDUSNSSizeAck.String(), "SNS-SIZE-ACK"}, {PDUType(0x55).String(), "PDUType(0x55)"},
		{CauseInvalidWeights.String(), "Invalid weights"}, {Cause(0x06).String(), "Cause(0x06)"},
		{IENSEI.String(), "NSEI"}, {IEI(0x40).String(), "IEI(0x40)"},
		{DropQueueData.String(), "queue_data"}, {Drop(99).String(), "Drop(0x63)"},
		{DialectIPAccess.String(), "ipaccess"}, {LinkFRGRE.String(), "FRGRE"}, {RoleSGSN.String(), "SGSN"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestUnknownIEsSurvive(t *testing.T) {
	b := unhex("0800810101820065" + "4081ff" + "7f820102")
	p, err := Parse(b)
	if err != nil || len(p.Unknown) != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	if got := p.Append(nil); !bytes.Equal(got, b) {
		t.Errorf("% x", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, g := range golden {
		f.Add(unhex(g.hex))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Parse(b)
		if err != nil {
			var pe *PDUError
			if !errors.As(err, &pe) {
				t.Fatalf("not a PDUError: %v", err)
			}
			return
		}
		again := p.Append(nil)
		q, err := Parse(again)
		if err != nil {
			t.Fatalf("%x: own encoding %x: %v", b, again, err)
		}
		if d := cmp.Diff(p, q, pduCmp); d != "" {
			t.Fatalf("%x: own encoding %x differs: %s", b, again, d)
		}
		if third := q.Append(nil); !bytes.Equal(again, third) {
			t.Fatalf("no fixed point: %x, %x", again, third)
		}
	})
}
