package n2sim

import (
	stdcontext "context"
	"sync"
	"time"

	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/nas5g"
	"poolgw/lab/ngmsg"
	"poolgw/sctp"
)

// AMFConfig is one AMF.
type AMFConfig struct {
	Transport sctp.Transport `json:"-"`
	Listen    sctp.Endpoint
	Options   sctp.Options
	Name      string
	GUAMIs    []ngmsg.GUAMI // the first is that of the 5G-GUTIs it gives
	Capacity  uint8
	Slices    []ngmsg.Slice
	FirstTMSI uint32 // 5G-TMSIs count from here; default 1
	// RerouteTo is the AMF Set that every Initial UE Message is sent on to, by
	// Reroute NAS Request; 0: none.
	RerouteTo uint16
	// Reject is the 5GMM cause of every registration and service; 0: accepted.
	Reject uint8
}

// AMF is a simulated AMF. Its methods may be called from any goroutine.
type AMF struct {
	cfg  AMFConfig
	end  stdcontext.Context
	halt stdcontext.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex // of all that follows
	listener sctp.Listener
	links    map[*link]bool
	contexts map[uint64]*amfContext
	byTMSI   map[uint32]*subscriber
	byMSIN   map[string]*subscriber
	lastID   uint64 // AMF UE NGAP ID
	lastTMSI uint32
	hung     bool
	refuse   time.Duration // NG Setup is refused, with this Time To Wait; 0: it is not
	past     [2]uint64     // sent and got on associations that ended
	truth    AMFTruth
}

// link is the association with one gNB: on this side of a gateway there is one
// for each.
type link struct {
	*peer
	amf *AMF
	gnb uint32 // its number
	up  bool   // NG Setup is done
	tas []ngmsg.TAI
}

// subscriber is a UE that is registered, or was.
type subscriber struct {
	msin       string
	guti       nas5g.GUTI
	registered bool
	context    *amfContext
	at         ngmsg.TAI
}

// amfContext is a UE context at an AMF.
type amfContext struct {
	amf    uint64
	ran    uint32
	link   *link
	stream uint16
	sub    *subscriber // nil: not identified yet
	follow bool        // the registration under way has follow-on
	kind   uint8       // of that
	target *amfContext // of a handover; it has the same AMF ID
	source *amfContext // the other way round
	// releasing: the release was commanded already.
	releasing bool
}

// NewAMF returns an AMF that does not run.
func NewAMF(c AMFConfig) *AMF {
	a := &AMF{cfg: c}
	a.reset()
	return a
}

// reset makes it an AMF that was just installed.
func (a *AMF) reset() {
	a.links, a.contexts = make(map[*link]bool), make(map[uint64]*amfContext)
	a.byTMSI, a.byMSIN = make(map[uint32]*subscriber), make(map[string]*subscriber)
	a.lastID, a.lastTMSI = 0, max(a.cfg.FirstTMSI, 1)-1
	a.truth.Name, a.hung = a.cfg.Name, false
}

// Start listens. An AMF that was stopped may start again; it has forgotten
// everything but its configuration and its Truth's counters.
func (a *AMF) Start() error {
	l, err := a.cfg.Transport.Listen(a.cfg.Listen, a.cfg.Options)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reset()
	a.listener = l
	a.end, a.halt = stdcontext.WithCancel(stdcontext.Background())
	a.work.Add(1)
	go a.accept(a.end, l)
	return nil
}

// Stop closes the listener and ends every association: gracefully, or by ABORT.
func (a *AMF) Stop(graceful bool) {
	a.mu.Lock()
	if a.listener == nil {
		a.mu.Unlock()
		return
	}
	a.halt()
	a.listener.Close()
	a.listener = nil
	for l := range a.links {
		if graceful {
			l.assoc.Close()
		} else {
			l.assoc.Abort("the AMF ends")
		}
	}
	a.mu.Unlock()
	a.work.Wait()
}

func (a *AMF) accept(ctx stdcontext.Context, l sctp.Listener) {
	defer a.work.Done()
	for {
		s, err := l.Accept(ctx)
		if err != nil {
			return
		}
		a.work.Add(1)
		go a.serve(s)
	}
}

