package main

import (
	"fmt"
	"strings"
	"testing"
)

// The behaviours that the public TTCN-3 suite for osmo-gbproxy checks
// (GBProxy_Tests), by its names, against the whole program: a process, its
// configuration file, VTY and CTRL interface, UDP on loopback. Each case begins
// like the suite's: force-unconfigured and delete-gbproxy-peer for every NSE,
// then SGSNs and BSSs come up, then CTRL says UNBLOCKED of every BVC.
//
// Every PDU is compared octet by octet, and at the end of a case nobody may have
// got anything that was not asked for: what the suite waits seconds for is shown
// here by marks that follow on the same paths.

// suiteCase is one case.
type suiteCase struct {
	name string
	run  func(w *world)
	own  bool // brings its world up by itself
}

func suiteCases() []suiteCase {
	var all []suiteCase
	for _, list := range [][]suiteCase{bvcCases(), dataCases(), radioCases(), sigCases(), pagingCases(), rimCases(), statusCases()} {
		all = append(all, list...)
	}
	return all
}

// TestSuite runs the cases as the suite is run: an SGSN's signalling reset
// starts every BSS anew, the newer of two BSSs takes a BVCI.
//
// Facts: G-30, U-05, U-06, U-09, U-15, G1.1-06, G1.4-03, G1.4-04
// Facts: G1.5-07 (TC_load_sharing_dl), G1.5-09 (TC_load_sharing_dl), G1.6-08, G1.6-11, G1.6-12, G1.6-14, G1.6-19, G1.6-42
// Facts: G2-12, G2-13, G3-05, G3-06, G3-07, G3-13, G3-14, G3-15, G3.1-01, G3.1-05, G3.1-06, G3.1-08, G3.1-10, G3.1-13
// Facts: G3.1-15, G3.1-16, G3.1-17, G3.1-22 (TC_ul_unitdata_pool_failure), G3.1-26
// Facts: G5-12, G5-13 (TC_ul_unitdata), G5.1-01 (TC_ul_unitdata), G5.1-02 (TC_ra_capability_upd), G5.1-03 (TC_fc_ms)
// Facts: G5.1-08 (TC_radio_status), G5.1-09 (TC_radio_status_tmsi), G5.1-10 (TC_radio_status_imsi), G5.1-11, G5.1-14
// Facts: G5.2-03 (TC_suspend), G5.2-06 (TC_status_sig_ul_tmsi), G5.2-07 (TC_llc_discarded), G5.2-09 (TC_flush_ll_bvci_new)
// Facts: G5.2-10, G5.2-12 (TC_ms_reg_enq), G5.3-02, G5.3-03 (TC_dl_unitdata), G5.3-04 (TC_ra_capability), G5.3-05, G5.3-06
// Facts: G5.3-09 (TC_status_ptp_dl_bvci), G5.4-04 (TC_flush_ll_bvci_new), G5.4-08, G5.4-09, G5.4-10, G5.4-11, G5.4-12
// Facts: G5.4-17 (TC_status_sig_dl_bvci), G5.4-19 (TC_suspend), G5.4-21 (TC_trace), G5.4-22 (TC_overload)
// Facts: G5.4-23 (TC_ms_reg_enq), G6-01 (TC_fc_bvc), G6-03 (TC_fc_bvc), G6-10 (TC_fc_bvc), G6-11 (TC_fc_ms), G7-03, G7-04
// Facts: G7-05, G7-07, G7-09 (TC_rim_from_eutran), G10-07, G10-08, G11-03
func TestSuite(t *testing.T) { runSuite(t, false) }

// TestSuiteIsolate runs them with the default: an SGSN's signalling reset leaves
// the BSSs alone, poolgw resets the cells' BVCs there by itself; the older of
// two BSSs keeps a BVCI.
//
// Facts: G-17, G-29, G3.1-04, G3.1-11
func TestSuiteIsolate(t *testing.T) { runSuite(t, true) }

func runSuite(t *testing.T, isolate bool) {
	t.Parallel()
	cases := suiteCases()
	if n := len(cases); n != 77 {
		t.Errorf("%d cases, the suite has 76 and TC_load_sharing_dl", n)
	}
	lanes := newLanes(t, 3, isolate)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := <-lanes
			t.Cleanup(func() { lanes <- l }) // when the peers' sockets are closed
			w := newWorld(t, l, isolate)
			if !c.own {
				w.bringUp()
			}
			c.run(w)
			w.idle()
		})
	}
}

// relay has a peer send a PDU which the others named get unchanged.
func (w *world) relay(from *nse, bvci uint16, pdu string, to ...*nse) {
	w.t.Helper()
	from.send(bvci, pdu)
	for _, n := range to {
		n.want(bvci, pdu)
	}
}

// relayAny is relay to any one SGSN.
func (w *world) relayAny(from *nse, bvci uint16, pdu string) {
	w.t.Helper()
	from.send(bvci, pdu)
	to := w.sgsn[0]
	to.until("at any SGSN: "+pdu, func() bool {
		if len(to.inbox) == 0 && w.sgsn[1].pending() {
			to = w.sgsn[1]
			return true
		}
		return len(to.inbox) > 0
	})
	to.want(bvci, pdu)
}

