package logging

import (
	"log/slog"
	"strconv"
)

// Filter says by whom a line is about whether it passes. As in Osmocom programs
// a line passes that one of the values names; what names nobody does not.
type Filter struct {
	Only bool // "logging filter all 0"; false: every line passes

	NSE, NSVC, BVC string // the identifier in decimal; "": unset
	TLLI           string // "0xc0000001"
	IMSI           string // digits
}

// none tells that nothing passes.
func (f *Filter) none() bool { return *f == Filter{Only: true} }

func (f *Filter) takes(about attrs) bool { return !f.Only || !f.none() && about.any(f.names) }

// subjects tells what the value of an attribute identifies.
var subjects = map[string]func(f *Filter) string{
	"nsei": (*Filter).nse, "claimed_by": (*Filter).nse, "taken_by": (*Filter).nse, "refused": (*Filter).nse,
	"sgsn": (*Filter).nse, "bss": (*Filter).nse,
	"nsvci": func(f *Filter) string { return f.NSVC },
	"bvci":  (*Filter).bvc, "names_bvci": (*Filter).bvc,
	"tlli": func(f *Filter) string { return f.TLLI },
	"imsi": func(f *Filter) string { return f.IMSI },
}

func (f *Filter) nse() string { return f.NSE }

func (f *Filter) bvc() string { return f.BVC }

// names tells whether an attribute is one that the filter asks for. Values that
// know their NSEI or NSVCI tell it themselves.
func (f *Filter) names(a slog.Attr) bool {
	if of, ok := subjects[a.Key]; ok {
		want := of(f)
		return want != "" && a.Value.Resolve().String() == want
	}
	v := a.Value.Any()
	if n, ok := v.(interface{ NSEI() uint16 }); ok && f.NSE != "" && strconv.Itoa(int(n.NSEI())) == f.NSE {
		return true
	}
	if n, ok := v.(interface{ NSVCI() (uint16, bool) }); ok && f.NSVC != "" {
		id, has := n.NSVCI()
		return has && strconv.Itoa(int(id)) == f.NSVC
	}
	return false
}
