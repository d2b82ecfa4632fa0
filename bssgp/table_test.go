package bssgp_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	. "poolgw/bssgp"
	"poolgw/lab/tshark"
)

var (
	pduLine     = regexp.MustCompile(`(?m)^    PDU Type: (.*) \(0x([0-9a-f]{2})\)$`)
	missingLine = regexp.MustCompile(`(?m)^    Missing Mandatory element \(0x([0-9a-f]{2})\)`)
	causeLine   = regexp.MustCompile(`(?m)^ +Cause: (.*) \(([0-9]+)\)$`)
)

// differs lists where tshark does not miss the same IEs in an empty PDU; "+" is
// what only tshark misses, "-" what only the table does. It asks for nothing
// behind an absent optional IE at the end of a PDU, and has some IEs as optional;
// of LCS and MBMS the table has the envelope only.
var differs = map[PDUType]string{
	TypeDLUnitdata:                    "-LLC-PDU",
	TypeULUnitdata:                    "-Cell Identifier -LLC-PDU",
	TypeDLMBMSUnitdata:                "+PDU Lifetime +TMGI",
	TypeULMBMSUnitdata:                "+TMGI",
	TypePagingPS:                      "-QoS Profile",
	TypeRACapabilityUpdateAck:         "-RA-Cap-UPD-Cause",
	TypeRadioStatus:                   "-Radio Cause",
	TypePagingPSReject:                "-Time Until Next Paging Occasion",
	TypeMSRegistrationEnquiry:         "-IMSI",
	TypeMSRegistrationEnquiryResponse: "-IMSI",
	TypeFlushLLAck:                    "-Number of octets affected",
	TypeFlowControlPFC:                "-PFC flow control parameters",
	TypeOverload:                      "-Priority Class Indicator",
	TypeCreateBSSPFC:                  "-Packet Flow Identifier -GPRS Timer -Aggregate BSS QoS Profile",
	TypePSHORequired:                  "-Active PFCs List",
	TypePSHORequest:                   "-Cell Identifier -Source BSS to Target BSS Transparent Container -PFCs to be set-up list",
	TypePSHOCancel:                    "-Cause -Cell Identifier",
	TypePerformLocationRequest:        "-BVCI +IMSI",
	TypePerformLocationAbort:          "+LCS Cause",
	TypePositionCommand:               "+RRLP APDU +RRLP Flags",
	TypeRANInformationRequest:         "-RAN-INFORMATION-REQUEST RIM Container",
	TypeMBMSSessionStartRequest:       "+TMGI",
	TypeMBMSSessionStartResponse:      "+TMGI",
	TypeMBMSSessionStopRequest:        "+TMGI",
	TypeMBMSSessionStopResponse:       "+TMGI",
	TypeMBMSSessionUpdateRequest:      "+TMGI",
	TypeMBMSSessionUpdateResponse:     "+TMGI",
}

// tshark has the same names, the same numbers and the same mandatory IEs.
func TestTableAgainstTshark(t *testing.T) {
	var pdus [][]byte
	for n := range 256 {
		bare := PDU{Type: PDUType(n)}
		pdus = append(pdus, tshark.UnitData(0, bare.Append(nil)))
	}
	text := tshark.Details(t, pdus, "bssgp")
	heads := pduLine.FindAllStringSubmatchIndex(text, -1)
	known := 0
	for i, h := range heads {
		name, num := text[h[2]:h[3]], hexByte(t, text[h[4]:h[5]])
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		if name == "Reserved" {
			continue
		}
		known++
		compare(t, PDUType(num), name, text[h[1]:end])
	}
	if known != 73 {
		t.Errorf("tshark knows %d PDU types", known)
	}
}

func hexByte(t *testing.T, s string) byte {
	t.Helper()
	n, err := strconv.ParseUint(s, 16, 8)
	if err != nil {
		t.Fatal(err)
	}
	return byte(n)
}

func compare(t *testing.T, typ PDUType, name, details string) {
	t.Helper()
	spelled := map[string]string{"UNBLOCK": "BVC-UNBLOCK", "UNBLOCK-ACK": "BVC-UNBLOCK-ACK", "FLUSH_LL_ACK": "FLUSH-LL-ACK"}
	if s, ok := spelled[name]; ok {
		name = s
	}
	if typ.String() != name {
		t.Errorf("0x%02x is %v, tshark: %s", uint8(typ), typ, name)
	}
	d := Definition(typ)
	if d == nil {
		return
	}
	count := map[IEI]int{}
	for _, m := range missingLine.FindAllStringSubmatch(details, -1) {
		count[IEI(hexByte(t, m[1]))]++
	}
	for _, r := range d.Rows {
		if r.Presence == Mandatory && r.Format == TLV {
			count[r.IEI]--
		}
	}
	var diff []string
	for iei := range 256 {
		switch n := count[IEI(iei)]; {
		case n > 0:
			diff = append(diff, "+"+IEI(iei).String())
		case n < 0:
			diff = append(diff, "-"+IEI(iei).String())
		}
	}
	if got := strings.Join(diff, " "); got != differs[typ] {
		t.Errorf("%v: tshark differs: %q, expected %q", typ, got, differs[typ])
	}
}

func TestCausesAgainstTshark(t *testing.T) {
	var pdus [][]byte
	for n := range 256 {
		pdus = append(pdus, tshark.UnitData(0, AppendBVCBlock(nil, 1000, Cause(n))))
	}
	found := causeLine.FindAllStringSubmatch(tshark.Details(t, pdus, "bssgp"), -1)
	if len(found) != 256 {
		t.Fatalf("tshark reads %d causes of 256", len(found))
	}
	named := 0
	for n, f := range found {
		if strings.HasPrefix(f[1], "Undefined") || f[1] == "Unknown" {
			continue
		}
		named++
		if got := Cause(n).String(); got != f[1] {
			t.Errorf("0x%02x is %s, tshark: %s", n, got, f[1])
		}
	}
	if named < 57 {
		t.Errorf("tshark names only %d causes", named)
	}
}
