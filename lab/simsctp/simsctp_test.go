package simsctp_test

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/lab/sctptest"
	"poolgw/lab/simsctp"
	"poolgw/sctp"
)

var (
	amf1, amf2 = netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	gnb        = netip.MustParseAddr("198.51.100.1")
)

func TestContract(t *testing.T) {
	for _, c := range sctptest.Cases {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := simsctp.New(time.Millisecond)
				c.Run(t, sctptest.Bed{Server: n, Client: n, Addrs: []netip.Addr{amf1, amf2}, Port: 38412,
					Local: []netip.Addr{gnb}, Many: 200, Patience: time.Minute, Options: sctp.Defaults()})
			})
		})
	}
}

func connect(t *testing.T, n *simsctp.Network) (client, server sctp.Assoc) {
	t.Helper()
	l, err := n.Listen(sctp.At(38412, amf1, amf2), sctp.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	client, err = n.Dial(context.Background(), sctp.At(5000, gnb), sctp.At(38412, amf1, amf2), sctp.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(context.Background()); err != nil {
		t.Fatal(err)
	}
	return client, server
}

func want(t *testing.T, a sctp.Assoc, s string) {
	t.Helper()
	ev, err := a.Recv()
	got := ev.Kind.String()
	if err != nil {
		got = err.Error()
	} else if ev.Kind == sctp.PathChange {
		got = ev.Path.Addr.String() + " " + ev.Path.State.String()
	} else if ev.Kind == sctp.Data {
		got = string(ev.Data)
	}
	if got != s {
		t.Errorf("got %s, want %s", got, s)
	}
}

// A path that is cut is told, traffic goes on, and the path comes back.
// Facts: N6-70
func TestPathCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simsctp.New(time.Millisecond)
		client, server := connect(t, n)
		n.Cut(amf1, netip.Addr{})
		start := time.Now()
		client.Send(sctp.Message{Data: []byte("by the other")})
		want(t, server, "by the other")
		want(t, client, "192.0.2.1 inactive")
		if d := time.Since(start); d != 2400*time.Millisecond { // 1 s + 0.2 + 0.4 + 0.8
			t.Errorf("noticed after %v", d)
		}
		n.Heal(amf1, netip.Addr{})
		want(t, client, "192.0.2.1 active")
	})
}

// An address that swallows everything ends the association by its time-outs,
// on both ends; what was sent is not delivered.
func TestBlackHole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simsctp.New(time.Millisecond)
		client, server := connect(t, n)
		n.Cut(gnb, netip.Addr{})
		client.Send(sctp.Message{Data: []byte("lost")})
		for _, a := range []sctp.Assoc{client, server} {
			for {
				if _, err := a.Recv(); err != nil {
					if c, _ := sctp.CauseOf(err); c != sctp.Timeout {
						t.Error(err)
					}
					break
				}
			}
		}
		if _, err := n.Dial(context.Background(), sctp.At(0, gnb), sctp.At(38412, amf1), sctp.Defaults()); err == nil {
			t.Error("an association through a black hole")
		} else if c, _ := sctp.CauseOf(err); c != sctp.InitTimeout {
			t.Error(err)
		}
		if n.Associations() != 0 {
			t.Error(n.Associations())
		}
	})
}

// A short cut delays, and loses nothing.
func TestShortCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simsctp.New(time.Millisecond)
		client, server := connect(t, n)
		n.Cut(gnb, netip.Addr{})
		client.Send(sctp.Message{Data: []byte("1")})
		client.Send(sctp.Message{Data: []byte("2")})
		time.Sleep(time.Second)
		n.Heal(gnb, netip.Addr{})
		client.Send(sctp.Message{Data: []byte("3")})
		want(t, server, "1")
		want(t, server, "2")
		want(t, server, "3")
	})
}

// A peer that died without a word and is back answers with an ABORT.
func TestVanish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simsctp.New(time.Millisecond)
		client, _ := connect(t, n)
		n.Vanish(amf1)
		start := time.Now()
		want(t, client, "sctp: association down: aborted by the peer")
		if d := time.Since(start); d != time.Second {
			t.Errorf("noticed after %v", d)
		}
	})
}

// The same peer dialling anew restarts the association at the other end.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simsctp.New(time.Millisecond)
		client, server := connect(t, n)
		n.Vanish(gnb)
		if _, err := client.Recv(); err == nil {
			t.Fatal("the vanished end still reads")
		}
		again, err := n.Dial(context.Background(), sctp.At(5000, gnb), sctp.At(38412, amf1, amf2), sctp.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		want(t, server, "restart")
		server.Send(sctp.Message{Data: []byte("anew")})
		want(t, again, "anew")
		again.Send(sctp.Message{Data: []byte("here")})
		want(t, server, "here")
	})
}
