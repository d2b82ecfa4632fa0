package logging

import "sync"

// Session is a subscription with levels, format and filter of its own: a VTY
// session with "logging enable". Its methods may be called from any goroutine.
type Session struct {
	hub  *Hub
	sink *sink
	once sync.Once
}

// Open starts a subscription with the default levels and format. to gets each
// line without its end and must not block.
func (h *Hub) Open(to func(line string)) *Session {
	s := &sink{name: "VTY session", write: func(_ entry, line string) { to(line) }, close: func() {}}
	s.rule.Store(&rule{format: DefaultFormat})
	h.add(s)
	return &Session{hub: h, sink: s}
}

// Subscribe is Open for those who change nothing.
func (h *Hub) Subscribe(to func(line string)) (cancel func()) { return h.Open(to).Close }

// Set changes levels, format and filter.
func (s *Session) Set(l Levels, f Format, by Filter) {
	s.sink.rule.Store(&rule{levels: l, format: f, filter: by})
	s.hub.relevel()
}

// Close ends the subscription.
func (s *Session) Close() {
	s.once.Do(func() { s.hub.remove(s.sink) })
}
