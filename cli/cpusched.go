package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"poolgw/config"
	"poolgw/vty"
)

// cpuSchedCommands are the node "cpu-sched".
func (p *program) cpuSchedCommands() []vty.Command {
	in := []vty.Node{nodeCPUSched}
	affinity := "Processors that a thread may use"
	return []vty.Command{
		{Nodes: inView, Syntax: "show cpu-sched threads", Help: []string{showHelp, "Scheduling", "poolgw's threads"}, Run: showThreads},
		{Nodes: inConfig, Syntax: "cpu-sched", Help: []string{"Scheduling of poolgw's threads"}, Run: goTo(nodeCPUSched)},
		{Nodes: in, Syntax: "policy rr <1-32>",
			Help: []string{"Policy of the process", "Real time, SCHED_RR", "Priority"},
			Run:  p.set(func(e *edit) { e.c.CPUSched.RR = uint8(e.uint16(0)) })},
		{Nodes: in, Syntax: "no policy rr", Help: []string{no, "Policy of the process", "Real time, SCHED_RR"},
			Run: p.set(func(e *edit) { e.c.CPUSched.RR = 0 })},
		{Nodes: in, Syntax: "cpu-affinity (self|all|<0-4294967295>|THREADNAME) CPUHEXMASK [delay]",
			Help: []string{affinity, "The thread of the VTY", "All threads", "A thread by its number", "A thread by its name",
				"Processors as a hexadecimal mask", "Not now but when the thread begins"},
			Run: p.cpuAffinity},
		{Nodes: in, Syntax: "no cpu-affinity (self|all|THREADNAME)",
			Help: []string{no, affinity, "The thread of the VTY", "All threads", "A thread by its name"},
			Run: p.set(func(e *edit) {
				e.c.CPUSched.Affinity = slices.DeleteFunc(e.c.CPUSched.Affinity,
					func(a config.CPUAffinity) bool { return a.Thread == e.args[0] })
			})},
	}
}

// cpuAffinity is an edit, but for a thread that is named by its number.
func (p *program) cpuAffinity(s *vty.Session, a vty.Args) error {
	if err := p.change(s, &edit{key: s.Key(), args: a}, setAffinity, allNotes); err != nil || !isNumber(a[0]) {
		return err
	}
	err := errors.New("no such process")
	if tid, bad := strconv.Atoi(a[0]); bad == nil && p.Affinity != nil && !s.FromFile() {
		err = p.Affinity(tid, a[1])
	}
	if err != nil {
		return refuse("Failed setting sched CPU Affinity Mask %s: %v", a[1], err)
	}
	return nil
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// setAffinity replaces what was said of the thread. A thread's number doesn't
// outlive the process and is not kept, as in osmo-gbproxy.
func setAffinity(e *edit) error {
	a := config.CPUAffinity{Thread: e.args[0], Mask: e.args[1], Delay: e.args.Has(2)}
	if !isHexMask(a.Mask) {
		return refuse("Failed parsing CPU Affinity Mask %s", a.Mask)
	}
	number := isNumber(a.Thread)
	switch {
	case number && a.Delay:
		return refuse("It makes no sense to delay applying cpu-affinity on tid %s", a.Thread)
	case a.Thread == "all" && a.Delay:
		return refuse("It makes no sense to delay applying cpu-affinity on all threads")
	case len(a.Thread) > 15:
		return refuse("Failed parsing target thread %s", a.Thread)
	case number:
		return nil
	}
	list := slices.DeleteFunc(e.c.CPUSched.Affinity, func(o config.CPUAffinity) bool { return o.Thread == a.Thread })
	e.c.CPUSched.Affinity = append(list, a)
	return nil
}

// maxMaskDigits is for the 1024 processors that the kernel's interface knows.
const maxMaskDigits = 1024 / 4

func isHexMask(s string) bool {
	s = strings.TrimPrefix(s, "0x")
	return s != "" && len(s) <= maxMaskDigits && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

func writeCPUSched(w *writer, c *config.Config) {
	s := &c.CPUSched
	if s.RR == 0 && len(s.Affinity) == 0 {
		return
	}
	w.line("cpu-sched")
	w.lineIf(s.RR != 0, " policy rr %d", s.RR)
	for _, a := range s.Affinity {
		delay := ""
		if a.Delay {
			delay = " delay"
		}
		w.line(" cpu-affinity %s %s%s", a.Thread, a.Mask, delay)
	}
}

// showThreads lists the threads of the process from /proc.
func showThreads(s *vty.Session, _ vty.Args) error {
	tasks, err := filepath.Glob("/proc/self/task/*")
	if err != nil || len(tasks) == 0 {
		return refuse("This system does not tell of threads")
	}
	s.Printf("Thread list for PID %d:\n", os.Getpid())
	for _, dir := range tasks {
		name, err := os.ReadFile(filepath.Join(dir, "comm"))
		if err != nil {
			continue // it has ended
		}
		s.Printf(" TID: %s, NAME: '%s', cpu-affinity: %s\n", filepath.Base(dir), bytes.TrimSpace(name), affinityOf(dir))
	}
	return nil
}

// affinityOf returns a thread's mask as the kernel tells it, "0x3".
func affinityOf(dir string) string {
	status, _ := os.ReadFile(filepath.Join(dir, "status"))
	for line := range bytes.Lines(status) {
		if mask, ok := bytes.CutPrefix(line, []byte("Cpus_allowed:")); ok {
			return "0x" + strings.ReplaceAll(string(bytes.TrimSpace(mask)), ",", "")
		}
	}
	return "?"
}
