package n2

import (
	"testing"
	"time"

	"poolgw/ngap"
	"poolgw/sctp"
)

// An AMF that is no member any more may speak before the owner hears of it.
func TestRemovedAMFSpeaks(t *testing.T) {
	g, l, _, _ := bound(t)
	g.gw.cfg.AMFs = nil
	g.gw.applyMembers(g.gw.cfg)
	g.gw.publish()
	data := new(ngap.PDU).New(ngap.CodeAMFConfigurationUpdate, ngap.Initiating).Append(nil)
	g.fromLeg(&inbound{link: l.link, event: sctp.Event{Kind: sctp.Data}, b: data}, time.Now())
	if n := g.led.dropped[ClassOther][DropLate].Load(); n != 1 {
		t.Errorf("%d PDUs came too late", n)
	}
}

// picky is an association that answers by its errors, one for each Send.
type picky struct {
	sink
	errs []error
}

func (p *picky) Send(m sctp.Message) error {
	if len(p.errs) == 0 {
		return p.sink.Send(m)
	}
	err := p.errs[0]
	p.errs = p.errs[1:]
	return err
}

// What the transport never takes does not stand in the way of what follows.
func TestTooLongInTheQueue(t *testing.T) {
	g, l, _, _ := bound(t)
	a := &picky{errs: []error{sctp.ErrFull, sctp.ErrTooLong}}
	l.link = &link{assoc: a, leg: l, all: &g.gw.backlog, streams: 10}
	for range 3 {
		g.originate(l.link, 0, []byte{1})
	}
	g.flush(l.link)
	if a.n != 2 || len(l.link.queue) != 0 {
		t.Errorf("%d sent, %d stand", a.n, len(l.link.queue))
	}
	if c := g.led.read(); c.Balance() != 0 || c.Queued != 0 || c.Dropped[DropFull.String()] != 1 {
		t.Errorf("%+v", c)
	}
}

// An AMF's association that has ended is no congestion: what becomes of its UEs
// is decided when its end is read.
func TestSendOnAnEndedAssociation(t *testing.T) {
	g, l, up, _ := bound(t)
	l.link = &link{assoc: &picky{errs: []error{&sctp.Down{Cause: sctp.PeerAbort}}}, leg: l, all: &g.gw.backlog, streams: 10}
	one(&g.led.fromGNB)
	g.receive(&inbound{link: g.ran, event: sctp.Event{Kind: sctp.Data}, b: up}, nil, time.Now())
	if g.ues.get(1) == nil {
		t.Error("the UE was released")
	}
	if c := g.led.read(); c.Dropped[DropLost.String()] != 1 {
		t.Errorf("%+v", c)
	}
}
