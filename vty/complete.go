package vty

// Completion is what TAB makes of a line.
type Completion struct {
	// Line is the line with what is certain added: a unique word with a space
	// behind it, or the common beginning of several. It equals the given line
	// when nothing can be added; otherwise it always begins with it.
	Line string
	// Choices are the words that could stand there when there are several
	// (two or more). They are to be shown only when Line adds nothing.
	Choices []string
}

// Complete returns what TAB makes of line, typed in node up to the cursor.
// Values (WORD, <0-9>, addresses) complete to nothing.
func (t *Tree) Complete(node Node, expert bool, line string) Completion {
	return Completion{Line: line}
}
