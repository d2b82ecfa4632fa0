package bssgp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "poolgw/bssgp"
)

// harness owns a BVC, feeds the clock by hand and writes down what the machine
// does, one word per deed: the PDU's name and octets, "A>B" for a change of
// state, "reset by peer (cause)", "reset by us (cause)", "alarm reset".
type harness struct {
	t    *testing.T
	now  time.Time
	b    *BVC
	sent [][]byte
	log  []string
	// onReset, onState run inside the callbacks.
	onReset func()
	onState func(to BVCState)
}

func newHarness(t *testing.T, cfg BVCConfig) *harness {
	h := &harness{t: t, now: time.Unix(1000, 0)}
	cfg.Owner = h
	h.b = NewBVC(cfg)
	return h
}

func (h *harness) SendBVC(_ *BVC, pdu []byte) {
	h.sent = append(h.sent, pdu)
	typ, _ := Type(pdu)
	h.log = append(h.log, typ.String())
	dir := Uplink
	if h.b.Role() == RoleSGSN {
		dir = Downlink
	}
	if e := Check(pdu, dir, SIG); e != nil {
		h.t.Errorf("sent %x: %v", pdu, e)
	}
}

func (h *harness) BVCReset(_ time.Time, _ *BVC, c Cause, locally bool) {
	by := "peer"
	if locally {
		by = "us"
	}
	h.log = append(h.log, fmt.Sprintf("reset by %s (%v)", by, c))
	if h.onReset != nil {
		h.onReset()
	}
}

func (h *harness) BVCStateChanged(_ time.Time, b *BVC, from, to BVCState) {
	h.log = append(h.log, from.String()+">"+to.String())
	if b.State() != to {
		h.t.Errorf("told of %v in state %v", to, b.State())
	}
	if h.onState != nil {
		h.onState(to)
	}
}

func (h *harness) BVCAlarm(_ time.Time, _ *BVC, p string) { h.log = append(h.log, "alarm "+p) }

// want asserts what happened since the last call.
func (h *harness) want(what ...string) {
	h.t.Helper()
	if !slices.Equal(h.log, what) {
		h.t.Errorf("happened:\n %s\nwant:\n %s", strings.Join(h.log, "; "), strings.Join(what, "; "))
	}
	h.log = nil
}

// wantPDU asserts the octets of the last PDU that was sent.
func (h *harness) wantPDU(hex string) {
	h.t.Helper()
	if got := fmt.Sprintf("%x", h.sent[len(h.sent)-1]); got != strings.ReplaceAll(hex, " ", "") {
		h.t.Errorf("sent %s, want %s", got, hex)
	}
}

func (h *harness) recv(hex string) {
	h.t.Helper()
	handled, e := h.b.Recv(h.now, unhex(h.t, hex))
	if !handled || e != nil {
		h.t.Errorf("%s: handled %v, %v", hex, handled, e)
	}
}

func (h *harness) wantRefused(hex string, c Cause) {
	h.t.Helper()
	handled, e := h.b.Recv(h.now, unhex(h.t, hex))
	if !handled || e == nil || e.Cause != c {
		h.t.Errorf("%s: handled %v, %v, want %v", hex, handled, e, c)
	}
	h.want()
}

// after advances the clock to the deadline, which must be d away.
func (h *harness) after(d time.Duration) {
	h.t.Helper()
	if got := h.b.Deadline().Sub(h.now); got != d {
		h.t.Errorf("deadline in %v, want %v", got, d)
	}
	h.b.Expire(h.now.Add(d - 1))
	h.want()
	h.now = h.now.Add(d)
	h.b.Expire(h.now)
}

func (h *harness) wantIdle() {
	h.t.Helper()
	if !h.b.Deadline().IsZero() {
		h.t.Errorf("a timer runs")
	}
	h.b.Expire(h.now.Add(time.Hour))
	h.want()
}

const (
	rxReset0   = "22 04820000 078101"
	rxReset    = "22 048203e8 078101"
	rxResetBSS = rxReset + hexCell
	rxAck0     = "23 04820000 3b8114 698102"
	rxAck      = "23 048203e8"
)

func bssSide(t *testing.T) *harness {
	return newHarness(t, BVCConfig{NSEI: 101, BVCI: 1000, Role: RoleBSS, Cell: &cell})
}

func sgsnSide(t *testing.T) *harness {
	return newHarness(t, BVCConfig{NSEI: 2001, BVCI: 1000, Role: RoleSGSN})
}

// unblocked brings a BVC up.
func (h *harness) unblocked() *harness {
	h.b.Reset(h.now, CauseOMIntervention)
	h.recv(rxAck)
	h.log = nil
	return h
}

