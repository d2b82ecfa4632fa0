package main

import (
	"fmt"
	"net/netip"
	"time"
)

// bvcCases are those of bring-up and BVC management.
func bvcCases() []suiteCase {
	return []suiteCase{
		{name: "TC_BVC_bringup", run: (*world).suiteOrder, own: true},
		{name: "TC_BVC_bringup_conflicting", run: (*world).conflicting, own: true},
		{name: "TC_bvc_block_ptp", run: (*world).block},
		{name: "TC_bvc_unblock_ptp", run: func(w *world) {
			w.block()
			w.bss[0].send(0, "24 04824e2b")
			w.bss[0].wantMgmt("25 04824e2b")
			for _, s := range w.sgsn {
				s.wantMgmt("24 04824e2b")
			}
			w.allUnblocked()
		}},
		{name: "TC_bvc_reset_ptp_from_bss", run: func(w *world) {
			w.bss[0].send(0, cell0Reset())
			w.bss[0].wantMgmt("23 04824e2b")
			for _, s := range w.sgsn {
				s.wantMgmt(cell0Reset())
			}
			w.allUnblocked()
		}},
		{name: "TC_bvc_reset_sig_from_bss", run: func(w *world) {
			w.bss[0].send(0, "22 04820000"+omReset)
			w.bss[0].wantMgmt("23 04820000") // then it resets its BVC
			w.bss[0].wantMgmt("23 04824e2b")
			for _, s := range w.sgsn {
				s.wantMgmt("20 04824e2b" + omReset)
				s.wantMgmt(cell0Reset())
			}
			w.allUnblocked()
		}},
		{name: "TC_bvc_reset_ptp_from_sgsn", run: func(w *world) {
			w.sgsn[0].send(0, "22 04824e2b"+omReset)
			w.sgsn[0].wantMgmt("23 04824e2b" + tlv("08", w.bss[0].cells[0].id))
			w.bss[0].wantMgmt("22 04824e2b" + omReset)
			w.allUnblocked()
		}},
		{name: "TC_bvc_reset_blocked_ptp_from_sgsn", run: (*world).resetOfGone},
		{name: "TC_bvc_reset_sig_from_sgsn", run: (*world).signallingReset},
	}
}

// cell0Reset is the reset of BSS 0's BVC by the BSS's side.
func cell0Reset() string {
	return "22 04824e2b" + omReset + tlv("08", suiteCells()[0][0].id)
}

// suiteOrder brings up in the suite's order and time: the sockets of the last
// case are closed when the gateway is told to begin anew, its first SNS-SIZE
// finds nobody; the BSSs come 4 s after the SGSNs, all at once, and within 15 s
// every BVC is unblocked. At the VTY it types before the first prompt is there,
// and is one prompt behind from then on.
func (w *world) suiteOrder() {
	w.t.Helper()
	w.vty = dialSuiteVTY(w.t, w.lane.addr)
	w.vty.enter = "\n"
	w.vty.do("enable")
	w.forget()
	time.Sleep(50 * time.Millisecond)
	w.startSGSNs(suiteCells())
	time.Sleep(4 * time.Second)
	for i, c := range suiteCells() {
		w.startBSS(i, 1, c)
	}
	start := time.Now()
	w.allUnblocked()
	if d := time.Since(start); d > 15*time.Second {
		w.t.Errorf("all BVCs are unblocked after %s", d)
	}
	w.begin()
}

// conflicting: each BSS claims BVCI 23 for its first cell. All other BVCs come
// up; the newest claim wins, with isolate the oldest, which answers the probe.
func (w *world) conflicting() {
	w.t.Helper()
	cells := suiteCells()
	for i := range cells {
		cells[i][0].bvci = 23
	}
	w.startSGSNs(append(suiteCells(), cells...)) // they may still hear of the last case's
	w.forget()
	w.sgsnsUp()
	for i, c := range cells {
		b := w.startBSS(i, 1, c)
		w.unblocked(b.nsei, 0)
		if !w.isolate || i == 0 {
			b.wantMgmt("23 04820017")
		}
	}
	owner := 2
	if w.isolate {
		owner = 0
		time.Sleep(3500 * time.Millisecond) // the probe
	}
	for i, b := range w.bss {
		if i != owner {
			b.lose()
		}
	}
	w.allUnblocked()
	w.begin()
	m, b := subscriber(0, 51), w.bss[owner]
	w.relay(w.sgsn[0], 23, m.down("51"), b)
	w.relay(b, 23, m.up(b.cells[0], "51"), w.sgsn[0])
}

// lose takes the first cell away.
func (n *nse) lose() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cells = n.cells[1:]
}

// block blocks BSS 0's BVC: every SGSN hears of it, with the BSS's cause.
func (w *world) block() {
	w.t.Helper()
	w.bss[0].send(0, "20 04824e2b"+omReset)
	w.bss[0].wantMgmt("21 04824e2b")
	for _, s := range w.sgsn {
		s.wantMgmt("20 04824e2b" + omReset)
		w.wantState(s.nsei, 20011, "BLOCKED")
	}
	w.wantState(2001, 20011, "BLOCKED")
}

