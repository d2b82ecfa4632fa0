package logging

import (
	"fmt"
	"log/slog"
	"maps"
	"strings"
)

// The levels of the field in slog's scale.
const (
	LevelDebug  = slog.LevelDebug
	LevelInfo   = slog.LevelInfo
	LevelNotice = slog.Level(2)
	LevelError  = slog.LevelError
	LevelFatal  = slog.Level(12)
)

var levelNames = []struct {
	level slog.Level
	name  string
}{
	{LevelDebug, "debug"}, {LevelInfo, "info"}, {LevelNotice, "notice"},
	{LevelError, "error"}, {LevelFatal, "fatal"},
}

// ParseLevel reads debug, info, notice, error or fatal.
func ParseLevel(s string) (slog.Level, error) {
	for _, l := range levelNames {
		if l.name == s {
			return l.level, nil
		}
	}
	return 0, fmt.Errorf("logging: level %q is none of debug, info, notice, error, fatal", s)
}

// LevelName names the highest named level that l reaches, in upper case.
func LevelName(l slog.Level) string {
	name := levelNames[0].name
	for _, n := range levelNames {
		if l >= n.level {
			name = n.name
		}
	}
	return strings.ToUpper(name)
}

// Levels decide what a target takes. The zero value takes NOTICE and above.
type Levels struct {
	// ByCategory overrides the default of one category.
	ByCategory map[string]slog.Level
	// All is the level of categories not in ByCategory; nil: NOTICE.
	All *slog.Level
	// Force, when set, beats all else ("logging level force-all").
	Force *slog.Level
}

// Of returns the lowest level that category cat passes.
func (l Levels) Of(cat string) slog.Level {
	if l.Force != nil {
		return *l.Force
	}
	if v, ok := l.ByCategory[cat]; ok {
		return v
	}
	if l.All != nil {
		return *l.All
	}
	return LevelNotice
}

// min returns the lowest level that any category passes.
func (l *Levels) min() slog.Level {
	if l.Force != nil {
		return *l.Force
	}
	m := LevelNotice
	if l.All != nil {
		m = *l.All
	}
	for _, v := range l.ByCategory {
		m = min(m, v)
	}
	return m
}

// With returns l with the level of one category changed.
func (l Levels) With(cat string, level slog.Level) Levels {
	l.ByCategory = maps.Clone(l.ByCategory)
	if l.ByCategory == nil {
		l.ByCategory = map[string]slog.Level{}
	}
	l.ByCategory[cat] = level
	return l
}

// severity is the syslog severity of a level (RFC 5424 6.2.1).
func severity(l slog.Level) int {
	switch {
	case l >= LevelFatal:
		return 2
	case l >= LevelError:
		return 3
	case l > LevelNotice:
		return 4
	case l == LevelNotice:
		return 5
	case l >= LevelInfo:
		return 6
	}
	return 7
}

// osmocom is the number of a level in Osmocom programs.
func osmocom(l slog.Level) uint8 {
	switch {
	case l >= LevelFatal:
		return 8
	case l >= LevelError:
		return 7
	case l >= LevelNotice:
		return 5
	case l >= LevelInfo:
		return 3
	}
	return 1
}
