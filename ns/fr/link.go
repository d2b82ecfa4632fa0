package fr

import (
	"errors"
	"math/bits"
	"slices"
	"time"
)

// The local management of one line, Q.933 Annex A.4 and A.5.
//
//	        enough good events                 N392 errors among the last N393,
//	 DOWN ──────────────────────▶ UP ────────▶ a peer that has restarted, Stop
//	  ▲                                          │
//	  └──────────────────────────────────────────┘
//
// The user asks every T391, for a full status every N391 times, and while the
// link or a DLCI in use is down, so that it need not wait for it; an error is a question without a valid answer. The network
// answers; an error is an enquiry that does not confirm what was sent last, or
// T392 without any. A DLCI is active while the link is up and
//
//	user      the network has reported it active
//	network   the user has confirmed a full status that has it

// Role is the side of the line that a Link plays.
type Role uint8

const (
	User Role = iota
	Network
)

func (r Role) String() string { return roles[r].name }

// Params are the timers and counters of Q.933 table A.4.
type Params struct {
	T391 time.Duration `json:"t391_ns"`
	T392 time.Duration `json:"t392_ns"`
	N391 int           `json:"n391"`
	N392 int           `json:"n392"`
	N393 int           `json:"n393"`
}

// Defaults are the values that Q.933 recommends.
func Defaults() Params {
	return Params{T391: 10 * time.Second, T392: 15 * time.Second, N391: 6, N392: 3, N393: 4}
}

// MaxPVCs is how many DLCIs the network side reports in a full status: peers
// are known that read no more.
const MaxPVCs = 10

// Owner is who a Link works for. It must not call the Link from inside.
type Owner interface {
	// SendLMI sends an information field on DLCI 0; info is valid during the call.
	SendLMI(info []byte)
	// LinkChanged tells that the link has gone up or down.
	LinkChanged(now time.Time, up bool)
	// DLCIChanged tells that a DLCI that was added has become active or inactive.
	DLCIChanged(now time.Time, dlci uint16, active bool)
}

// Why a message that parses has no effect.
var (
	ErrRole     = errors.New("fr: both ends of the line play the same role")
	ErrSequence = errors.New("fr: LMI sequence number is not the expected one")
	ErrReport   = errors.New("fr: LMI report type is not the one asked for")
)

// DLC is the state of one DLCI.
type DLC struct {
	DLCI   uint16 `json:"dlci"`
	Used   bool   `json:"used"` // Add was called for it
	New    bool   `json:"new"`
	Active bool   `json:"active"` // as DLCIChanged told, or would have

	reported bool // user: active in the last report; network: in a full status not yet confirmed
}

// Link is the local management of one line.
type Link struct {
	role    Role
	params  Params
	owner   Owner
	running bool
	up      bool
	window  uint32 // the last events, the latest in bit 0; set: good
	txSeq   uint8
	rxSeq   uint8
	polls   int
	asked   Report
	waiting bool // user: an answer is due
	at      time.Time
	dlcs    []DLC // by DLCI
}

// NewLink returns a Link that is down and not started.
func NewLink(role Role, p Params, owner Owner) *Link {
	return &Link{role: role, params: p, owner: owner}
}

// roles is what differs between user and network.
var roles = [...]struct {
	name    string
	hears   MessageType
	message func(*Link, time.Time, *Message) error
	expired func(*Link, time.Time)
	first   func(*Link) time.Duration // until the first expiry
}{
	User:    {"USER", Status, (*Link).rxStatus, (*Link).poll, func(*Link) time.Duration { return 0 }},
	Network: {"NETWORK", StatusEnquiry, (*Link).rxEnquiry, (*Link).silent, func(l *Link) time.Duration { return l.params.T392 }},
}

// Start begins the procedures: the line is there.
func (l *Link) Start(now time.Time) {
	if l.running {
		return
	}
	l.running, l.waiting, l.window, l.polls = true, false, 0, 0
	l.at = now.Add(roles[l.role].first(l))
}

// Stop ends them: the line is gone.
func (l *Link) Stop(now time.Time) {
	l.running = false
	l.fail(now)
}

