package lab

import (
	"fmt"
	"strings"
)

// Levels of thrift, what does not fit on a terminal goes in this order: 0 all
// is there; 1 little of the instructions, and the checks that hold are one line;
// 2 no empty lines; 3 no instructions, no counters; 4 no BSSs; 5 no echoes, no explanation.
const (
	mostThrift = 5
	always     = mostThrift
)

// screen is what a terminal of rows and columns shows: the line that tells where
// to telnet, and of the rest what fits by its level.
func screen(v *view, p *plan, rows, columns int) []string {
	for level := 0; ; level++ {
		lines := screenAt(v, p, level, columns)
		if len(lines) <= rows || level == mostThrift {
			lines = lines[:min(len(lines), rows)]
			for i, l := range lines {
				lines[i] = l[:min(len(l), columns)]
			}
			return lines
		}
	}
}

func screenAt(v *view, p *plan, level, columns int) []string {
	lines := []string{p.howTo()}
	switch {
	case level == 0:
		lines = strings.Split(p.intro(columns), "\n")
	case level <= 2:
		lines = append(lines, p.firstSteps())
	}
	for _, part := range parts {
		switch {
		case level > part.level:
		case part.draw == nil:
			lines = append(lines, "")
		default:
			text := strings.TrimSuffix(part.draw(briefly(v, level)), "\n")
			if text != "" {
				lines = append(lines, strings.Split(text, "\n")...)
			}
		}
	}
	return lines
}

// briefly puts the checks that hold into one, from level 1 on.
func briefly(v *view, level int) *view {
	if level == 0 {
		return v
	}
	short := *v
	short.checks = nil
	hold := 0
	for _, c := range v.checks {
		if c.holds && c.but == "" {
			hold++
			continue
		}
		short.checks = append(short.checks, c)
	}
	if hold > 0 {
		short.checks = append(short.checks, check{what: fmt.Sprintf("%d of %d checks hold", hold, len(v.checks)), holds: true})
	}
	return &short
}
