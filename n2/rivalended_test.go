package n2_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"poolgw/ngap"
	"poolgw/sctp"
)

// slowToTell is a transport whose associations are forgotten, numbers and all, when they
// end, while their readers hear of it a second later: as on a busy machine. And as with
// usrsctp what waits for an inactive path is not counted.
type slowToTell struct{ sctp.Transport }

type slowListener struct{ sctp.Listener }

type slowAssoc struct{ sctp.Assoc }

func (t slowToTell) Listen(local sctp.Endpoint, o sctp.Options) (sctp.Listener, error) {
	l, err := t.Transport.Listen(local, o)
	return slowListener{l}, err
}

func (l slowListener) Accept(ctx context.Context) (sctp.Assoc, error) {
	a, err := l.Listener.Accept(ctx)
	if err != nil {
		return nil, err
	}
	return slowAssoc{a}, nil
}

func (a slowAssoc) Recv() (sctp.Event, error) {
	e, err := a.Assoc.Recv()
	if err != nil {
		time.Sleep(time.Second)
	}
	return e, err
}

func (a slowAssoc) Stats() sctp.Stats {
	s := a.Assoc.Stats()
	if s.State == sctp.Closed {
		return sctp.Stats{}
	}
	if s.Paths[0].State == sctp.Inactive {
		s.Unacked = 0
	}
	return s
}

// A gNB vanishes and comes again while SCTP finds out: that nothing is unacknowledged of
// an association that has ended, or whose path is inactive, is no sign of life.
// Facts: N6-68
func TestEndedAssociationIsNoProofOfLife(t *testing.T) {
	over := func(t sctp.Transport) sctp.Transport { return slowToTell{t} }
	for again := time.Duration(0); again < 8*time.Second; again += 250 * time.Millisecond {
		t.Run(fmt.Sprint(again), func(t *testing.T) {
			runOver(t, over, 1, nil, func(b *bed) {
				b.up(7)
				b.net.Cut(address(2, 1), address(0, 1))
				b.sleep(again)
				other := b.gnb(7)
				b.sleep(10 * time.Second)
				b.settle()
				other.want(ngap.CodeNGSetupRequest, ngap.Successful)
				if c := b.snapshot().Counts; c.SameIDRefused != 0 {
					b.Errorf("%+v", c)
				}
			})
		})
	}
}