func TestResetPTP(t *testing.T) {
	h := bssSide(t)
	h.wantIdle()
	h.b.Reset(h.now, CauseOMIntervention)
	h.want("BVC-RESET", "NULL>WAIT_RESET_ACK")
	h.wantPDU("22 048203e8 078108" + hexCell)
	h.recv(rxAck)
	h.want("WAIT_RESET_ACK>UNBLOCKED", "reset by us (O&M intervention)")
	h.wantIdle()
	h.recv(rxAck) // late
	h.wantIdle()
}

// The cell stands only in what a BSS sends for a PTP BVC, features only in
// what is sent for BVCI 0.
// Facts: G2-10, G3-05, G3-06, G3-07, G3-11, G3-13, G3-14
func TestResetIEs(t *testing.T) {
	h := sgsnSide(t)
	h.b.Reset(h.now, CauseEquipmentFailure)
	h.wantPDU("22 048203e8 078101")
	h = newHarness(t, BVCConfig{Role: RoleBSS, Cell: &cell, Features: FeatRIM | FeatGBIT})
	h.b.Reset(h.now, CauseOMIntervention)
	h.wantPDU("22 04820000 078108 3b8110 698102")
	h.recv(rxAck0)
	if got := h.b.PeerFeatures(); got != FeatINR|FeatRIM|FeatGBIT {
		t.Errorf("peer's features: %v", got)
	}
	h.recv(rxReset0)
	h.wantPDU("23 04820000 3b8110 698102")
	if got := h.b.PeerFeatures(); got != 0 {
		t.Errorf("peer's features after a reset without: %v", got)
	}
	h = bssSide(t)
	h.recv(rxReset)
	h.wantPDU("23 048203e8" + hexCell)
	h = sgsnSide(t)
	h.recv(rxResetBSS)
	h.wantPDU("23 048203e8")
	if c, ok := h.b.Cell(); !ok || c != cell {
		t.Errorf("cell %v %v", c, ok)
	}
	h.recv(rxResetBSS) // knows the cell now, and does not tell it
	h.wantPDU("23 048203e8")
	h.b.Reset(h.now, CauseOMIntervention)
	h.wantPDU("22 048203e8 078108")
}

// Facts: G3-09
func TestResetByPeer(t *testing.T) {
	h := sgsnSide(t)
	h.recv(rxResetBSS)
	h.want("BVC-RESET-ACK", "NULL>UNBLOCKED", "reset by peer (Equipment failure)")
	h.recv(rxResetBSS)
	h.want("BVC-RESET-ACK", "reset by peer (Equipment failure)")
	h.recv("20 048203e8 078108")
	h.want("BVC-BLOCK-ACK", "UNBLOCKED>BLOCKED")
	h.recv(rxResetBSS)
	h.want("BVC-RESET-ACK", "BLOCKED>UNBLOCKED", "reset by peer (Equipment failure)")
	h.wantIdle()
}

// A reset that crosses ours is its acknowledgement; none is sent.
// Facts: G-09, G3-08
func TestCrossedReset(t *testing.T) {
	h := sgsnSide(t)
	h.b.Reset(h.now, CauseOMIntervention)
	h.want("BVC-RESET", "NULL>WAIT_RESET_ACK")
	h.recv(rxResetBSS)
	h.want("WAIT_RESET_ACK>UNBLOCKED", "reset by us (Equipment failure)")
	if _, ok := h.b.Cell(); !ok {
		t.Error("the cell of the crossed reset is lost")
	}
	h.wantIdle()
}

// T2 runs: three retries 10 s apart, then an alarm, once, and on with back-off.
// Facts: G-08, G-31, G3-02, G3-04
func TestResetRetries(t *testing.T) {
	h := bssSide(t)
	h.b.Reset(h.now, CauseOMIntervention)
	h.want("BVC-RESET", "NULL>WAIT_RESET_ACK")
	for range 3 {
		h.after(10 * time.Second)
		h.want("BVC-RESET")
	}
	h.after(10 * time.Second)
	h.want("BVC-RESET", "alarm reset")
	for _, s := range []int{20, 40, 80, 120, 120} {
		h.after(time.Duration(s) * time.Second)
		h.want("BVC-RESET")
	}
	h.b.Reset(h.now, CauseEquipmentFailure) // begins anew
	h.want("BVC-RESET")
	h.wantPDU("22 048203e8 078101" + hexCell)
	h.after(10 * time.Second)
	h.want("BVC-RESET")
	h.recv(rxAck)
	h.want("WAIT_RESET_ACK>UNBLOCKED", "reset by us (Equipment failure)")
	h.wantIdle()
}

