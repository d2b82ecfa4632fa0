//go:build usrsctp && cgo

package sctp

// #include "userspace.h"
import "C"

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// userspaceAssoc is a one-to-one socket of the library. Its calls never block.
type userspaceAssoc struct {
	options       Options
	local, remote Endpoint
	signals       *signals

	// The reader's.
	in      assembler
	event   C.struct_pg_event
	notices noticeBuffer
	gone    *Down
	timer   *time.Timer
	nudge   chan struct{} // the deadline has changed, or it is over
	readEnd atomic.Int64  // deadline, ns since 1970; 0: none

	// Shared.
	closing atomic.Int32 // a Cause + 1 of ours
	down    atomic.Pointer[Down]
	counts  struct{ inMessages, inOctets, outMessages, outOctets, full atomic.Uint64 }
	watch   atomic.Bool
	notify  func()
	ended   chan struct{} // so is closed

	mu sync.Mutex // of calls with so
	so *C.struct_socket

	source *C.struct_pg_source
}

func newUserspaceAssoc(o Options) *userspaceAssoc {
	a := &userspaceAssoc{options: o, in: assembler{most: o.MaxMessage}, nudge: make(chan struct{}, 1), ended: make(chan struct{})}
	a.signals = newSignals()
	return a
}

func (a *userspaceAssoc) connected() {
	var e C.struct_pg_endpoint
	C.pg_addresses(a.so, 0, &e)
	a.local = fromC(&e)
	C.pg_addresses(a.so, 1, &e)
	a.remote = fromC(&e)
}

