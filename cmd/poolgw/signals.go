package main

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// wait runs until a signal of ends, "shutdown" or a fatal error of the gateway.
func (d *daemon) wait(ends <-chan os.Signal) (code int, last os.Signal) {
	failed := make(chan error, 1)
	go func() { failed <- d.gateway.Wait() }()
	select {
	case last = <-ends:
	case <-d.stop:
	case err := <-failed:
		if err != nil {
			d.log.Error("the gateway stopped", "err", err)
			return exitListen, nil
		}
	}
	return exitOK, last
}

// serve does what SIGHUP and the reports ask for. It has a goroutine of its own:
// a file system or a standard error that hangs must not keep the program from
// its end, nor a storm of these signals hide the one that ends it.
func (d *daemon) serve(signals <-chan os.Signal) {
	for s := range signals {
		if s != syscall.SIGHUP {
			report(os.Stderr, s)
		} else if err := d.targets.reopen(); err != nil {
			d.log.Error("log files not reopened", "err", err)
		}
	}
}

// closeTime is how long the orderly end may take, lastWords how long what is
// said at the end may wait for who reads it.
const (
	closeTime = 10 * time.Second
	lastWords = 100 * time.Millisecond
)

// endAnyway ends the process when its orderly end takes too long, or another
// signal asks for it: a session may hang in a log that nobody reads, or on a
// file system.
func endAnyway(ends <-chan os.Signal, code int) {
	select {
	case <-ends:
	case <-time.After(closeTime):
	}
	told := make(chan struct{})
	go func() {
		fmt.Fprintln(os.Stderr, "poolgw ends before everything is closed")
		close(told)
	}()
	atMost(lastWords, told)
	os.Exit(code)
}

// tell names the signal that ended the program, if one did.
func tell(s os.Signal) {
	if s != nil {
		fmt.Printf("signal %d received\n", s)
	}
}

// atMost waits until done is closed, d at most.
func atMost(d time.Duration, done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(d):
	}
}