func (w *world) wantState(nsei, bvci uint16, want string) {
	w.t.Helper()
	if got := w.state(nsei, bvci); got != want {
		w.t.Errorf("NSE %d BVC %d is %s, want %s", nsei, bvci, got, want)
	}
}

// resetOfGone: a BSS is gone, its BVC blocked at the SGSNs; a reset of it by an
// SGSN is refused, for it would unblock it there.
func (w *world) resetOfGone() {
	w.t.Helper()
	w.bss[0].die()
	time.Sleep(10 * time.Second)
	for _, s := range w.sgsn {
		s.wantMgmt("20 04824e2b 078101")
	}
	reset := "22 04824e2b" + omReset
	w.sgsn[0].send(0, reset)
	w.sgsn[0].want(0, "41 078105 04824e2b"+tlv("15", reset))
}

// signallingReset: of an SGSN. With propagate every BSS is reset, then its
// cells at every SGSN; with isolate only that SGSN gets its BVCs reset.
func (w *world) signallingReset() {
	w.t.Helper()
	w.sgsn[0].send(0, "22 04820000"+omReset)
	w.sgsn[0].wantMgmt("23 04820000")
	w.eachCell(func(b *nse, c suiteCell) {
		if c == b.cells[0] && !w.isolate {
			b.wantMgmt("22 04820000" + omReset)
		}
		reset := fmt.Sprintf("22 0482%04x", c.bvci) + omReset + tlv("08", c.id)
		w.sgsn[0].wantMgmt(reset)
		if w.isolate {
			return
		}
		b.wantMgmt(fmt.Sprintf("23 0482%04x", c.bvci))
		w.sgsn[1].wantMgmt(fmt.Sprintf("20 0482%04x", c.bvci) + omReset)
		w.sgsn[1].wantMgmt(reset)
	})
	w.allUnblocked()
}

// poolFailure: both NS-VCs of SGSN 1 stop answering; after 15 s all goes to
// SGSN 0.
func (w *world) poolFailure() {
	w.t.Helper()
	w.sgsn[1].die()
	time.Sleep(15 * time.Second)
	w.eachMS(1, func(_ *nse, m suiteMS) { w.uplink(m, w.sgsn[0]) })
}

// loadSharing: a BSS of four NS-VCs gets the downlink over all of them, each
// phone's over one (TS 48.016 4.4a): by IP-SNS and, added in the VTY, by static
// NS.
func (w *world) loadSharing() {
	w.t.Helper()
	cells := suiteCells()
	w.startSGSNs(append(cells, []suiteCell{staticCell()}))
	w.forget()
	w.sgsnsUp()
	w.startBSS(0, 4, cells[0])
	w.startStatic()
	w.allUnblocked()
	w.begin()
	for _, b := range w.bss {
		for i := range w.sgsn {
			w.shared(i, b)
		}
	}
}

// staticCell is the cell of the BSS with static NS.
func staticCell() suiteCell { return suiteCell{20091, "62f224334f097569"} }

func (w *world) startStatic() {
	w.t.Helper()
	lines := []string{"ns", "nse 2009"}
	n := &nse{name: "static BSS", nsei: 2009, static: true, gw: netip.AddrPortFrom(w.lane.addr, 24000), cells: []suiteCell{staticCell()}}
	var ports []uint16
	for k := range uint16(4) {
		ports = append(ports, 21090+k)
		lines = append(lines, fmt.Sprintf("nsvc udp bss %s %d", w.lane.addr, 21090+k))
	}
	newNSE(w.t, n, w.lane.addr, ports, [][2]byte{{1, 1}, {1, 1}, {1, 1}, {1, 1}})
	w.config(lines...)
	w.t.Cleanup(func() { w.config("ns", "no nse 2009") })
	n.mu.Lock()
	n.test()
	n.mu.Unlock()
	n.tested()
	n.send(0, "22 04820000"+omReset)
	w.bss = append(w.bss, n)
}

// config types lines below "configure terminal".
func (w *world) config(lines ...string) {
	w.t.Helper()
	w.vty.do("configure terminal")
	for _, l := range lines {
		w.vty.do(l)
	}
	w.vty.do("end")
}

// shared sends ten PDUs to each of ten phones.
func (w *world) shared(sgsn int, b *nse) {
	w.t.Helper()
	on, used := map[string]int{}, map[int]bool{}
	for i := range 100 {
		m, bvci := subscriber(sgsn, 5+i%10), b.cells[0].bvci
		w.sgsn[sgsn].send(bvci, m.down(llc(i)))
		b.until("downlink", func() bool { return len(b.inbox) > 0 })
		b.mu.Lock()
		got := b.inbox[0]
		b.mu.Unlock()
		b.want(bvci, m.down(llc(i)))
		if before, ok := on[m.tlli]; ok && before != got.on {
			w.t.Errorf("TLLI %s on NS-VCs %d and %d of %s", m.tlli, before, got.on, b.name)
		}
		on[m.tlli], used[got.on] = got.on, true
	}
	if len(used) != 4 {
		w.t.Errorf("%d of the 4 NS-VCs of %s are used: %v", len(used), b.name, used)
	}
}
