package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Cores says on which processors the generator and the process under test run;
// -1: on any. They must not share one: each would measure the other.
type Cores struct{ Generator, Tested int }

// AnyCore pins nothing.
var AnyCore = Cores{-1, -1}

// ChooseCores takes the first and the last processor that this process may use;
// AnyCore when there is only one.
func ChooseCores() Cores {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil || set.Count() < 2 {
		return AnyCore
	}
	c := AnyCore
	for i := range 1024 {
		if set.IsSet(i) {
			if c.Generator < 0 {
				c.Generator = i
			}
			c.Tested = i
		}
	}
	return c
}

// pin has a thread run on some processors; none, or -1: on any.
func pin(tid int, cores ...int) error {
	var set unix.CPUSet
	for _, c := range cores {
		if c >= 0 {
			set.Set(c)
		}
	}
	if set.Count() == 0 {
		return nil
	}
	if err := unix.SchedSetaffinity(tid, &set); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("load: processors %d: %w", cores, err)
	}
	return nil
}

// PinSelf moves all threads of this process to one processor; those to come
// follow.
func PinSelf(core int) error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	for _, t := range tasks {
		tid, _ := strconv.Atoi(t.Name())
		if err := pin(tid, core); err != nil {
			return err
		}
	}
	return nil
}

// Process is a process under test.
type Process struct {
	cmd  *exec.Cmd
	said bytes.Buffer
	life context.Context // done when it has ended
	end  context.CancelFunc
	pid  int
}

// StartProcess runs a command on one processor (-1: any), with GOMAXPROCS
// procs (0: as it is). It ends with this process.
func StartProcess(argv []string, core, procs int) (*Process, error) {
	return StartProcessOn(argv, []int{core}, procs)
}

// StartProcessOn is StartProcess on several processors.
func StartProcessOn(argv []string, cores []int, procs int) (*Process, error) {
	p := &Process{cmd: exec.Command(argv[0], argv[1:]...)}
	p.life, p.end = context.WithCancel(context.Background())
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p.cmd.Env = os.Environ()
	if procs > 0 {
		p.cmd.Env = append(p.cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", procs))
	}
	if err := p.startOn(cores); err != nil {
		return nil, fmt.Errorf("load: %s: %w", argv[0], err)
	}
	p.pid = p.cmd.Process.Pid
	return p, nil
}

// startOn starts the process from a thread of its own: the child has that
// thread's processor from its first instruction, and ends when it ends.
func (p *Process) startOn(cores []int) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is not used again
		err := pin(0, cores...)
		if err == nil {
			err = p.cmd.Start()
		}
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // its status does not matter: it is killed in the end
			p.end()
		}
	}()
	return <-started
}

// Pid is the process's number.
func (p *Process) Pid() int { return p.pid }

// CPU is the CPU time that the process has used so far.
func (p *Process) CPU() time.Duration { return ProcessCPU(p.pid) }

// Died tells whether the process has ended, and what it said.
func (p *Process) Died() error {
	if p.life.Err() == nil {
		return nil
	}
	said := strings.TrimSpace(p.said.String())
	if said == "" {
		said = "it said nothing"
	}
	return fmt.Errorf("load: %s ended: %s", p.cmd.Args[0], said)
}

// Stop ends the process: SIGTERM, and SIGKILL when that does not help.
func (p *Process) Stop() {
	_ = p.cmd.Process.Signal(unix.SIGTERM)
	select {
	case <-p.life.Done():
	case <-time.After(3 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.life.Done()
	}
}

// ProcessCPU is the CPU time of all threads of a process, user and system, in
// steps of 10 ms; 0 when there is no such process.
func ProcessCPU(pid int) time.Duration { return statCPU(fmt.Sprintf("/proc/%d/stat", pid)) }

// statCPU reads the stat of a process or of a thread.
func statCPU(file string) time.Duration {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	// Behind the name, which is in brackets: state is field 3, utime 14, stime 15.
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	const utime, stime, tick = 14 - 3, 15 - 3, time.Second / 100
	if len(f) <= stime {
		return 0
	}
	u, _ := strconv.ParseInt(f[utime], 10, 64)
	s, _ := strconv.ParseInt(f[stime], 10, 64)
	return time.Duration(u+s) * tick
}
