package vty

// What a line can do wrong. The texts are printed as they are.
const (
	ErrUnknown    Raw = "% Unknown command."
	ErrAmbiguous  Raw = "% Ambiguous command."
	ErrIncomplete Raw = "% Command incomplete."
	ErrNoHelp     Raw = "% There is no matched command."
)
