package load_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/load"
	"poolgw/lab/ngmsg"
	"poolgw/lab/simsctp"
	"poolgw/sctp"
)

// A gNB that gets NG Setup Failure with Time to Wait comes again when that is over, not
// before (TS 38.413 clause 8.7.1.3), and the gateway may give up its way to the AMF
// meanwhile. Without Time to Wait it stays away.
func TestN2SetupAgain(t *testing.T) {
	for _, wait := range []time.Duration{0, 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) { setupAgain(t, wait) })
	}
}

func setupAgain(t *testing.T, wait time.Duration) {
	n := simsctp.New(time.Millisecond)
	l, err := n.Listen(sctp.At(gatewayPort, at), sctp.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	g, err := load.NewN2(load.N2Options{Transport: n, GNBs: 1, AMFs: 1, Addr: at, Gateway: sctp.At(gatewayPort, at), FirstAMF: firstAMF})
	if err != nil {
		t.Fatal(err)
	}
	asked, over := make(chan time.Time, 10), make(chan struct{})
	defer func() { <-over }()
	defer g.Close()
	go func() {
		defer close(over)
		refuseFirst(t, n, l, wait, asked)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = g.BringUp(ctx)
	if wait == 0 {
		if err == nil || ctx.Err() != nil {
			t.Errorf("refused for good: %v", err)
		}
		return
	}
	if err != nil || g.Refused() != 1 || len(asked) != 2 {
		t.Fatalf("%v after %d NG Setup Failures, %d requests", err, g.Refused(), len(asked))
	}
	if between := -(<-asked).Sub(<-asked); between < wait || between > wait+time.Second {
		t.Errorf("came again after %v, Time to Wait is %v", between, wait)
	}
}

// refuseFirst is a gateway of one gNB and AMF, that gives its first NG Setup up.
func refuseFirst(t *testing.T, n *simsctp.Network, l sctp.Listener, wait time.Duration, asked chan time.Time) {
	gnb, err := l.Accept(t.Context())
	if err != nil {
		return
	}
	for first := true; ; first = false {
		ev, err := gnb.Recv()
		if err != nil {
			return
		}
		asked <- time.Now()
		amf, err := n.Dial(t.Context(), sctp.At(0, at), sctp.At(firstAMF, at), sctp.Defaults())
		if err != nil {
			t.Error(err)
			return
		}
		amf.Send(ev.Message)
		answer, err := amf.Recv()
		if err != nil {
			t.Error(err)
			return
		}
		if !first {
			gnb.Send(answer.Message)
			continue
		}
		amf.Abort("given up")
		f := ngmsg.New(ngapType.ProcedureCodeNGSetup, ngmsg.Unsuccessful).Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(ngmsg.ProcessingOverload))
		if wait > 0 {
			f.Add(ngapType.ProtocolIEIDTimeToWait, ngmsg.TimeToWait(wait))
		}
		b, err := f.Encode()
		if err != nil {
			t.Error(err)
			return
		}
		gnb.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: b})
	}
}
