package vty

import "strings"

// space is what separates words, as C's isspace has it.
const space = " \t\n\v\f\r"

// word is a word of a line and where it begins.
type word struct {
	text string
	off  int
}

// split cuts a line into words.
func split(line string) []word {
	var words []word
	for i := 0; i < len(line); {
		if strings.IndexByte(space, line[i]) >= 0 {
			i++
			continue
		}
		n := strings.IndexAny(line[i:], space)
		if n < 0 {
			n = len(line) - i
		}
		words = append(words, word{line[i : i+n], i})
		i += n
	}
	return words
}

// splitAtCursor is split for a line being typed: last is the unfinished word
// at its end, "" after a space and on an empty line.
func splitAtCursor(line string) (words []word, last word) {
	words = split(line)
	last = word{"", len(line)}
	if n := len(words); n > 0 && words[n-1].off+len(words[n-1].text) == len(line) {
		words, last = words[:n-1], words[n-1]
	}
	return words, last
}

// isComment tells whether a line says nothing: it is empty or begins with ! or #.
func isComment(words []word) bool {
	return len(words) == 0 || words[0].text[0] == '!' || words[0].text[0] == '#'
}