// Facts: G-38
func TestConfiguredTimers(t *testing.T) {
	timers := Timers{T1: time.Second, T2: 2 * time.Second, BlockRetries: 0, UnblockRetries: 2, ResetRetries: 1, MaxBackoff: 5 * time.Second}
	h := newHarness(t, BVCConfig{BVCI: 1000, Role: RoleBSS, Cell: &cell, Timers: &timers})
	h.b.Reset(h.now, CauseOMIntervention)
	h.log = nil
	h.after(2 * time.Second)
	h.want("BVC-RESET")
	h.after(2 * time.Second)
	h.want("BVC-RESET", "alarm reset")
	for _, s := range []int{4, 5, 5} {
		h.after(time.Duration(s) * time.Second)
		h.want("BVC-RESET")
	}
	h.recv(rxAck)
	h.log = nil
	h.b.Block(h.now, CauseOMIntervention)
	h.log = nil
	h.after(time.Second)
	h.want("BVC-BLOCK", "alarm block")
	h.recv("21 048203e8")
	h.b.Unblock(h.now)
	h.log = nil
	h.after(time.Second)
	h.want("BVC-UNBLOCK")
	timers.T1 = 3 * time.Second // counts from the next attempt on
	h.after(time.Second)
	h.want("BVC-UNBLOCK")
	h.after(3 * time.Second)
	h.want("BVC-UNBLOCK", "alarm unblock")
}

// Facts: G-07, G-31, G3-03, G3-20, G3-21, G3-23
func TestBlockUnblock(t *testing.T) {
	h := bssSide(t).unblocked()
	h.b.Block(h.now, CauseEquipmentFailure)
	h.want("BVC-BLOCK", "UNBLOCKED>BLOCKED")
	h.wantPDU("20 048203e8 078101")
	for range 3 {
		h.after(5 * time.Second)
		h.want("BVC-BLOCK")
	}
	h.after(5 * time.Second)
	h.want("BVC-BLOCK", "alarm block")
	h.recv("21 048203e8")
	h.wantIdle()
	h.b.Block(h.now, CauseEquipmentFailure) // is blocked already
	h.wantIdle()
	h.b.Unblock(h.now)
	h.want("BVC-UNBLOCK")
	h.wantPDU("24 048203e8")
	if h.b.State() != BVCBlocked {
		t.Error("unblocked before the acknowledgement")
	}
	h.b.Unblock(h.now) // runs already
	h.want()
	h.recv("21 048203e8") // a late BLOCK-ACK does not end it
	h.want()
	h.after(5 * time.Second)
	h.want("BVC-UNBLOCK")
	h.recv("25 048203e8")
	h.want("BLOCKED>UNBLOCKED")
	h.wantIdle()
}

// A BVC that is wanted blocked is blocked again after every reset.
// Facts: G-19, G3-01
func TestBlockSurvivesReset(t *testing.T) {
	h := bssSide(t)
	h.b.Block(h.now, CauseEquipmentFailure)
	h.wantIdle()
	h.b.Reset(h.now, CauseOMIntervention)
	h.want("BVC-RESET", "NULL>WAIT_RESET_ACK")
	h.recv(rxAck)
	h.want("WAIT_RESET_ACK>UNBLOCKED", "reset by us (O&M intervention)", "BVC-BLOCK", "UNBLOCKED>BLOCKED")
	h.recv("21 048203e8")
	h.recv(rxReset)
	h.want("BVC-RESET-ACK", "BLOCKED>UNBLOCKED", "reset by peer (Equipment failure)", "BVC-BLOCK", "UNBLOCKED>BLOCKED")
	h.b.Unblock(h.now)
	h.want("BVC-UNBLOCK")
	h.recv(rxReset)
	h.want("BVC-RESET-ACK", "BLOCKED>UNBLOCKED", "reset by peer (Equipment failure)")
	h.wantIdle()
	h.b.Drop(h.now)
	h.want("UNBLOCKED>NULL")
}

// An acknowledgement that nobody waits for shows that the SGSN has another
// state: it is set right.
func TestUnexpectedAcks(t *testing.T) {
	h := bssSide(t).unblocked()
	h.recv("21 048203e8")
	h.want("BVC-UNBLOCK")
	h.recv("25 048203e8")
	h.wantIdle()
	h.b.Block(h.now, CauseOMIntervention)
	h.recv("21 048203e8")
	h.want("BVC-BLOCK", "UNBLOCKED>BLOCKED")
	h.recv("25 048203e8")
	h.want("BVC-BLOCK")
	h.recv("21 048203e8")
	h.wantIdle()
}

