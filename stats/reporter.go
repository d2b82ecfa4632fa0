package stats

import (
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Reporter is the configuration of one reporter; Kind and Name are its key.
type Reporter struct {
	Kind, Name  string // "statsd" or "log"
	Local       netip.Addr
	Remote      netip.AddrPort
	MTU         int // octets of IP; 0: one value a datagram
	Prefix      string
	Level       string // one of Levels; "": global
	Enabled     bool
	FlushPeriod int // of so many reports one is whole; 0: none
}

// reporter is one at run time.
type reporter struct {
	cfg     Reporter
	out     sink
	whole   bool // the next report has everything
	reports int  // since the last whole one
	failed  bool // the last one; told once
}

// sink is where samples go. A sink that can't be had is nil.
type sink interface {
	put(x *sample)
	flush() error
	close()
}

func (e *Engine) newReporter(c Reporter) *reporter {
	r := &reporter{cfg: c, whole: true}
	if c.Kind == "log" {
		r.out = &logSink{e.log, c.Prefix}
	}
	return r
}

// open makes the socket of a statsd reporter, unless it stands.
func (r *reporter) open() error {
	if r.out != nil {
		return nil
	}
	s, err := newStatsd(&r.cfg)
	if err == nil {
		r.out = s
	}
	return err
}

func (r *reporter) wants(x *sample) bool {
	return (x.changed || r.whole) && x.group.within(r.cfg.Level)
}

// finish ends a report and tells whether the next one is whole.
func (r *reporter) finish() error {
	r.whole = false
	if r.reports++; r.cfg.FlushPeriod > 0 && r.reports >= r.cfg.FlushPeriod {
		r.whole, r.reports = true, 0
	}
	return r.out.flush()
}

func (r *reporter) close() {
	if r.out != nil {
		r.out.close()
		r.out = nil
	}
}

// logSink logs each value.
type logSink struct {
	log    *slog.Logger
	prefix string
}

func (s *logSink) put(x *sample) {
	kind := "c"
	if x.group.Items {
		kind = "i"
	}
	s.log.Info("stats", "t", kind, "p", s.prefix, "g", x.group.Name, "i", x.index, "n", x.counter.Name, "v", x.value, "u", x.counter.Unit)
}

func (s *logSink) flush() error { return nil }
func (s *logSink) close()       {}

// statsd sends "PREFIX.GROUP.INDEX.NAME:VALUE|c" lines over UDP, as many as the
// MTU holds in one datagram.
type statsd struct {
	conn  *net.UDPConn
	to    netip.AddrPort
	names string // begin
	limit int    // octets of a datagram; 0: one line each
	buf   []byte
	line  []byte
	err   error // the first of this report
}

// Headers of IP and UDP, in octets.
const (
	headers4 = 20 + 8
	headers6 = 40 + 8
)

func newStatsd(c *Reporter) (*statsd, error) {
	local := net.UDPAddrFromAddrPort(netip.AddrPortFrom(c.Local, 0))
	network, headers := "udp4", headers4
	if c.Remote.Addr().Is6() {
		network, headers = "udp6", headers6
	}
	if !c.Local.IsValid() {
		local = nil
	}
	conn, err := net.ListenUDP(network, local)
	if err != nil {
		return nil, err
	}
	s := &statsd{conn: conn, to: c.Remote}
	if c.Prefix != "" {
		s.names = c.Prefix + "."
	}
	if c.MTU > 0 {
		s.limit = max(1, c.MTU-headers)
	}
	return s, nil
}

// statsdNames makes a name one word of the protocol.
var statsdNames = strings.NewReplacer(":", ".", "|", "_", "@", "_", "#", "_", " ", "_", "\n", "_", "\t", "_")

func (s *statsd) put(x *sample) {
	index := x.name
	if index == "" {
		index = strconv.FormatUint(uint64(x.index), 10)
	}
	value, kind := x.delta, "|c"
	if x.group.Items {
		value, kind = x.value, "|g"
	}
	s.line = append(s.line[:0], statsdNames.Replace(s.names+x.group.Name+"."+index+"."+x.counter.Name)...)
	s.line = append(s.line, ':')
	s.line = append(strconv.AppendUint(s.line, value, 10), kind...)
	if len(s.buf) > 0 && len(s.buf)+1+len(s.line) > s.limit {
		s.send()
	}
	if len(s.buf) > 0 {
		s.buf = append(s.buf, '\n')
	}
	s.buf = append(s.buf, s.line...)
}

// statsdWait is how long one datagram may wait for the socket.
const statsdWait = 100 * time.Millisecond

func (s *statsd) send() {
	_ = s.conn.SetWriteDeadline(time.Now().Add(statsdWait)) // a closed socket fails below
	if _, err := s.conn.WriteToUDPAddrPort(s.buf, s.to); err != nil && s.err == nil {
		s.err = err
	}
	s.buf = s.buf[:0]
}

func (s *statsd) flush() error {
	if len(s.buf) > 0 {
		s.send()
	}
	err := s.err
	s.err = nil
	return err
}

func (s *statsd) close() { s.conn.Close() }
