package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"poolgw/vty"
)

const (
	startWait = 15 * time.Second // for the gateway's VTY
	stopWait  = 5 * time.Second  // after SIGTERM, before it is killed
	askWait   = 5 * time.Second  // for an answer of the VTY
)

// gateway is the gateway's process.
type gateway struct {
	cmd    *exec.Cmd
	stderr tail
	died   chan struct{}
	err    error  // of Wait; valid when died is closed
	addr   string // of its VTY
	vty    *vty.Client
}

// startGateway runs the gateway and waits until its VTY answers.
func startGateway(ctx context.Context, o Options, p *plan) (*gateway, error) {
	args := append(append([]string(nil), o.GatewayArgs...), "-c", p.file)
	g := &gateway{cmd: exec.Command(o.GatewayBinary, args...), died: make(chan struct{}), addr: p.vty}
	g.cmd.Dir = p.dir
	g.cmd.Stdout, g.cmd.Stderr = &g.stderr, &g.stderr
	ownGroup(g.cmd)
	if err := g.cmd.Start(); err != nil {
		return nil, fmt.Errorf("lab: gateway: %w", err)
	}
	go func() {
		g.err = g.cmd.Wait()
		close(g.died)
	}()
	if err := g.connect(ctx); err != nil {
		g.stop()
		return nil, err
	}
	return g, nil
}

// connect dials the VTY until it answers.
func (g *gateway) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	for {
		c, err := g.dial()
		if err == nil {
			g.vty = c
			return nil
		}
		select {
		case <-g.died:
			return g.death()
		case <-ctx.Done():
			return g.explain(fmt.Errorf("lab: the gateway's VTY at %s: %w", g.addr, err))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// dial connects to the VTY and makes sure that it is this gateway's: another
// program may have been faster to take the port.
func (g *gateway) dial() (*vty.Client, error) {
	c, err := vty.Dial(context.Background(), g.addr, vty.DialOptions{Timeout: askWait})
	if err != nil {
		return nil, err
	}
	pid, err := c.Run("show pid")
	if err == nil && strings.TrimSpace(pid) != strconv.Itoa(g.cmd.Process.Pid) {
		err = fmt.Errorf("process %s has it, not the gateway", strings.TrimSpace(pid))
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// ask runs a show command and reads its JSON into v.
func (g *gateway) ask(command string, v any) error {
	out, err := g.vty.Run(command)
	if err != nil {
		return fmt.Errorf("lab: gateway: %s: %w", command, err)
	}
	if err := json.Unmarshal([]byte(out), v); err != nil {
		return fmt.Errorf("lab: gateway: %s: %w", command, err)
	}
	return nil
}

// askAll runs show commands. A session that fails is made anew with the next
// call: its operator may have closed it, or changed what it looks like.
func (g *gateway) askAll(commands map[string]any) error {
	if g.vty == nil {
		c, err := g.dial()
		if err != nil {
			return err
		}
		g.vty = c
	}
	for command, v := range commands {
		if err := g.ask(command, v); err != nil {
			g.vty.Close()
			g.vty = nil
			return err
		}
	}
	return nil
}

// ends tells whether the process ends within a moment: its VTY ends before it.
func (g *gateway) ends(within time.Duration) bool {
	select {
	case <-g.died:
		return true
	case <-time.After(within):
		return false
	}
}

// GatewayEnded is the error when the gateway ended by itself.
type GatewayEnded struct {
	Status int // its exit status; -1: a signal killed it
	Err    error
}

func (e *GatewayEnded) Error() string { return "lab: the gateway ended: " + e.Err.Error() }
func (e *GatewayEnded) Unwrap() error { return e.Err }

// death is the error when the gateway ended by itself.
func (g *gateway) death() error {
	return g.explain(&GatewayEnded{g.cmd.ProcessState.ExitCode(), cmpErr(g.err)})
}

func cmpErr(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// explain adds what the gateway said last.
func (g *gateway) explain(err error) error {
	if said := g.stderr.String(); said != "" {
		return fmt.Errorf("%w\n--- it said:\n%s", err, said)
	}
	return err
}

// stop ends the process: SIGTERM, and SIGKILL if that is not enough. It may be
// called repeatedly.
func (g *gateway) stop() error {
	if g.vty != nil {
		g.vty.Close()
	}
	g.cmd.Process.Signal(os.Interrupt)
	select {
	case <-g.died:
		return nil
	case <-time.After(stopWait):
	}
	g.cmd.Process.Kill()
	<-g.died
	return fmt.Errorf("lab: the gateway did not end within %s of SIGINT and was killed", stopWait)
}

// maxTail is how much of the gateway's output is kept.
const maxTail = 8192

// tail keeps the last octets written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if n := len(t.buf) - maxTail; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.buf))
}