// Up tells whether the link is up.
func (l *Link) Up() bool { return l.up }

// Deadline returns when Expire has to be called; armed is false when no timer
// runs.
func (l *Link) Deadline() (at time.Time, armed bool) { return l.at, l.running }

// Expire runs the timer when it is due.
func (l *Link) Expire(now time.Time) {
	if l.running && !l.at.After(now) {
		roles[l.role].expired(l, now)
	}
}

// Receive deals with the information field of a frame of DLCI 0. An error says
// why it had no effect, or what was wrong with it.
func (l *Link) Receive(now time.Time, info []byte) error {
	m, err := Parse(info)
	switch {
	case err != nil:
		return err
	case !l.running:
		return nil
	case m.Type != roles[l.role].hears:
		return ErrRole
	}
	return roles[l.role].message(l, now, &m)
}

// poll is the user's T391: what was not answered is an error, then it asks again.
func (l *Link) poll(now time.Time) {
	if l.waiting {
		l.event(now, false)
	}
	l.asked = LinkIntegrity
	if !l.up || l.lacks() || l.polls%l.params.N391 == 0 {
		l.asked = FullStatus
	}
	l.polls++
	l.waiting = true
	l.at = now.Add(l.params.T391)
	l.send(Message{Type: StatusEnquiry, Report: l.asked})
}

// lacks tells whether a DLCI in use is not active.
func (l *Link) lacks() bool {
	return slices.ContainsFunc(l.dlcs, func(d DLC) bool { return d.Used && !d.Active })
}

// rxStatus is the user's: an answer that does not repeat our number has no
// effect, so that T391 counts the error (Q.933 A.5). A full status is welcome
// unasked: networks send it when a PVC has changed.
func (l *Link) rxStatus(now time.Time, m *Message) error {
	switch {
	case m.Report == SinglePVC:
		l.learn(now, m)
		l.settle(now)
		return nil
	case !m.HasSeq:
		return ErrMissing
	case !l.waiting || m.Recv != l.txSeq:
		return ErrSequence
	case m.Report != l.asked && m.Report != FullStatus:
		return ErrReport
	}
	l.rxSeq, l.waiting = m.Send, false
	l.learn(now, m)
	l.event(now, true)
	return nil
}

// learn takes the status of PVCs from the network. In a full status those that
// are not there are gone.
func (l *Link) learn(now time.Time, m *Message) {
	if m.Report == FullStatus {
		for i := range l.dlcs {
			d := &l.dlcs[i]
			if !slices.ContainsFunc(m.PVCs, func(p PVC) bool { return p.DLCI == d.DLCI }) {
				d.reported, d.New = false, false
			}
		}
		l.dlcs = slices.DeleteFunc(l.dlcs, func(d DLC) bool { return !d.Used && !d.reported && !d.Active })
	}
	for _, p := range m.PVCs {
		if p.DLCI < MinDLCI || p.DLCI > MaxDLCI {
			continue
		}
		d := l.dlc(p.DLCI)
		if p.New && !d.New && d.Active { // made anew: the network has restarted
			l.tell(now, d, false)
		}
		d.reported, d.New = p.Active && !p.Delete, p.New && !p.Delete
	}
}

// silent is the network's T392: no enquiry has come.
func (l *Link) silent(now time.Time) {
	l.at = now.Add(l.params.T392)
	l.event(now, false)
}

// rxEnquiry is the network's. The number 0 is never sent: a user that has
// received 0 of us, who have sent, has just been restarted, and whatever ran
// over the line is no more (Q.933 A.4.2; OS#4974).
func (l *Link) rxEnquiry(now time.Time, m *Message) error {
	if !m.HasSeq {
		return ErrMissing
	}
	if m.Report != FullStatus && m.Report != LinkIntegrity {
		return ErrReport
	}
	l.rxSeq = m.Send
	l.at = now.Add(l.params.T392)
	good := m.Recv == l.txSeq
	if good {
		l.confirm()
	}
	l.send(Message{Type: Status, Report: m.Report, PVCs: l.report(m.Report)})
	switch {
	case good:
		l.event(now, true)
	case m.Recv == 0:
		l.fail(now)
	default:
		l.event(now, false)
		return ErrSequence
	}
	return nil
}

