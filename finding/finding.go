// Package finding holds one finding of a validation: what is wrong, how
// grave it is, and where.
//
// A gateway's Validate returns findings; config decides by their class
// whether a change is refused; the VTY and "poolgw check" print them.
package finding

import "fmt"

// Class says what a finding means for the configuration that has it.
type Class uint8

const (
	// Note starts and runs; the operator should know.
	Note Class = iota
	// FatalAtStart warns in the VTY and refuses a start, a reload and a write.
	FatalAtStart
	// Error is refused everywhere.
	Error
)

func (c Class) String() string {
	switch c {
	case Note:
		return "note"
	case FatalAtStart:
		return "fatal at start"
	case Error:
		return "error"
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

// MarshalText gives the class its name in JSON.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Finding is one thing that a validation found.
type Finding struct {
	Class Class `json:"class"`
	// Node is the configuration node in its VTY form, such as "sgsn nsei 101";
	// empty for the whole configuration.
	Node string `json:"node,omitempty"`
	// Text is one line without "% ", such as
	// "NSE(00102/SGSN): NRI range [1..2] overlaps …".
	Text string `json:"text"`
	// Place is "file:line" of what a file says about it; empty when no single
	// line does, or no file was read.
	Place string `json:"place,omitempty"`
}

func (f Finding) String() string {
	if f.Node == "" {
		return fmt.Sprintf("%s: %s", f.Class, f.Text)
	}
	return fmt.Sprintf("%s: %s: %s", f.Class, f.Node, f.Text)
}

// Worst returns the gravest class among the findings; ok is false when there
// are none.
func Worst(fs []Finding) (c Class, ok bool) {
	for _, f := range fs {
		c = max(c, f.Class)
	}
	return c, len(fs) > 0
}
