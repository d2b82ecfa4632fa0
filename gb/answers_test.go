package gb_test

import (
	"fmt"
	"testing"
)

const (
	rejectPS = "11" + imsiIE + "93820001" // PAGING-PS-REJECT
	dummyPS  = "12" + imsiIE              // DUMMY-PAGING-PS
	dummyRsp = "13" + imsiIE + "93820001" // DUMMY-PAGING-PS-RESPONSE
)

// A paging reaches every BSS of its area, and each may answer, more than once.
// Facts: G5.2-10
func TestEachPagedBSSAnswers(t *testing.T) {
	for page, answer := range map[string]string{paging(false, "02810f"): rejectPS, dummyPS: dummyRsp} {
		suite(t, config(2), func(b *bed) {
			b.at(102).sig(page)
			b.clear()
			for _, bss := range []uint16{2001, 2002, 2003, 2001} {
				b.at(bss).sig(answer)
				b.at(102).want("0:" + answer)
			}
			b.at(2001).send(20011, answer)
			b.at(102).want(at(20011, answer))
			b.wantIdle()
		})
	}
}

// The last PS paging of an IMSI, of either kind, says whose an answer is. One for
// CS does not: none of its answers passes here.
// Facts: G5.4-14
func TestLastPagingHasTheAnswer(t *testing.T) {
	for _, c := range []struct {
		name, page string
		to         uint16
	}{
		{"PS", paging(false, "02810f"), 102},
		{"dummy", dummyPS, 102},
		{"CS", paging(true, "02810f"), 101},
	} {
		t.Run(c.name, func(t *testing.T) {
			suite(t, config(2), func(b *bed) {
				b.at(101).sig(paging(false, "02810f"))
				b.at(102).sig(c.page)
				b.at(102).send(20011, c.page)
				b.clear()
				b.at(2001).sig(rejectPS)
				b.at(c.to).want("0:" + rejectPS)
				b.wantIdle()
			})
		})
	}
}

// With "any" one SGSN is asked, the same for an IMSI, and a second answer is an
// error (TS 48.018 10.4.14: "invalid mandatory information").
// Facts: G-33, G4-02, G5.4-24
func TestEnquiryAnyGoesByIMSI(t *testing.T) {
	c := config(2)
	c.RegistrationEnquiryAny = true
	suite(t, c, func(b *bed) {
		asked := map[uint16]int{}
		for i := range 32 {
			imsi := fmt.Sprintf("0d88 19000100000000%02x", i/10|i%10<<4)
			enquiry, response := "14"+imsi, "15"+imsi
			b.at(2002).sig(enquiry)
			b.at(2002).sig(enquiry)
			for _, nsei := range []uint16{101, 102} {
				switch n := len(b.at(nsei).taken()); n {
				case 0:
				case 2:
					asked[nsei]++
					b.at(nsei).sig(response)
					b.at(2002).want("0:" + response)
					b.at(nsei).sig(response)
					b.at(nsei).want(status("21", "", 0, response))
				default:
					t.Errorf("IMSI %d: SGSN %d has %d of 2 enquiries", i, nsei, n)
				}
			}
			b.wantIdle()
		}
		if asked[101]+asked[102] != 32 || asked[101] == 0 || asked[102] == 0 {
			t.Errorf("asked: %v", asked)
		}
	})
}

// What names a subscriber alone finds the BSS that awaits an answer for it, and
// does not end the wait.
// Facts: G-36, G5.4-18
func TestDownByAwaitedTLLI(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		id := fmt.Sprintf("1f84%08x", tlliOf(3, 9))
		suspend, ack := "0b"+id+"1b8662f224334f00", "0c"+id+"1b8662f224334f001d8101"
		unknown := "e8" + id
		about := status("01", "", 0, suspend)[2:]
		b.at(101).sig(unknown) // nobody waits
		b.at(101).want(status("27", "", 0, unknown))
		b.at(101).sig(about)
		b.wantDrop("status_unroutable", 1)
		b.at(2002).sig(suspend)
		b.at(101).want("0:" + suspend)
		for _, pdu := range []string{unknown, about, ack} {
			b.at(101).sig(pdu)
			b.at(2002).want("0:" + pdu)
			b.wantIdle()
		}
	})
}
