package vty

import (
	"unicode"
	"unicode/utf8"
)

const (
	keyESC = 0x1b
	keyDEL = 0x7f
)

// ctrl is the octet that a key with Ctrl sends.
func ctrl(letter byte) byte { return letter & 0x1f }

// action is what a key does: edit the line, then ask something of the terminal.
type action struct {
	edit    func(*editor)
	event   event
	visible bool // not while a password is typed: the key is then a character
}

// evDeleteOrEOF is ^D before it is known whether the line is empty.
const evDeleteOrEOF event = 0xff

// keys is the keyboard. Characters that are not here are inserted.
var keys = map[byte]action{
	'\r':      {edit: (*editor).newline, event: evLine},
	'\n':      {edit: (*editor).newline, event: evLine},
	'\t':      {event: evComplete, visible: true},
	'?':       {event: evHelp, visible: true},
	ctrl('A'): {edit: (*editor).home},
	ctrl('B'): {edit: (*editor).left},
	ctrl('C'): {edit: (*editor).drop, event: evInterrupt},
	ctrl('D'): {event: evDeleteOrEOF},
	ctrl('E'): {edit: (*editor).end},
	ctrl('F'): {edit: (*editor).right},
	ctrl('H'): {edit: (*editor).backspace},
	ctrl('K'): {edit: (*editor).killEnd},
	ctrl('L'): {event: evRefresh, visible: true},
	ctrl('N'): {edit: (*editor).newer, visible: true},
	ctrl('P'): {edit: (*editor).older, visible: true},
	ctrl('T'): {edit: (*editor).transpose},
	ctrl('U'): {edit: (*editor).killLine},
	ctrl('V'): {edit: (*editor).literal},
	ctrl('W'): {edit: (*editor).killWord},
	ctrl('Z'): {edit: (*editor).drop, event: evSuspend},
	keyDEL:    {edit: (*editor).backspace},
}

// sequences are the keys that send more than one octet, without their ESC.
// "O" forms come from a terminal in application mode; the numbers are those of
// VT220, Linux and rxvt; ";5" is Ctrl.
var sequences = map[string]action{
	"[A": {edit: (*editor).older, visible: true}, "OA": {edit: (*editor).older, visible: true},
	"[B": {edit: (*editor).newer, visible: true}, "OB": {edit: (*editor).newer, visible: true},
	"[C": {edit: (*editor).right}, "OC": {edit: (*editor).right},
	"[D": {edit: (*editor).left}, "OD": {edit: (*editor).left},
	"[H": {edit: (*editor).home}, "OH": {edit: (*editor).home},
	"[F": {edit: (*editor).end}, "OF": {edit: (*editor).end},
	"[1~": {edit: (*editor).home}, "[7~": {edit: (*editor).home},
	"[4~": {edit: (*editor).end}, "[8~": {edit: (*editor).end},
	"[3~":   {edit: (*editor).deleteChar},
	"[1;5C": {edit: (*editor).wordRight}, "f": {edit: (*editor).wordRight},
	"[1;5D": {edit: (*editor).wordLeft}, "b": {edit: (*editor).wordLeft},
	"d":    {edit: (*editor).killWordRight},
	"\x7f": {edit: (*editor).killWord}, "\x08": {edit: (*editor).killWord},
}

// maxSequence is more than the longest of sequences. What is longer is passed
// over to its end.
const maxSequence = 8

// escape collects an escape sequence. The zero value is outside of one.
type escape struct {
	active bool
	seq    []byte
}

// feed reports whether b belonged to a sequence; the action is that of the
// sequence it ended, if it is known.
func (s *escape) feed(b byte) (action, bool) {
	if !s.active {
		s.active = b == keyESC
		return action{}, s.active
	}
	switch {
	case b == '\r' || b == ctrl('C'): // never swallowed by half a sequence
		*s = escape{seq: s.seq[:0]}
		return action{}, false
	case b == keyESC:
		s.seq = s.seq[:0]
		return action{}, true
	}
	if len(s.seq) < maxSequence {
		s.seq = append(s.seq, b)
	}
	if !s.ended(b) {
		return action{}, true
	}
	a := sequences[string(s.seq)]
	*s = escape{seq: s.seq[:0]}
	return a, true
}

// ended tells whether b is the last octet: of CSI a letter or "~" (ECMA-48
// 5.4), of SS3 the one after "O", else the one after ESC.
func (s *escape) ended(b byte) bool {
	switch {
	case s.seq[0] == '[':
		return len(s.seq) > 1 && b >= '@' && b <= '~'
	case s.seq[0] == 'O':
		return len(s.seq) > 1
	}
	return true
}

// insert puts a character at the cursor. Control characters and what can't be
// shown are dropped, a tab in a password included.
func (e *editor) insert(r rune) {
	n := utf8.RuneLen(r)
	if !unicode.IsPrint(r) || e.tooLong {
		return
	}
	if e.size+n > maxLine {
		e.tooLong = true
		e.screen = append(e.screen, '\a')
		return
	}
	e.size += n
	e.text = append(e.text, 0)
	copy(e.text[e.pos+1:], e.text[e.pos:])
	e.text[e.pos] = r
	e.pos++
	e.echo(e.text[e.pos-1:]...)
	e.back(len(e.text) - e.pos)
}

func (e *editor) newline() { e.write("\r\n") }

// drop begins a new line without the old one ever having been said.
func (e *editor) drop() {
	e.reset()
	e.newline()
}

func (e *editor) literal() { e.lit = true }

func (e *editor) deleteOrEOF() event {
	if len(e.text) == 0 && !e.tooLong {
		return evEOF
	}
	e.deleteChar()
	return evNone
}
