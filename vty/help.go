package vty

// HelpRow is one line that "?" shows.
type HelpRow struct {
	Token string // keyword, WORD, <0-9>, …, or "<cr>" when the line may end here
	Doc   string
}

// Help returns what "?" shows for line, typed in node up to the cursor: the
// tokens that could be the word being typed (or come next, after a space). The
// error is printed as it is: ErrNoHelp or ErrAmbiguous.
func (t *Tree) Help(node Node, expert bool, line string) ([]HelpRow, error) { return nil, ErrNoHelp }

// FormatHelp renders rows in aligned columns; documentation longer than width
// columns is folded (width 0: never). Lines end in \n.
func FormatHelp(rows []HelpRow, width int) string { return "" }

// FormatChoices renders the words of a Completion in columns. Lines end in \n.
func FormatChoices(words []string, width int) string { return "" }
