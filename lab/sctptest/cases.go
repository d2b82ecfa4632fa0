package sctptest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"poolgw/sctp"
)

func exchange(t *testing.T, b Bed) {
	e := b.connect(t)
	e.send(e.client, 0, []byte("set up"))
	e.wantData(e.server, 0, []byte("set up"))
	e.send(e.server, 1, []byte("response"))
	e.wantData(e.client, 1, []byte("response"))
	if got, want := e.server.Remote().Port, e.client.Local().Port; got != want {
		t.Errorf("the server sees port %d, the client has %d", got, want)
	}
	if c, s := e.client.Stats(), e.server.Stats(); c.OutMessages != 1 || c.InMessages != 1 || s.InOctets != 6 || s.OutOctets != 8 ||
		c.OutStreams != s.InStreams || len(c.Paths) != len(b.Addrs) {
		t.Errorf("client %+v, server %+v", c, s)
	}
}

func pattern(n, seed int) []byte {
	d := make([]byte, n)
	for i := range d {
		d[i] = byte(i*7 + i>>8 + seed)
	}
	return d
}

// Longer than a packet, than a socket's read and than 64 KiB.
func longMessages(t *testing.T, b Bed) {
	e := b.connect(t)
	for i, n := range []int{1, 1400, 1500, 16383, 16384, 60000, 100000} {
		e.send(e.client, 1, pattern(n, i))
		e.wantData(e.server, 1, pattern(n, i))
	}
}

func tooLong(t *testing.T, b Bed) {
	b.Options.MaxMessage = 2000
	e := b.connect(t)
	e.send(e.client, 0, pattern(2000, 0))
	e.send(e.client, 0, pattern(2001, 0))
	e.send(e.client, 0, []byte("after"))
	e.wantData(e.server, 0, pattern(2000, 0))
	if ev, err := e.recv(e.server); err != nil || ev.Kind != sctp.TooLong {
		t.Fatalf("got %v, %v", ev.Kind, err)
	}
	e.wantData(e.server, 0, []byte("after"))
}

func order(t *testing.T, b Bed) {
	e := b.connect(t)
	const n = 500
	for i := range n {
		e.send(e.client, uint16(i%4), binary.BigEndian.AppendUint16(nil, uint16(i)))
	}
	var next [4]int
	for range n {
		ev, err := e.recv(e.server)
		if err != nil {
			t.Fatal(err)
		}
		i := int(binary.BigEndian.Uint16(ev.Data))
		if s := int(ev.Stream); i%4 != s || i/4 != next[s] {
			t.Fatalf("message %d came on stream %d as its number %d", i, s, next[s])
		}
		next[ev.Stream]++
	}
}

func noSuchStream(t *testing.T, b Bed) {
	e := b.connect(t)
	out := e.client.Stats().OutStreams
	if out == 0 || out > b.Options.Streams {
		t.Fatalf("%d streams", out)
	}
	if err := e.client.Send(sctp.Message{Stream: out, Data: []byte("x")}); !errors.Is(err, sctp.ErrStream) {
		t.Errorf("got %v", err)
	}
	e.send(e.client, out-1, []byte("last"))
	e.wantData(e.server, out-1, []byte("last"))
}

// What was sent before Close arrives.
func gracefulClose(t *testing.T, b Bed) {
	e := b.connect(t)
	for i := range 100 {
		e.send(e.client, 0, pattern(100, i))
	}
	if err := e.client.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		e.wantData(e.server, 0, pattern(100, i))
	}
	e.wantDown(e.server, sctp.PeerShutdown)
	e.wantDown(e.client, sctp.LocalClose)
	if err := e.client.Send(sctp.Message{Data: []byte("x")}); err == nil {
		t.Error("a closed association took a message")
	}
	if c, ok := sctp.CauseOf(e.server.Send(sctp.Message{Data: []byte("x")})); !ok || c != sctp.PeerShutdown {
		t.Errorf("Send after the peer's shutdown: %v", c)
	}
}

func abort(t *testing.T, b Bed) {
	e := b.connect(t)
	if err := e.server.Abort("out of service"); err != nil {
		t.Fatal(err)
	}
	d := e.wantDown(e.client, sctp.PeerAbort)
	if d.Code != 0 && d.Code != 12 {
		t.Errorf("error cause %d", d.Code)
	}
	e.wantDown(e.server, sctp.LocalAbort)
}

func nobodyListens(t *testing.T, b Bed) {
	ctx, cancel := b.context()
	defer cancel()
	a, err := b.Client.Dial(ctx, sctp.At(0, b.Local...), sctp.At(b.Port, b.Addrs...), b.Options)
	if err == nil {
		a.Abort("")
		t.Fatal("an association with nobody")
	}
	if c, ok := sctp.CauseOf(err); !ok || c != sctp.Refused {
		t.Errorf("got %v", err)
	}
}

func addressInUse(t *testing.T, b Bed) {
	b.listen(t)
	l, err := b.Server.Listen(sctp.At(b.Port, b.Addrs...), b.Options)
	if err == nil {
		l.Close()
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("got %v", err)
	}
}

