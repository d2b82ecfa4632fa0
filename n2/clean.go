package n2

import "strings"

// clean makes a text that a peer sent fit for a terminal: what is not printable
// ASCII, as a PrintableString is, becomes "?".
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// first is the first of some names, "" of none.
func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}
