package logging

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

// output is where a sink's lines go. write is called by one goroutine at a
// time; close may be called while write hangs, and ends it if it can.
type output interface {
	write(e entry, line string) error
	close()
}

// queueLen is how many lines may wait for a slow target, and drainTime how long
// a target that is closed may take to write them.
const (
	queueLen  = 4096
	drainTime = 2 * time.Second
)

// newSink puts a bounded queue and a goroutine before an output; a blocking one
// is written to at once.
func (h *Hub) newSink(name string, out output, blocking bool) *sink {
	s := &sink{name: name, out: out}
	s.rule.Store(&rule{format: DefaultFormat})
	st := &state{hub: h, sink: s}
	if blocking {
		var mu sync.Mutex
		s.close = out.close
		s.write = func(e entry, l string) {
			mu.Lock()
			err := out.write(e, l)
			mu.Unlock()
			st.wrote(err)
		}
		return s
	}
	s.queue(h, st)
	return s
}

func (s *sink) queue(h *Hub, st *state) {
	type item struct {
		e entry
		l string
	}
	q, stop, ended := make(chan item, queueLen), make(chan struct{}), make(chan struct{})
	write := func(it item) { st.wrote(s.out.write(it.e, it.l)) }
	go func() {
		defer close(ended)
		for {
			select {
			case it := <-q:
				write(it)
			case <-stop:
				for len(q) > 0 {
					write(<-q)
				}
				return
			}
		}
	}()
	s.write = func(e entry, l string) {
		select {
		case q <- item{e, l}:
		default:
			h.counts.dropped.Add(1)
		}
	}
	var once sync.Once
	s.close = func() { once.Do(func() { close(stop); await(ended); s.out.close() }) }
}

// await gives up on a target that takes nothing: a change of the log, or the
// end of the program, must not wait for ever on who reads its pipe.
func await(ended <-chan struct{}) {
	t := time.NewTimer(drainTime)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
	}
}

// state tells the other targets, once each time, when one does not work and
// when it works again.
type state struct {
	hub  *Hub
	sink *sink

	mu   sync.Mutex
	lost uint64 // lines since it failed
}

func (st *state) wrote(err error) {
	if err != nil {
		st.hub.counts.failed.Add(1)
	}
	st.mu.Lock()
	lost := st.lost
	if st.lost++; err == nil {
		st.lost = 0
	}
	st.mu.Unlock()
	switch {
	case err != nil && lost == 0:
		st.hub.tell(slog.LevelError, st.sink, "log target %s does not work: %v", st.sink.name, err)
	case err == nil && lost > 0:
		st.hub.tell(LevelNotice, st.sink, "log target %s works again, %d lines are lost", st.sink.name, lost)
	}
}

// stderr is standard error.
type stderr struct{}

func (stderr) write(_ entry, line string) error {
	_, err := io.WriteString(os.Stderr, line+"\n")
	return err
}

func (stderr) close() {}

// errClosed is for what is written to a target after its end.
var errClosed = errors.New("it is closed")
