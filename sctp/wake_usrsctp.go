//go:build usrsctp && cgo

package sctp

// #include "userspace.h"
import "C"

import (
	"fmt"
	"os"
	"sync"
	"syscall"
)

// signals is what the library's threads tell of one socket.
type signals struct {
	readable, writable chan struct{}
	number             C.uint32_t // of slot
	slot               *C.struct_pg_slot
}

// slots has all that there ever were: as many as sockets at one time.
var slots struct {
	sync.Mutex
	all  []*C.struct_pg_slot
	used []*signals // by number; nil: free
	free []C.uint32_t
}

func newSignals() *signals {
	slots.Lock()
	defer slots.Unlock()
	n := len(slots.free)
	if n == 0 {
		slots.free = append(slots.free, C.uint32_t(len(slots.all)))
		slots.all, slots.used = append(slots.all, C.pg_slot_new(slots.free[0])), append(slots.used, nil)
		n = 1
	}
	number := slots.free[n-1]
	slots.free = slots.free[:n-1]
	s := &signals{make(chan struct{}, 1), make(chan struct{}, 1), number, slots.all[number]}
	slots.used[number] = s
	return s
}

// drop gives the slot back, to which no socket is attached any more.
func (s *signals) drop() {
	C.pg_watch(s.slot, 0)
	slots.Lock()
	defer slots.Unlock()
	slots.used[s.number] = nil
	slots.free = append(slots.free, s.number)
}

// hearBell has sockets' owners woken from now on, as long as the process lives.
func hearBell() error {
	fd := C.pg_bell()
	if fd < 0 {
		return fmt.Errorf("sctp: the userspace stack: %w", os.NewSyscallError("eventfd", syscall.EMFILE))
	}
	bell, err := os.NewFile(uintptr(fd), "sctp bell").SyscallConn()
	if err != nil {
		return fmt.Errorf("sctp: the userspace stack: %w", err)
	}
	due := make([]C.struct_pg_due, 64)
	go bell.Read(func(uintptr) bool {
		wakeDue(due)
		return false // until it rings again
	})
	return nil
}

// wakeDue wakes all that are due, with room for some of them at a time.
func wakeDue(due []C.struct_pg_due) {
	for {
		n := int(C.pg_take(&due[0], C.int(len(due))))
		if n == 0 {
			return
		}
		slots.Lock()
		for _, d := range due[:n] {
			s := slots.used[d.number]
			if s == nil {
				continue
			}
			if d.what&C.PG_READABLE != 0 {
				wake(s.readable)
			}
			if d.what&C.PG_WRITABLE != 0 {
				wake(s.writable)
			}
		}
		slots.Unlock()
	}
}