// Facts: G3-15, G3-16, G3-17, G3-19
func TestBlockByPeer(t *testing.T) {
	h := sgsnSide(t).resetByBSS()
	h.recv("20 048203e8 078101")
	h.want("BVC-BLOCK-ACK", "UNBLOCKED>BLOCKED")
	if h.b.BlockCause() != CauseEquipmentFailure {
		t.Errorf("cause %v", h.b.BlockCause())
	}
	h.recv("20 048203e8 078108") // repeated: acknowledged again
	h.want("BVC-BLOCK-ACK")
	h.recv("24 048203e8")
	h.want("BVC-UNBLOCK-ACK", "BLOCKED>UNBLOCKED")
	h.wantPDU("25 048203e8")
	h.recv("24 048203e8")
	h.want("BVC-UNBLOCK-ACK")
	h.wantPDU("25 048203e8")
	h.wantIdle()
}

func (h *harness) resetByBSS() *harness {
	h.recv(rxResetBSS)
	h.log = nil
	return h
}

// Facts: G3-16, G3-22
func TestRefused(t *testing.T) {
	h := sgsnSide(t)
	h.wantRefused("20 048203e8 078101", CausePDUNotCompatibleWithState) // never reset
	h.wantRefused("24 048203e8", CausePDUNotCompatibleWithState)
	h.resetByBSS()
	h.wantRefused("21 048203e8", CauseProtocolErrorUnspecified) // only an SGSN acknowledges
	h.wantRefused("22 048203e8 078101", CauseMissingConditionalIE)
	h.wantRefused("20 048203e8", CauseMissingMandatoryIE)
	h.wantRefused("20 048203e9 078101", CauseInvalidMandatoryInformation) // another BVC
	h = bssSide(t).unblocked()
	h.wantRefused("20 048203e8 078101", CauseProtocolErrorUnspecified) // only a BSS blocks
	if err := sgsnSide(t).b.Block(h.now, CauseOMIntervention); err != ErrNotBlockable {
		t.Errorf("an SGSN blocks: %v", err)
	}
	if err := newHarness(t, BVCConfig{Role: RoleBSS}).b.Unblock(h.now); err != ErrNotBlockable {
		t.Errorf("BVCI 0 is unblocked: %v", err)
	}
	if handled, e := h.b.Recv(h.now, unhex(t, "0b")); handled || e != nil {
		t.Errorf("SUSPEND: %v %v", handled, e)
	}
}

// The signalling BVC is never blocked; while a reset runs, all else of the
// peer is void.
// Facts: G3-18
func TestIgnored(t *testing.T) {
	h := newHarness(t, BVCConfig{Role: RoleSGSN})
	h.recv(rxReset0)
	h.log = nil
	h.recv("20 04820000 078101")
	h.recv("24 04820000")
	h.wantIdle()
	h = sgsnSide(t)
	h.b.Reset(h.now, CauseOMIntervention)
	h.log = nil
	h.recv("20 048203e8 078101")
	h.recv("24 048203e8")
	h.want()
	h = bssSide(t)
	for _, late := range []string{"21 048203e8", "25 048203e8", rxAck} {
		h.recv(late)
	}
	h.wantIdle()
}

// The owner may use the BVC from within its callbacks.
func TestReentrance(t *testing.T) {
	h := bssSide(t)
	h.onReset = func() { h.b.Block(h.now, CauseOMIntervention) }
	h.b.Reset(h.now, CauseOMIntervention)
	h.recv(rxAck)
	h.want("BVC-RESET", "NULL>WAIT_RESET_ACK", "WAIT_RESET_ACK>UNBLOCKED", "reset by us (O&M intervention)",
		"BVC-BLOCK", "UNBLOCKED>BLOCKED")
	h = bssSide(t).unblocked()
	h.b.Block(h.now, CauseOMIntervention)
	h.recv("21 048203e8")
	h.b.Unblock(h.now)
	h.log = nil
	h.onState = func(to BVCState) {
		if to == BVCUnblocked {
			h.b.Reset(h.now, CauseOMIntervention)
		}
	}
	h.recv("25 048203e8")
	h.want("BLOCKED>UNBLOCKED", "BVC-RESET", "UNBLOCKED>WAIT_RESET_ACK")
	if h.b.Deadline().IsZero() {
		t.Error("the reset's timer does not run")
	}
}

func TestDrop(t *testing.T) {
	h := bssSide(t)
	h.b.Reset(h.now, CauseOMIntervention)
	h.log = nil
	h.b.Drop(h.now)
	h.want("WAIT_RESET_ACK>NULL")
	h.wantIdle()
	h.b.Drop(h.now)
	h.wantIdle()
}
