//go:build unix

package n2sim

import "syscall"

// Freeze stops the process where it stands, SCTP included, until Thaw.
func (p *AMFProcess) Freeze() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw ends Freeze.
func (p *AMFProcess) Thaw() error { return p.cmd.Process.Signal(syscall.SIGCONT) }
