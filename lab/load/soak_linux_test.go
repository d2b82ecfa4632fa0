package load

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// pretended is a gateway that loses nothing; subscribers are seen one in each slice.
type pretended struct {
	seen, subscribers int
	after             func(slices int) // is called after each slice
}

func (p *pretended) soakCapacity() (float64, error) { return 100, nil }
func (p *pretended) soakIdle()                      {}
func (p *pretended) soakUnseen() int                { return max(p.subscribers-p.seen, 0) }
func (p *pretended) Metrics() (Metrics, error)      { return Metrics{}, nil }
func (p *pretended) LiveHeap() (float64, error)     { return 1e6, nil }

func (p *pretended) soakSlice(rate float64, d time.Duration, s *Soak) error {
	p.seen++
	s.Sent, s.Received = s.Sent+1, s.Received+1
	p.after(p.seen)
	return nil
}

func (p *pretended) soakAccount(s *Soak, before, after Metrics) {
	s.Accounts = []Account{{s.Sent, s.Received, "sent = received"}}
}

// The account of a soak begins when each subscriber has been seen; one that is
// interrupted, before or after that, is no proof.
func TestSoakIsWhole(t *testing.T) {
	for _, c := range []struct {
		name        string
		interrupted int // after so many slices; 0: never
		sent        uint64
		wrong       string
	}{
		{"whole", 0, 0, ""},
		{"interrupted", 7, 4, "interrupted"},
		{"before each was seen", 2, 0, "interrupted"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		p := &pretended{subscribers: 3, after: func(n int) {
			if n == c.interrupted {
				cancel()
			}
		}}
		o := SoakOptions{Duration: 20 * time.Millisecond, Slice: time.Millisecond, Out: io.Discard}
		if c.interrupted > 0 {
			o.Duration = time.Hour
		}
		s, err := runSoak(ctx, p, o)
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := p.seen - int(s.Sent); c.wrong == "" && got != 3 || c.wrong != "" && s.Sent != c.sent {
			t.Errorf("%s: %d slices, %d of them in the account", c.name, p.seen, s.Sent)
		}
		if err := s.Err(); (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
