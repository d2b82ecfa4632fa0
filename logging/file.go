package logging

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// file is a log file.
type file struct {
	name string
	f    atomic.Pointer[os.File]
	torn bool // the last line was written in part
}

func openFile(name string) (*file, error) {
	o := &file{name: name}
	f, err := o.open()
	o.f.Store(f)
	return o, err
}

// open appends; a FIFO without a reader is an error and not a wait.
func (o *file) open() (*os.File, error) {
	f, err := os.OpenFile(o.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o640)
	if err != nil {
		return nil, fmt.Errorf("logging: %w", err)
	}
	return f, nil
}

func (o *file) write(_ entry, line string) error {
	if o.torn {
		line = "\n" + line
	}
	for {
		f := o.f.Load()
		n, err := f.WriteString(line + "\n")
		if err == nil || o.f.Load() == f { // else it was reopened meanwhile
			o.torn = err != nil && (n > 0 || o.torn)
			return err
		}
	}
}

func (o *file) reopen() error {
	f, err := o.open()
	if err != nil {
		return err
	}
	o.f.Swap(f).Close()
	return nil
}

func (o *file) close() { o.f.Load().Close() }
