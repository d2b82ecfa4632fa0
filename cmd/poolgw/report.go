package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
)

// reports are the signals that ask for a report on standard error: what memory
// is in use, and with SIGUSR2 what every goroutine is at too.
var reports = []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2}

func report(w io.Writer, s os.Signal) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(w, "Memory report: %d octets in %d objects are in use, %d octets are had from the system; %d goroutines\n",
		m.HeapAlloc, m.HeapObjects, m.Sys, runtime.NumGoroutine())
	if s == syscall.SIGUSR2 {
		_ = pprof.Lookup("goroutine").WriteTo(w, 1)
	}
}
