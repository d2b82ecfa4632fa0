package gb_test

import (
	"fmt"
	"strings"
	"testing"
)

// The PDUs of which osmo-gbproxy 0.5.0 dies, or that are of their kind:
// mandatory IEs missing where they are taken for granted, BVCI 0 or 1 where a
// PTP BVCI belongs, references to unknown cells, answers that nobody waits for.
// Each is sent to one gateway, twice, and user data passes afterwards.
// Facts: G3-18 (BVC-BLOCK of BVCI 0), G5.2-05, G5.2-11, G7-01 (RAN-INFORMATION to no cell), U-08 (paging of an unknown cell)
func TestHostileKnown(t *testing.T) {
	reject := "11" + imsiIE + "93820001"
	response := "13" + imsiIE + "93820001"
	paged := func(bvci string) string { return "06" + imsiIE + "0482" + bvci + "1883000080" }
	tlli := "1f84c0180001"
	cases := []struct {
		name string
		from uint16
		bvci uint16
		in   string
		out  string // to the sender; "" for nothing
	}{
		{"STATUS BVCI unknown without BVCI, uplink", 2001, 0, "410781051581ff", ""},
		{"STATUS BVCI blocked without BVCI, uplink", 2001, 0, "410781091581ff", ""},
		{"STATUS BVCI unknown without BVCI, downlink", 101, 0, "410781051581ff", ""},
		{"STATUS without a cause, uplink", 2001, 0, "411581ff", ""},
		{"STATUS about a PDU for BVCI 0", 101, 0, "410781271585200482000007", ""},
		{"PAGING-PS-REJECT that nobody waits for", 2001, 0, reject, ""},
		{"PAGING-PS-REJECT that nobody waits for, on the cell's BVC", 2001, 20011, reject, ""},
		{"DUMMY-PAGING-PS-RESPONSE that nobody waits for", 2001, 0, response, ""},
		{"DUMMY-PAGING-PS-RESPONSE that nobody waits for, on the cell's BVC", 2001, 20011, response, ""},
		{"PAGING-PS-REJECT without IMSI", 2001, 0, "1193820001", status("22", "", 0, "1193820001")},
		{"MS-REGISTRATION-ENQUIRY without IMSI", 2001, 0, "14", status("22", "", 0, "14")},
		{"MS-REGISTRATION-ENQUIRY-RESPONSE that nobody waits for", 101, 0, "15" + imsiIE, ""},
		{"SUSPEND-ACK that nobody waits for", 101, 0, "0c" + tlli + "1b8662f224334f001d8101",
			status("21", "", 0, "0c"+tlli+"1b8662f224334f001d8101")},
		{"FLUSH-LL of BVCI 0", 101, 0, "2a" + tlli + "04820000", status("05", "04820000", 0, "2a"+tlli+"04820000")},
		{"FLUSH-LL of BVCI 1", 101, 0, "2a" + tlli + "04820001", status("05", "04820001", 0, "2a"+tlli+"04820001")},
		{"FLUSH-LL without BVCI", 101, 0, "2a" + tlli, status("22", "", 0, "2a"+tlli)},
		{"paging of BVCI 0", 101, 0, paged("0000"), ""},
		{"paging of BVCI 1", 101, 0, paged("0001"), ""},
		{"paging of an unknown cell", 101, 0, paged("ffee"), ""},
		{"paging without IMSI", 101, 0, "0604824e2b1883000080", status("22", "", 0, "0604824e2b1883000080")},
		{"LLC-DISCARDED of BVCI 0", 2001, 0, "2c" + tlli + "0f81010482000025830000ff",
			status("05", "04820000", 0, "2c"+tlli+"0f81010482000025830000ff")},
		{"BVC-RESET of BVCI 1", 2001, 0, "22048200010781080888" + cell20011.id, status("21", "", 0, "22048200010781080888"+cell20011.id)},
		{"BVC-RESET without BVCI", 2001, 0, "22078108", status("22", "", 0, "22078108")},
		{"BVC-RESET without the cell", 2001, 0, "2204824e2b078108", status("23", "", 0, "2204824e2b078108")},
		{"BVC-RESET of an unknown cell by an SGSN", 101, 0, "220482ffee078108", status("05", "0482ffee", 0, "220482ffee078108")},
		{"BVC-RESET of BVCI 1 by an SGSN", 101, 0, "2204820001078108", status("05", "04820001", 0, "2204820001078108")},
		{"BVC-RESET-ACK that nobody waits for", 2001, 0, "230482ffee", status("21", "", 0, "230482ffee")},
		{"BVC-RESET-ACK of BVCI 1", 101, 0, "2304820001", status("21", "", 0, "2304820001")},
		{"BVC-BLOCK of BVCI 0", 2001, 0, "2004820000078108", ""},
		{"BVC-BLOCK of BVCI 1", 2001, 0, "2004820001078108", status("21", "", 0, "2004820001078108")},
		{"BVC-BLOCK without a cause", 2001, 0, "2004824e2b", status("22", "", 0, "2004824e2b")},
		{"BVC-UNBLOCK of BVCI 0", 2001, 0, "2404820000", ""},
		{"BVC-UNBLOCK-ACK that nobody waits for", 101, 0, "250482ffee", status("21", "", 0, "250482ffee")},
		{"FLOW-CONTROL-BVC on the signalling BVC", 2001, 0, "261e8101", status("27", "", 0, "261e8101")},
		{"FLOW-CONTROL-BVC-ACK that nobody waits for", 101, 20011, "271e8177", ""},
		{"RAN-INFORMATION to no cell", 2001, 0, ranInfo("00", "00"+cell20011.id), status("21", "", 0, ranInfo("00", "00"+cell20011.id))},
		{"RAN-INFORMATION from an unknown cell", 2001, 0, ranInfo("00"+cell20011.id, "0062f224ffff000001"),
			status("2b", "", 0, ranInfo("00"+cell20011.id, "0062f224ffff000001"))},
		{"RAN-INFORMATION to an unknown cell by an SGSN", 101, 0, ranInfo("0062f224ffff000001", "00"+cell20011.id),
			status("2b", "", 0, ranInfo("0062f224ffff000001", "00"+cell20011.id))},
		{"UL-UNITDATA of five octets", 2001, 20011, "01c0180001", status("22", "", 20011, "01c0180001")},
		{"DL-UNITDATA for BVCI 1", 101, 1, "00c0180001", status("27", "", 1, "00c0180001")},
	}
	suite(t, config(2), func(b *bed) {
		for _, c := range cases {
			t.Run(strings.ReplaceAll(c.name, " ", "_"), func(*testing.T) {
				for range 2 {
					b.at(c.from).send(c.bvci, c.in)
				}
				if p := b.at(c.from); c.out == "" {
					p.want()
				} else {
					p.want(c.out, c.out)
				}
				b.wantIdle()
				up, down := ul(tlliOf(3, 1), cell20011, "01"), dl(tlliOf(3, 1), "02")
				b.at(2001).send(20011, up)
				b.at(101).want(at(20011, up))
				b.at(101).send(20011, down)
				b.at(2001).want(at(20011, down))
			})
		}
	})
}

// ranInfo is a RAN-INFORMATION between two RIM routeing informations.
func ranInfo(dst, src string) string {
	return fmt.Sprintf("7054%02x%s54%02x%s588100", 0x80|len(dst)/2, dst, 0x80|len(src)/2, src)
}
