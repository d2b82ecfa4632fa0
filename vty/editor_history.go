package vty

import "slices"

// history remembers the last maxHistory lines, and while one walks through
// them, the line that was being typed.
type history struct {
	lines []string // oldest first
	at    int      // index of the line shown; len(lines): the typed one
	typed string
}

// add remembers a line, unless it is empty or the last one again.
func (h *history) add(line string) {
	if line != "" && (len(h.lines) == 0 || h.lines[len(h.lines)-1] != line) {
		if len(h.lines) == maxHistory {
			h.lines = slices.Delete(h.lines, 0, 1)
		}
		h.lines = append(h.lines, line)
	}
	h.leave()
}

// leave ends the walk.
func (h *history) leave() { h.at, h.typed = len(h.lines), "" }

func (h *history) older(current string) (string, bool) {
	if h.at == 0 {
		return "", false
	}
	if h.at == len(h.lines) {
		h.typed = current
	}
	h.at--
	return h.lines[h.at], true
}

func (h *history) newer() (string, bool) {
	if h.at >= len(h.lines) {
		return "", false
	}
	h.at++
	if h.at == len(h.lines) {
		return h.typed, true
	}
	return h.lines[h.at], true
}
