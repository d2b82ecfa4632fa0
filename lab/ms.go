package lab

import (
	"fmt"
	"math/rand/v2"
	"time"

	"poolgw/lab/gmm"
	"poolgw/lab/llc"
	"poolgw/nri"
)

// msState is a state of a subscriber's GMM machine, TS 24.008 4.1.3:
//
//	deregistered --attach--> attaching --accept--> registered --T3312, new RA--> updating
//	     ^                      |  reject             |  ^------------accept--------|
//	     |<---------------------'                     |                             |
//	     |<--detach accept-- detaching <--leave-------|                             |
//	     '<--detach by the SGSN, update rejected, all tries in vain-----------------'
//
// A deregistered subscriber attaches when its msRetry timer says.
type msState uint8

const (
	msDeregistered msState = iota
	msAttaching
	msRegistered
	msUpdating
	msDetaching
)

var msStateNames = [...]string{"deregistered", "attaching", "registered", "updating", "detaching"}

func (s msState) String() string { return msStateNames[s] }

// msTimer indexes a subscriber's timers.
type msTimer uint8

const (
	msRetry    msTimer = iota // T3310, T3321, T3330, and the wait before an attach
	msPeriodic                // T3312
	msData
	msLost
	msLeave
	msMove
	msSuspend // begin or end of a suspension
	numMSTimers
)

// msTimers says what each timer does when it is due.
var msTimers = [numMSTimers]func(m *ms, now time.Time){
	msRetry:    (*ms).retryDue,
	msPeriodic: (*ms).periodicDue,
	msData:     (*ms).dataDue,
	msLost:     (*ms).lostDue,
	msLeave:    (*ms).leaveDue,
	msMove:     (*ms).moveDue,
	msSuspend:  (*ms).suspendDue,
}

// radio is what a subscriber needs of the BSS it is at.
type radio interface {
	// uplink sends an LLC frame from the subscriber's cell.
	uplink(now time.Time, m *ms, tlli uint32, frame []byte)
	suspend(now time.Time, m *ms)
	resume(now time.Time, m *ms)
	// move takes the subscriber to another cell, now or soon.
	move(now time.Time, m *ms)
	// serving tells who serves the subscriber in truth.
	serving(imsi string) (nsei uint16, ok bool)
	// answersTo makes the BSS deliver downlink PDUs of tlli to m.
	answersTo(m *ms, tlli uint32)
	// ready tells that the subscriber's cell can carry user data.
	ready(m *ms) bool
	// lost counts an echo that did not come back, by the SGSN that served.
	lost(nsei uint16)
}

// ms is one subscriber with its phone. It belongs to the loop of the BSS where
// it is.
type ms struct {
	id   uint32
	imsi string
	rng  *rand.Rand
	b    Behaviour
	at   radio
	cell *cell

	state     msState
	suspended bool
	hasPTMSI  bool
	ptmsi     uint32
	rai       gmm.RAI // where the P-TMSI is valid
	tlli      uint32  // in use
	request   []byte  // the message that msRetry sends again
	tries     int
	t3312     time.Duration
	nu        [16]uint16 // N(U) of the next frame, by SAPI

	seq         uint32 // of the last echo request
	lastEcho    uint32
	served      uint16 // NSEI of the SGSN that served last
	outstanding []sentPing

	due   [numMSTimers]time.Time
	count MSCounters
}

type sentPing struct {
	seq     uint32
	at      time.Time
	serving uint16
}

// newMS returns subscriber id, whose IMSI is 262420000000000 + id. Its random
// source depends on seed and id alone.
func newMS(id uint32, seed uint64, b Behaviour) *ms {
	m := &ms{id: id, imsi: fmt.Sprintf("26242%010d", id), b: b.withDefaults(),
		rng: rand.New(rand.NewPCG(seed, uint64(id)))}
	if m.rng.Float64() < b.OldPTMSI {
		m.hasPTMSI = true
		m.ptmsi = nri.LocalTLLI(m.rng.Uint32())
		m.rai = gmm.RAI{0x62, 0xf2, 0x24, 0xee, 0xee, 0xee}
	}
	return m
}

// start begins the subscriber's life.
func (m *ms) start(now time.Time) {
	wait := time.Duration(0)
	if m.b.Start > 0 {
		wait = time.Duration(m.rng.Int64N(int64(m.b.Start)))
	}
	m.due[msRetry] = now.Add(wait)
}

// expire runs the timers that are due.
func (m *ms) expire(now time.Time) {
	for i := range m.due {
		if t := m.due[i]; !t.IsZero() && !t.After(now) {
			m.due[i] = time.Time{}
			msTimers[i](m, now)
		}
	}
}

// deadline is the earliest timer; zero: none.
func (m *ms) deadline() (first time.Time) {
	for _, t := range m.due {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// set arms a timer with an interval drawn around mean; 0 stops it.
func (m *ms) set(t msTimer, now time.Time, mean time.Duration) {
	m.due[t] = time.Time{}
	if mean > 0 {
		m.due[t] = now.Add(mean/2 + time.Duration(m.rng.Int64N(int64(mean)+1)))
	}
}

// use makes tlli the one in use.
func (m *ms) use(tlli uint32) {
	m.tlli = tlli
	m.at.answersTo(m, tlli)
}

// send sends one GMM message on the TLLI in use.
func (m *ms) send(now time.Time, msg gmm.Message) {
	msg.Uplink = true
	b, err := msg.Append(nil)
	if err != nil {
		panic("lab: own GMM message: " + err.Error())
	}
	m.frame(now, llc.SAPIGMM, b)
}

// ask sends a message that wants an answer, and again until it comes.
func (m *ms) ask(now time.Time, msg gmm.Message) {
	msg.Uplink = true
	b, err := msg.Append(nil)
	if err != nil {
		panic("lab: own GMM message: " + err.Error())
	}
	m.request, m.tries = b, 1
	m.due[msRetry] = now.Add(m.b.Retry)
	m.frame(now, llc.SAPIGMM, b)
}

func (m *ms) frame(now time.Time, sapi uint8, info []byte) {
	u := llc.UI{SAPI: sapi, NU: m.nu[sapi], Protected: true, Info: info}
	m.nu[sapi] = (m.nu[sapi] + 1) % 512
	m.at.uplink(now, m, m.tlli, u.Append(nil))
}

// paged answers a paging: any LLC frame does (TS 23.060 8.1.4).
func (m *ms) paged(now time.Time) {
	if m.state != msRegistered || m.suspended {
		return
	}
	m.count.Pagings++
	m.frame(now, llc.SAPILL3, nil)
}
