package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// readyEnv names the variable that tells a background child which descriptor
// takes its exit code once it runs or fails.
const readyEnv = "POOLGW_READY_FD"

// daemonize starts the program again in a session of its own and returns the
// exit code of its start: 0 once everything listens.
func daemonize(args []string) int {
	r, w, err := os.Pipe()
	if err != nil {
		return failure(err)
	}
	self, err := os.Executable()
	if err != nil {
		return failure(err)
	}
	child := exec.Command(self, args...)
	child.Env = append(os.Environ(), readyEnv+"=3")
	child.ExtraFiles = []*os.File{w}
	child.Stderr = os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return failure(err)
	}
	w.Close()
	b, _ := io.ReadAll(r)
	if code, err := strconv.Atoi(string(b)); err == nil && code == exitOK {
		return exitOK
	}
	child.Wait()
	return child.ProcessState.ExitCode()
}

// failure tells what went wrong. That the user ended it is no matter of contexts.
func failure(err error) int {
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(os.Stderr, "poolgw: %v\n", err)
	return exitConfig
}

// ready tells the parent of a background child that the start is over.
func ready() {
	fd, err := strconv.Atoi(os.Getenv(readyEnv))
	if err != nil {
		return
	}
	os.Unsetenv(readyEnv)
	f := os.NewFile(uintptr(fd), "ready")
	fmt.Fprint(f, exitOK)
	f.Close()
}
