package n2

import (
	"testing"
	"testing/synctest"

	"poolgw/sctp"
)

// source is an association from which messages of one length come without end.
type source struct {
	sink
	message []byte
	read    int
}

func (s *source) Recv() (sctp.Event, error) {
	s.read++
	return sctp.Event{Kind: sctp.Data, Message: sctp.Message{Data: s.message}}, nil
}

// What waits for an owner that is busy is bounded: small messages by the places
// of its inbox, large ones to four, however many associations they come from.
func TestInboxIsBounded(t *testing.T) {
	for length, most := range map[int]int{smallMessage: 64, smallMessage + 1: maxLarge, 256 << 10: maxLarge} {
		synctest.Test(t, func(t *testing.T) {
			box := newInbox(64)
			var sources []*source
			var links []*link
			for range 9 {
				s := &source{message: make([]byte, length)}
				l := &link{assoc: s, done: make(chan struct{})}
				go l.read(box)
				sources, links = append(sources, s), append(links, l)
			}
			synctest.Wait()
			if n := len(box.c); n != most {
				t.Errorf("of messages of %d octets %d wait, want %d", length, n, most)
			}
			for range 1000 {
				(<-box.c).release()
				synctest.Wait()
			}
			read := 0
			for i, s := range sources {
				read += s.read
				if s.read < 50 {
					t.Errorf("length %d: association %d had %d of 1000 turns", length, i, s.read)
				}
			}
			if want := 1000 + most + len(links); read != want {
				t.Errorf("length %d: %d were read, want %d", length, read, want)
			}
			for _, l := range links {
				close(l.done)
			}
		})
	}
}
