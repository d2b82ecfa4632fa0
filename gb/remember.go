package gb

import (
	"time"

	"poolgw/bssgp"
	"poolgw/pool"
)

type usage uint8

const (
	usagePaging usage = iota
	usageEnquiry
)

type seen struct{}

func newSeen(workers int, l Limits) seen { return seen{} }

func (g *Gateway) pin(worker int, tlli uint32, now time.Time) pool.Ref       { return pool.Ref{} }
func (g *Gateway) saw(worker int, tlli uint32, member uint16, now time.Time) {}
func (g *Gateway) rememberTLLI(tlli uint32, nsei uint16)                     {}
func (g *Gateway) takeTLLI(tlli uint32) (uint16, bool)                       { return 0, false }
func (g *Gateway) lookTLLI(tlli uint32) (uint16, bool)                       { return 0, false }
func (g *Gateway) rememberIMSI(i bssgp.IMSI, u usage, nsei uint16)           {}
func (g *Gateway) takeIMSI(i bssgp.IMSI, u usage) (uint16, bool)             { return 0, false }
func (g *Gateway) lookIMSI(i bssgp.IMSI, u usage) (uint16, bool)             { return 0, false }

type bound struct {
	bound, active int
	last          time.Time
}

const cacheTimeout = 10 * time.Second

func (g *Gateway) census(now time.Time) map[uint16]bound                { return nil }
func (g *Gateway) cacheStates(now time.Time) ([]TLLIEntry, []IMSIEntry) { return nil, nil }
func (g *Gateway) lastSeen(tlli uint32, now time.Time) time.Time        { return time.Time{} }
