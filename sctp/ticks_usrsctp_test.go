//go:build usrsctp && cgo

package sctp

import (
	"context"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Associations whose heartbeats are due a hundred times a second, at whose ends each waits for the
// other's answer: a stream from which the library's timer thread takes a message's
// turn stops for good. SCTP_ROUNDS says how many answers, instead of 5,000.
func TestUserspaceHeartbeatsStopNoStream(t *testing.T) {
	const many = 50
	rounds := 5000
	if n, err := strconv.Atoi(os.Getenv("SCTP_ROUNDS")); err == nil {
		rounds = n
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	u, lo := userspaceOrSkip(t), netip.MustParseAddr("127.0.0.1")
	o := Defaults()
	o.HeartbeatInterval, o.RTOMin, o.RTOInitial = 10*time.Millisecond, 10*time.Millisecond, 100*time.Millisecond
	o.AssocMaxRetrans, o.PathMaxRetrans = 100, 100
	l, err := u.Listen(At(0, lo), o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	before := ticks()
	var talk sync.WaitGroup
	for i := range many {
		a, err := u.Dial(ctx, At(0, lo), l.Local(), o)
		if err != nil {
			t.Fatalf("association %d: %v", i, err)
		}
		defer a.Abort("")
		b, err := l.Accept(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Abort("")
		if err := a.Send(Message{PPID: PPIDNGAP, Data: []byte{0}}); err != nil {
			t.Fatal(err)
		}
		for _, a := range []Assoc{a, b} {
			talk.Go(func() { answer(t, a, rounds, 10*time.Second) })
		}
	}
	talk.Wait()
	if ticks() == before {
		t.Error("the library's timer sleeps elsewhere than in our function: it has no turn of its own")
	}
}
