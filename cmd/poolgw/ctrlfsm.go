//lint:file-ignore ST1005 the texts are libosmocore's

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolgw/ctrl"
	"poolgw/gb"
	"poolgw/ns"
)

// The errors of libosmocore's look-up.
var (
	errIndex      = errors.New("Error while parsing the index.")
	errResolve    = errors.New("Error while resolving object")
	errNotPresent = errors.New("Command not present.")
	errNotFound   = errors.New("Command not found")
	errReadOnly   = errors.New("Read Only attribute")
	errNoParent   = errors.New("No parent")
)

// machineVars are what may be asked of a state machine.
var machineVars = map[string]func(m *ns.Machine) (string, error){
	"state":       func(m *ns.Machine) (string, error) { return m.State, nil },
	"parent-name": func(*ns.Machine) (string, error) { return "", errNoParent },
	"timer":       func(m *ns.Machine) (string, error) { return timerText(m), nil },
	"dump":        func(m *ns.Machine) (string, error) { return dumpText(m), nil },
}

// timerText is "T,seconds,microseconds" of the timer that runs.
func timerText(m *ns.Machine) string {
	if m.Left < 0 {
		return "0,0,0"
	}
	return fmt.Sprintf("%d,%d,%d", m.Timer, m.Left/time.Second, m.Left%time.Second/time.Microsecond)
}

func dumpText(m *ns.Machine) string {
	s := fmt.Sprintf("'%s(%s)','%s','INFO','%s',%d", m.Class, m.ID, m.ID, m.State, m.Timer)
	if m.Timer != 0 {
		s += fmt.Sprintf(",timeout_sec=%d,timeout_usec=%d", m.Left/time.Second, m.Left%time.Second/time.Microsecond)
	}
	return s
}

// fsmVars are the state machines: fsm.CLASS.id.ID.state and so on, and
// fsm.CLASS.list, which libosmocore has not.
func fsmVars(gw *gb.Gateway) []ctrl.Var {
	get := func(name string) (string, error) { return fsmValue(gw, name) }
	set := func(name, _ string) (string, error) {
		if _, err := get(name); err != nil && !errors.Is(err, errNoParent) {
			return "", err
		}
		return "", errReadOnly
	}
	return []ctrl.Var{{Name: "fsm", Get: get, Set: set}, {Name: "fsm.", Get: get, Set: set}}
}

func fsmValue(gw *gb.Gateway, name string) (string, error) {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '.' })[1:]
	switch {
	case len(words) == 0:
		return "", errIndex
	case !slices.Contains(gb.MachineClasses, words[0]):
		return "", errResolve
	case len(words) == 1:
		return "", errNotPresent
	}
	ctx, cancel := context.WithTimeout(context.Background(), snapshotWait)
	defer cancel()
	all, err := gw.Machines(ctx)
	if err != nil {
		return "", err
	}
	all = slices.DeleteFunc(all, func(m ns.Machine) bool { return m.Class != words[0] })
	switch {
	case words[1] == "list" && len(words) == 2:
		return machineList(all), nil
	case words[1] != "id" && words[1] != "name":
		return "", errNotPresent
	case len(words) == 2:
		return "", errIndex
	}
	return machineValue(all, words[2:])
}

func machineList(list []ns.Machine) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "%s,%s\n", m.ID, m.State)
	}
	return b.String()
}

// machineValue answers for what stands after "id": the ID and what is asked.
func machineValue(list []ns.Machine, words []string) (string, error) {
	i := slices.IndexFunc(list, func(m ns.Machine) bool { return m.ID == words[0] })
	if i < 0 {
		return "", errResolve
	}
	if len(words) == 1 {
		return "", errNotPresent
	}
	value := machineVars[words[1]]
	if value == nil || len(words) > 2 {
		return "", errNotFound
	}
	return value(&list[i])
}