// eachMS runs f with a phone of each SGSN.
func (w *world) eachMS(n int, f func(s *nse, m suiteMS)) {
	w.t.Helper()
	for i, s := range w.sgsn {
		f(s, subscriber(i, n))
	}
}

// eachCell runs f with every cell and its BSS.
func (w *world) eachCell(f func(b *nse, c suiteCell)) {
	w.t.Helper()
	for _, b := range w.bss {
		for _, c := range b.cells {
			f(b, c)
		}
	}
}

// llc is a payload of n octets.
func llc(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "%02x", byte(i*7+n))
	}
	return s.String()
}

// suitePayload is the largest LLC PDU, so that NS-SDUs of 1600 octets are
// reached but for the headers (TS 48.016 6.1.4.2).
const suitePayload = 1592

// dataCases are those of user data and its flow.
func dataCases() []suiteCase {
	return []suiteCase{
		{name: "TC_ul_unitdata", run: func(w *world) {
			w.eachMS(1, func(s *nse, m suiteMS) { w.uplink(m, s) })
		}},
		{name: "TC_ul_unitdata_pool_failure", run: (*world).poolFailure},
		{name: "TC_dl_unitdata", run: func(w *world) {
			w.eachMS(2, func(s *nse, m suiteMS) {
				for n := 0; n <= suitePayload; n += 4 {
					w.relay(s, 20011, m.down(llc(n)), w.bss[0])
				}
			})
		}},
		{name: "TC_load_sharing_dl", run: (*world).loadSharing, own: true},
		{name: "TC_fc_bvc", run: func(w *world) {
			fc := "26 1e8101 05822800 038207d0 01820400 1c8203e8"
			w.relay(w.bss[0], 20011, fc, w.sgsn...)
			w.bss[0].want(20011, "27 1e8101")
		}},
		{name: "TC_fc_ms", run: func(w *world) {
			w.eachMS(21, func(s *nse, m suiteMS) {
				w.relay(w.bss[0], 20011, "28"+m.id()+"1e8112 12820064 038200c8", s)
				w.relay(s, 20011, "29"+m.id()+"1e8112", w.bss[0])
			})
		}},
	}
}

// radioCases are those of a phone's radio: ten times each.
func radioCases() []suiteCase {
	return []suiteCase{
		{name: "TC_ra_capability", run: func(w *world) {
			w.eachMS(3, func(s *nse, m suiteMS) {
				for range 10 {
					w.relay(s, 20011, "02"+m.id()+suiteRACap, w.bss[0])
				}
			})
		}},
		{name: "TC_ra_capability_upd", run: func(w *world) {
			w.eachMS(4, func(s *nse, m suiteMS) {
				for tag := 23; tag < 33; tag++ {
					w.relay(w.bss[0], 20011, fmt.Sprintf("08%s1e81%02x", m.id(), tag), s)
					w.relay(s, 20011, fmt.Sprintf("09%s1e81%02x1a8142", m.id(), tag), w.bss[0])
				}
			})
		}},
		{name: "TC_radio_status", run: func(w *world) {
			w.eachMS(5, func(s *nse, m suiteMS) {
				for range 10 {
					w.relay(w.bss[0], 20011, "0a"+m.id()+"198100", s)
				}
			})
		}},
		{name: "TC_radio_status_tmsi", run: func(w *world) {
			w.eachMS(5, func(s *nse, m suiteMS) {
				for range 10 {
					w.relay(w.bss[0], 20011, "0a2084"+m.ptmsi+"198100", s)
				}
			})
		}},
		{name: "TC_radio_status_imsi", run: func(w *world) {
			w.eachMS(5, func(_ *nse, m suiteMS) {
				for range 10 {
					w.relayAny(w.bss[0], 20011, "0a"+m.imsi+"198100")
				}
			})
		}},
	}
}

// uplink sends payloads of every size from BSS 0.
func (w *world) uplink(m suiteMS, to *nse) {
	w.t.Helper()
	for n := 0; n <= suitePayload; n += 4 {
		w.relay(w.bss[0], 20011, m.up(w.bss[0].cells[0], llc(n)), to)
	}
}

// sigCases are those of the signalling BVC that are not management or paging.
func sigCases() []suiteCase {
	return []suiteCase{
		{name: "TC_suspend", run: func(w *world) {
			w.eachSuspend(func(id string, ref int) []string {
				return []string{"0b" + id, fmt.Sprintf("0c%s1d81%02x", id, ref), "0d" + id + "078104"}
			})
		}},
		{name: "TC_resume", run: func(w *world) {
			w.eachSuspend(func(id string, ref int) []string {
				return []string{fmt.Sprintf("0e%s1d81%02x", id, ref), "0f" + id, "10" + id + "078104"}
			})
		}},
		{name: "TC_trace", run: func(w *world) { w.relay(w.sgsn[0], 0, "40 228123 21824321", w.bss...) }},
		{name: "TC_overload", run: func(w *world) { w.relay(w.sgsn[0], 0, "42 8f8101", w.bss...) }},
		{name: "TC_llc_discarded", run: func(w *world) {
			w.eachMS(6, func(s *nse, m suiteMS) { w.relay(w.bss[0], 0, m.discarded(20011), s) })
		}},
		{name: "TC_flush_ll_bvci_new", run: func(w *world) { w.flush("04824e2b", "0c8101") }},
		{name: "TC_flush_ll_no_bvci_new", run: func(w *world) { w.flush("", "0c8100") }},
		{name: "TC_ms_reg_enq", run: func(w *world) {
			w.eachMS(22, func(s *nse, m suiteMS) {
				w.relay(w.bss[0], 0, "14"+m.imsi, w.sgsn...) // the suite wants it at any one: pool registration-enquiry
				w.relay(s, 0, "15"+m.imsi, w.bss[0])
			})
		}},
	}
}