// waitConnected ends when the INIT was answered, or with ctx.
func (a *userspaceAssoc) waitConnected(ctx context.Context) error {
	for {
		select {
		case <-a.signals.readable:
		case <-ctx.Done():
			return ctx.Err()
		}
		a.mu.Lock()
		err, ready := errnoOf(C.pg_error(a.so)), C.pg_writable(a.so) != 0
		a.mu.Unlock()
		switch {
		case err == syscall.ECONNREFUSED:
			return &Down{Cause: Refused}
		case err == syscall.ETIMEDOUT:
			return &Down{Cause: InitTimeout}
		case err != nil:
			return &Down{Cause: StackFailure, Err: err}
		case ready:
			a.connected()
			wake(a.signals.readable) // what came meanwhile
			return nil
		}
	}
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// closeLater is how long a socket outlives its association: a thread of the library
// that still has a packet of it takes a reference to the socket without asking
// whether a close is under way, and then both free it.
const closeLater = 250 * time.Millisecond

// release gives the socket up; abort 1: with an ABORT, if its association is still there.
func (a *userspaceAssoc) release(abort C.int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.so == nil {
		return
	}
	so, source := a.so, a.source
	C.pg_attach(so, nil)
	if abort != 0 {
		C.pg_send(so, nil, 0, 0, 0, 1)
	}
	time.AfterFunc(closeLater, func() {
		C.pg_close(so, abort)
		C.pg_source_drop(source)
	})
	a.so = nil
	a.signals.drop()
	close(a.ended)
}

func (a *userspaceAssoc) Local() Endpoint  { return a.local }
func (a *userspaceAssoc) Remote() Endpoint { return a.remote }

func (a *userspaceAssoc) SetRecvDeadline(t time.Time) error {
	ns := int64(0)
	if !t.IsZero() {
		ns = max(t.UnixNano(), 1)
	}
	a.readEnd.Store(ns)
	wake(a.nudge)
	return nil
}

func (a *userspaceAssoc) OnWritable(f func()) { a.notify = f }

func (a *userspaceAssoc) Recv() (Event, error) {
	for a.gone == nil {
		if c := a.closing.Load(); c != 0 {
			a.over(&Down{Cause: Cause(c - 1)})
			wake(a.signals.readable) // it may have been meant for linger
			break
		}
		space := a.in.space()
		err := a.recv(space)
		switch {
		case err == syscall.EAGAIN || err == syscall.EINTR:
			if !a.wait() {
				return Event{}, os.ErrDeadlineExceeded
			}
		case err != nil:
			if a.closing.Load() == 0 { // else the socket was given up meanwhile
				a.over(&Down{Cause: userspaceCause(err.(syscall.Errno)), Err: err})
			}
		default:
			if a.event.kind == C.PG_NOTICE {
				if space = a.whole(space); space == nil {
					continue
				}
			}
			if e, ok := a.got(space); ok {
				return e, nil
			}
		}
	}
	return Event{}, a.gone
}

// recv is one attempt to read.
func (a *userspaceAssoc) recv(space []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.so == nil {
		return syscall.ENOTCONN
	}
	return errnoOf(C.pg_recv(a.so, unsafe.Pointer(&space[0]), C.size_t(len(space)), &a.event))
}

// wait waits for something to read; false: the deadline has passed.
func (a *userspaceAssoc) wait() bool {
	var over <-chan time.Time
	if ns := a.readEnd.Load(); ns != 0 {
		d := time.Until(time.Unix(0, ns))
		if d <= 0 {
			return false
		}
		if a.timer == nil {
			a.timer = time.NewTimer(d)
		} else {
			a.timer.Reset(d)
		}
		over = a.timer.C
		defer a.timer.Stop()
	}
	select {
	case <-a.signals.readable:
	case <-a.nudge:
	case <-a.ended:
	case <-over:
		return false
	}
	return true
}

func userspaceCause(e syscall.Errno) Cause {
	switch e {
	case syscall.ETIMEDOUT, syscall.ECONNABORTED:
		return Timeout
	case syscall.ECONNRESET, syscall.EPIPE:
		return PeerAbort
	case syscall.ECONNREFUSED:
		return Refused
	}
	return StackFailure
}

func (a *userspaceAssoc) over(d *Down) {
	a.gone = d
	a.down.Store(d)
}

// whole reads a notification at its last piece; until then it is nil.
func (a *userspaceAssoc) whole(space []byte) []byte {
	notice := a.notices.add(space[:a.event.length], a.event.last != 0)
	if len(notice) == 0 {
		return nil
	}
	C.pg_notice(unsafe.Pointer(&notice[0]), C.int(len(notice)), &a.event)
	return notice
}

// got is what one reading means to the owner, if anything.
func (a *userspaceAssoc) got(space []byte) (Event, bool) {
	e := &a.event
	switch e.kind {
	case C.PG_DATA:
		if e.length == 0 {
			a.over(&Down{Cause: PeerShutdown})
			return Event{}, false
		}
		return a.piece()
	case C.PG_PATH:
		return Event{Kind: PathChange, Path: Path{Addr: addressFromC(&e.path), State: PathState(e.path_state)}}, true
	case C.PG_RESTART:
		a.in.reset()
		return Event{Kind: Restart}, true
	case C.PG_SEND_FAILED:
		lost := Message{Stream: uint16(e.stream), PPID: uint32(e.ppid), Data: a.info(space)}
		return Event{Kind: SendFailed, Message: lost}, true
	case C.PG_PARTIAL_ABORTED:
		a.in.reset()
	case C.PG_DOWN:
		a.over(a.why(space))
	}
	return Event{}, false
}

func (a *userspaceAssoc) info(space []byte) []byte {
	at, n := int(a.event.info_at), int(a.event.info_length)
	if at < 0 || n < 0 || at+n > len(space) {
		return nil
	}
	return space[at : at+n]
}

// why tells what the notification of a loss means.
func (a *userspaceAssoc) why(space []byte) *Down {
	if a.event.association == C.PG_SHUTDOWN_COMPLETE {
		return &Down{Cause: PeerShutdown}
	}
	a.mu.Lock()
	errno := syscall.Errno(0)
	if a.so != nil {
		errno = syscall.Errno(C.pg_error(a.so))
	}
	a.mu.Unlock()
	if errno == syscall.ETIMEDOUT || errno == syscall.ECONNABORTED {
		return &Down{Cause: Timeout}
	}
	d := &Down{Cause: PeerAbort}
	if d.Code, d.Reason = abortCause(a.info(space)); d.Code == 0 {
		d.Code = uint16(a.event.error)
	}
	return d
}

func (a *userspaceAssoc) piece() (Event, bool) {
	m, tooLong, done := a.in.add(int(a.event.length), a.event.last != 0)
	if !done {
		return Event{}, false
	}
	if tooLong {
		return Event{Kind: TooLong}, true
	}
	a.counts.inMessages.Add(1)
	a.counts.inOctets.Add(uint64(len(m)))
	return Event{Kind: Data, Message: Message{Stream: uint16(a.event.stream), PPID: uint32(a.event.ppid), Data: m}}, true
}

func (a *userspaceAssoc) Send(m Message) error {
	if d := a.down.Load(); d != nil {
		return d
	}
	if c := a.closing.Load(); c != 0 {
		return &Down{Cause: Cause(c - 1)}
	}
	switch err := a.transmit(m, 0); err {
	case nil:
		a.counts.outMessages.Add(1)
		a.counts.outOctets.Add(uint64(len(m.Data)))
		return nil
	case syscall.EAGAIN, syscall.ENOBUFS:
		a.counts.full.Add(1)
		a.waitWritable()
		return ErrFull
	case syscall.EMSGSIZE:
		return ErrTooLong
	case syscall.EINVAL:
		return ErrStream
	default:
		return &Down{Cause: userspaceCause(err.(syscall.Errno)), Err: err}
	}
}

func (a *userspaceAssoc) transmit(m Message, abort C.int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.so == nil {
		return syscall.ENOTCONN
	}
	return errnoOf(C.pg_send(a.so, unsafe.Pointer(unsafe.SliceData(m.Data)), C.size_t(len(m.Data)), C.uint16_t(m.Stream), C.uint32_t(m.PPID), abort))
}

// waitWritable has notify called when the socket takes data again.
func (a *userspaceAssoc) waitWritable() {
	if a.notify == nil || !a.watch.CompareAndSwap(false, true) {
		return
	}
	go func() {
		for !a.writable() {
			select {
			case <-a.signals.writable:
			case <-a.ended:
			}
		}
		a.watch.Store(false)
		a.notify()
	}()
}

// writable asks to be told when it is not.
func (a *userspaceAssoc) writable() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.so == nil {
		return true
	}
	C.pg_watch(a.signals.slot, 1)
	if C.pg_writable(a.so) == 0 {
		return false
	}
	C.pg_watch(a.signals.slot, 0)
	return true
}