// confirm notes that the user has the last full status.
func (l *Link) confirm() {
	for i := range l.dlcs {
		if d := &l.dlcs[i]; d.reported {
			d.New, d.reported = false, false
		}
	}
}

// report is the list of PVCs of a full status.
func (l *Link) report(r Report) (list []PVC) {
	if r != FullStatus {
		return nil
	}
	for i := range l.dlcs[:min(len(l.dlcs), MaxPVCs)] {
		d := &l.dlcs[i]
		d.reported = true
		list = append(list, PVC{DLCI: d.DLCI, New: d.New, Active: true})
	}
	return list
}

// send sends m with the sequence numbers; 0 is left out.
func (l *Link) send(m Message) {
	if l.txSeq++; l.txSeq == 0 {
		l.txSeq = 1
	}
	m.HasSeq, m.Send, m.Recv = true, l.txSeq, l.rxSeq
	l.owner.SendLMI(m.Append(nil))
}

// event counts one event of the link, Q.933 A.5.
func (l *Link) event(now time.Time, good bool) {
	l.window <<= 1
	if good {
		l.window |= 1
	}
	errs := l.params.N393 - bits.OnesCount32(l.window&(1<<l.params.N393-1))
	switch {
	case errs >= l.params.N392:
		l.fail(now)
	case !l.up:
		l.up = true
		l.owner.LinkChanged(now, true)
	}
	l.settle(now)
}

func (l *Link) fail(now time.Time) {
	if l.up {
		l.up = false
		l.owner.LinkChanged(now, false)
	}
	l.settle(now)
}

// settle tells the owner of the DLCIs that have changed.
func (l *Link) settle(now time.Time) {
	for i := range l.dlcs {
		d := &l.dlcs[i]
		if is := l.up && l.carries(d); is != d.Active {
			l.tell(now, d, is)
		}
	}
}

func (l *Link) carries(d *DLC) bool {
	if l.role == User {
		return d.reported
	}
	return !d.New
}

func (l *Link) tell(now time.Time, d *DLC, active bool) {
	d.Active = active
	if d.Used {
		l.owner.DLCIChanged(now, d.DLCI, active)
	}
}

// dlc returns the entry of a DLCI, a new one if there is none. There are at
// most as many as DLCIs.
func (l *Link) dlc(dlci uint16) *DLC {
	i, found := slices.BinarySearchFunc(l.dlcs, dlci, func(d DLC, n uint16) int { return int(d.DLCI) - int(n) })
	if !found {
		l.dlcs = slices.Insert(l.dlcs, i, DLC{DLCI: dlci})
	}
	return &l.dlcs[i]
}

// Add makes a DLCI one that the owner uses; the network reports it to the user.
func (l *Link) Add(now time.Time, dlci uint16) {
	d := l.dlc(dlci)
	if d.Used {
		return
	}
	d.Used = true
	d.New = d.New || l.role == Network
	if d.Active {
		l.owner.DLCIChanged(now, dlci, true)
	}
	l.settle(now)
}

// Remove ends Add; nothing is told of it.
func (l *Link) Remove(dlci uint16) {
	l.dlc(dlci).Used = false
	l.dlcs = slices.DeleteFunc(l.dlcs, func(d DLC) bool {
		return d.DLCI == dlci && (l.role == Network || !d.reported)
	})
}

// Active tells whether a DLCI is active.
func (l *Link) Active(dlci uint16) bool {
	return slices.ContainsFunc(l.dlcs, func(d DLC) bool { return d.DLCI == dlci && d.Active })
}

// State is the state of a Link for shows.
type State struct {
	Role      string `json:"role"` // USER, NETWORK
	Up        bool   `json:"up"`
	LastRxSeq uint8  `json:"last_rx_seq"`
	LastTxSeq uint8  `json:"last_tx_seq"`
	DLCs      []DLC  `json:"dlcs"`
}

// State copies the state.
func (l *Link) State() State {
	return State{l.role.String(), l.up, l.rxSeq, l.txSeq, append([]DLC{}, l.dlcs...)}
}
