//go:build usrsctp && cgo

package sctp

import (
	"net/netip"
	"os"
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
