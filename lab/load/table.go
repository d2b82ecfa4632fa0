package load

import (
	"fmt"
	"io"
)

// TableRow is a figure beside its reference of the same run.
type TableRow struct{ Figure, Reference, Ours, Ratio, Goal string }

// Table is what "make bench" prints.
type Table []TableRow

// add appends a row.
func (t *Table) add(figure, reference, ours, ratio, goal string) {
	*t = append(*t, TableRow{figure, reference, ours, ratio, goal})
}

// WriteTo writes the table in Markdown.
func (t Table) WriteTo(w io.Writer) (int64, error) {
	s := []byte("| figure | reference | poolgw | ratio (of the rounds) | goal |\n|--|--:|--:|--:|--|\n")
	for _, r := range t {
		s = fmt.Appendf(s, "| %s | %s | %s | %s | %s |\n", r.Figure, r.Reference, r.Ours, r.Ratio, r.Goal)
	}
	n, err := w.Write(s)
	return int64(n), err
}

// Published are figures that others have published, measured elsewhere and otherwise: they
// stand beside ours and are not to be divided by them.
func Published(gb *Bench, n2 *N2Bench, proof *Sustained) (t Table) {
	var pdus, regs, calm string
	if gb != nil && len(gb.Rows) > 1 {
		full, half := gb.Rows[0].Gateway, gb.Rows[1].Gateway
		pdus = fmt.Sprintf("%.0f PDUs/s of Gb on one worker, %.2f us; %s at half load", full.Rate, micros(full.CPU), half.times())
	}
	if n2 != nil && len(n2.Rows) > 1 {
		full, half := n2.Rows[0].Gateway, n2.Rows[1].Gateway
		regs = fmt.Sprintf("%.0f registrations with release a second, answered to 100 %%; a message %s at half load", full.Rate/float64(len(n2Steps)), half.times())
		pdus += fmt.Sprintf("; %.0f messages/s of N2", full.Rate)
	}
	if proof != nil {
		f := figures([]*Result{proof.Calm.Result})
		calm = fmt.Sprintf("%.0f PDUs/s of Gb at 90 %%: %s; ", proof.Calm.offered(), f.times())
	}
	t.add("published: osmo-gbproxy, 2 processors", "11.8 us a PDU, 83000/s at overload, p50 68 us", pdus, "", "")
	t.add("published: ngap-proxy, its core the limit", "150/s answered to 100 %, 250/s to 80 %, p95 16 to 20 ms", regs, "", "")
	t.add("published: GTPCProxy (GTP-C over UDP), a thread", "87812 messages/s; p50 0.10, p99 0.33, p99.9 0.56 ms at 90 % of that; +7.9 MB in 30 min", calm+pdus+"; memory in 30 min: make soak", "", "")
	return t
}

func (f *Figures) times() string {
	return fmt.Sprintf("p50 %.2f, p99 %.2f, p99.9 %.2f ms", millis(f.P50), millis(f.P99), millis(f.P999))
}

// Table is the comparison with the relay.
func (b *Bench) Table() (t Table) {
	for i, r := range b.Rows {
		name := "Gb, CPU of a PDU: " + r.Name
		if r.Half {
			name = "Gb, CPU of a PDU: " + b.Rows[i-1].Name + ", half load"
		}
		goal := ""
		if !r.Half && !r.Shown {
			goal = "must 1.5, aim 1.25"
		}
		t.add(name, r.Relay.cost("relay"), r.Gateway.cost(""), r.spread(), goal)
		if r.Other.Rate > 0 {
			t.add(name+", another proxy", r.Relay.cost("relay"), r.Other.cost(r.OtherName), fmt.Sprintf("%.2f", ratio(float64(r.Other.CPU), float64(r.Relay.CPU))), "")
		}
		if r.Half {
			t.add("Gb, latency: "+b.Rows[i-1].Name+", half load", "relay "+r.Relay.times(), r.Gateway.times(), r.latencies(), "aim p50 1.2, p99 1.5")
		}
	}
	return t
}

func (f *Figures) cost(who string) string {
	if who != "" {
		who += " "
	}
	return fmt.Sprintf("%s%.2f us (%.0f/s, %.0f %% of a processor)", who, micros(f.CPU), f.Rate, 100*f.Rate*f.CPU.Seconds())
}

func (r *Row) spread() string { return fmt.Sprintf("%.2f (%.2f–%.2f)", r.Ratio, r.Least, r.Most) }

func (r *Row) latencies() string {
	return fmt.Sprintf("p50 %.2f, p99 %.2f", ratio(float64(r.Gateway.P50), float64(r.Relay.P50)), ratio(float64(r.Gateway.P99), float64(r.Relay.P99)))
}

// Table is the comparison with the relay of messages.
func (b *N2Bench) Table() (t Table) {
	for i, r := range b.Rows {
		name := "N2, CPU of a message, " + b.Transport + " SCTP: " + r.Name
		if r.Half {
			name = "N2, CPU of a message: " + b.Rows[i-1].Name + ", half load"
		}
		row := Row{Relay: r.Relay.Figures, Gateway: r.Gateway.Figures, Ratio: r.Ratio, Least: r.Least, Most: r.Most}
		t.add(name, row.Relay.cost("relay"), row.Gateway.cost(""), row.spread(), "")
		if r.Half {
			t.add("N2, latency: "+b.Rows[i-1].Name+", half load", "relay "+row.Relay.times(), row.Gateway.times(), row.latencies(), "")
		}
	}
	if b.Bound > 0 {
		t.add(fmt.Sprintf("N2, live heap of a bound UE, %s SCTP, %d UEs", b.Transport, b.Bound), "", fmt.Sprintf("%.0f octets", b.Heap), "", "must 250, aim 150")
	}
	if p := b.Pauses; p.Count > 0 {
		t.add("N2, pauses of the garbage collector, all of the last gateway's", "", fmt.Sprintf("%d: p99 %s, at most %s", p.Count, short(p.P99), short(p.Most)), "", "aim 1 ms")
	}
	return t
}

func (f *Figures) latency() string {
	return fmt.Sprintf(" %s | %s | %s |", short(f.P50), short(f.P99), short(f.P999))
}
