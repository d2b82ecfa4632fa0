package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolgw/vty"
)

// Tests with osmo-sgsn (Debian package osmo-sgsn, 1.9.0): poolgw between it and
// the lab's BSS. It has neither NRIs nor an off-load: its P-TMSIs are random
// (0xc0000000 and 30 random bits), so that it owns every NRI of its pool here.
// "auth-policy accept-all" lets it serve without an HLR, and it runs without
// SCTP in the kernel and without a GGSN.

// osmoSGSN is a running osmo-sgsn. All its ports are on a loopback address of
// its own.
type osmoSGSN struct {
	t       *testing.T
	program string
	addr    string
	file    string
	dir     string // of the file and of its own state
	cmd     *exec.Cmd
	log     output
	done    chan struct{}
}

// osmoSGSNConfig is its configuration; ADDR is its address, NS the lines of node
// ns for the gateway, DIR its directory.
const osmoSGSNConfig = `line vty
 no login
 bind ADDR 4245
ctrl
 bind ADDR
log stderr
 logging color 0
 logging level set-all notice
 logging level mm info
sgsn
 gtp state-dir DIR
 gtp local-ip ADDR
 authentication optional
 auth-policy accept-all
 encryption gea 0
 no cdr filename
 timer T3312 2
 timer T3350 1
ns
 timer tns-test 1
 timer tns-alive 1
 timer tns-alive-retries 2
 bind udp local
  listen ADDR 23000
NSbssgp
`

// newOsmoSGSN prepares one that knows the gateway by lines of node ns.
func newOsmoSGSN(t *testing.T, addr, nsLines string) *osmoSGSN {
	t.Helper()
	s := &osmoSGSN{t: t, program: needPeer(t, "osmo-sgsn", "osmo-sgsn"), addr: addr, dir: t.TempDir()}
	s.file = filepath.Join(s.dir, "osmo-sgsn.cfg")
	text := strings.NewReplacer("ADDR", addr, "DIR", s.dir, "NS", nsLines).Replace(osmoSGSNConfig)
	if err := os.WriteFile(s.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.kill() })
	return s
}

// start starts it and waits for its VTY.
func (s *osmoSGSN) start() {
	s.t.Helper()
	s.cmd = exec.Command(s.program, "-c", s.file)
	s.cmd.Dir = s.dir
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	s.done = make(chan struct{})
	started := make(chan error)
	go func(c *exec.Cmd, done chan struct{}) {
		runtime.LockOSThread() // Pdeathsig means the thread, which a load in another test may end
		defer runtime.UnlockOSThread()
		err := c.Start()
		if started <- err; err == nil {
			c.Wait()
			close(done)
		}
	}(s.cmd, s.done)
	if err := <-started; err != nil {
		s.t.Fatal(err)
	}
	for range 200 {
		if c, err := net.Dial("tcp", s.addr+":4245"); err == nil {
			c.Close()
			return
		}
		select {
		case <-s.done:
			s.t.Fatalf("osmo-sgsn ended: %v\n%s", s.cmd.ProcessState, &s.log)
		case <-time.After(50 * time.Millisecond):
		}
	}
	s.t.Fatalf("osmo-sgsn does not open its VTY\n%s", &s.log)
}

// kill ends it as a crash would.
func (s *osmoSGSN) kill() {
	if s.cmd == nil {
		return
	}
	syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.done
	s.cmd = nil
}

// run types commands at its VTY and returns the output of the last.
func (s *osmoSGSN) run(commands ...string) (out string) {
	s.t.Helper()
	c, err := vty.Dial(s.t.Context(), s.addr+":4245", vty.DialOptions{Timeout: 10 * time.Second})
	if err != nil {
		s.t.Fatalf("osmo-sgsn's VTY: %v\n%s", err, &s.log)
	}
	defer c.Close()
	for _, cmd := range commands {
		if out, err = c.Run(cmd); err != nil {
			s.t.Fatalf("osmo-sgsn: %q: %v\n%s", cmd, err, out)
		}
	}
	return out
}
