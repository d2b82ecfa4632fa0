// Package sctptest is what every transport of package sctp must do, whatever
// stack is beneath. A transport's own tests add what only it has.
package sctptest

import (
	"context"
	"errors"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"poolgw/sctp"
)

// Bed is where the contract is tried.
type Bed struct {
	// Server and Client may be the same Transport.
	Server, Client sctp.Transport
	// Addrs are where the server listens, Port a port that is free there.
	Addrs []netip.Addr
	Port  uint16
	// Local are the client's addresses; empty: as the transport chooses.
	Local []netip.Addr
	// Patience is how long an answer may take at most.
	Patience time.Duration
	// Many is how many associations are opened at once.
	Many int
	// Options are the defaults, or those that suit the bed.
	Options sctp.Options
}

// Cases are the contract, by name; each opens and closes what it needs.
var Cases = []struct {
	Name string
	Run  func(t *testing.T, b Bed)
}{
	{"Exchange", exchange},
	{"LongMessages", longMessages},
	{"TooLongIsTold", tooLong},
	{"OrderPerStream", order},
	{"NoSuchStream", noSuchStream},
	{"GracefulClose", gracefulClose},
	{"Abort", abort},
	{"NobodyListens", nobodyListens},
	{"AddressInUse", addressInUse},
	{"ListenAgain", listenAgain},
	{"RecvDeadline", recvDeadline},
	{"CloseEndsRecv", closeEndsRecv},
	{"CloseEndsAccept", closeEndsAccept},
	{"ContextEndsAccept", contextEndsAccept},
	{"FullAndWritable", fullAndWritable},
	{"ManyAtOnce", manyAtOnce},
	{"OptionsAreChecked", optionsAreChecked},
	{"EndsRace", endsRace},
	{"WritableIsNeverLost", writableIsNeverLost},
	{"AbortAfterClose", abortAfterClose},
}

// Run runs every case as a subtest of t, with a Bed of its own from setUp.
func Run(t *testing.T, setUp func(t *testing.T) Bed) {
	for _, c := range Cases {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, setUp(t)) })
	}
}

// ends is an association and both who own it.
type ends struct {
	*testing.T
	Bed
	listener       sctp.Listener
	client, server sctp.Assoc
}

func (b Bed) listen(t *testing.T) sctp.Listener {
	t.Helper()
	l, err := b.Server.Listen(sctp.At(b.Port, b.Addrs...), b.Options)
	// Associations of the case before may still be ending.
	for end := time.Now().Add(b.Patience); errors.Is(err, syscall.EADDRINUSE) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
		l, err = b.Server.Listen(sctp.At(b.Port, b.Addrs...), b.Options)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func (b Bed) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), b.Patience)
}

func (b Bed) dial(t *testing.T) sctp.Assoc {
	t.Helper()
	ctx, cancel := b.context()
	defer cancel()
	a, err := b.Client.Dial(ctx, sctp.At(0, b.Local...), sctp.At(b.Port, b.Addrs...), b.Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Abort("end of test") })
	return a
}

func (b Bed) accept(t *testing.T, l sctp.Listener) sctp.Assoc {
	t.Helper()
	ctx, cancel := b.context()
	defer cancel()
	a, err := l.Accept(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Abort("end of test") })
	return a
}

func (b Bed) connect(t *testing.T) *ends {
	t.Helper()
	e := &ends{T: t, Bed: b, listener: b.listen(t)}
	e.client = b.dial(t)
	e.server = b.accept(t, e.listener)
	return e
}

// send waits where the buffer is full.
func (e *ends) send(a sctp.Assoc, stream uint16, data []byte) {
	e.Helper()
	m := sctp.Message{Stream: stream, PPID: sctp.PPIDNGAP, Data: data}
	end := time.Now().Add(e.Patience)
	err := a.Send(m)
	for errors.Is(err, sctp.ErrFull) && time.Now().Before(end) {
		time.Sleep(time.Millisecond)
		err = a.Send(m)
	}
	if err != nil {
		e.Fatal(err)
	}
}

// recv returns the next event that is not about a path.
func (e *ends) recv(a sctp.Assoc) (sctp.Event, error) {
	e.Helper()
	if err := a.SetRecvDeadline(time.Now().Add(e.Patience)); err != nil {
		e.Fatal(err)
	}
	for {
		ev, err := a.Recv()
		if err != nil || ev.Kind != sctp.PathChange {
			return ev, err
		}
	}
}

func (e *ends) wantData(a sctp.Assoc, stream uint16, data []byte) {
	e.Helper()
	ev, err := e.recv(a)
	if err != nil {
		e.Fatal(err)
	}
	if ev.Kind != sctp.Data || ev.Stream != stream || ev.PPID != sctp.PPIDNGAP || string(ev.Data) != string(data) {
		e.Fatalf("got %v on stream %d, PPID %d, %d octets; want data on %d, PPID 60, %d octets",
			ev.Kind, ev.Stream, ev.PPID, len(ev.Data), stream, len(data))
	}
}

func (e *ends) wantDown(a sctp.Assoc, want ...sctp.Cause) *sctp.Down {
	e.Helper()
	ev, err := e.recv(a)
	d, ok := err.(*sctp.Down)
	if !ok {
		e.Fatalf("got %v, %v; want the association down", ev.Kind, err)
	}
	for _, c := range want {
		if d.Cause == c {
			return d
		}
	}
	e.Fatalf("down by %q; want %v", d, want)
	return nil
}
