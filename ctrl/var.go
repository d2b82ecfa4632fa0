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

// Answer gives the line that answers line.
func (v *Vars) Answer(line string) string {
	verb, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n\x00 "), " ")
	if verb != "GET" && verb != "SET" {
		return "ERROR err Request type unknown"
	}
	id, rest, _ := strings.Cut(rest, " ")
	if id == "" {
		return "ERROR err Missing ID"
	}
	if strings.Trim(id, "0123456789") != "" {
		return "ERROR err Invalid message ID number"
	}
	name, value, hasValue := strings.Cut(rest, " ")
	switch {
	case name == "":
		return "ERROR " + id + " " + verb + " incomplete"
	case !validName(name):
		return "ERROR " + id + " " + verb + " variable contains invalid characters"
	case verb == "GET" && hasValue:
		return "ERROR " + id + " GET with trailing characters"
	case verb == "SET" && value == "":
		return "ERROR " + id + " SET incomplete"
	}
	return v.run(verb, id, name, value)
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