func (a *userspaceAssoc) Close() error {
	if !a.closing.CompareAndSwap(0, int32(LocalClose)+1) {
		return nil
	}
	a.mu.Lock()
	if a.so != nil {
		C.pg_shutdown(a.so)
	}
	a.mu.Unlock()
	wake(a.nudge)
	go a.linger()
	return nil
}

// linger keeps the socket until the shutdown is complete: closing it with
// something unread would abort, and what was sent could be lost.
func (a *userspaceAssoc) linger() {
	defer a.release(0)
	giveUp := time.NewTimer(time.Duration(a.options.AssocMaxRetrans+1) * a.options.RTOMax)
	defer giveUp.Stop()
	waste := make([]byte, firstBuffer)
	var notices noticeBuffer
	var e C.struct_pg_event
	for {
		a.mu.Lock()
		if a.so == nil { // Abort was quicker
			a.mu.Unlock()
			return
		}
		err := errnoOf(C.pg_recv(a.so, unsafe.Pointer(&waste[0]), C.size_t(len(waste)), &e))
		if err == nil && e.kind == C.PG_NOTICE {
			if whole := notices.add(waste[:e.length], e.last != 0); len(whole) > 0 {
				C.pg_notice(unsafe.Pointer(&whole[0]), C.int(len(whole)), &e)
			}
		}
		a.mu.Unlock()
		switch {
		case err == syscall.EAGAIN || err == syscall.EINTR:
			select {
			case <-a.signals.readable:
			case <-a.ended:
			case <-giveUp.C:
				return
			}
		case err != nil || e.kind == C.PG_DOWN || e.kind == C.PG_DATA && e.length == 0:
			return
		}
	}
}

func (a *userspaceAssoc) Abort(reason string) error {
	if !a.closing.CompareAndSwap(0, int32(LocalAbort)+1) {
		a.release(1) // a shutdown that lingers ends too
		return nil
	}
	a.transmit(Message{Data: []byte(reason[:min(len(reason), 128)])}, 1)
	a.release(1)
	wake(a.nudge)
	return nil
}

func (a *userspaceAssoc) Stats() Stats {
	s := Stats{InMessages: a.counts.inMessages.Load(), InOctets: a.counts.inOctets.Load(),
		OutMessages: a.counts.outMessages.Load(), OutOctets: a.counts.outOctets.Load(), Full: a.counts.full.Load()}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.so == nil {
		return s
	}
	var st C.struct_pg_status
	C.pg_status(a.so, &st)
	s.State = AssocState(st.state)
	s.Unacked, s.InStreams, s.OutStreams = uint64(st.unacked), uint16(st.in_streams), uint16(st.out_streams)
	for _, r := range a.remote.Addrs {
		var p C.struct_pg_path
		at := addressToC(r)
		C.pg_path(a.so, &at, C.uint16_t(a.remote.Port), &p)
		s.Paths = append(s.Paths, PathStats{Path: Path{Addr: r, State: PathState(p.state)}, Primary: p.primary != 0,
			SRTT: time.Duration(p.srtt) * time.Millisecond, RTO: time.Duration(p.rto) * time.Millisecond,
			CongWindow: uint32(p.cwnd), MTU: uint32(p.mtu)})
	}
	return s
}
