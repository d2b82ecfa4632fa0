package ns

import (
	"fmt"
	"log/slog"
	"net/netip"
	"time"
)

// MaxDatagram is the longest NS PDU that is received, in octets.
const MaxDatagram = 4096

// Message is one datagram of a batch. On receive, Buf is the room and N what
// was used of it; on send, Buf[:N] goes to Addr. Over Frame Relay a datagram is
// the information field of a frame, and the port of Addr its DLCI.
type Message struct {
	Buf  []byte
	N    int
	Addr netip.AddrPort // remote, IPv4 never as IPv4-mapped IPv6
}

// Conn is one bound datagram socket of one worker. ReadBatch blocks until at
// least one datagram is there, fills Addr and N of the first n messages and
// allocates nothing. WriteBatch sends messages in order and returns how many
// the transport took; one bad destination costs its own message only. After
// Close both return net.ErrClosed.
//
// ReadBatch is called by one goroutine at a time; WriteBatch by several at
// once (the readers of all binds of a worker, and the loop), so what it needs
// per call must not be shared unguarded. It keeps no message after returning.
type Conn interface {
	ReadBatch(msgs []Message) (n int, err error)
	WriteBatch(msgs []Message) (n int, err error)
	LocalAddr() netip.AddrPort
	Close() error
}

// Network opens the sockets of a bind, one per worker: the kernel's UDP
// (SO_REUSEPORT, an exclusive lock per address first), its GRE and its packet
// sockets (where all workers send through one socket and the first reads it),
// or an in-memory network in tests and in the lab.
type Network interface {
	Listen(b BindConfig, workers int) ([]Conn, error)
}

// Tuner is what a Conn may offer besides: to take a new DSCP and priority
// without being opened anew.
type Tuner interface {
	Tune(dscp, priority uint8) error
}

// Router is what a Network may offer besides: the local address from which
// datagrams to remote leave, for SNS on a bind with the unspecified address.
// Without it the operating system is asked.
type Router interface {
	LocalToward(remote netip.Addr) (netip.Addr, error)
}

// BindError tells that a bind's sockets can't be had; Apply returns it.
type BindError struct {
	Bind string
	Addr netip.AddrPort
	Err  error
}

func (e *BindError) Error() string {
	if !e.Addr.IsValid() { // a line: Err names the device
		return fmt.Sprintf("ns: bind %s: %v", e.Bind, e.Err)
	}
	return fmt.Sprintf("ns: bind %s: listen on %s: %v", e.Bind, e.Addr, e.Err)
}

func (e *BindError) Unwrap() error { return e.Err }

// Event is what the stack tells its Upper of an NSE.
type Event uint8

const (
	EventRecovery       Event = iota // the NSE can carry data and signalling
	EventFailure                     // it no longer can
	EventVCRecovery                  // one NS-VC came up
	EventVCFailure                   // one NS-VC went down
	EventSNSConfigured               // SNS: the endpoints are exchanged
	EventSNSFailure                  // SNS: the procedure failed; it is begun again
	EventSNSNoEndpoints              // SNS: nothing to begin with
)

// Upper is the user of a Stack; all calls come from the loop's goroutine.
type Upper interface {
	// NewNSE is called before an NSE is visible to workers; what it returns
	// is kept as NSE.Owner.
	NewNSE(nse *NSE) (owner any)
	// FreeNSE is called when an NSE is gone; a Failure came before if it was alive.
	FreeNSE(now time.Time, nse *NSE)
	// UnitData delivers one NS-UNITDATA that the DataPath did not take.
	// pdu is the NS SDU, valid during the call.
	UnitData(now time.Time, nse *NSE, bvci uint16, pdu []byte)
	// Status tells of an event.
	Status(now time.Time, nse *NSE, ev Event)
}

// DataPath decides user data on the workers: it must not block, lock or
// allocate. dgram is a whole NS-UNITDATA (4 octets header, then the SDU) of an
// NS-VC that may carry data, in the worker's buffer and valid until the end of
// the batch. It returns true when it has dealt with the PDU (forwarded through
// p or dropped and counted), false to have it delivered to Upper.UnitData in
// the loop.
type DataPath interface {
	Data(p *Port, nse *NSE, bvci uint16, dgram []byte) bool
}

// Options are what a Stack needs from outside.
type Options struct {
	Network  Network
	Workers  int      // sockets and reading goroutines per bind; at least 1
	Upper    Upper    // required
	DataPath DataPath // nil: everything goes to Upper.UnitData
	UserData UserData // what the DataPath decides; see Splitter
	Log      *slog.Logger
	Limits   Limits
	// Now is the clock of the workers (read once per batch).
	Now func() time.Time
}

// Limits bound the tables; zero fields take the defaults.
type Limits struct {
	DynamicNSEs  int // 1024
	VCsPerNSE    int // 64
	ControlQueue int // datagrams waiting for the loop; default 8192
}

// The life of a Stack, all but Control and Wait from the loop's goroutine:
//
//	s := ns.NewStack(opt)
//	err := s.Apply(cfg, now)           // opens binds, starts NSEs; again for each change
//	for {
//		select {
//		case g := <-s.Control():   // a group of control datagrams from a worker
//			s.Handle(now, g)
//		case f := <-ops:
//			f()
//		case <-timer:              // armed at s.Deadline()
//		}
//		s.Expire(now)              // runs the timers that are due
//		s.Flush()                  // sends what the loop queued
//	}
//	s.Close()                          // closes the sockets, waits for the workers
//
// Sending from the loop: s.Send(nse, bvci, lsp, pdu). From a worker, inside
// DataPath.Data: p.Forward(nse, bvci, lsp, dgram).
