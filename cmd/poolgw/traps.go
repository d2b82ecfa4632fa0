package main

import (
	"fmt"
	"sync"

	"poolgw/gb"
)

// trapQueue bounds the changes that wait to be told. Beyond it changes are not
// told one by one; the number of peers, told last, is right in any case.
const trapQueue = 4096

// traps tells the CTRL sessions what changes in the gateway.
type traps struct {
	changes chan gb.Change
	stop    chan struct{}
	once    sync.Once
	done    sync.WaitGroup
}

func newTraps() *traps {
	return &traps{changes: make(chan gb.Change, trapQueue), stop: make(chan struct{})}
}

// notify is gb.Options.Notify.
func (t *traps) notify(c gb.Change) {
	select {
	case t.changes <- c:
	default:
	}
}

// run tells until close. Of several numbers of peers in a row only the last is
// told.
func (t *traps) run(tell func(name, value string)) {
	t.done.Go(func() {
		for {
			select {
			case c := <-t.changes:
				t.tell(c, tell)
			case <-t.stop:
				return
			}
		}
	})
}

func (t *traps) tell(c gb.Change, tell func(name, value string)) {
	var peers *gb.PeersChange
	for n := len(t.changes); ; n-- {
		if p, ok := c.(gb.PeersChange); ok {
			peers = &p
		} else {
			tell(trapOf(c))
		}
		if n == 0 {
			break
		}
		c = <-t.changes
	}
	if peers != nil {
		tell("number-of-peers", fmt.Sprint(peers.BVCs))
	}
}

func (t *traps) close() {
	t.once.Do(func() { close(t.stop) })
	t.done.Wait()
}

// sideName is how lists name a side.
func sideName(sgsn bool) string {
	if sgsn {
		return "SGSN"
	}
	return "BSS"
}

func trapOf(c gb.Change) (name, value string) {
	switch c := c.(type) {
	case gb.BVCChange:
		return "bvc-state", fmt.Sprintf("%d,%d,%s,%s", c.NSEI, c.BVCI, c.State, sideName(c.SGSN))
	case gb.NSEChange:
		return "nse-state", fmt.Sprintf("%d,%s,%s", c.NSEI, aliveName(c.Alive), sideName(c.SGSN))
	case gb.SGSNChange:
		return "sgsn-state", fmt.Sprintf("%d,%s,%s", c.NSEI, c.Name, upName(c.Up))
	}
	return "gbproxy-change", fmt.Sprintf("%+v", c)
}

func aliveName(alive bool) string {
	if alive {
		return "ALIVE"
	}
	return "DEAD"
}

func upName(up bool) string {
	if up {
		return "UP"
	}
	return "DOWN"
}
