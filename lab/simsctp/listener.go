package simsctp

import (
	"context"
	"net"
	"slices"

	"poolgw/sctp"
)

type listener struct {
	net     *Network
	local   sctp.Endpoint
	options sctp.Options
	wake    chan struct{}
	closed  chan struct{}

	backlog []*assoc // under net.mu
	gone    bool
}

func (l *listener) Local() sctp.Endpoint { return l.local }

func (l *listener) Accept(ctx context.Context) (sctp.Assoc, error) {
	for {
		if a, err := l.next(); a != nil || err != nil {
			return a, err
		}
		select {
		case <-l.wake:
		case <-l.closed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// next returns nothing, and no error, when nobody waits.
func (l *listener) next() (sctp.Assoc, error) {
	l.net.mu.Lock()
	defer l.net.mu.Unlock()
	if l.gone {
		return nil, net.ErrClosed
	}
	if len(l.backlog) == 0 {
		return nil, nil
	}
	a := l.backlog[0]
	l.backlog = l.backlog[1:]
	return a, nil
}

func (l *listener) Close() error {
	l.net.mu.Lock()
	defer l.net.mu.Unlock()
	l.closeLocked()
	return nil
}

func (l *listener) closeLocked() {
	if l.gone {
		return
	}
	l.gone = true
	close(l.closed)
	l.net.listeners = slices.DeleteFunc(l.net.listeners, func(m *listener) bool { return m == l })
	for _, a := range l.backlog {
		a.abort("")
	}
}
