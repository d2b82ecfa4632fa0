package main

import "fmt"

// suiteArea is how a paging names where, TS 48.018 10.3.1: in some steps, each
// with the BSSs that it reaches on the signalling BVC.
type suiteArea struct {
	name  string
	steps []suiteStep
}

type suiteStep struct {
	area string
	to   []int
}

func suiteAreas() []suiteArea {
	c := suiteCells()
	nowhere := suiteCell{id: "65f7998235fe0000"} // 567-99-33333-254
	return []suiteArea{
		{"bss", []suiteStep{{"028100", []int{0, 1, 2}}}},
		{"lac", []suiteStep{{c[0][0].lai(), []int{0, 1, 2}}, {c[2][1].lai(), []int{2}}}},
		{"lac_unknown", []suiteStep{{nowhere.lai(), nil}}},
		{"rac", []suiteStep{{c[0][0].rai(), []int{0}}, {c[2][0].rai(), []int{1, 2}}, {c[2][1].rai(), []int{2}}}},
		{"rac_unknown", []suiteStep{{nowhere.rai(), nil}}},
		{"bvci", []suiteStep{{"04824e2b", []int{0}}}},
		{"bvci_unknown", []suiteStep{{"04828235", nil}}},
	}
}

// pagingCases are all of them: PS and CS, on PTP and signalling BVC, each area.
func pagingCases() []suiteCase {
	list := []suiteCase{
		{name: "TC_dummy_paging_ps_ptp", run: func(w *world) { w.dummyPaging(20011, w.bss[:1]) }},
		{name: "TC_dummy_paging_ps_sig", run: func(w *world) { w.dummyPaging(0, w.bss) }},
	}
	for _, kind := range []string{"ps", "cs"} {
		for _, path := range []string{"ptp", "sig"} {
			for _, a := range suiteAreas() {
				list = append(list, pagingCase(kind, path, a, "", true))
				if kind == "ps" && a.name == "bvci" {
					list = append(list, pagingCase(kind, path, a, "_imsi", false),
						rejectCase(path, a, "", true), rejectCase(path, a, "_imsi", false))
				}
			}
		}
	}
	return list
}

func pagingCase(kind, path string, a suiteArea, suffix string, ptmsi bool) suiteCase {
	return suiteCase{name: fmt.Sprintf("TC_paging_%s_%s_%s%s", kind, path, a.name, suffix), run: func(w *world) {
		w.eachMS(12, func(s *nse, m suiteMS) {
			w.paging(s, path, a, func(area string) string { return m.page(kind, area, ptmsi) })
		})
	}}
}

// rejectCase: the answer goes to the SGSN that paged.
func rejectCase(path string, a suiteArea, suffix string, ptmsi bool) suiteCase {
	return suiteCase{name: fmt.Sprintf("TC_paging_ps_reject_%s_%s%s", path, a.name, suffix), run: func(w *world) {
		w.eachMS(16, func(s *nse, m suiteMS) {
			w.paging(s, path, a, func(area string) string { return m.page("ps", area, ptmsi) })
			bvci := uint16(0)
			if path == "ptp" {
				bvci = 20011
			}
			w.relay(w.bss[0], bvci, m.reject(ptmsi), s)
		})
	}}
}

// paging pages each step's area: on the PTP BVC it reaches that cell whatever
// area it names, on the signalling BVC each BSS of the area, once.
func (w *world) paging(s *nse, path string, a suiteArea, pdu func(area string) string) {
	w.t.Helper()
	for _, step := range a.steps {
		if path == "ptp" {
			w.relay(s, 20011, pdu(step.area), w.bss[0])
			continue
		}
		var to []*nse
		for _, i := range step.to {
			to = append(to, w.bss[i])
		}
		w.relay(s, 0, pdu(step.area), to...)
		w.idle()
	}
}

// dummyPaging has DUMMY-PAGING-PS and its answer pass.
func (w *world) dummyPaging(bvci uint16, to []*nse) {
	w.t.Helper()
	w.eachMS(11, func(s *nse, m suiteMS) {
		w.relay(s, bvci, "12"+m.imsi, to...)
		w.relay(w.bss[0], bvci, "13"+m.imsi+"93820105", s)
	})
}
