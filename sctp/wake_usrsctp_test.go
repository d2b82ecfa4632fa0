//go:build usrsctp && cgo

package sctp

import (
	"context"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"
)

// Acknowledgements wake nobody: the library calls back for every packet, also where
// there is nothing to read.
func TestUserspaceAcknowledgementsWakeNobody(t *testing.T) {
	a, b := userspacePair(t)
	for range 20 {
		for err := error(nil); err == nil; { // what is told of paths
			a.SetRecvDeadline(time.Now().Add(time.Millisecond))
			_, err = a.Recv()
		}
		select {
		case <-a.signals.readable:
		default:
		}
		if err := a.Send(Message{PPID: PPIDNGAP, Data: []byte("to be acknowledged")}); err != nil {
			t.Fatal(err)
		}
		for e := (Event{Kind: Restart}); e.Kind != Data; {
			var err error
			if e, err = b.Recv(); err != nil {
				t.Fatal(err)
			}
		}
		for end := time.Now().Add(10 * time.Second); a.Stats().Unacked > 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if a.Stats().Unacked == 0 && len(a.signals.readable) == 0 {
			return
		}
	}
	t.Error("the sender's reader is woken by each acknowledgement")
}

// A slot that is used again belongs to its new socket; what the old one is told
// late is lost, and is no harm to anybody.
func TestUserspaceSlotsAreUsedAgain(t *testing.T) {
	userspaceOrSkip(t)
	first := newSignals()
	number := first.number
	first.drop()
	second := newSignals()
	defer second.drop()
	if second.number != number || slots.used[number] != second {
		t.Errorf("slot %d after %d", second.number, number)
	}
	if second.readable == first.readable {
		t.Error("who waited at the old socket takes what the new one is told")
	}
}

func userspaceOrSkip(t *testing.T) Transport {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not root: the userspace stack needs raw sockets")
	}
	if _, err := Kernel(); err == nil {
		t.Skip("this kernel has SCTP: it aborts what the userspace stack opens over IP at the same address")
	}
	u, err := Userspace(UserspaceOptions{UDPPort: 9899})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// userspacePair is both ends of one association.
func userspacePair(t *testing.T) (dialled, accepted *userspaceAssoc) {
	t.Helper()
	u, lo := userspaceOrSkip(t), netip.MustParseAddr("127.0.0.1")
	l, err := u.Listen(At(0, lo), Defaults())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	a, err := u.Dial(t.Context(), At(0, lo), l.Local(), Defaults())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Abort("") })
	b, err := l.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Abort("") })
	return a.(*userspaceAssoc), b.(*userspaceAssoc)
}

// Two hundred associations at whose ends each waits for the other's answer, while others
// come and go and their slots are used again. A wake-up that is lost stops one for good:
// what would bring another is far: heartbeats an hour, what is sent again for a late
// acknowledgement a minute. And the sends wait for the
// lock that the library only tries, in this program too.
func TestUserspaceEveryAssociationGoesOn(t *testing.T) {
	const many, rounds = 200, 100
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	u, lo := userspaceOrSkip(t), netip.MustParseAddr("127.0.0.1")
	o := Defaults()
	o.HeartbeatInterval, o.RTOMin, o.RTOInitial, o.RTOMax = time.Hour, time.Minute, time.Minute, time.Minute
	l, err := u.Listen(At(0, lo), o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	locked := sendsLocked()
	var talk, churn sync.WaitGroup
	talk.Go(func() {
		for range many {
			a, err := l.Accept(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { a.Abort("") })
			talk.Go(func() { answer(t, a, rounds, time.Minute) })
		}
	})
	for i := range many {
		a, err := u.Dial(ctx, At(0, lo), l.Local(), o)
		if err != nil {
			t.Fatalf("association %d: %v", i, err)
		}
		defer a.Abort("")
		talk.Go(func() {
			if err := a.Send(Message{PPID: PPIDNGAP, Data: []byte{0}}); err != nil {
				t.Error(err)
			}
			answer(t, a, rounds, time.Minute)
		})
	}
	over := make(chan struct{})
	churn.Go(func() { comeAndGo(ctx, t, u, over) })
	talk.Wait()
	close(over)
	churn.Wait()
	if n := sendsLocked() - locked; n < many*rounds {
		t.Errorf("the library took the lock of our function for %d sends of %d", n, 2*many*rounds)
	}
}

// answer answers rounds messages, each of which comes within patience.
func answer(t *testing.T, a Assoc, rounds int, patience time.Duration) {
	for n := 0; n < rounds; {
		a.SetRecvDeadline(time.Now().Add(patience))
		e, err := a.Recv()
		if err != nil {
			t.Errorf("%s: after %d of %d messages: %v", a.Local(), n, rounds, err)
			return
		}
		if e.Kind != Data {
			continue
		}
		n++
		if err := a.Send(Message{PPID: PPIDNGAP, Data: []byte{byte(n)}}); err != nil {
			t.Errorf("%s: answer %d: %v", a.Local(), n, err)
			return
		}
	}
}

// comeAndGo opens associations and ends them at once.
func comeAndGo(ctx context.Context, t *testing.T, u Transport, over chan struct{}) {
	lo := netip.MustParseAddr("127.0.0.1")
	l, err := u.Listen(At(0, lo), Defaults())
	if err != nil {
		t.Error(err)
		return
	}
	defer l.Close()
	for {
		select {
		case <-over:
			return
		default:
		}
		a, err := u.Dial(ctx, At(0, lo), l.Local(), Defaults())
		if err != nil {
			t.Error(err)
			return
		}
		b, err := l.Accept(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		a.Send(Message{PPID: PPIDNGAP, Data: []byte("and gone")})
		a.Abort("")
		b.Abort("")
	}
}
