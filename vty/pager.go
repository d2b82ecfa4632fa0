package vty

import (
	"bytes"
	"time"
	"unicode/utf8"
)

const morePrompt = " --More-- "

// pager counts the rows of one command's output. The zero value is the
// beginning of one.
type pager struct {
	rows int  // shown since the last pause
	cols int  // in the row that is not ended
	last byte // shown, for harmless
	off  bool // no more pauses
	quit bool // the user has seen enough
}

// Write implements Terminal. Control characters other than line ends and tabs
// are shown as "?": names and log texts come from peers, and an operator's
// terminal is not for them to command.
func (c *console) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		if c.page.cols == 0 {
			if err := c.pause(); err != nil {
				return n, err
			}
		}
		piece := p[n:]
		if end := bytes.IndexByte(piece, '\n'); end >= 0 {
			piece = piece[:end+1]
		}
		if err := c.print(piece); err != nil {
			return n, err
		}
		n += len(piece)
	}
	return len(p), nil
}

// print shows a part of one line.
func (c *console) print(piece []byte) error {
	text, ended := bytes.CutSuffix(piece, []byte{'\n'})
	text = bytes.TrimSuffix(text, []byte{'\r'})
	for _, b := range text {
		c.out.WriteByte(c.page.harmless(b))
	}
	c.page.cols += utf8.RuneCount(text)
	if !ended {
		return c.outErr()
	}
	c.page.rows += max(1, ceilDiv(c.page.cols, c.Width()))
	c.page.cols = 0
	_, err := c.out.WriteString("\r\n")
	return err
}

// harmless replaces control characters, those of ISO 6429's upper half in their
// UTF-8 form included.
func (p *pager) harmless(b byte) byte {
	upper := p.last == 0xc2 && b >= 0x80 && b < 0xa0
	p.last = b
	if upper || (b < ' ' && b != '\t') || b == keyDEL {
		return '?'
	}
	return b
}

// outErr is the error that the output has met with, if any.
func (c *console) outErr() error {
	_, err := c.out.Write(nil)
	return err
}

// ceilDiv is 1 for an unknown width.
func ceilDiv(n, width int) int {
	if width == 0 {
		return 1
	}
	return (n + width - 1) / width
}

// aheadTime is long enough for keys that have arrived to be read by the other
// goroutine, and too short to be noticed.
const aheadTime = 10 * time.Millisecond

// typedAhead tells whether keys are waiting, or no more will come: nobody would
// answer --More--, and a pasted character must not be taken for an answer.
func (c *console) typedAhead() bool {
	if len(c.ahead) > 0 {
		return true
	}
	t := time.NewTimer(aheadTime)
	defer t.Stop()
	select {
	case b, ok := <-c.keys:
		if ok {
			c.ahead, c.lastKey = append(c.ahead, b), time.Now()
		}
		return true
	case <-t.C:
		return false
	}
}

// pause holds the output when a page is full, unless keys are waiting.
func (c *console) pause() error {
	if c.page.quit {
		return ErrQuit
	}
	height := c.Length()
	if c.page.off || height == 0 || c.page.rows < max(1, height-1) {
		return nil
	}
	if c.typedAhead() {
		c.page.off = true
		return nil
	}
	c.out.WriteString(morePrompt)
	err := c.answerMore(max(1, height-1))
	c.out.WriteString("\r" + string(bytes.Repeat([]byte{' '}, len(morePrompt))) + "\r")
	return err
}

// isText tells whether a character could be the beginning of pasted text.
func isText(b byte) bool { return b == '\r' || b >= ' ' && b != keyDEL }

// answerMore takes the answer to --More--: Enter shows a line, q or ^C no more,
// and any other character a page. One that others follow at once is the
// beginning of pasted text: the rest is shown without a pause and the character
// kept. Keys that are no characters do nothing.
func (c *console) answerMore(page int) error {
	var esc escape
	for {
		b, err := c.key(nil)
		if err != nil {
			c.page.quit = true
			return err
		}
		if _, taken := esc.feed(b); taken {
			continue
		}
		switch {
		case isText(b) && c.typedAhead():
			c.page.off = true
			c.ahead = append([]byte{b}, c.ahead...)
		case b == '\r':
			c.page.rows = page - 1
		case b == 'q', b == 'Q', b == ctrl('C'):
			c.page.quit = true
			return ErrQuit
		case isText(b):
			c.page.rows = 0
		default:
			continue
		}
		return nil
	}
}