// eachSuspend has f's three PDUs, a request, its ACK and its NACK, go their ways
// ten times for each SGSN.
func (w *world) eachSuspend(f func(id string, ref int) []string) {
	w.t.Helper()
	b := w.bss[0]
	for i := range 10 {
		w.eachMS(i, func(s *nse, m suiteMS) {
			pdus := f(m.id()+b.cells[0].rai(), i)
			w.relay(b, 0, pdus[0], s)
			w.relay(s, 0, pdus[1], b)
			w.relay(b, 0, pdus[0], s)
			w.relay(s, 0, pdus[2], b)
		})
	}
}

// flush has FLUSH-LL and its answer pass ten times.
func (w *world) flush(newBVCI, action string) {
	w.t.Helper()
	w.eachMS(6, func(s *nse, m suiteMS) {
		for range 10 {
			w.relay(s, 0, "2a"+m.id()+"04824e2b"+newBVCI, w.bss[0])
			w.relay(w.bss[0], 0, "2b"+m.id()+action+newBVCI+"2583000017", s)
		}
	})
}

// rimCases are those of RAN information management.
func rimCases() []suiteCase {
	var list []suiteCase
	const elsewhere = "0062f224fffe00fffd" // a cell that nobody has
	for _, r := range rimTypes() {
		list = append(list, suiteCase{name: "TC_rim_" + r.name, run: func(w *world) { w.rimOutside(r, elsewhere) }})
	}
	info, request := rimTypes()[1], rimTypes()[0]
	return append(list,
		suiteCase{name: "TC_rim_info_pcu2pcu", run: func(w *world) {
			w.eachCell(func(from *nse, src suiteCell) {
				w.eachCell(func(to *nse, dst suiteCell) {
					if from != to {
						w.relay(from, 0, info.rim(src, "00"+dst.id, "00"+src.id), to)
					}
				})
			})
		}},
		// An eNB is TAI and global eNB identity (TS 36.413), type 2.
		suiteCase{name: "TC_rim_from_eutran", run: func(w *world) { w.rimOutside(request, "0262f224000312345678123456") }})
}

// rimOutside has a RIM PDU go from every cell to an address outside, by any
// SGSN, and back by each SGSN.
func (w *world) rimOutside(r rimType, outside string) {
	w.t.Helper()
	for _, s := range w.sgsn {
		w.eachCell(func(b *nse, c suiteCell) {
			w.relayAny(b, 0, r.rim(c, outside, "00"+c.id))
			w.relay(s, 0, r.rim(c, "00"+c.id, outside), b)
		})
	}
}

// statusCases are those of STATUS, which goes by what the PDU in error names.
func statusCases() []suiteCase {
	flush := func(m suiteMS) string { return "2a" + m.id() + "04820926" }
	page := func(m suiteMS) string { return m.page("cs", "04824e2b", true) }
	down := func(m suiteMS) string { return "00" + m.tlli + suiteQoS + "1682ffff 0e822342" }
	uplink := func(bvci uint16, inner func(m suiteMS) string) func(w *world) {
		return func(w *world) {
			w.eachMS(0, func(s *nse, m suiteMS) { w.relay(w.bss[0], bvci, status(inner(m)), s) })
		}
	}
	return []suiteCase{
		{name: "TC_status_sig_ul_tlli", run: uplink(0, flush)},
		{name: "TC_status_sig_ul_tmsi", run: uplink(0, page)},
		{name: "TC_status_ptp_ul_tlli", run: uplink(20011, down)},
		{name: "TC_status_ptp_ul_tmsi", run: uplink(20011, page)},
		{name: "TC_status_sig_dl_bvci", run: func(w *world) {
			w.eachCell(func(b *nse, c suiteCell) {
				for _, s := range w.sgsn {
					w.relay(s, 0, status(fmt.Sprintf("2c1f8412345678 0f8101 0482%04x 2583000017", c.bvci)), b)
				}
			})
		}},
		{name: "TC_status_ptp_dl_bvci", run: func(w *world) {
			w.eachCell(func(b *nse, c suiteCell) {
				for _, s := range w.sgsn {
					w.relay(s, c.bvci, status("01 12345678"+suiteQoS+tlv("08", c.id)+"0e824223"), b)
				}
			})
		}},
	}
}
