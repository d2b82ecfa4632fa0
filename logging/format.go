package logging

import (
	"fmt"
	"log/slog"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Format is what a target prints before the message.
type Format struct {
	Priority     bool // "<5>", which the systemd journal takes from standard error
	Color        bool
	Timestamp    bool // "2026-01-02T15:04:05"
	ExtTimestamp bool // milliseconds, "20260102150405678"
	ThreadID     bool // of the kernel's thread that the line was made on
	Category     bool
	Level        bool
	CategoryHex  bool // "<0015>", the index among New's categories
	File         FileFormat
	FileLast     bool // the source file at the line's end
	Mask         bool // pseudonyms for identities of subscribers
}

// FileFormat is how the source of a record is shown.
type FileFormat uint8

const (
	FileNone FileFormat = iota
	FilePath
	FileBase
)

// DefaultFormat is that of a target about which nothing is said.
var DefaultFormat = Format{Category: true, Level: true}

// entry is one record with its category looked up.
type entry struct {
	time  time.Time
	level slog.Level
	cat   string
	index int    // of cat
	text  string // message and attributes
	pc    uintptr
	tid   int
}

// sourceRoot is where this build has the program's own files, with a slash behind
// it; the path within them is the same wherever they are built.
var sourceRoot = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(file)) + "/"
}()

// place returns the record's file, as "gb/loop.go", and its line; of others'
// packages the last folder is shown.
func (f FileFormat) place(pc uintptr) (name string, line int) {
	if f == FileNone || pc == 0 {
		return "", 0
	}
	fr, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	name, own := strings.CutPrefix(fr.File, sourceRoot)
	switch {
	case f == FileBase:
		name = path.Base(fr.File)
	case !own:
		name = path.Join(path.Base(path.Dir(fr.File)), path.Base(fr.File))
	}
	return name, fr.Line
}

func (f FileFormat) source(pc uintptr) string {
	name, line := f.place(pc)
	if name == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", name, line)
}

// line renders e without a line end.
func (f Format) line(e entry) string {
	var b strings.Builder
	if f.Priority {
		fmt.Fprintf(&b, "<%d>", severity(e.level))
	}
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
	if f.ThreadID {
		fmt.Fprintf(&b, "%d ", e.tid)
	}
	if f.Category {
		b.WriteString("D" + strings.ToUpper(e.cat) + " ")
	}
	if f.Level {
		b.WriteString(LevelName(e.level) + " ")
	}
	if f.CategoryHex {
		fmt.Fprintf(&b, "<%04x> ", e.index)
	}
	source := f.File.source(e.pc)
	if source != "" && !f.FileLast {
		b.WriteString(source + " ")
	}
	b.WriteString(e.text)
	if source != "" && f.FileLast {
		b.WriteString(" (" + source + ")")
	}
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
