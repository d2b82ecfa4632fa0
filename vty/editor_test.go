package vty

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// typed feeds keys and returns everything that was written, and the events.
func typed(e *editor, keys string) (screen string, events []event) {
	var b strings.Builder
	for _, k := range []byte(keys) {
		s, ev := e.feed(k)
		b.Write(s)
		if ev != evNone {
			events = append(events, ev)
		}
	}
	return b.String(), events
}

const bs = "\b"

func backs(n int) string  { return strings.Repeat(bs, n) }
func spaces(n int) string { return strings.Repeat(" ", n) }

// The echoes of the first group were taken down from osmo-gbproxy 0.5.0.
// Facts: G11-18
func TestEcho(t *testing.T) {
	tests := []struct {
		name, keys, screen, line string
	}{
		{"^U", "show gbproxy \x15", "show gbproxy " + backs(13) + spaces(13) + backs(13), ""},
		{"^A, insert", "how nri all\x01s\r", "how nri all" + backs(11) + "show nri all" + backs(11) + "\r\n", "show nri all"},
		{"^W", "show nri foo\x17all\r", "show nri foo\b \b\b \b\b \ball\r\n", "show nri all"},
		{"left, ^K", "show nri allX\x1b[D\x0b\r", "show nri allX\b \b\r\n", "show nri all"},
		{"DEL", "show nri allx\x7f\r", "show nri allx\b \b\r\n", "show nri all"},
		{"^H", "show nri allx\x08\r", "show nri allx\b \b\r\n", "show nri all"},

		{"^B ^F", "ab\x02\x06c", "ab\bbc", "abc"},
		{"home end", "ab\x1b[H\x1b[F", "ab\b\bab", "ab"},
		{"home end, VT220", "ab\x1b[1~x\x1b[4~", "ab\b\bxab\b\bab", "xab"},
		{"home end, application mode", "ab\x1bOHx\x1bOF", "ab\b\bxab\b\bab", "xab"},
		{"left and right at the ends", "\x1b[D\x1b[Ca\x1b[C", "a", "a"},
		{"delete", "abc\x01\x1b[3~", "abc\b\b\bbc \b\b\b", "bc"},
		{"^D deletes", "abc\x02\x04", "abc\b \b", "ab"},
		{"^D at the end of text", "abc\x04", "abc", "abc"},
		{"backspace within", "abc\x02\x7f", "abc\b\bc \b\b", "ac"},
		{"backspace at the beginning", "a\x01\x7f", "a\b", "a"},
		{"^T within", "sohw\x02\x02\x14", "sohw\b\b\bho", "show"},
		{"^T of the last two", "shwo\x14", "shwo\b\bow", "show"},
		{"^T alone", "a\x14", "a", "a"},
		{"^W within", "ab cd ef\x02\x02\x17", "ab cd ef\b\b\b\b\bef   \b\b\b\b\b", "ab ef"},
		{"word left, right", "ab cd\x1b[1;5D\x1b[1;5D\x1b[1;5Cx", "ab cd\b\b\b\b\bab xcd\b\b", "ab xcd"},
		{"ESC d", "ab cd\x01\x1bd", "ab cd\b\b\b\b\b cd  \b\b\b\b\b", " cd"},
		{"^V ?", "what\x16?", "what?", "what?"},
		{"^V Enter is Enter", "a\x16\r", "a\r\n", "a"},
		{"unknown sequences", "a\x1b[17~\x1b[200;1;1;1;1;1;1z\x1bOPb\x1b\x1b[C", "ab", "ab"},
		{"half a sequence does not eat Enter", "a\x1b[\r", "a\r\n", "a"},
		{"control characters", "a\x00\x07\x1cb", "ab", "ab"},

		{"UTF-8", "show \xc3\xa9\r", "show \xc3\xa9\r\n", "show \xc3\xa9"},
		{"UTF-8 deleted whole", "\xe2\x82\xac\x7f", "\xe2\x82\xac\b \b", ""},
		{"broken UTF-8", "a\xc3b\xff\xa9c\xe2\x82d", "abcd", "abcd"},
		{"overlong, surrogate", "\xc0\xafa\xed\xa0\x80", "a", "a"},
		{"C1 control", "\xc2\x9b1", "1", "1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var e editor
			screen, _ := typed(&e, tt.keys)
			if screen != tt.screen {
				t.Errorf("screen %q, want %q", screen, tt.screen)
			}
			if got := string(e.text); got != tt.line {
				t.Errorf("line %q, want %q", got, tt.line)
			}
		})
	}
}

