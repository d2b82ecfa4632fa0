package vty

import "unicode/utf8"

// The movements and deletions of the line editor. Each changes text and cursor
// and writes what makes the screen agree.

func (e *editor) write(s string) { e.screen = append(e.screen, s...) }

func (e *editor) echo(text ...rune) {
	if e.hidden {
		return
	}
	for _, r := range text {
		e.screen = utf8.AppendRune(e.screen, r)
	}
}

// back moves the screen's cursor n columns to the left.
func (e *editor) back(n int) { e.repeat('\b', n) }

// blank wipes n columns from the screen's cursor on and comes back.
func (e *editor) blank(n int) {
	e.repeat(' ', n)
	e.repeat('\b', n)
}

func (e *editor) repeat(b byte, n int) {
	if e.hidden {
		return
	}
	for ; n > 0; n-- {
		e.screen = append(e.screen, b)
	}
}

func (e *editor) left() {
	if e.pos > 0 {
		e.back(1)
		e.pos--
	}
}

func (e *editor) right() {
	if e.pos < len(e.text) {
		e.echo(e.text[e.pos])
		e.pos++
	}
}

func (e *editor) home() {
	e.back(e.pos)
	e.pos = 0
}

func (e *editor) end() {
	e.echo(e.text[e.pos:]...)
	e.pos = len(e.text)
}

func (e *editor) wordLeft() {
	for e.pos > 0 && e.text[e.pos-1] == ' ' {
		e.left()
	}
	for e.pos > 0 && e.text[e.pos-1] != ' ' {
		e.left()
	}
}

func (e *editor) wordRight() {
	for e.pos < len(e.text) && e.text[e.pos] != ' ' {
		e.right()
	}
	for e.pos < len(e.text) && e.text[e.pos] == ' ' {
		e.right()
	}
}

func (e *editor) deleteChar() { e.deleteChars(min(1, len(e.text)-e.pos)) }

// deleteChars deletes n characters from the cursor on.
func (e *editor) deleteChars(n int) {
	if n == 0 {
		return
	}
	e.setText(append(e.text[:e.pos], e.text[e.pos+n:]...))
	rest := e.text[e.pos:]
	e.echo(rest...)
	e.repeat(' ', n)
	e.back(len(rest) + n)
}

func (e *editor) backspace() {
	if e.pos > 0 {
		e.left()
		e.deleteChar()
	}
}

// killWord deletes the word before the cursor and the blanks behind it: at the
// end of the line one by one, as Osmocom echoes it, elsewhere at one stroke,
// since each deletion writes the rest of the line.
func (e *editor) killWord() {
	start := e.pos
	for start > 0 && e.text[start-1] == ' ' {
		start--
	}
	for start > 0 && e.text[start-1] != ' ' {
		start--
	}
	if e.pos < len(e.text) {
		n := e.pos - start
		e.back(n)
		e.pos = start
		e.deleteChars(n)
		return
	}
	for e.pos > start {
		e.backspace()
	}
}

func (e *editor) killWordRight() {
	end := e.pos
	for end < len(e.text) && e.text[end] == ' ' {
		end++
	}
	for end < len(e.text) && e.text[end] != ' ' {
		end++
	}
	e.deleteChars(end - e.pos)
}

func (e *editor) killEnd() {
	e.blank(len(e.text) - e.pos)
	e.setText(e.text[:e.pos])
}

// killLine forgets the whole line, on both sides of the cursor, and with it
// that it was too long.
func (e *editor) killLine() {
	e.home()
	e.killEnd()
	e.tooLong = false
}

// transpose exchanges the two characters before the cursor at the end of the
// line, else those on its two sides, and moves behind them.
func (e *editor) transpose() {
	if len(e.text) < 2 || e.pos < 1 {
		return
	}
	if e.pos == len(e.text) {
		e.left()
	}
	e.left()
	p := e.pos
	e.text[p], e.text[p+1] = e.text[p+1], e.text[p]
	e.right()
	e.right()
}

func (e *editor) older() { e.recall(e.history.older(string(e.text))) }
func (e *editor) newer() { e.recall(e.history.newer()) }

func (e *editor) recall(line string, ok bool) {
	if !ok {
		return
	}
	e.killLine()
	e.setText([]rune(line))
	e.end()
}
