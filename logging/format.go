package logging

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// Format is what a target prints before the message.
type Format struct {
	Color        bool
	Timestamp    bool // "2026-01-02T15:04:05"
	ExtTimestamp bool // milliseconds, "20260102150405678"
	Category     bool
	Level        bool
	// Discard takes nothing ("logging filter all 0").
	Discard bool
}

// DefaultFormat is that of a target about which nothing is said.
var DefaultFormat = Format{Category: true, Level: true}

// entry is one record with its category looked up.
type entry struct {
	time  time.Time
	level slog.Level
	cat   string
	text  string // message and attributes
}

// line renders e without a line end.
func (f Format) line(e entry) string {
	var b strings.Builder
	switch {
	case f.ExtTimestamp:
		b.WriteString(e.time.Format("20060102150405"))
		fmt.Fprintf(&b, "%03d ", e.time.Nanosecond()/1e6)
	case f.Timestamp:
		b.WriteString(e.time.Format("2006-01-02T15:04:05 "))
	}
	if f.Color {
		b.WriteString(colorOf(e.level))
	}
	if f.Category {
		b.WriteString("D" + strings.ToUpper(e.cat) + " ")
	}
	if f.Level {
		b.WriteString(LevelName(e.level) + " ")
	}
	b.WriteString(e.text)
	if f.Color {
		b.WriteString("\x1b[0;m")
	}
	return b.String()
}

func colorOf(l slog.Level) string {
	switch {
	case l >= LevelError:
		return "\x1b[1;31m"
	case l >= LevelNotice:
		return "\x1b[1;33m"
	case l >= LevelInfo:
		return "\x1b[1;32m"
	}
	return "\x1b[1;34m"
}

// appendAttr writes " key=value"; control characters never reach a terminal.
func appendAttr(b *strings.Builder, prefix string, a slog.Attr) {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		for _, g := range v.Group() {
			appendAttr(b, prefix+a.Key+".", g)
		}
		return
	}
	if a.Key == "" {
		return
	}
	s := v.String()
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r == '=' || r >= 0x7f }) {
		s = strconv.Quote(s)
	}
	b.WriteString(" " + prefix + a.Key + "=" + s)
}

// clean replaces control characters of a message.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
