package load

import (
	"context"
	"fmt"
	"time"
)

// Soak sends a part of what the N2 gateway carries for a long time. At the end every
// message that was sent has arrived, and the gateway's own account balances (TS 38.413
// messages that came or were made, and that went or ended).
func (t *N2Target) Soak(ctx context.Context, o SoakOptions, look time.Duration) (*Soak, error) {
	return runSoak(ctx, &n2Soak{t, look}, o)
}

type n2Soak struct {
	*N2Target
	look time.Duration // for the capacity, each of three
}

// Metrics reads the gateway's, if it is ours.
func (t *N2Target) Metrics() (Metrics, error) { return readMetrics(t.web) }

// LiveHeap is the octets of the gateway's heap that are in use, if it is ours.
func (t *N2Target) LiveHeap() (float64, error) { return liveHeap(t.web) }

func (n *n2Soak) soakCapacity() (float64, error) {
	var rates []float64
	for range 3 {
		r, err := n.whole(N2Load{Duration: n.look})
		if err == nil {
			err = r.Err(0)
		}
		if err != nil {
			return 0, err
		}
		rates = append(rates, r.Rate())
	}
	return median(rates), nil
}

func (n *n2Soak) soakUnseen() int {
	return max(n.Generator.opt.Subscribers-n.Generator.begun(), 0)
}

func (n *n2Soak) soakIdle() { time.Sleep(10 * time.Millisecond) } // SCTP has threads of its own

func (n *n2Soak) soakSlice(rate float64, d time.Duration, s *Soak) error {
	r, err := n.Run(N2Load{Rate: rate / float64(len(n2Steps)), Duration: d})
	if err != nil {
		return err
	}
	s.Others += r.Strange + r.Stale
	s.Strange += r.Strange
	r.Strange = 0
	if err := r.Err(1); err != nil { // loss, and what nobody sent, is the account's
		return err
	}
	s.Duration += r.Duration
	s.Sent, s.Received = s.Sent+r.Sent, s.Received+r.Received
	s.Latency.Merge(&r.Latency)
	return nil
}

func (n *n2Soak) soakAccount(s *Soak, before, after Metrics) {
	s.What = "N2"
	stale, strange := n.Generator.between()
	s.Others, s.Strange = s.Others+stale+strange, s.Strange+strange
	moved := func(pattern string) uint64 { return uint64(after.Sum(pattern) - before.Sum(pattern)) }
	from, to := moved(`poolgw_n2_conservation_in_pdus_total\{term="from_.*`), moved(`poolgw_n2_conservation_out_pdus_total\{term="to_.*`)
	in := func(term string) uint64 {
		return uint64(after[fmt.Sprintf(`poolgw_n2_conservation_in_pdus_total{term=%q}`, term)])
	}
	out := func(term string) uint64 {
		return uint64(after[fmt.Sprintf(`poolgw_n2_conservation_out_pdus_total{term=%q}`, term)])
	}
	lost := moved(`poolgw_n2_dropped_pdus_total.*`)
	dropped, queued := uint64(after.Sum(`poolgw_n2_dropped_pdus_total.*`)), uint64(after.Sum(`poolgw_n2_queued_pdus.*`))
	made, late := moved(`poolgw_n2_conservation_in_pdus_total\{term="originated"\}`), moved(`poolgw_n2_ue_guard_ends_total.*`)
	s.Accounts = []Account{
		{s.Sent, from, fmt.Sprintf("sent %d = came to the gateway %d", s.Sent, from)},
		{to, s.Received + s.Others, fmt.Sprintf("left the gateway %d = received %d + others %d", to, s.Received, s.Others)},
		{s.Others + lost, s.Sent - s.Received + made, fmt.Sprintf("others %d + dropped %d = sent and not received in its slice %d + the gateway made %d (UEs that it gave up, of earlier slices too: %d)",
			s.Others, lost, s.Sent-s.Received, made, late)},
		{max(s.Strange, made), made, fmt.Sprintf("of others, of no UE of an earlier slice: %d, at most what the gateway made", s.Strange)},
		{in("from_gnb") + in("from_amf") + in("multicast_copies") + in("originated"),
			out("to_gnb") + out("to_amf") + out("absorbed") + dropped + queued,
			fmt.Sprintf("since its start the gateway counts: from gNBs %d + from AMFs %d + copies %d + made %d = to gNBs %d + to AMFs %d + absorbed %d + dropped %d + waiting %d",
				in("from_gnb"), in("from_amf"), in("multicast_copies"), in("originated"), out("to_gnb"), out("to_amf"), out("absorbed"), dropped, queued)},
	}
}
