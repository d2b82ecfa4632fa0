package vty

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// counters are what a server has counted since it was made.
type counters struct {
	sessions atomic.Uint64 // begun
	refused  atomic.Uint64 // for Settings.MaxSessions
	failed   atomic.Uint64 // logins, and "enable", with three wrong passwords
	accepts  atomic.Uint64 // of connections that failed
	dropped  atomic.Uint64 // log lines that a session did not keep up with
}

var (
	metricOpen     = prometheus.NewDesc("vty_sessions", "Sessions that are open.", nil, nil)
	metricSessions = prometheus.NewDesc("vty_sessions_total", "Sessions that were begun.", nil, nil)
	metricRefused  = prometheus.NewDesc("vty_refused_sessions_total", "Connections refused because all sessions were in use.", nil, nil)
	metricFailed   = prometheus.NewDesc("vty_failed_logins_total", "Logins and \"enable\" given up after wrong passwords.", nil, nil)
	metricAccepts  = prometheus.NewDesc("vty_failed_accepts_total", "Connections that could not be accepted, for want of descriptors and the like.", nil, nil)
	metricDropped  = prometheus.NewDesc("vty_dropped_log_lines_total", "Log lines not shown because a session did not keep up.", nil, nil)
)

// Register registers the server's metrics. Their names begin with vty_; a
// program may put its own name before them (prometheus.WrapRegistererWithPrefix).
func (s *Server) Register(reg prometheus.Registerer) error { return reg.Register(collector{s}) }

type collector struct{ s *Server }

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, ch) }

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	c.s.mu.Lock()
	open := len(c.s.consoles)
	c.s.mu.Unlock()
	ch <- prometheus.MustNewConstMetric(metricOpen, prometheus.GaugeValue, float64(open))
	for desc, n := range map[*prometheus.Desc]*atomic.Uint64{
		metricSessions: &c.s.count.sessions, metricRefused: &c.s.count.refused, metricFailed: &c.s.count.failed,
		metricAccepts: &c.s.count.accepts, metricDropped: &c.s.count.dropped,
	} {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(n.Load()))
	}
}
