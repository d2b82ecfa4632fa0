package n2sim

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"poolgw/sctp"
)

// An AMF that is to be killed is a process of its own: its stack dies with it. The
// process gets its AMFConfig as one JSON line on standard input, then commands, one
// line each, and answers each with its AMFTruth as a JSON line on standard output.
var orders = map[string]func(a *AMF){
	"truth":   func(*AMF) {},
	"hang":    func(a *AMF) { a.Hang(true) },
	"go on":   func(a *AMF) { a.Hang(false) },
	"release": (*AMF).ReleaseAll,
	"reset":   (*AMF).ResetAll,

	"release by AMF UE NGAP ID": (*AMF).ReleaseAllByID,
}

// ServeAMF is that process: it ends with its input.
func ServeAMF(in io.Reader, out io.Writer, t sctp.Transport) error {
	lines := bufio.NewScanner(in)
	var c AMFConfig
	if !lines.Scan() {
		return fmt.Errorf("n2sim: no configuration: %w", io.ErrUnexpectedEOF)
	}
	if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
		return err
	}
	c.Transport = t
	a := NewAMF(c)
	if err := a.Start(); err != nil {
		return err
	}
	defer a.Stop(true)
	for answer := json.NewEncoder(out); ; {
		if err := answer.Encode(a.Truth()); err != nil {
			return err
		}
		if !lines.Scan() {
			return lines.Err()
		}
		do := orders[lines.Text()]
		if do == nil {
			return fmt.Errorf("n2sim: no command %q", lines.Text())
		}
		do(a)
	}
}

// AMFProcess is an AMF in a process of its own.
type AMFProcess struct {
	Config AMFConfig
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *json.Decoder
}

// StartAMFProcess runs cmd, whose program must call ServeAMF, and waits until the
// AMF listens.
func StartAMFProcess(cmd *exec.Cmd, c AMFConfig) (*AMFProcess, error) {
	p := &AMFProcess{Config: c, cmd: cmd}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.in, p.out = in, json.NewDecoder(out)
	if err := json.NewEncoder(in).Encode(c); err != nil {
		p.Kill()
		return nil, err
	}
	var t AMFTruth
	if err := p.out.Decode(&t); err != nil {
		p.Kill()
		return nil, fmt.Errorf("n2sim: the process of %s does not start: %w", c.Name, err)
	}
	return p, nil
}

// Do has the AMF carry out a command and returns its truth then.
func (p *AMFProcess) Do(order string) (t AMFTruth, err error) {
	if _, err := fmt.Fprintln(p.in, order); err != nil {
		return t, err
	}
	return t, p.out.Decode(&t)
}

// Kill ends the process with signal 9.
func (p *AMFProcess) Kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// End ends it in good order.
func (p *AMFProcess) End() {
	p.in.Close()
	p.cmd.Wait()
}
