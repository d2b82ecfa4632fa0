package lab

import "time"

// Behaviour is what the subscribers of a BSS do. Intervals are means: each
// time the subscriber draws one between half and one and a half of it; 0 means
// never.
type Behaviour struct {
	Data    time.Duration // between echo requests
	Pad     int           // octets of payload in each beyond the lab's own
	Leave   time.Duration // between detaches; it attaches again after Away
	NewSIM  float64       // share of the detaches, 0..1, that are a power-off, after which somebody new comes: no P-TMSI
	Move    time.Duration // between changes of cell
	Suspend time.Duration // between suspensions (a call); it resumes after Away
	Away    time.Duration // 0: 5 s

	// Start spreads the first attaches evenly over this time.
	Start time.Duration
	// OldPTMSI is the share of subscribers, 0..1, that come with a P-TMSI of
	// some earlier time and thus with a foreign TLLI; the others have a random
	// one.
	OldPTMSI float64

	Retry     time.Duration // T3310, T3321, T3330 (TS 24.008 11.2.2); 0: 15 s
	Backoff   time.Duration // T3302 after five tries; 0: 4 times Retry
	LostAfter time.Duration // an echo unanswered for so long is lost; 0: 10 s
}

const (
	maxTries       = 5  // of a GMM procedure (TS 24.008 4.7)
	maxOutstanding = 64 // echo requests without answer; no more are sent then
)

func (b Behaviour) withDefaults() Behaviour {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&b.Away, 5*time.Second)
	def(&b.Retry, 15*time.Second)
	def(&b.Backoff, 4*b.Retry)
	def(&b.LostAfter, 10*time.Second)
	return b
}

// MSCounters count what subscribers experienced.
type MSCounters struct {
	Attaches       uint64 // accepted
	AttachRejects  uint64
	RAUs           uint64 // accepted
	RAURejects     uint64
	Detaches       uint64 // by the subscriber, finished
	PowerOffs      uint64 // detaches without answer, after which the P-TMSI is forgotten
	NetDetaches    uint64 // by the SGSN
	Reallocations  uint64 // P-TMSIs got outside attach and update
	Identities     uint64 // identity requests answered
	Retries        uint64 // of any GMM message
	GaveUp         uint64 // procedures without an answer after all tries
	Moves          uint64
	Suspends       uint64
	Pagings        uint64 // answered
	Sent           uint64 // echo requests
	Echoed         uint64
	Lost           uint64 // unanswered
	Interrupted    uint64 // unanswered when the SGSN told the subscriber to attach anew
	Duplicates     uint64 // answers that came again, or after they were given up
	Disordered     uint64 // answers overtaken by later ones
	WrongSGSN      uint64 // answers of another SGSN than the one that served the subscriber
	Unintelligible uint64 // downlink PDUs that could not be read
}

// add adds o to c.
func (c *MSCounters) add(o *MSCounters) {
	for i, v := range o.fields() {
		*c.fields()[i] += *v
	}
}

func (c *MSCounters) fields() []*uint64 {
	return []*uint64{&c.Attaches, &c.AttachRejects, &c.RAUs, &c.RAURejects, &c.Detaches,
		&c.PowerOffs, &c.NetDetaches, &c.Reallocations, &c.Identities, &c.Retries, &c.GaveUp, &c.Moves,
		&c.Suspends, &c.Pagings, &c.Sent, &c.Echoed, &c.Lost, &c.Interrupted, &c.Duplicates,
		&c.Disordered, &c.WrongSGSN, &c.Unintelligible}
}
