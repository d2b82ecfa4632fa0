package vty

import (
	"context"
	"log/slog"
	"slices"
	"strings"
)

// levelNotice is the field's level between info and warning.
const levelNotice = slog.Level(2)

// readOnly are the first words of commands that change nothing but the session.
var readOnly = []string{"show", "list", "help", "exit", "end", "enable", "disable", "configure", "who",
	"terminal", "logging", "no logging", "echo"}

// secret are words behind which nothing is logged.
var secret = []string{"password", "login"}

// audit logs a command that may change something, before it is run, so that a
// log tells who did what.
func (c *console) audit(line string) {
	words := strings.Fields(line)
	prompt := strings.TrimSpace(c.interp.Prompt())
	if len(words) > 0 && words[0] == "do" {
		words = words[1:]
	}
	if len(words) == 0 || strings.HasSuffix(prompt, ">") || slices.ContainsFunc(readOnly, func(w string) bool {
		return matchesStart(words, strings.Fields(w))
	}) {
		return
	}
	for i, w := range words {
		if slices.ContainsFunc(secret, func(s string) bool { return len(w) > 1 && strings.HasPrefix(s, w) }) && i+1 < len(words) {
			words = append(slices.Clone(words[:i+1]), "…")
			break
		}
	}
	c.srv.log().Log(context.Background(), levelNotice, "VTY command", "session", c.id, "remote", c.Remote(), "at", prompt, "command", strings.Join(words, " "))
}

// matchesStart tells whether words, which may be abbreviated, begin with full.
func matchesStart(words, full []string) bool {
	if len(words) < len(full) {
		return false
	}
	for i, f := range full {
		if !strings.HasPrefix(f, words[i]) {
			return false
		}
	}
	return true
}
