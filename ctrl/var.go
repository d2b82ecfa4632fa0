package ctrl

import (
	"strings"
	"sync"
)

// Var is one variable or family of variables.
type Var struct {
	// Name is matched exactly, or as a prefix when it ends in a dot
	// ("rate_ctr.").
	Name string
	// Get returns the value of name, the full name asked for; an error's text
	// goes to the peer.
	Get func(name string) (string, error)
	// Set changes it; nil: "Read Only attribute".
	Set func(name, value string) (string, error)
}

// Vars is the set of variables. Its methods may be called from any goroutine.
type Vars struct {
	mu   sync.RWMutex
	list []Var
}

// Add registers variables.
func (v *Vars) Add(vars ...Var) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list = append(v.list, vars...)
}

func (v *Vars) find(name string) (Var, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, x := range v.list {
		if x.Name == name || strings.HasSuffix(x.Name, ".") && strings.HasPrefix(name, x.Name) {
			return x, true
		}
	}
	return Var{}, false
}

// verbs are the requests, with whether they are answered and executed.
var verbs = map[string]struct{ answered, executed bool }{
	"GET": {true, true}, "SET": {true, true}, "TRAP": {true, false},
	"GET_REPLY": {true, false}, "SET_REPLY": {true, false}, "ERROR": {false, false},
}

// Answer gives the line that answers line, "" if nothing does. Its texts are
// libosmocore's.
func (v *Vars) Answer(line string) string {
	verb, rest := word(strings.TrimRight(line, "\r\n\x00"))
	kind, known := verbs[verb]
	switch {
	case verb == "":
		return "ERROR err Request malformed"
	case !known:
		return "ERROR err Request type unknown"
	case !kind.answered:
		return ""
	}
	id, rest := word(rest)
	switch {
	case id == "":
		return "ERROR err Missing ID"
	case strings.Trim(id, "0123456789") != "":
		return "ERROR err Invalid message ID number"
	case !kind.executed:
		return "ERROR " + id + " Trying to execute something not GET or SET"
	}
	name, value := word(rest)
	value, more, lines := strings.Cut(value, "\n")
	name, _, broken := strings.Cut(name, "\n")
	switch {
	case name == "" || verb == "SET" && value == "":
		return "ERROR " + id + " " + verb + " incomplete"
	case !validName(name):
		return "ERROR " + id + " " + verb + " variable contains invalid characters"
	case broken, verb == "GET" && value != "", lines && more != "":
		return "ERROR " + id + " " + verb + " with trailing characters"
	}
	return v.run(verb, id, name, value)
}

// word takes the first word of a line; the rest is without the blanks before it.
func word(line string) (first, rest string) {
	first, rest, _ = strings.Cut(strings.TrimLeft(line, " "), " ")
	return first, strings.TrimLeft(rest, " ")
}

func (v *Vars) run(verb, id, name, value string) string {
	x, ok := v.find(name)
	if !ok {
		return "ERROR " + id + " Command not found"
	}
	do := func() (string, error) { return x.Get(name) }
	if verb == "SET" {
		if x.Set == nil {
			return "ERROR " + id + " Read Only attribute"
		}
		do = func() (string, error) { return x.Set(name, value) }
	} else if x.Get == nil {
		return "ERROR " + id + " Write Only attribute"
	}
	out, err := do()
	if err != nil {
		return "ERROR " + id + " " + err.Error()
	}
	return verb + "_REPLY " + id + " " + name + " " + out
}

func validName(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:@", r))
	})
}
