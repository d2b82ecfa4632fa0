package n2

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"poolgw/sctp"
)

// bind is a place where gNBs associate.
type bind struct {
	cfg       Bind
	options   sctp.Options
	listener  sctp.Listener
	transport string
	reason    string // why it is not the first choice
}

func (b *bind) close() { b.listener.Close() }

// applyBinds opens and closes listeners so that they are those of new. When one
// can't be had, those that were opened are closed again, and what was open is
// open still.
func (g *Gateway) applyBinds(new Config) error {
	var opened []*bind
	keep := make(map[string]bool)
	var gone []*bind
	for _, c := range new.Binds {
		if !new.Enabled || len(c.Listen.Addrs) == 0 {
			continue
		}
		if old := g.binds[c.Name]; old != nil && old.cfg.sameListener(c) && old.options == bindOptions(&new, c) {
			old.cfg = c
			keep[c.Name] = true
		}
	}
	for name, b := range g.binds {
		if !keep[name] {
			gone = append(gone, b)
			b.close() // its address may be another one's now
			delete(g.binds, name)
		}
	}
	for _, c := range new.Binds {
		if !new.Enabled || len(c.Listen.Addrs) == 0 || keep[c.Name] {
			continue
		}
		b, err := g.open(&new, c)
		if err != nil {
			g.restore(opened, gone)
			return fmt.Errorf("ngap bind %s: %w", c.Name, err)
		}
		opened = append(opened, b)
	}
	for _, b := range opened {
		g.serve(b)
	}
	return nil
}

// restore undoes a change of binds.
func (g *Gateway) restore(opened, gone []*bind) {
	for _, b := range opened {
		b.close()
	}
	for _, old := range gone {
		b, err := g.open(&g.cfg, old.cfg)
		if err != nil {
			g.slog.Error("a bind is lost", "bind", old.cfg.Name, "err", err)
			continue
		}
		g.serve(b)
	}
}

func bindOptions(c *Config, b Bind) sctp.Options {
	o := c.SCTP
	o.Encapsulation = b.Transport.Encapsulation
	return o
}

func (g *Gateway) open(c *Config, b Bind) (*bind, error) {
	t, reason, err := g.opt.Transport(b.Transport)
	if err != nil {
		return nil, err
	}
	o := bindOptions(c, b)
	l, err := t.Listen(b.Listen, o)
	if err != nil {
		return nil, err
	}
	if reason != "" {
		g.slog.Warn("not the first choice of transport", "bind", b.Name, "transport", t.Name(), "reason", reason)
	}
	return &bind{cfg: b, options: o, listener: l, transport: t.Name(), reason: reason}, nil
}

// serve accepts gNBs until b is closed. It is called with the lock held.
func (g *Gateway) serve(b *bind) {
	g.binds[b.cfg.Name] = b
	life := g.life
	g.slog.Info("gNBs may associate", "bind", b.cfg.Name, "at", b.listener.Local().String(), "transport", b.transport)
	g.work.Go(func() { g.accept(life, b) })
}

func (g *Gateway) accept(life context.Context, b *bind) {
	for {
		a, err := b.listener.Accept(life)
		switch {
		case err == nil:
			g.admit(b, a)
		case errors.Is(err, net.ErrClosed) || life.Err() != nil:
			return
		default: // such as no descriptor left: the next one may do
			g.slog.Error("no association was accepted", "bind", b.cfg.Name, "err", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-life.Done():
				return
			}
		}
	}
}

// admit gives an association an owner, or ends it.
func (g *Gateway) admit(b *bind, a sctp.Assoc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	why := ""
	switch {
	case g.life == nil:
		why = "the gateway ends"
	case !accepts(b.cfg.Accept, a.Remote().Addrs):
		why = "not in the bind's access list"
	case g.storming(a.Remote().Addrs, g.clock()):
		g.counters.limited[limitStorm].Add(1)
		why = "its associations end as soon as they begin"
	case len(g.gnbs) >= int(g.cfg.Limits.GNBs) && !g.giveWay(g.clock()):
		g.counters.limited[limitGNBs].Add(1)
		why = fmt.Sprintf("there are %d gNBs already, limits gnbs %d", len(g.gnbs), g.cfg.Limits.GNBs)
	case g.cfg.RefuseDown && g.dir.Load().poolDown():
		why = "no AMF is up, and pool down refuse"
	}
	if why != "" {
		g.counters.refused.Add(1)
		g.slog.Warn("gNB refused", "from", a.Remote().String(), "bind", b.cfg.Name, "why", why)
		a.Abort(why)
		return
	}
	g.serial++
	o := newGNB(g, g.serial, b.cfg.Name, b.transport, a)
	g.gnbs[o.serial] = o
	life := g.life
	g.work.Go(func() { o.run(life) })
}

// accepts reports whether every address of a peer is in one of the lists.
func accepts(list []netip.Prefix, addrs []netip.Addr) bool {
	if len(list) == 0 {
		return true
	}
	for _, a := range addrs {
		in := false
		for _, p := range list {
			in = in || p.Contains(a.Unmap())
		}
		if !in {
			return false
		}
	}
	return len(addrs) > 0
}

func (b Bind) sameListener(o Bind) bool {
	return equalEndpoint(b.Listen, o.Listen) && b.Transport == o.Transport
}
