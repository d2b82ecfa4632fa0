package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/sctp"
)

// An AMF asks the gNB for something and then is taken out of the pool, or its number
// becomes another AMF's: who has the number next hears of no answer, neither the gNB's
// nor the one that is given in the gNB's place when its time is over.
func TestWhatAReplacedAMFAskedFor(t *testing.T) {
	for _, how := range []string{"removed and back", "another remote"} {
		t.Run(how, func(t *testing.T) {
			run(t, 1, nil, func(b *bed) {
				if how == "another remote" {
					b.amfs = append(b.amfs, b.newAMF(2))
				}
				g, a := b.up(7), b.amfs[0].last()
				for id := range uint64(2) {
					a.send(1, simple(ngap.CodeHandoverRequest, ngap.Initiating, ngap.IE{ID: ngap.IEAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, 5+id)}))
					g.want(ngap.CodeHandoverRequest, ngap.Initiating)
				}
				a.send(0, simple(warn, ngap.Initiating, warning(1, 1)...))
				g.want(warn, ngap.Initiating)
				next := b.replace(how == "another remote")
				g.got = nil // of the pool as it is now
				g.send(1, message(ngap.CodeHandoverRequest, ngap.Successful, 1<<32|5, 60))
				g.want(ngap.CodeErrorIndication, ngap.Initiating)
				g.send(0, simple(warn, ngap.Successful, warning(1, 1)...))
				b.sleep(5 * time.Minute)
				next.wantNothing()
				if s := b.snapshot(); s.UEs != 0 {
					t.Errorf("%d UEs", s.UEs)
				}
			})
		})
	}
}

// replace has the number of the only AMF go to one at address 2, or to the same AMF
// once more, and returns the association.
func (b *bed) replace(another bool) *peer {
	b.Helper()
	c := b.cfg.Clone()
	apply := func(old, new n2.Config) {
		if err := b.gw.Apply(old, new, time.Now()); err != nil {
			b.Fatal(err)
		}
		b.sleep(3 * time.Second)
		b.settle()
	}
	if another {
		c.AMFs[0].Remote = sctp.At(n2.DefaultPort, address(1, 2))
		apply(b.cfg, c)
	} else {
		c.AMFs = nil
		apply(b.cfg, c)
		apply(c, b.cfg)
	}
	p := b.amfs[len(b.amfs)-1].last()
	p.want(ngap.CodeNGSetupRequest, ngap.Initiating)
	return p
}
