package gb_test

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// lineLog keeps lines as slog writes them, with the category bound to a logger.
type lineLog struct {
	mu    *sync.Mutex
	b     *strings.Builder
	inner slog.Handler
}

func newLineLog() *lineLog {
	l := &lineLog{mu: new(sync.Mutex), b: new(strings.Builder)}
	l.inner = slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})
	return l
}

func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take returns the lines with a text, and forgets all.
func (l *lineLog) take(text string) (lines []string) {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		if strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	l.b.Reset()
	return lines
}

// The log's filters go by what a line names: NSE, NS-VC, BVC, TLLI, IMSI.
// Facts: G5.2-04
func TestLinesNameTheirSubject(t *testing.T) {
	log := newLineLog()
	runLogged(t, config(1), slog.New(log.inner), func(b *bed) {
		bss := b.bss(2001, cell20011)
		sgsn := b.at(101)
		for _, c := range []struct {
			do   func()
			text string
			want string
		}{
			{func() {}, "BVC state", "nsei=2001 bvci=20011"},
			{func() { bss.send(20011, ul(tlliOf(1, 5), cell20011, "01")) }, "user data relayed",
				"cat=gprs nsei=2001 side=BSS bvci=20011 pdu=UL-UNITDATA tlli=0xc0080005 reason= sgsn=101"},
			{func() { sgsn.send(20011, dl(tlliOf(1, 5), "0a")) }, "user data relayed",
				"cat=gprs nsei=101 side=SGSN bvci=20011 tlli=0xc0080005 bss=2001"},
			{func() { bss.put(2222, ul(tlliOf(3, 1), cell20011, "01")) }, "PDU dropped",
				"cat=lbssgp reason=bvci_unknown nsei=2001 bvci=2222 tlli=0xc0180001"},
			{func() { sgsn.send(0, "41 0781 05 0482 4e2b") }, "msg=STATUS", "cat=lbssgp nsei=101 side=SGSN bvci=20011"},
			{func() { sgsn.send(0, "060d88 2926240000000010 0a8107 0482 4e2b") }, "PDU received",
				"nsei=101 bvci=0 names_bvci=20011 imsi=262420000000001"},
		} {
			c.do()
			lines := log.take(c.text)
			if !anyHasAll(lines, strings.Fields(c.want)) {
				t.Errorf("no line %q with %s in %q", c.text, c.want, lines)
			}
		}
	})
}

func anyHasAll(lines, words []string) bool {
	for _, l := range lines {
		n := 0
		for _, w := range words {
			if strings.Contains(l, w) {
				n++
			}
		}
		if n == len(words) {
			return true
		}
	}
	return false
}

// selfLimiting is a log that bounds its lines itself.
type selfLimiting struct{ *dropLog }

func (selfLimiting) LimitsItself() bool                   { return true }
func (l selfLimiting) WithAttrs([]slog.Attr) slog.Handler { return l }

// A log that filters and then limits by itself gets every line: what it holds
// back must not use up what it shows.
func TestLogThatLimitsItself(t *testing.T) {
	const flood = 35
	cfg := config(1)
	cfg.Limits.LogLines = 10
	var log dropLog
	runLogged(t, cfg, slog.New(selfLimiting{&log}), func(b *bed) {
		bss := b.bss(2001, cell20011)
		time.Sleep(time.Second)
		log.lines.Store(0)
		for range flood {
			bss.put(2222, ul(tlliOf(3, 1), cell20011, "01"))
		}
		synctest.Wait()
		if n := log.lines.Load(); n != flood {
			t.Errorf("%d lines of %d", n, flood)
		}
	})
}
