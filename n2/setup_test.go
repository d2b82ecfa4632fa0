package n2_test

import (
	"testing"

	"poolgw/ngap"
)

func TestSetupIsMerged(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		g := b.gnb(7)
		b.settle()
		p := g.want(ngap.CodeNGSetupRequest, ngap.Successful)
		v, _ := p.Value(ngap.IEServedGUAMIList)
		list, err := ngap.ReadServedGUAMIs(v, nil)
		if err != nil || len(list) != 3 {
			t.Errorf("%v %v", list, err)
		}
		g.wantNothing()
	})
}

func TestUEGoesAndComesBack(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		g.send(1, initial(1, nil))
		a := b.where()
		a.last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
		a.last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1, 1, nas))
		outer := uint64(a.id)<<32 | 1
		g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, outer, 1)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
		g.wantNothing()
	})
}
