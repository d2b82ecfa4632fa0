package bssgp

import "time"

// start begins a procedure: first attempt, timer.
func (b *BVC) start(now time.Time, p procedure) {
	b.proc, b.tries = p, 0
	b.deadline = now.Add(b.wait())
	b.send(b.request())
}

// stop ends the procedure that runs.
func (b *BVC) stop() { b.proc, b.deadline = procNone, time.Time{} }

// wait is how long the attempt that was just made may take.
func (b *BVC) wait() time.Duration {
	t, retries := b.cfg.Timers.of(b.proc)
	longest := max(t, b.cfg.Timers.MaxBackoff)
	for n := retries; n < b.tries && t < longest; n++ {
		t = min(2*t, longest)
	}
	return t
}

// request builds the PDU of the procedure that runs.
func (b *BVC) request() []byte {
	switch b.proc {
	case procBlock:
		return AppendBVCBlock(nil, b.cfg.BVCI, b.blockWhy)
	case procUnblock:
		return AppendBVCUnblock(nil, b.cfg.BVCI)
	}
	cell, features := b.resetIEs()
	return AppendBVCReset(nil, b.cfg.BVCI, b.resetWhy, cell, features)
}

// resetIEs gives the IEs of a reset or its acknowledgement: the cell for a PTP
// BVC in the BSS role, our features for BVCI 0 (10.4.12, 10.4.13).
func (b *BVC) resetIEs() (cell *CellID, f *Features) {
	if b.cfg.BVCI == 0 {
		return nil, &b.cfg.Features
	}
	if b.cfg.Role == RoleBSS && b.hasCell {
		cell = &b.cell
	}
	return cell, nil
}

func (b *BVC) send(pdu []byte) { b.cfg.Owner.SendBVC(b, pdu) }

func (b *BVC) doReset(now time.Time, in input) {
	b.resetWhy = in.cause
	from := b.enter(BVCWaitResetAck)
	b.start(now, procReset)
	b.tell(now, from)
}

func (b *BVC) doBlock(now time.Time, in input) {
	again := b.wantBlock && b.blockWhy == in.cause && b.state == BVCBlocked
	b.wantBlock, b.blockWhy = true, in.cause
	if !again {
		b.block(now)
	}
}

// block runs the block procedure unless a reset must come first.
func (b *BVC) block(now time.Time) {
	if b.state != BVCBlocked && b.state != BVCUnblocked {
		return
	}
	from := b.enter(BVCBlocked)
	b.start(now, procBlock)
	b.tell(now, from)
}

func (b *BVC) doUnblock(now time.Time, _ input) {
	b.wantBlock = false
	if b.state == BVCBlocked && b.proc != procUnblock {
		b.start(now, procUnblock)
	}
}

func (b *BVC) doDrop(now time.Time, _ input) { b.tell(now, b.enter(BVCNull)) }

func (b *BVC) doTimer(now time.Time, _ input) {
	_, retries := b.cfg.Timers.of(b.proc)
	alarm := b.tries == retries
	b.tries++
	b.deadline = now.Add(b.wait())
	p := b.proc
	b.send(b.request())
	if alarm {
		b.cfg.Owner.BVCAlarm(now, b, p.String())
	}
}

// onReset takes the peer's reset; while ours runs it counts as acknowledgement
// (8.4), and none is sent.
func (b *BVC) onReset(now time.Time, in input) {
	cause, _ := ReadCause(in.pdu)
	if b.state == BVCWaitResetAck {
		b.resetDone(now, in.pdu, nil, cause)
		return
	}
	cell, features := b.resetIEs()
	b.resetDone(now, in.pdu, AppendBVCResetAck(nil, b.cfg.BVCI, cell, features), cause)
}

func (b *BVC) onResetAck(now time.Time, in input) { b.resetDone(now, in.pdu, nil, b.resetWhy) }

// resetDone is the end of a reset: the peer's, which ack answers, or ours, with
// no ack. The owner first learns of the state, then of the reset; then a BVC
// that is wanted blocked is blocked.
func (b *BVC) resetDone(now time.Time, pdu, ack []byte, cause Cause) {
	b.learn(pdu)
	from := b.enter(BVCUnblocked)
	if ack != nil {
		b.send(ack)
	}
	b.tell(now, from)
	b.cfg.Owner.BVCReset(now, b, cause, ack == nil)
	if b.wantBlock && b.state == BVCUnblocked {
		b.block(now)
	}
}

// learn keeps what the peer said in a reset or its acknowledgement.
func (b *BVC) learn(pdu []byte) {
	if b.cfg.BVCI == 0 {
		b.peer = ReadFeatures(pdu)
		return
	}
	if c, ok := ReadCellID(pdu); ok && b.cfg.Role == RoleSGSN {
		b.SetCell(c)
	}
}

func (b *BVC) onBlock(now time.Time, in input) {
	b.blockWhy, _ = ReadCause(in.pdu)
	from := b.enter(BVCBlocked)
	b.send(AppendBVCBlockAck(nil, b.cfg.BVCI))
	b.tell(now, from)
}

func (b *BVC) onUnblock(now time.Time, _ input) {
	from := b.enter(BVCUnblocked)
	b.send(AppendBVCUnblockAck(nil, b.cfg.BVCI))
	b.tell(now, from)
}

// onBlockAck ends the block procedure. One that nobody waits for, while the BVC
// is unblocked here, shows that the SGSN takes it for blocked: unblock.
func (b *BVC) onBlockAck(now time.Time, _ input) {
	if b.proc == procBlock {
		b.stop()
		return
	}
	if b.state == BVCUnblocked && b.proc == procNone {
		b.start(now, procUnblock)
	}
}

// onUnblockAck ends the unblock procedure. One that nobody waits for, while the
// BVC is blocked here, shows that the SGSN takes it for unblocked: block.
func (b *BVC) onUnblockAck(now time.Time, _ input) {
	switch {
	case b.proc == procUnblock:
		b.tell(now, b.enter(BVCUnblocked))
	case b.state == BVCBlocked && b.proc == procNone && b.wantBlock:
		b.start(now, procBlock)
	}
}
