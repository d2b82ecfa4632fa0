package vty

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// hub is a log for tests.
type hub struct {
	mu    sync.Mutex
	sinks map[int]func(string)
	next  int
}

func (h *hub) Subscribe(sink func(string)) (cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sinks == nil {
		h.sinks = map[int]func(string){}
	}
	h.next++
	id := h.next
	h.sinks[id] = sink
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.sinks, id)
	}
}

func (h *hub) log(line string) (sinks int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sinks {
		s(line)
	}
	return len(h.sinks)
}

func TestLogAboveThePrompt(t *testing.T) {
	var h hub
	s := started(t, proxyTree(), &h, osmocom())
	c := call(t, s)
	c.expect("logging enable\r", offered+host+"> logging enable\r\n"+host+"> ")
	c.expect("show nri\x02\x02", "show nri\b\b")
	h.log("NS-VC 1 \x1b[2J is alive")
	n := len(host + "> show nri")
	c.expect("", "\r"+spaces(n)+"\rNS-VC 1 ?[2J is alive\r\n"+host+"> show nri\b\b")
	c.expect("\x03", "\r\n"+host+"> ")
	c.Close()
	waitFor(t, func() bool { return h.log("gone") == 0 })
}

func TestLogWaitsForCommandAndPassword(t *testing.T) {
	var h hub
	set := locked()
	set.Login, set.Banner = false, ""
	set.TerminalLength = 2
	c := call(t, started(t, proxyTree(), &h, set))
	c.expect("logging enable\r", offered+host+"> logging enable\r\n"+host+"> ")
	c.expect("show rows 2\r", "show rows 2\r\nrow 1\r\n --More-- ")
	h.log("one")
	c.expect(" ", wiped+"row 2\r\n"+host+"> "+"\r"+spaces(len(host)+2)+"\rone\r\n"+host+"> ")
	c.expect("enable\r", "enable\r\nPassword: ")
	h.log("two")
	c.expect("topsecret\r", "\r\n"+host+"# "+"\r"+spaces(len(host)+2)+"\rtwo\r\n"+host+"# ")
}

func TestLogDoesNotOverwriteWrappedText(t *testing.T) {
	var h hub
	c := call(t, started(t, proxyTree(), &h, osmocom()))
	c.expect("logging enable\r", offered+host+"> logging enable\r\n"+host+"> ")
	text := strings.Repeat("x", 80)
	c.expect(text, text)
	h.log("one")
	c.expect("", "\r\none\r\n"+host+"> "+text)
}

// A session that shows nothing keeps a bounded number of lines of bounded
// length; whoever logs is never held up.
func TestLogNeverBlocksAndCountsWhatIsLost(t *testing.T) {
	var h hub
	piped(t, &h, Settings{Hostname: host}, func(s *Server, c *pipe) {
		c.send("logging enable\r")
		c.settle()
		c.deaf(true)
		h.log(strings.Repeat("first ", 1000))
		c.settle() // the session is busy sending it
		time.Sleep(time.Second)
		began := time.Now()
		for i := range maxLogLines + 100 {
			h.log(fmt.Sprint("line ", i, strings.Repeat("x", 2*maxLogLine)))
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("logging took %v", d)
		}
		c.deaf(false)
		got := c.settle()
		if n := strings.Count(got, "line "); n != maxLogLines {
			t.Errorf("%d lines shown, the queue has %d", n, maxLogLines)
		}
		if !strings.Contains(got, "% 100 log lines were dropped.\r\n") {
			t.Errorf("what was lost is not told: …%q", got[max(0, len(got)-200):])
		}
		if n := s.count.dropped.Load(); n != 100 {
			t.Errorf("%d counted as dropped", n)
		}
		if strings.Contains(got, strings.Repeat("x", maxLogLine+1)) {
			t.Error("a long line was not cut")
		}
	})
}
