package gb

import (
	"time"

	"poolgw/nri"
	"poolgw/ns"
)

// Snapshot is the state of the gateway at one moment, for shows, their JSON
// forms and the lab. Slices are sorted by NSEI, then BVCI; SGSNs stand in
// configuration order.
type Snapshot struct {
	Time  time.Time         `json:"time"`
	Pool  PoolState         `json:"pool"`
	BSSs  []BSSState        `json:"bss"`
	Cells []CellState       `json:"cells"`
	TLLIs []TLLIEntry       `json:"tlli_cache"`
	IMSIs []IMSIEntry       `json:"imsi_cache"`
	NS    ns.Snapshot       `json:"ns"`
	Drops map[string]uint64 `json:"drops"` // by reason
	// Alarms counts BVC procedures that got no answer after all retries.
	Alarms uint64 `json:"alarms"`
	// LostBSSs counts failures of BSSs' NSEs.
	LostBSSs uint64 `json:"lost_bsss"`
	// Takeovers counts BVCs that another BSS took.
	Takeovers uint64 `json:"bvc_takeovers"`
	// Stalls counts the times that the gateway was held up for over a second,
	// ClockSteps those that the wall clock was set by over a second.
	Stalls     uint64 `json:"stalls"`
	ClockSteps uint64 `json:"clock_steps"`
	// Evicted counts entries that gave way because a table was full, by table:
	// tlli_cache, imsi_cache, activity.
	Evicted map[string]uint64 `json:"evicted"`
	Limits  Limits            `json:"limits"`
	Timers  []TimerState      `json:"timers"` // all that can be set, those of NS too
}

// PoolState is the pool as "show pool" tells it.
type PoolState struct {
	BitLen uint8 `json:"nri_bitlen"`
	// Null are the NULL-NRIs of every PLMN ("0,5-7"), NullByPLMN those of single
	// ones by "262-42".
	Null           string            `json:"null_nri"`
	NullByPLMN     map[string]string `json:"null_nri_by_plmn"`
	ActivityWindow time.Duration     `json:"activity_window_ns"`
	// ActiveWindow is five minutes, or the activity window where that is shorter.
	ActiveWindow time.Duration `json:"active_window_ns"`
	SGSNs        []SGSNState   `json:"sgsns"`
	// Reasons counts decisions by pool.Reason's name; Undecided those of them
	// that chose nobody.
	Reasons   map[string]uint64 `json:"reasons"`
	Undecided map[string]uint64 `json:"undecided"`
}

// SGSNState is one member.
type SGSNState struct {
	NSEI         uint16     `json:"nsei"`
	Name         string     `json:"name"`
	Up           bool       `json:"up"`    // NSE alive and signalling BVC unblocked
	Since        time.Time  `json:"since"` // of the last change of Up
	AllowAttach  bool       `json:"allow_attach"`
	DrainedSince time.Time  `json:"drained_since,omitzero"`
	Weight       uint16     `json:"weight"`
	NRI          string     `json:"nri"` // "1-341,500"
	BVCs         []BVCState `json:"bvcs"`
	// Bound estimates the subscribers seen going there within the activity
	// window; Active those within ActiveWindow.
	Bound     int       `json:"bound"`
	Active    int       `json:"active"`
	LastSeen  time.Time `json:"last_seen,omitzero"` // of any subscriber
	ToPDUs    uint64    `json:"to_pdus"`
	ToBytes   uint64    `json:"to_bytes"`
	FromPDUs  uint64    `json:"from_pdus"`
	FromBytes uint64    `json:"from_bytes"`
	Restarts  uint64    `json:"restarts"`
	// Decisions counts the choices of this member by pool.Reason's name.
	Decisions map[string]uint64 `json:"decisions"`
}

// BSSState is one BSS-side NSE.
type BSSState struct {
	NSEI  uint16     `json:"nsei"`
	Alive bool       `json:"alive"`
	BVCs  []BVCState `json:"bvcs"`
}

// BVCState is one BVC of either side; RAI and CellID are empty for BVCI 0.
type BVCState struct {
	BVCI      uint16 `json:"bvci"`
	State     string `json:"state"`         // NULL, BLOCKED, WAIT_RESET_ACK, UNBLOCKED
	RAI       string `json:"rai,omitempty"` // "262-42-4096-1"
	CI        uint16 `json:"ci,omitempty"`
	ToPDUs    uint64 `json:"to_pdus"`
	ToBytes   uint64 `json:"to_bytes"`
	FromPDUs  uint64 `json:"from_pdus"`
	FromBytes uint64 `json:"from_bytes"`
	Drops     uint64 `json:"dropped"`
}

// CellState is one cell.
type CellState struct {
	BVCI uint16 `json:"bvci"`
	RAI  string `json:"rai"`
	CI   uint16 `json:"ci"`
	BSS  uint16 `json:"bss_nsei"`
	// Active is false while the BSS is gone or has not reset the BVC yet.
	Active bool     `json:"active"`
	SGSNs  []uint16 `json:"sgsn_nseis"` // with a BVC for the cell, in configuration order
}

// TLLIEntry is one entry of the TLLI cache.
type TLLIEntry struct {
	TLLI  uint32        `json:"tlli"`
	Usage string        `json:"usage"` // suspend, resume
	NSEI  uint16        `json:"nsei"`
	Valid time.Duration `json:"valid_ns"`
}

// IMSIEntry is one entry of the IMSI cache.
type IMSIEntry struct {
	IMSI  string        `json:"imsi"`
	Usage string        `json:"usage"` // paging, ms-reg-enq
	NSEI  uint16        `json:"nsei"`
	Valid time.Duration `json:"valid_ns"`
}

// Query asks where a subscriber would go; exactly one of its identities is set.
type Query struct {
	PLMN nri.PLMN // the cell's, for NULL-NRIs of single networks; zero: none of those

	TLLI  *uint32
	PTMSI *uint32
	TMSI  *uint32
	IMSI  string
}

// Answer tells where a subscriber would go now, and why. Nothing changes by
// asking.
type Answer struct {
	NSEI     uint16    `json:"nsei,omitempty"` // valid when Member is set
	Member   string    `json:"member,omitempty"`
	Reason   string    `json:"reason"`         // pool.Reason's name
	Text     string    `json:"text"`           // one sentence for the operator
	Kind     string    `json:"kind,omitempty"` // local, foreign, random, auxiliary
	NRI      *uint16   `json:"nri,omitempty"`
	LastSeen time.Time `json:"last_seen,omitzero"`
}
