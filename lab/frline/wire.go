//go:build linux

package frline

import (
	"errors"
	"os"
	"sync"
	"time"
)

// Wire joins two lines: what the user of one device sends the user of the other
// gets. It keeps the frames.
type Wire struct {
	ends   [2]*Line
	mu     sync.Mutex
	frames [][]byte
	cut    bool
	wg     sync.WaitGroup
}

// Join makes two devices and joins them.
func Join(a, b string) (*Wire, error) {
	w := &Wire{}
	for i, name := range []string{a, b} {
		l, err := New(name)
		if err != nil {
			w.Close()
			return nil, err
		}
		w.ends[i] = l
	}
	for i, from := range w.ends {
		w.wg.Add(1)
		go w.carry(from, w.ends[1-i])
	}
	return w, nil
}

// carry ends when from is closed. A device that is down takes nothing.
func (w *Wire) carry(from, to *Line) {
	defer w.wg.Done()
	for {
		f, err := from.Read(time.Hour)
		if errors.Is(err, os.ErrClosed) {
			return
		}
		if err != nil { // the device is down
			time.Sleep(10 * time.Millisecond)
			continue
		}
		w.mu.Lock()
		cut := w.cut
		if !cut {
			w.frames = append(w.frames, append([]byte(nil), f...))
		}
		w.mu.Unlock()
		if !cut {
			_ = to.Write(f)
		}
	}
}

// Cut makes the wire lose everything, or carry again.
func (w *Wire) Cut(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
}

// Frames returns what was carried so far.
func (w *Wire) Frames() [][]byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([][]byte(nil), w.frames...)
}

// Close takes both devices away.
func (w *Wire) Close() {
	for _, l := range w.ends {
		if l != nil {
			l.Close()
		}
	}
	w.wg.Wait()
}
