package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/config"
)

// applyScheduling makes policy and affinity of all threads follow the node
// "cpu-sched". Threads that begin later have those of the thread that makes them.
func applyScheduling(old, new *config.Config, _ time.Time) error {
	if reflect.DeepEqual(old.CPUSched, new.CPUSched) {
		return nil
	}
	err := setScheduling(&new.CPUSched)
	if err != nil {
		err = errors.Join(err, setScheduling(&old.CPUSched))
	}
	return err
}

func setScheduling(c *config.CPUSched) error {
	mask, text, err := wantedCPUs(c)
	if err != nil {
		return err
	}
	if err := eachThread(func(tid int) error { return unix.SchedSetaffinity(tid, mask) }); err != nil {
		return fmt.Errorf("cpu-affinity %s: %w", text, err)
	}
	attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}
	if c.RR != 0 {
		attr.Policy, attr.Priority = unix.SCHED_RR, uint32(c.RR)
	}
	if err := eachThread(func(tid int) error { return unix.SchedSetAttr(tid, attr, 0) }); err != nil {
		return fmt.Errorf("policy rr %d: %w", c.RR, err)
	}
	return nil
}

// wantedCPUs is the mask of the last line about the whole process, else that
// which the process began with.
func wantedCPUs(c *config.CPUSched) (mask *unix.CPUSet, text string, err error) {
	first, err := firstCPUs()
	mask, text = &first, "of the start"
	for _, a := range c.Affinity {
		if a.Whole() {
			text = a.Mask
			mask, err = parseCPUs(a.Mask)
		}
	}
	return mask, text, err
}

// firstCPUs are the processors that the process might use when it began.
var firstCPUs = sync.OnceValues(func() (set unix.CPUSet, err error) {
	err = unix.SchedGetaffinity(0, &set)
	return set, err
})

func parseCPUs(mask string) (*unix.CPUSet, error) {
	var set unix.CPUSet
	digits := strings.TrimPrefix(mask, "0x")
	for i := range len(digits) {
		d, err := strconv.ParseUint(digits[len(digits)-1-i:len(digits)-i], 16, 4)
		if err != nil {
			return nil, fmt.Errorf("cpu-affinity: %s is no mask", mask)
		}
		for bit := range 4 {
			if d>>bit&1 != 0 {
				set.Set(4*i + bit)
			}
		}
	}
	return &set, nil
}

// setThreadAffinity is for one thread of the process, by its number.
func setThreadAffinity(tid int, mask string) error {
	set, err := parseCPUs(mask)
	if err != nil {
		return err
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", tid)); err != nil {
		return unix.ESRCH
	}
	return unix.SchedSetaffinity(tid, set)
}

// eachThread calls f for every thread until there is none that it was not called
// for: a thread may begin meanwhile.
func eachThread(f func(tid int) error) error {
	done := map[int]bool{}
	for fresh := true; fresh; {
		fresh = false
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		for _, t := range tasks {
			tid, err := strconv.Atoi(t.Name())
			if err != nil || done[tid] {
				continue
			}
			done[tid], fresh = true, true
			if err := f(tid); err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			}
		}
	}
	return nil
}
