package vty

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// session is the whole of it: login, then line after line. The error is never
// nil.
func (c *console) session() error {
	c.lastKey = time.Now()
	if err := c.login(); err != nil {
		return err
	}
	c.interp = NewSession(c.srv.tree, c)
	c.prompt()
	for {
		b, err := c.key(c.showLogs)
		if err != nil {
			return err
		}
		screen, ev := c.edit.feed(b)
		c.out.Write(screen)
		if do := reactions[ev]; do != nil {
			if err := do(c); err != nil {
				return err
			}
		}
	}
}

// reactions is what a session does when the editor asks for it.
var reactions = map[event]func(*console) error{
	evLine:      (*console).line,
	evTooLong:   (*console).tooLong,
	evInterrupt: (*console).prompt,
	evSuspend:   (*console).suspend,
	evEOF:       (*console).eof,
	evComplete:  (*console).complete,
	evHelp:      (*console).help,
	evRefresh:   (*console).refresh,
}

// prompt shows the prompt and what was typed behind it.
func (c *console) prompt() error {
	c.out.WriteString(c.interp.Prompt())
	_, err := c.out.Write(c.edit.redraw())
	return err
}

func (c *console) line() error {
	line := c.edit.take()
	if strings.TrimSpace(line) == "" {
		return c.prompt()
	}
	return c.execute(line)
}

func (c *console) execute(line string) error {
	c.page = pager{}
	c.audit(line)
	quit := c.interp.Execute(line)
	if c.page.cols > 0 { // a file that is shown may not end its last line
		c.out.WriteString("\r\n")
	}
	c.page = pager{}
	if quit {
		return errExit
	}
	return c.prompt()
}

func (c *console) tooLong() error {
	c.edit.reset()
	fmt.Fprintf(c.out, "%% Line too long (more than %d octets), not executed.\r\n", maxLine)
	return c.prompt()
}

func (c *console) suspend() error {
	c.interp.End()
	return c.prompt()
}

// eof is ^D on an empty line: one level down, as "exit".
func (c *console) eof() error {
	c.out.WriteString("\r\n")
	return c.execute("exit")
}

func (c *console) help() error {
	c.out.WriteString("\r\n")
	c.show(c.interp.Describe(c.edit.beforeCursor()))
	return c.prompt()
}

func (c *console) complete() error {
	insert, choices := c.interp.Complete(c.edit.beforeCursor())
	c.out.WriteString("\r\n")
	if insert == "" && len(choices) > 0 {
		c.show(FormatChoices(choices, c.Width()))
	}
	if err := c.prompt(); err != nil || insert == "" {
		return err
	}
	_, err := c.out.Write(c.edit.replaceWord(insert))
	return err
}

func (c *console) show(text string) {
	c.page = pager{}
	io.WriteString(c, text)
	c.page = pager{}
}

// refresh clears the screen (ECMA-48 CUP, ED).
func (c *console) refresh() error {
	c.out.WriteString("\x1b[H\x1b[2J")
	return c.prompt()
}

// showLogs puts the waiting log lines above the prompt.
func (c *console) showLogs() {
	lines, dropped := c.logs.take()
	c.wipe()
	for _, l := range lines {
		c.page = pager{off: true}
		io.WriteString(c, l+"\n")
	}
	if dropped > 0 {
		fmt.Fprintf(c.out, "%% %d log lines were dropped.\r\n", dropped)
	}
	c.page = pager{}
	c.prompt()
}

// assumedWidth is that of a client that doesn't tell.
const assumedWidth = 80

// wipe removes prompt and text from the screen's last row, or leaves them if
// they take more than one.
func (c *console) wipe() {
	n := utf8.RuneCountInString(c.interp.Prompt()) + len(c.edit.text)
	width := c.Width()
	if width == 0 {
		width = assumedWidth
	}
	if n >= width {
		c.out.WriteString("\r\n")
		return
	}
	c.out.WriteString("\r" + strings.Repeat(" ", n) + "\r")
}
