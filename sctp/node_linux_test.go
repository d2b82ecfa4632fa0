package sctp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"poolgw/sctp"
)

// nodeSettings make this binary an end of its own, to be killed, stopped and
// started again: it obeys the lines that it reads and prints what happens.
type nodeSettings struct {
	Transport string
	Stack     sctp.UserspaceOptions
	Options   sctp.Options
}

const nodeVariable = "SCTP_TEST_NODE"

func TestMain(m *testing.M) {
	if s := os.Getenv(nodeVariable); s != "" {
		runNode(s)
		os.Exit(0)
	}
	if code, ran := alone(); ran {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

type node struct {
	nodeSettings
	transport sctp.Transport
	out       sync.Mutex
	mu        sync.Mutex
	assoc     sctp.Assoc
	writable  chan struct{}
}

func runNode(settings string) {
	n := &node{writable: make(chan struct{}, 1)}
	if err := json.Unmarshal([]byte(settings), &n.nodeSettings); err != nil {
		n.say("error %v", err)
		return
	}
	choice := sctp.OnlyKernel
	if n.Transport == "userspace" {
		choice = sctp.OnlyUserspace
	}
	var err error
	if n.transport, _, err = sctp.Choose(choice, n.Stack); err != nil {
		n.say("error %v", err)
		return
	}
	n.say("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		w := strings.Fields(in.Text())
		if err := n.obey(w); err != nil {
			n.say("error %s: %v", w[0], err)
		}
	}
}

func (n *node) say(format string, a ...any) {
	n.out.Lock()
	defer n.out.Unlock()
	fmt.Printf(format+"\n", a...)
}

func (n *node) obey(w []string) error {
	a := n.current()
	switch w[0] {
	case "listen":
		return n.listen(endpoint(w[1]))
	case "dial":
		go n.dial(endpoint(w[1]), endpoint(w[2]))
	case "send": // SIZE COUNT
		go n.send(a, number(w[1]), number(w[2]))
	case "close":
		return a.Close()
	case "abort":
		return a.Abort(strings.Join(w[1:], " "))
	case "stats":
		s := a.Stats()
		n.say("stats retransmitted %d streams %d %d paths %v", s.Retransmitted, s.InStreams, s.OutStreams, s.Paths)
	}
	return nil
}

func (n *node) current() sctp.Assoc {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.assoc
}

func number(s string) int {
	v, _ := strconv.Atoi(s)
	return v
}

// endpoint reads 192.0.2.1/192.0.2.2:38412; IPv6 addresses stand as they are.
func endpoint(s string) sctp.Endpoint {
	i := strings.LastIndex(s, ":")
	e := sctp.At(uint16(number(s[i+1:])))
	for _, a := range strings.Split(s[:i], "/") {
		e.Addrs = append(e.Addrs, netip.MustParseAddr(a))
	}
	return e
}

func (n *node) listen(at sctp.Endpoint) error {
	l, err := n.transport.Listen(at, n.Options)
	if err != nil {
		return err
	}
	n.say("listening")
	go func() {
		for {
			a, err := l.Accept(context.Background())
			if err != nil {
				n.say("error accept: %v", err)
				return
			}
			n.own(a)
		}
	}()
	return nil
}

// dial tries for a while: the port may still belong to a former life.
func (n *node) dial(local, remote sctp.Endpoint) {
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		a, err := n.transport.Dial(context.Background(), local, remote, n.Options)
		if err == nil {
			n.own(a)
			return
		}
		if !strings.Contains(err.Error(), "in use") || time.Now().After(end) {
			n.say("error dial: %v", err)
			return
		}
	}
}

func (n *node) own(a sctp.Assoc) {
	a.OnWritable(func() {
		select {
		case n.writable <- struct{}{}:
		default:
		}
	})
	n.mu.Lock()
	n.assoc = a
	n.mu.Unlock()
	n.say("up %v %v", a.Local(), a.Remote())
	go n.read(a)
}

func (n *node) read(a sctp.Assoc) {
	for {
		e, err := a.Recv()
		var d *sctp.Down
		switch {
		case errors.As(err, &d):
			a.Close()
			n.say("down %v; code %d; reason %s", d.Cause, d.Code, d.Reason)
			return
		case err != nil:
			n.say("error recv: %v", err)
			return
		}
		switch e.Kind {
		case sctp.Data:
			n.say("data %d %08x", len(e.Data), crc32.ChecksumIEEE(e.Data))
		case sctp.PathChange:
			n.say("path %v %v", e.Path.Addr, e.Path.State)
		case sctp.SendFailed:
			n.say("failed stream %d ppid %d size %d", e.Stream, e.PPID, len(e.Data))
		default:
			n.say("%v", e.Kind)
		}
	}
}

// send waits for OnWritable, and nothing else, where the buffer is full.
func (n *node) send(a sctp.Assoc, size, count int) {
	full := 0
	for i := 0; i < count; {
		err := a.Send(sctp.Message{Stream: 1, PPID: sctp.PPIDNGAP, Data: message(size, i)})
		switch {
		case errors.Is(err, sctp.ErrFull):
			if full++; full == 1 {
				n.say("full after %d", i)
			}
			<-n.writable
		case err != nil:
			n.say("stopped after %d: %v", i, err)
			return
		default:
			i++
		}
	}
	n.say("sent %d", count)
}

// message is the i-th message of that size, each of other octets.
func message(size, i int) []byte {
	b := make([]byte, size)
	for k := range b {
		b[k] = byte(k*7 + k>>8 + i*13)
	}
	return b
}

func dataLine(size, i int) string {
	return fmt.Sprintf("data %d %08x", size, crc32.ChecksumIEEE(message(size, i)))
}
