package n2

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"poolgw/ngap"
)

// Bounds of traces.
const (
	DefaultTracePackets = 1000
	MaxTracePackets     = 1000000
	maxTraceOctets      = 64 << 20 // of one file
	maxTraces           = 8        // at one time
	traceQueue          = 1024     // PDUs that wait to be written
)

// Errors of StartTrace.
var (
	ErrNoGNB     = errors.New("n2: there is no such gNB")
	ErrTraced    = errors.New("n2: the gNB is traced already")
	ErrTraces    = fmt.Errorf("n2: there are %d traces already", maxTraces)
	ErrNoTraces  = errors.New("n2: there is no folder for traces")
	errTraceBusy = errors.New("n2: the gNB's owner does not answer")
)

// TraceOrder is what is to be traced: the PDUs of one gNB, on its association
// and on those to the AMFs.
type TraceOrder struct {
	GNB      string // its ID, name or peer address
	Packets  int    // 1..MaxTracePackets
	Unmasked bool   // secrets too (see mask.go), and PDUs that can't be read
}

// TraceState is a trace under way.
type TraceState struct {
	GNB      string `json:"gnb"`
	File     string `json:"file"`
	Packets  uint64 `json:"packets"` // written
	Of       int    `json:"of"`
	Lost     uint64 `json:"lost"`     // the disk was too slow
	LeftOut  uint64 `json:"left_out"` // could not be read, so that keys could not be masked
	Unmasked bool   `json:"unmasked"`
}

// trace is the pcap file of one gNB. The owner frames PDUs, a goroutine of its
// own writes them: the owner never waits for a disk.
type trace struct {
	order   TraceOrder
	file    string
	records chan []byte
	framer  framer
	taken   int // PDUs
	octets  int
	left    atomic.Uint64
	lost    atomic.Uint64
	written atomic.Uint64
	pdu     ngap.PDU
}

// StartTrace begins a trace and returns its file.
func (g *Gateway) StartTrace(ctx context.Context, order TraceOrder) (string, error) {
	if g.opt.TraceDir == "" {
		return "", ErrNoTraces
	}
	s := Snapshot{GNBs: g.askAll(ctx)}
	state := s.GNB(order.GNB)
	if state == nil {
		return "", ErrNoGNB
	}
	if state.Trace != nil {
		return "", ErrTraced
	}
	o := g.owner(state.Serial)
	if o == nil {
		return "", ErrNoGNB
	}
	if n := g.traces.Add(1); n > maxTraces {
		g.traces.Add(-1)
		return "", ErrTraces
	}
	t, err := g.openTrace(state, order)
	if err != nil {
		g.traces.Add(-1)
		return "", err
	}
	answer := make(chan error, 1)
	if !o.mail.enquire(func(time.Time) { answer <- o.takeTrace(t) }) {
		answer <- errTraceBusy
	}
	select {
	case err = <-answer:
	case <-o.gone:
		err = ErrNoGNB
	case <-ctx.Done():
		err = errTraceBusy // the owner may still take it; it is bounded then as any
		return t.file, err
	}
	if err != nil {
		close(t.records)
		os.Remove(t.file)
		return "", err
	}
	g.log.Warn("trace begins", "gnb", state.ID, "file", t.file, "packets", order.Packets, "unmasked", order.Unmasked)
	return t.file, nil
}

// openTrace makes the file: nobody else may read it, and nothing that is there is
// written over.
func (g *Gateway) openTrace(s *GNBState, order TraceOrder) (*trace, error) {
	if err := os.MkdirAll(g.opt.TraceDir, 0o700); err != nil {
		return nil, err
	}
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, s.ID)
	if name == "" {
		name = fmt.Sprint(s.Serial)
	}
	path := filepath.Join(g.opt.TraceDir, fmt.Sprintf("gnb-%s-%s.pcap", name, g.clock().UTC().Format("20060102T150405.000")))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	t := &trace{order: order, file: path, records: make(chan []byte, traceQueue), framer: newFramer()}
	g.work.Go(func() { g.writeTrace(t, f) }) // Stop waits until it is written
	return t, nil
}

// writeTrace ends when the owner closes the channel.
func (g *Gateway) writeTrace(t *trace, f *os.File) {
	defer g.traces.Add(-1)
	_, err := f.Write(pcapHeader)
	for r := range t.records {
		if err == nil {
			if _, err = f.Write(r); err != nil {
				g.log.Error("trace ends early", "file", t.file, "err", err)
				continue
			}
			t.written.Add(1)
		}
	}
	f.Close()
}

// takeTrace is the owner's.
func (g *gnb) takeTrace(t *trace) error {
	switch {
	case g.state == gnbGone:
		return ErrNoGNB
	case g.trace != nil:
		return ErrTraced
	}
	g.trace = t
	return nil
}

// endTrace ends the gNB's trace, if it has one.
func (g *gnb) endTrace(why string) bool {
	t := g.trace
	if t == nil {
		return false
	}
	g.trace = nil
	close(t.records)
	g.log.Warn("trace ends", "file", t.file, "why", why, "pdus", t.taken, "lost", t.lost.Load(), "left_out", t.left.Load())
	return true
}

// StopTraces ends all traces, and returns how many there were.
func (g *Gateway) StopTraces(ctx context.Context) int {
	n := 0
	for _, o := range g.others(nil) {
		c := make(chan bool, 1)
		if !o.mail.enquire(func(time.Time) { c <- o.endTrace("stopped") }) {
			continue // it is bounded, and ends by itself
		}
		select {
		case had := <-c:
			if had {
				n++
			}
		case <-o.gone:
		case <-ctx.Done():
			return n
		}
	}
	return n
}

// traced adds a PDU to the trace. The owner calls it when there is one.
func (g *gnb) traced(k *link, out bool, stream uint16, data []byte) {
	t := g.trace
	if !t.order.Unmasked {
		var ok bool
		if data, ok = t.mask(data); !ok {
			t.left.Add(1)
			return
		}
	}
	record := t.framer.record(g.gw.clock(), k, out, stream, data)
	t.taken++
	t.octets += len(record)
	select {
	case t.records <- record:
	default:
		t.lost.Add(1)
	}
	if t.taken >= t.order.Packets {
		g.endTrace("all packets asked for")
	} else if t.octets >= maxTraceOctets {
		g.endTrace("the file is full")
	}
}

func (t *trace) state(gnb string) TraceState {
	return TraceState{GNB: gnb, File: t.file, Packets: t.written.Load(), Of: t.order.Packets, Lost: t.lost.Load(), LeftOut: t.left.Load(), Unmasked: t.order.Unmasked}
}
