package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"

	"poolgw/sctp"
)

// N2RelayConfig tells an N2Relay where everybody is.
type N2RelayConfig struct {
	Transport sctp.Choice      `json:"transport"`
	Listen    netip.AddrPort   `json:"listen"`
	AMFs      []netip.AddrPort `json:"amfs"`
}

// N2Relay is what passing SCTP messages on costs in Go, without NGAP: for each
// association of a gNB one to an AMF, these in turn, and a goroutine for each
// direction that reads a message and sends it, on the stream on which it came.
type N2Relay struct {
	transport sctp.Transport
	config    N2RelayConfig
	listener  sctp.Listener
	work      sync.WaitGroup
}

// ReadN2RelayConfig reads the JSON form.
func ReadN2RelayConfig(b []byte) (c N2RelayConfig, err error) {
	if err = json.Unmarshal(b, &c); err != nil {
		return c, fmt.Errorf("load: relay: %w", err)
	}
	if len(c.AMFs) == 0 || !c.Listen.IsValid() {
		return c, errors.New("load: relay: no AMF, or nowhere to listen")
	}
	return c, nil
}

// NewN2Relay has the relay listen.
func NewN2Relay(t sctp.Transport, c N2RelayConfig) (*N2Relay, error) {
	l, err := t.Listen(sctp.At(c.Listen.Port(), c.Listen.Addr()), sctp.Defaults())
	if err != nil {
		return nil, err
	}
	return &N2Relay{transport: t, config: c, listener: l}, nil
}

// Run relays until ctx ends.
func (r *N2Relay) Run(ctx context.Context) error {
	defer r.work.Wait()
	defer r.listener.Close()
	for i := 0; ; i++ {
		a, err := r.listener.Accept(ctx)
		if errors.Is(err, net.ErrClosed) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		amf := r.config.AMFs[i%len(r.config.AMFs)]
		b, err := r.transport.Dial(ctx, sctp.At(0, r.config.Listen.Addr()), sctp.At(amf.Port(), amf.Addr()), sctp.Defaults())
		if err != nil {
			a.Abort("no AMF")
			return err
		}
		r.join(ctx, a, b)
	}
}

func (r *N2Relay) join(ctx context.Context, a, b sctp.Assoc) {
	end := func() { a.Abort("the other side has ended"); b.Abort("the other side has ended") }
	context.AfterFunc(ctx, end)
	for _, way := range [][2]sctp.Assoc{{a, b}, {b, a}} {
		room := make(chan struct{}, 1)
		way[1].OnWritable(func() {
			select {
			case room <- struct{}{}:
			default:
			}
		})
		r.work.Go(func() {
			defer end()
			pass(ctx, way[0], way[1], room)
		})
	}
}

// pass reads and sends until one side has ended.
func pass(ctx context.Context, from, to sctp.Assoc, room <-chan struct{}) {
	for {
		ev, err := from.Recv()
		if err != nil {
			return
		}
		if ev.Kind != sctp.Data {
			continue
		}
		for err = to.Send(ev.Message); errors.Is(err, sctp.ErrFull); err = to.Send(ev.Message) {
			select {
			case <-room:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}
