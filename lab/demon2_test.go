package lab

import (
	"fmt"
	"strings"
	"testing"

	"poolgw/lab/n2sim"
)

// Each check of the N2 part fails on what it is about, and on nothing else.
func TestN2Rules(t *testing.T) {
	good := func() *view {
		v := &n2View{ues: 100, served: map[string]int{"amf-1": 60, "amf-2": 40}, amfs: make([]n2sim.AMFTruth, 2), gnbs: make([]n2sim.GNBTruth, n2GNBs)}
		for i := range 2 {
			v.gw = append(v.gw, gwAMF{ID: uint8(i + 1), Up: true, Associations: n2GNBs, AllowAttach: true})
		}
		return &view{n2: v}
	}
	for i, c := range []struct {
		fails int // which rule; -1: none
		spoil func(v *n2View)
	}{
		{-1, func(*n2View) {}},
		{0, func(v *n2View) { v.gw[0].Up = false }},
		{0, func(v *n2View) { v.gw[1].Associations = 2 }},
		{1, func(v *n2View) { v.served["amf-1"] = 40 }},
		{2, func(v *n2View) { v.truth.WrongUE = 1 }},
		{2, func(v *n2View) { v.truth.WrongAMF = 1 }},
		{2, func(v *n2View) { v.amfs[1].WrongUE = 1 }},
		{3, func(v *n2View) { v.gnbs[2].Unexpected = 1 }},
		{3, func(v *n2View) { v.amfs[0].Unreadable = 1 }},
	} {
		v := good()
		c.spoil(v.n2)
		for j, r := range n2Rules {
			if note := r.rule(v); (note != "") != (j == c.fails) {
				t.Errorf("%d: %s: %q", i, r.what, note)
			}
		}
	}
}

func TestN2Plan(t *testing.T) {
	var b strings.Builder
	f := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	n2Plan{}.config(f)
	if b.Len() != 0 {
		t.Errorf("no N2 part has %q", b.String())
	}
	n2Plan{gateway: 1111, lab: 2222}.config(f)
	for _, want := range []string{"ngap\n bind ran\n  listen 127.0.0.1 38412\n  transport udp-encapsulation 1111\n",
		"amf 3\n name AMF03\n remote 127.0.0.1 38415 udp-encapsulation 2222\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in %s", want, b.String())
		}
	}
}
