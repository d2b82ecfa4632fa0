package vty

import "unicode/utf8"

// maxLine is the length of a line in octets. What is longer is refused whole:
// half a command may mean something else.
const maxLine = 4096

// maxHistory is the number of lines that a session remembers.
const maxHistory = 100

// event is what a key asks of the terminal.
type event uint8

const (
	evNone      event = iota
	evLine            // Enter: the line is in editor.take
	evTooLong         // Enter after more than maxLine
	evInterrupt       // ^C
	evSuspend         // ^Z
	evEOF             // ^D on an empty line
	evComplete        // TAB
	evHelp            // ?
	evRefresh         // ^L
)

// editor edits one line: keys in, screen out, with Osmocom's keys and its
// plain echo (characters, backspaces and blanks; no cursor sequences). It is
// pure. A UTF-8 sequence is one character of one column: wide and combining
// ones are kept but misplace the cursor; broken ones are dropped whole.
type editor struct {
	hidden bool // a password: no echo, no history, no TAB or ?

	text    []rune
	pos     int // of the cursor within text
	size    int // octets of text
	tooLong bool

	esc     escape
	partial []byte // of an unfinished UTF-8 sequence
	lit     bool   // after ^V

	history history
	screen  []byte // what this key writes
}

// feed takes one octet and returns what is to be written, valid until the next
// call, and what is to be done.
func (e *editor) feed(b byte) ([]byte, event) {
	e.screen = e.screen[:0]
	if len(e.partial) > 0 || b >= utf8.RuneSelf {
		if e.multibyte(b) {
			return e.screen, evNone
		}
	}
	if e.lit && b >= ' ' {
		e.lit = false
		e.insert(rune(b))
		return e.screen, evNone
	}
	e.lit = false
	if action, taken := e.esc.feed(b); taken {
		return e.act(action)
	}
	if action, ok := keys[b]; ok && !(e.hidden && action.visible) {
		return e.act(action)
	}
	e.insert(rune(b))
	return e.screen, evNone
}

func (e *editor) act(a action) ([]byte, event) {
	if a.edit != nil {
		a.edit(e)
	}
	ev := a.event
	switch {
	case ev == evLine && e.tooLong:
		ev = evTooLong
	case ev == evDeleteOrEOF:
		ev = e.deleteOrEOF()
	}
	return e.screen, ev
}

// multibyte collects a UTF-8 sequence. It reports whether b belonged to it;
// otherwise the sequence was broken off and b is a key of its own.
func (e *editor) multibyte(b byte) bool {
	if b < utf8.RuneSelf || (len(e.partial) > 0 && utf8.RuneStart(b)) {
		e.partial = e.partial[:0]
		if b < utf8.RuneSelf {
			return false
		}
	}
	e.partial = append(e.partial, b)
	if utf8.FullRune(e.partial) {
		if r, n := utf8.DecodeRune(e.partial); n > 1 {
			e.insert(r)
		}
		e.partial = e.partial[:0]
	}
	return true
}

// take returns the line and starts a new one, remembering it unless hidden.
func (e *editor) take() string {
	line := string(e.text)
	if !e.hidden {
		e.history.add(line)
	}
	e.reset()
	return line
}

// reset forgets the line, not the history.
func (e *editor) reset() {
	e.text, e.pos, e.size, e.tooLong, e.lit = e.text[:0], 0, 0, false, false
	e.history.leave()
}

// beforeCursor is what TAB and ? look at.
func (e *editor) beforeCursor() string { return string(e.text[:e.pos]) }

// redraw shows the line again behind a fresh prompt.
func (e *editor) redraw() []byte {
	if e.hidden {
		return nil
	}
	e.screen = e.screen[:0]
	e.echo(e.text...)
	e.back(len(e.text) - e.pos)
	return e.screen
}

// replaceWord puts word in the place of the last one before the cursor, which
// TAB has completed, and returns what is to be written.
func (e *editor) replaceWord(word string) []byte {
	e.screen = e.screen[:0]
	start := e.pos
	for start > 0 && e.text[start-1] != ' ' {
		start--
	}
	e.back(e.pos - start)
	tail := append([]rune(nil), e.text[e.pos:]...)
	old := len(e.text)
	e.setText(append(e.text[:start:start], []rune(word)...))
	e.pos = len(e.text)
	e.echo(e.text[start:]...)
	e.setText(append(e.text, tail...))
	e.echo(tail...)
	e.blank(old - len(e.text))
	e.back(len(tail))
	return e.screen
}

func (e *editor) setText(text []rune) {
	e.text, e.size = text, 0
	for _, r := range text {
		e.size += utf8.RuneLen(r)
	}
}
