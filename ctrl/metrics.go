package ctrl

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// counters are what a server has counted since it was made.
type counters struct {
	sessions  atomic.Uint64 // begun
	refused   atomic.Uint64 // for maxSessions
	malformed atomic.Uint64 // ended for octets that are no frame
	deaf      atomic.Uint64 // given up for taking no answer
	accepts   atomic.Uint64 // of connections that failed
	lost      atomic.Uint64 // traps
}

var (
	metricOpen      = prometheus.NewDesc("ctrl_sessions", "CTRL sessions that are open.", nil, nil)
	metricSessions  = prometheus.NewDesc("ctrl_sessions_total", "CTRL sessions that were begun.", nil, nil)
	metricRefused   = prometheus.NewDesc("ctrl_refused_sessions_total", "CTRL connections refused because all sessions were in use.", nil, nil)
	metricMalformed = prometheus.NewDesc("ctrl_malformed_sessions_total", "CTRL sessions ended because their peer sent no IPA frames.", nil, nil)
	metricDeaf      = prometheus.NewDesc("ctrl_deaf_sessions_total", "CTRL sessions given up because their peer took nothing any more.", nil, nil)
	metricAccepts   = prometheus.NewDesc("ctrl_failed_accepts_total", "CTRL connections that could not be accepted, for want of descriptors and the like.", nil, nil)
	metricLost      = prometheus.NewDesc("ctrl_lost_traps_total", "Traps that a CTRL session did not get because it did not read.", nil, nil)
)

// Register registers the server's metrics. Their names begin with ctrl_; a
// program may put its own name before them (prometheus.WrapRegistererWithPrefix).
func (s *Server) Register(reg prometheus.Registerer) error { return reg.Register(collector{s}) }

type collector struct{ s *Server }

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, ch) }

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	c.s.mu.Lock()
	open := len(c.s.sessions)
	c.s.mu.Unlock()
	ch <- prometheus.MustNewConstMetric(metricOpen, prometheus.GaugeValue, float64(open))
	for desc, n := range map[*prometheus.Desc]*atomic.Uint64{
		metricSessions: &c.s.count.sessions, metricRefused: &c.s.count.refused, metricMalformed: &c.s.count.malformed,
		metricDeaf: &c.s.count.deaf, metricAccepts: &c.s.count.accepts, metricLost: &c.s.count.lost,
	} {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(n.Load()))
	}
}