func (a *AMF) serve(s sctp.Assoc) {
	defer a.work.Done()
	l := &link{peer: newPeer(s), amf: a}
	a.mu.Lock()
	a.links[l] = true
	if a.listener == nil {
		s.Abort("the AMF ends")
	}
	a.mu.Unlock()
	l.read(func(stream uint16, data []byte) {
		a.mu.Lock()
		defer a.mu.Unlock()
		l.take(stream, data)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.past[0] += l.sent.Load()
	a.past[1] += l.got.Load()
	delete(a.links, l)
	a.forget(l)
}

// forget ends every UE context of an association (8.7.4 does the same).
func (a *AMF) forget(l *link) {
	for _, c := range a.contexts {
		if c.link == l {
			a.endContext(c)
		} else if c.target != nil && c.target.link == l {
			c.target = nil
		}
	}
}

func (a *AMF) endContext(c *amfContext) {
	if a.contexts[c.amf] == c {
		delete(a.contexts, c.amf)
	}
	if c.sub != nil && c.sub.context == c {
		c.sub.context = nil
	}
}

// Truth is what happened to the AMF.
func (a *AMF) Truth() AMFTruth {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.truth
	t.Associations, t.Contexts = len(a.links), len(a.contexts)
	t.Sent, t.Got = a.past[0], a.past[1]
	for l := range a.links {
		t.Sent += l.sent.Load()
		t.Got += l.got.Load()
	}
	for _, s := range a.byMSIN {
		if s.registered {
			t.Subscribers++
		}
	}
	return t
}

func (l *link) send(stream uint16, m *ngmsg.Message) {
	b, err := m.Encode()
	if err != nil {
		panic(err) // the lab made it
	}
	l.peer.send(stream, b)
}

// atAMF is what an AMF does with each message that a gNB may send it. Those with
// ue get the UE context that both IDs name.
var atAMF map[message]struct {
	node func(l *link, m *ngmsg.Message)
	ue   func(l *link, c *amfContext, m *ngmsg.Message)
}

func init() { // in init: the functions refer to the table
	type row = struct {
		node func(l *link, m *ngmsg.Message)
		ue   func(l *link, c *amfContext, m *ngmsg.Message)
	}
	nothing := func(*link, *amfContext, *ngmsg.Message) {}
	atAMF = map[message]row{
		{ngapType.ProcedureCodeNGSetup, ngmsg.Initiating}:                      {node: (*link).setup},
		{ngapType.ProcedureCodeUplinkNASTransport, ngmsg.Initiating}:           {ue: (*link).uplinkNAS},
		{ngapType.ProcedureCodeInitialContextSetup, ngmsg.Successful}:          {ue: nothing},
		{ngapType.ProcedureCodeInitialContextSetup, ngmsg.Unsuccessful}:        {ue: nothing},
		{ngapType.ProcedureCodeUEContextReleaseRequest, ngmsg.Initiating}:      {ue: (*link).releaseRequest},
		{ngapType.ProcedureCodeUEContextRelease, ngmsg.Successful}:             {ue: (*link).releaseComplete},
		{ngapType.ProcedureCodePathSwitchRequest, ngmsg.Initiating}:            {node: (*link).pathSwitch},
		{ngapType.ProcedureCodeHandoverPreparation, ngmsg.Initiating}:          {ue: (*link).handoverRequired},
		{ngapType.ProcedureCodeHandoverResourceAllocation, ngmsg.Successful}:   {node: (*link).handoverAdmitted},
		{ngapType.ProcedureCodeHandoverResourceAllocation, ngmsg.Unsuccessful}: {node: (*link).handoverRefused},
		{ngapType.ProcedureCodeHandoverNotification, ngmsg.Initiating}:         {node: (*link).handoverNotify},
		{ngapType.ProcedureCodeHandoverCancel, ngmsg.Initiating}:               {ue: (*link).handoverCancel},
		{ngapType.ProcedureCodeNGReset, ngmsg.Initiating}:                      {node: (*link).reset},
		{ngapType.ProcedureCodeNGReset, ngmsg.Successful}:                      {node: func(l *link, _ *ngmsg.Message) { l.amf.truth.Resets++ }},
		{ngapType.ProcedureCodeRANConfigurationUpdate, ngmsg.Initiating}:       {node: (*link).ranUpdate},
		{ngapType.ProcedureCodeAMFConfigurationUpdate, ngmsg.Successful}:       {node: func(l *link, _ *ngmsg.Message) { l.amf.truth.Acknowledged++ }},
		{ngapType.ProcedureCodeAMFConfigurationUpdate, ngmsg.Unsuccessful}:     {node: func(*link, *ngmsg.Message) {}},
		{ngapType.ProcedureCodeErrorIndication, ngmsg.Initiating}:              {node: (*link).errorIndication},
	}
}

// take handles a PDU; while the AMF hangs it is only counted.
func (l *link) take(stream uint16, data []byte) {
	a := l.amf
	if a.hung {
		a.truth.Ignored++
		return
	}
	m, err := ngmsg.Decode(data)
	if err != nil {
		a.truth.Unreadable++
		return
	}
	if m.Code == ngapType.ProcedureCodeInitialUEMessage && l.up {
		l.initialUE(stream, m, data)
		return
	}
	row, ok := atAMF[message{m.Code, m.Kind}]
	switch {
	case !ok || !l.up && m.Code != ngapType.ProcedureCodeNGSetup:
		a.truth.WrongIDs++
	case row.node != nil:
		row.node(l, m)
	default:
		l.ofUE(row.ue, m)
	}
}

// ofUE checks that both IDs name one UE of this gNB (10.6).
func (l *link) ofUE(f func(*link, *amfContext, *ngmsg.Message), m *ngmsg.Message) {
	if c := l.contextOf(m.IDs()); c != nil {
		f(l, c, m)
		return
	}
	l.amf.truth.WrongIDs++
	l.complain(m.IDs(), ngmsg.UnknownLocalID)
}

func (l *link) contextOf(ids ngmsg.Connection) *amfContext {
	if ids.AMF == nil || ids.RAN == nil {
		return nil
	}
	c := l.amf.contexts[*ids.AMF]
	if c == nil {
		return nil
	}
	for _, leg := range []*amfContext{c, c.source, c.target} { // both legs of a handover have the ID
		if leg != nil && leg.link == l && leg.ran == *ids.RAN {
			return leg
		}
	}
	return nil
}

func (l *link) complain(ids ngmsg.Connection, cause ngmsg.Cause) {
	m := ngmsg.New(ngapType.ProcedureCodeErrorIndication, ngmsg.Initiating)
	if ids.AMF != nil {
		m.Add(ngapType.ProtocolIEIDAMFUENGAPID, ngmsg.AMFID(*ids.AMF))
	}
	if ids.RAN != nil {
		m.Add(ngapType.ProtocolIEIDRANUENGAPID, ngmsg.RANID(*ids.RAN))
	}
	l.send(0, m.Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(cause)))
}