// A listener that is closed can be had again at once, while associations that it
// accepted go on.
func listenAgain(t *testing.T, b Bed) {
	e := b.connect(t)
	e.listener.Close()
	l, err := b.Server.Listen(sctp.At(b.Port, b.Addrs...), b.Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	e.send(e.client, 0, []byte("still there"))
	e.wantData(e.server, 0, []byte("still there"))
	second := &ends{T: t, Bed: b, listener: l, client: b.dial(t)}
	second.server = b.accept(t, l)
	second.send(second.client, 0, []byte("new"))
	second.wantData(second.server, 0, []byte("new"))
}

func recvDeadline(t *testing.T, b Bed) {
	e := b.connect(t)
	e.client.SetRecvDeadline(time.Now().Add(50 * time.Millisecond))
	for {
		if ev, err := e.client.Recv(); err == nil && ev.Kind == sctp.PathChange {
			continue
		} else if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
		break
	}
	e.send(e.server, 0, []byte("still there"))
	e.wantData(e.client, 0, []byte("still there"))
}

func closeEndsRecv(t *testing.T, b Bed) {
	for name, end := range map[string]func(a sctp.Assoc){
		"Close": func(a sctp.Assoc) { a.Close() }, "Abort": func(a sctp.Assoc) { a.Abort("") },
	} {
		e := b.connect(t)
		done := make(chan error, 1)
		go func() {
			for {
				if _, err := e.client.Recv(); err != nil {
					done <- err
					return
				}
			}
		}()
		end(e.client)
		select {
		case err := <-done:
			if _, ok := sctp.CauseOf(err); !ok {
				t.Errorf("%s: Recv returned %v", name, err)
			}
		case <-time.After(b.Patience):
			t.Fatalf("%s does not end Recv", name)
		}
		e.listener.Close()
	}
}

func closeEndsAccept(t *testing.T, b Bed) {
	l := b.listen(t)
	done := make(chan error, 1)
	go func() { _, err := l.Accept(context.Background()); done <- err }()
	time.Sleep(10 * time.Millisecond)
	l.Close()
	select {
	case err := <-done:
		if !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v", err)
		}
	case <-time.After(b.Patience):
		t.Fatal("Close does not end Accept")
	}
}

func contextEndsAccept(t *testing.T, b Bed) {
	l := b.listen(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := l.Accept(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	b.dial(t)
	b.accept(t, l)
}

// A reader that stops stops its sender, and nothing is lost.
func fullAndWritable(t *testing.T, b Bed) {
	b.Options.SendBuffer, b.Options.ReceiveBuffer = 64<<10, 64<<10
	e := b.connect(t)
	writable := make(chan struct{}, 1)
	e.client.OnWritable(func() {
		select {
		case writable <- struct{}{}:
		default:
		}
	})
	sent := 0
	for ; ; sent++ {
		err := e.client.Send(sctp.Message{Data: pattern(1000, sent)})
		if errors.Is(err, sctp.ErrFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if sent > 10000 {
			t.Fatal("ten million octets and never full")
		}
	}
	for i := range sent {
		ev, err := e.recv(e.server)
		if err != nil || !bytes.Equal(ev.Data, pattern(1000, i)) {
			t.Fatalf("message %d of %d: %v, %d octets", i, sent, err, len(ev.Data))
		}
	}
	select {
	case <-writable:
	case <-time.After(b.Patience):
		t.Fatal("nobody said that it is writable again")
	}
	if err := e.client.Send(sctp.Message{Data: []byte("more")}); err != nil {
		t.Fatal(err)
	}
	if e.client.Stats().Full == 0 {
		t.Error("not counted")
	}
}

func manyAtOnce(t *testing.T, b Bed) {
	n := max(b.Many, 1)
	l := b.listen(t)
	errs := make(chan error, 2*n)
	for range n {
		go func() { errs <- b.greet(t) }()
	}
	// Who takes them must be quick: until then they share one receive buffer.
	for range n {
		e := &ends{T: t, Bed: b, server: b.accept(t, l)}
		go func() { errs <- e.hello() }()
	}
	for range 2 * n {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// greet dials, says hello, and ends once it is answered: Linux forgets an
// association that ends before it is accepted.
func (b Bed) greet(t *testing.T) error {
	ctx, cancel := b.context()
	defer cancel()
	a, err := b.Client.Dial(ctx, sctp.At(0, b.Local...), sctp.At(b.Port, b.Addrs...), b.Options)
	if err != nil {
		return err
	}
	defer a.Close()
	if err = a.Send(sctp.Message{Data: []byte("hello")}); err != nil {
		return err
	}
	ev, err := (&ends{T: t, Bed: b}).recv(a)
	if err == nil && string(ev.Data) != "hello" {
		err = fmt.Errorf("got %q", ev.Data)
	}
	return err
}

// hello answers the one message of a client, and reads its shutdown.
func (e *ends) hello() error {
	ev, err := e.recv(e.server)
	if err != nil || string(ev.Data) != "hello" {
		return fmt.Errorf("%q, %w", ev.Data, err)
	}
	if err = e.server.Send(sctp.Message{Data: ev.Data}); err != nil {
		return err
	}
	if _, err = e.recv(e.server); err == nil {
		return errors.New("more than one message")
	}
	if c, _ := sctp.CauseOf(err); c != sctp.PeerShutdown {
		return err
	}
	return nil
}

func optionsAreChecked(t *testing.T, b Bed) {
	b.Options.RTOMin = time.Minute
	if _, err := b.Server.Listen(sctp.At(b.Port, b.Addrs...), b.Options); err == nil {
		t.Error("Listen took rto min above rto max")
	}
	if _, err := b.Client.Dial(context.Background(), sctp.Endpoint{}, sctp.At(b.Port, b.Addrs...), b.Options); err == nil {
		t.Error("Dial took rto min above rto max")
	}
}
