package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// watch shows the table until the end and gives the verdict.
func (d *demo) watch(ctx context.Context) error {
	if !d.opt.IsTerminal {
		io.WriteString(d.opt.Out, d.plan.intro(textWidth)+"\n")
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	shown := time.Time{}
	for {
		select {
		case <-ctx.Done():
			return d.verdict(d.look())
		case <-d.gateway.died:
			return d.gatewayEnded()
		case <-d.opt.Resized:
			d.draw(d.last)
			continue
		case <-tick.C:
		}
		v := d.look()
		if v.deaf != "" && d.gateway.ends(time.Second) {
			return d.gatewayEnded()
		}
		d.last = v
		if d.opt.Duration > 0 && v.elapsed >= d.opt.Duration {
			return d.verdict(v)
		}
		if time.Since(shown) >= d.opt.Every-time.Second/2 {
			shown = time.Now()
			d.show(v)
		}
	}
}

// look observes, compares, and does what the operator of the SGSNs does.
func (d *demo) look() *view {
	v := d.observe()
	d.compare(v)
	d.operate(v)
	return v
}

// show draws the table in place, or prints one line for each SGSN.
func (d *demo) show(v *view) {
	if d.opt.IsTerminal {
		d.draw(v)
		return
	}
	io.WriteString(d.opt.Out, plainLines(v))
}

// draw overwrites what stands on the terminal, so that nothing flickers.
func (d *demo) draw(v *view) {
	if v == nil || !d.opt.IsTerminal {
		return
	}
	out := "\x1b[H"
	rows, columns := d.size()
	for i, row := range screen(v, d.plan, rows, columns) {
		if i > 0 {
			out += "\r\n"
		}
		out += row + "\x1b[K"
	}
	io.WriteString(d.opt.Out, out+"\x1b[J")
}

func (d *demo) size() (rows, columns int) {
	if d.opt.Size != nil {
		rows, columns = d.opt.Size()
	}
	if rows <= 0 || columns <= 0 {
		return 24, 80
	}
	return rows, columns
}

// verdict prints the last table and the summary.
func (d *demo) verdict(v *view) error {
	if d.opt.IsTerminal {
		io.WriteString(d.opt.Out, "\x1b[H\x1b[J")
	}
	io.WriteString(d.opt.Out, table(v)+"\n"+summary(v))
	if !v.holds() {
		return ErrCrossCheck
	}
	return nil
}

// gatewayEnded is the end when the gateway ended by itself: the last view's
// verdict if its operator ended it.
func (d *demo) gatewayEnded() error {
	err := d.gateway.death()
	var ended *GatewayEnded
	if !errors.As(err, &ended) || ended.Status != 0 {
		return err
	}
	const said = "The gateway was shut down by its operator (exit status 0)."
	if d.last == nil {
		fmt.Fprintln(d.opt.Out, said)
		return nil
	}
	verdict := d.verdict(d.last)
	fmt.Fprintln(d.opt.Out, said)
	return verdict
}
