package sctptest

import (
	"encoding/binary"
	"errors"
	"sync"
	"testing"
	"time"

	"poolgw/sctp"
)

// endsRace closes and aborts while others send and receive at both ends:
// every Recv ends with a *Down that names who ended it, nothing hangs, nothing panics.
func endsRace(t *testing.T, b Bed) {
	l := b.listen(t)
	for round := range 20 {
		e := &ends{T: t, Bed: b, listener: l, client: b.dial(t), server: b.accept(t, l)}
		var all sync.WaitGroup
		for _, a := range []sctp.Assoc{e.client, e.server} {
			all.Go(func() { readToEnd(t, a) })
			all.Go(func() {
				m := sctp.Message{Data: pattern(700, round)}
				for range 200 {
					if err := a.Send(m); err != nil && !errors.Is(err, sctp.ErrFull) {
						return
					}
					a.Stats()
				}
			})
		}
		time.Sleep(time.Duration(round) * 200 * time.Microsecond)
		for i := range 4 {
			all.Go(func() {
				switch (i + round) % 4 {
				case 0:
					e.client.Close()
				case 1:
					e.server.Abort("race")
				case 2:
					e.server.Close()
				case 3:
					e.client.SetRecvDeadline(time.Now().Add(time.Hour))
				}
			})
		}
		waitFor(t, &all, 4*b.Patience)
	}
}

func readToEnd(t *testing.T, a sctp.Assoc) {
	for {
		if _, err := a.Recv(); err != nil {
			if c, ok := sctp.CauseOf(err); !ok || c == sctp.StackFailure {
				t.Errorf("Recv ended with %v", err)
			}
			return
		}
	}
}

func waitFor(t *testing.T, all *sync.WaitGroup, most time.Duration) {
	t.Helper()
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(most):
		t.Fatalf("not over after %v", most)
	}
}

// writableIsNeverLost sends through a small buffer and waits for nothing but
// OnWritable.
func writableIsNeverLost(t *testing.T, b Bed) {
	const n = 1000
	b.Options.SendBuffer, b.Options.ReceiveBuffer = 16<<10, 16<<10
	e := b.connect(t)
	writable := make(chan struct{}, 1)
	e.client.OnWritable(func() {
		select {
		case writable <- struct{}{}:
		default:
		}
	})
	sent := make(chan error, 1)
	go func() { sent <- e.sendAll(n, writable) }()
	for i := range n {
		ev, err := e.recv(e.server)
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		if got := binary.BigEndian.Uint32(ev.Data); got != uint32(i) {
			t.Fatalf("message %d came as number %d", got, i)
		}
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if e.client.Stats().Full == 0 {
		t.Error("the buffer was never full")
	}
}

func (e *ends) sendAll(n int, writable <-chan struct{}) error {
	data := make([]byte, 900)
	for i := 0; i < n; {
		binary.BigEndian.PutUint32(data, uint32(i))
		err := e.client.Send(sctp.Message{Data: data})
		switch {
		case err == nil:
			i++
		case !errors.Is(err, sctp.ErrFull):
			return err
		default:
			select {
			case <-writable:
			case <-time.After(e.Patience):
				return errors.New("full, and OnWritable was not called")
			}
		}
	}
	return nil
}

// abortAfterClose ends a shutdown that the peer does not answer, because it
// reads nothing, and frees the port.
func abortAfterClose(t *testing.T, b Bed) {
	e := b.connect(t)
	e.send(e.client, 0, []byte("unread"))
	e.client.Close()
	e.client.Abort("at once")
	e.wantDown(e.client, sctp.LocalClose, sctp.LocalAbort)
	for {
		if _, err := e.recv(e.server); err != nil {
			if c, _ := sctp.CauseOf(err); c != sctp.PeerAbort && c != sctp.PeerShutdown {
				t.Errorf("got %v", err)
			}
			return
		}
	}
}