func TestEvents(t *testing.T) {
	tests := []struct {
		keys string
		want event
		left string
	}{
		{"\r", evLine, ""},
		{"a\r", evLine, "a"},
		{"nri bit\x03", evInterrupt, ""}, // Osmocom keeps the text: a defect
		{"nri bit\x1a", evSuspend, ""},
		{"\x04", evEOF, ""},
		{"a\x7f\x04", evEOF, ""},
		{"sh\t", evComplete, "sh"},
		{"sh?", evHelp, "sh"},
		{"sh\x0c", evRefresh, "sh"},
		{strings.Repeat("x", maxLine) + "\r", evLine, strings.Repeat("x", maxLine)},
		{strings.Repeat("x", maxLine+1) + "\r", evTooLong, strings.Repeat("x", maxLine)},
		{strings.Repeat("x", maxLine+1) + "\x7f\x7f\r", evTooLong, strings.Repeat("x", maxLine-2)},
		{strings.Repeat("x", maxLine-1) + "é\r", evTooLong, strings.Repeat("x", maxLine-1)},
		{strings.Repeat("x", maxLine+1) + "\x15show\r", evLine, "show"},
	}
	for _, tt := range tests {
		var e editor
		_, events := typed(&e, tt.keys)
		if len(events) != 1 || events[0] != tt.want {
			t.Errorf("%.20q: events %v, want %v", tt.keys, events, tt.want)
		}
		if got := string(e.text); got != tt.left {
			t.Errorf("%.20q: %.20q is left, want %.20q", tt.keys, got, tt.left)
		}
	}
}

func TestInterruptForgetsTheText(t *testing.T) {
	for _, key := range []string{"\x03", "\x1a"} {
		var e editor
		typed(&e, "nri bit"+key)
		screen, _ := typed(&e, "end\r")
		if screen != "end\r\n" || e.take() != "end" {
			t.Errorf("%q left something: %q", key, screen)
		}
	}
}

func enter(e *editor, lines ...string) {
	for _, l := range lines {
		typed(e, l+"\r")
		e.take()
	}
}

