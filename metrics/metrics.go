// Package metrics serves a Prometheus registry over HTTP, and, when told to, profiles
// of the process. It knows no metric itself: packages register theirs on the injected
// Registry.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// collector are what the run time tells of its garbage collector beside the usual: the
// heap that was live when it last ran, and a histogram of its pauses.
var collector = collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^(/gc/heap/live:bytes|/sched/pauses/total/gc:seconds)$`)}

// NewRegistry returns a registry with the process's and the Go run time's own
// metrics and poolgw_build_info.
func NewRegistry(version string) *prometheus.Registry {
	reg := prometheus.NewRegistry()
	reg.MustRegister(
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collector)),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "poolgw_build_info",
			Help:        "Constant 1, labelled by the version.",
			ConstLabels: prometheus.Labels{"version": version},
		}, func() float64 { return 1 }),
	)
	return reg
}

// maxConnections bounds the clients served at once; one more is cut off, so that
// they can't take all descriptors.
const maxConnections = 64

// writeTimeout bounds how long an answer takes; a profile has its time besides.
const writeTimeout = 30 * time.Second

// Server is the HTTP endpoint; one address at a time.
type Server struct {
	// Log receives what goes wrong with connections; nil: nothing does.
	Log *slog.Logger
	// Watch, if set before Listen, is called with each connection, and done when
	// it ends.
	Watch func(net.Conn) (done func())

	reg      *prometheus.Registry
	profiles profiler
	addr     netip.AddrPort
	http     *http.Server
	done     chan struct{}
}

// NewServer returns a server of reg that does not listen yet.
func NewServer(reg *prometheus.Registry) *Server { return &Server{reg: reg} }

// Listen moves the endpoint to addr (path /metrics); the zero AddrPort ends
// it. On error the old endpoint stays.
func (s *Server) Listen(addr netip.AddrPort) error {
	if addr == s.addr {
		return nil
	}
	if !addr.IsValid() {
		s.Close()
		return nil
	}
	l, err := net.Listen(network(addr), addr.String())
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	s.Close()
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.reg, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	mux.Handle("GET "+profilePath+"{name...}", &s.profiles)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "poolgw: metrics are at /metrics")
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: writeTimeout, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: s.errorLog(), ConnState: s.connState()}
	s.addr, s.http, s.done = addr, srv, make(chan struct{})
	go func(done chan struct{}) {
		defer close(done)
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			l.Close()
		}
	}(s.done)
	return nil
}

// connState bounds and watches connections as http.Server tells of them.
func (s *Server) connState() func(net.Conn, http.ConnState) {
	var open atomic.Int64
	var watched sync.Map // net.Conn to done
	return func(c net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			if open.Add(1) > maxConnections {
				c.Close()
			} else if s.Watch != nil {
				watched.Store(c, s.Watch(c))
			}
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
			if done, ok := watched.LoadAndDelete(c); ok {
				done.(func())()
			}
		}
	}
}

func (s *Server) errorLog() *log.Logger {
	l := s.Log
	if l == nil {
		l = slog.New(slog.DiscardHandler)
	}
	return slog.NewLogLogger(l.Handler(), slog.LevelWarn)
}

// Addr returns where the endpoint listens; the zero AddrPort when it does not.
func (s *Server) Addr() netip.AddrPort { return s.addr }

// Close ends the endpoint and waits for requests under way, two seconds at most.
func (s *Server) Close() {
	if s.http == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
	<-s.done
	s.http, s.addr = nil, netip.AddrPort{}
}

// network keeps an IPv4 wildcard from listening on IPv6 too.
func network(a netip.AddrPort) string {
	if a.Addr().Is4() {
		return "tcp4"
	}
	return "tcp6"
}
