package gb

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"poolgw/ns"
)

// Options are what a Gateway needs from outside.
type Options struct {
	Network ns.Network
	Workers int // 0: GOMAXPROCS
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now
}

// Gateway is the Gb gateway at run time. Its methods may be called from any
// goroutine; they run in the loop.
type Gateway struct{}

// New returns a gateway that is not running.
func New(opt Options) *Gateway { return &Gateway{} }

// Start opens the binds of cfg and starts the loop. A bind that can't be had
// is an error of class BindError; nothing keeps running then.
func (g *Gateway) Start(cfg Config) error { return nil }

// Stop ends the loop and closes the sockets; it may be called repeatedly.
func (g *Gateway) Stop() {}

// Wait returns when the gateway has stopped, with the first fatal error.
func (g *Gateway) Wait() error { return nil }

// Apply changes a running gateway from old to new; on error the gateway is as
// before. Changes that need no restart of anything touch nothing else.
func (g *Gateway) Apply(old, new Config, now time.Time) error { return nil }

// Snapshot copies the gateway's state.
func (g *Gateway) Snapshot(ctx context.Context) (Snapshot, error) { return Snapshot{}, nil }

// Subscriber tells where a subscriber would go.
func (g *Gateway) Subscriber(q Query) (Answer, error) { return Answer{}, nil }

// Register registers the gateway's metrics.
func (g *Gateway) Register(reg prometheus.Registerer) error { return nil }

// DeleteMode selects what DeletePeer deletes.
type DeleteMode uint8

const (
	DeleteBVCs  DeleteMode = iota // only-bvc
	DeleteNSVCs                   // only-nsvc
	DeleteAll
)

// DeletePeer deletes the BVCs or NS-VCs of a BSS-side NSE ("delete-gbproxy-peer
// N …"); it returns how many of each it deleted, or would delete when dryRun.
func (g *Gateway) DeletePeer(nsei uint16, mode DeleteMode, dryRun bool) (bvcs, nsvcs int, err error) {
	return 0, 0, nil
}

// DeleteBVC deletes one BVC with its cell ("delete-gbproxy-peer N bvci B").
func (g *Gateway) DeleteBVC(nsei, bvci uint16) error { return nil }

// NS runs f on the NS layer in the loop: "nsvc N block", "nse N restart-sns" …
func (g *Gateway) NS(f func(s *ns.Stack, now time.Time) error) error { return nil }

// FixSelection makes every unowned subscriber go to the named member ("sgsn-pool
// nsf fixed NAME"); an empty name ends it.
func (g *Gateway) FixSelection(name string) error { return nil }