// The first four screens were taken down from osmo-gbproxy.
// Facts: G11-18
func TestHistoryKeys(t *testing.T) {
	var e editor
	enter(&e, "bind udp bss-side", "end")
	steps := []struct{ key, screen string }{
		{"\x1b[A", "end"},
		{"\x1b[A", backs(3) + spaces(3) + backs(3) + "bind udp bss-side"},
		{"\x1b[B", backs(17) + spaces(17) + backs(17) + "end"},
		{"\x15", backs(3) + spaces(3) + backs(3)},
	}
	for i, s := range steps {
		if got, _ := typed(&e, s.key); got != s.screen {
			t.Errorf("step %d: %q, want %q", i, got, s.screen)
		}
	}
	e.reset()
	if got, _ := typed(&e, "typed\x10"); !strings.HasSuffix(got, "end") {
		t.Errorf("^P shows %q", got)
	}
	typed(&e, "\x0e")
	if got := string(e.text); got != "typed" {
		t.Errorf("^N past the newest gives %q, want what was typed", got)
	}
	typed(&e, "\x10\x10\x10\x10")
	if got := string(e.text); got != "bind udp bss-side" {
		t.Errorf("past the oldest: %q", got)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	var e editor
	enter(&e, "first", "same", "same", "", "  ")
	if got := len(e.history.lines); got != 3 {
		t.Errorf("%d lines remembered, want 3: a repetition and an empty line are none", got)
	}
	for range 3 * maxHistory {
		enter(&e, "a", "b")
	}
	if got := len(e.history.lines); got != maxHistory {
		t.Errorf("%d lines, want %d", got, maxHistory)
	}
}

func TestHiddenEditorWritesNoText(t *testing.T) {
	e := editor{hidden: true}
	screen, events := typed(&e, "se\tc?x\x02\x06\x7fret\x10\x0c\x01\x05\r")
	if screen != "\r\n" || len(events) != 1 || events[0] != evLine {
		t.Errorf("screen %q, events %v", screen, events)
	}
	if got := e.take(); got != "sec?ret" {
		t.Errorf("password %q: ? is a character, tab none", got)
	}
	if len(e.history.lines) != 0 {
		t.Error("a password is in the history")
	}
}

// Screens after the prompt, as osmo-gbproxy shows them.
func TestReplaceWord(t *testing.T) {
	tests := []struct{ keys, word, screen, line string }{
		{"sh", "show ", "\b\bshow ", "show "},
		{"show gb", "gbproxy ", "\b\bgbproxy ", "show gbproxy "},
		{"show gbproxy bvc b", "bss ", "\bbss ", "show gbproxy bvc bss "},
		{"show ", "nri ", "nri ", "show nri "},
		{"sh nri\x01\x06\x06", "show ", "\b\bshow  nri" + backs(4), "show  nri"},
	}
	for _, tt := range tests {
		var e editor
		typed(&e, tt.keys)
		if got := string(e.replaceWord(tt.word)); got != tt.screen {
			t.Errorf("%q: screen %q, want %q", tt.keys, got, tt.screen)
		}
		if got := string(e.text); got != tt.line {
			t.Errorf("%q: line %q, want %q", tt.keys, got, tt.line)
		}
	}
}

// tty is a screen row that understands what the editor writes.
type tty struct {
	row []rune
	at  int
}

func (s *tty) write(t *testing.T, p []byte) {
	for _, r := range string(p) {
		switch {
		case r == '\b':
			s.at--
		case r == '\r' || r == '\n':
			s.row, s.at = nil, 0
		case r == '\a':
		default:
			if s.at == len(s.row) {
				s.row = append(s.row, 0)
			}
			s.row[s.at] = r
			s.at++
		}
		if s.at < 0 {
			t.Fatal("the cursor left the row")
		}
	}
}

// FuzzEditor types anything: the screen must always show the line, the cursor
// stand where the next character goes, and nothing grow beyond its bound.
func FuzzEditor(f *testing.F) {
	f.Add([]byte("show nri all\x01s\r"))
	f.Add([]byte("ab cd ef\x02\x02\x17\x1b[D\x1b[3~\x14\x14\x0b\x10\x10\x0e\r"))
	f.Add([]byte("\xc3\xa9\xe2\x82\xac\x7f\x1bd\x1bb\x16?\t?\x0c\x03\x1a\x04"))
	f.Add(bytes.Repeat([]byte("word "), 1000))
	f.Fuzz(func(t *testing.T, keys []byte) {
		var e editor
		var s tty
		for _, k := range keys {
			screen, ev := e.feed(k)
			s.write(t, screen)
			switch ev {
			case evLine:
				e.take()
			case evTooLong:
				e.reset()
			case evComplete:
				s.write(t, e.replaceWord("completed "))
			}
			checkScreen(t, &e, &s)
		}
	})
}

func checkScreen(t *testing.T, e *editor, s *tty) {
	t.Helper()
	if got := strings.TrimRight(string(s.row), " "); got != strings.TrimRight(string(e.text), " ") {
		t.Fatalf("the screen shows %q, the line is %q", got, string(e.text))
	}
	if s.at != e.pos {
		t.Fatalf("the cursor is at %d, should be at %d", s.at, e.pos)
	}
	if n := len(string(e.text)); n != e.size || n > maxLine+len("completed ") || len(e.history.lines) > maxHistory {
		t.Fatalf("size %d counted as %d, %d lines of history", n, e.size, len(e.history.lines))
	}
	if !utf8.ValidString(string(e.text)) {
		t.Fatal("the line is no UTF-8")
	}
}
