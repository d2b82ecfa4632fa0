package load_test

import (
	"bytes"
	"testing"
	"time"

	"poolgw/lab/load"
	"poolgw/ngap"
	"poolgw/sctp"
)

var noFigures = load.N2Figures{CPU: func() time.Duration { return 0 }, Memory: func() uint64 { return 0 }}

// talk has 20 UEs bound through a relay, which spoils nothing until then, and has
// them talk beside a few new ones.
func talk(t *testing.T, f *faulty) *load.N2Result {
	t.Helper()
	spoil := f.spoil
	bound := make(chan struct{})
	f.spoil = func(f *faulty, way direction, to sctp.Assoc, m sctp.Message) {
		select {
		case <-bound:
			if spoil != nil {
				spoil(f, way, to, m)
				return
			}
		default:
		}
		to.Send(m)
	}
	g := through(t, f)
	if err := g.Bind(20, time.Minute); err != nil {
		t.Fatal(err)
	}
	close(bound)
	r, err := g.Run(load.N2Load{Rate: 50, Duration: 500 * time.Millisecond, Talk: 400, Limited: true}, noFigures)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Bound UEs stay and talk; each message of theirs and each answer arrives.
func TestN2BoundUEsTalk(t *testing.T) {
	t.Parallel()
	r := talk(t, &faulty{})
	if k := &r.Talk; r.Err(0) != nil || k.UEs != 20 || k.Sent < 50 || k.Arrived != k.Sent || k.Due+k.Due != k.Sent || k.Latency.Count() != k.Arrived || r.Done != r.UEs {
		t.Errorf("%v: %d sent\n%v", r.Err(0), r.Talk.Sent, r)
	}
}

// What a broken gateway does to bound UEs is noticed.
func TestN2BoundFaultsAreNoticed(t *testing.T) {
	t.Parallel()
	isTalk := func(m sctp.Message) bool { return bytes.Contains(m.Data, []byte{0x7e, 2, 0x80}) } // a NAS-PDU of RAN UE NGAP ID 0x80……
	for _, c := range []struct {
		name  string
		spoil func(f *faulty, way direction, to sctp.Assoc, m sctp.Message)
		noted func(r *load.N2Result) uint64
	}{
		{"dropped", func(_ *faulty, _ direction, to sctp.Assoc, m sctp.Message) {
			if !isTalk(m) {
				to.Send(m)
			}
		}, func(r *load.N2Result) uint64 { return r.Talk.Lost() }},
		{"doubled", func(_ *faulty, _ direction, to sctp.Assoc, m sctp.Message) {
			to.Send(m)
			if isTalk(m) {
				to.Send(m)
			}
		}, func(r *load.N2Result) uint64 { return r.Duplicates }},
		{"released", func(f *faulty, way direction, to sctp.Assoc, m sctp.Message) {
			to.Send(m)
			if way == 1 && isTalk(m) {
				to.Send(releaseOf(m))
			}
		}, func(r *load.N2Result) uint64 { return r.Talk.Released }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := talk(t, &faulty{every: 5, spoil: c.spoil})
			if c.noted(r) == 0 || r.Err(0) == nil {
				t.Errorf("not noticed: %v\n%v", r.Err(0), r)
			}
		})
	}
}

// releaseOf is a command to release the UE of a message.
func releaseOf(m sctp.Message) sctp.Message {
	var p, q ngap.PDU
	if p.Walk(m.Data) != nil {
		return m
	}
	ran, _, _ := p.RANUENGAPID()
	c := q.New(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
	c.Add(ngap.IEUENGAPIDs, ngap.Reject, ngap.UENGAPIDs{AMF: 1 << 39, RAN: ran, HasRAN: true}.Append(nil))
	c.Add(ngap.IECause, ngap.Ignore, ngap.AppendCause(nil, ngap.CauseControlProcessingOverload))
	m.Data = c.Append(nil)
	return m
}

// A gateway that refuses UEs is told from one that loses them; what it may refuse,
// the load says.
func TestN2RefusedUEs(t *testing.T) {
	t.Parallel()
	for _, limited := range []bool{true, false} {
		g := through(t, &faulty{every: 1, spoil: func(f *faulty, way direction, to sctp.Assoc, m sctp.Message) {
			if m.Data[1] != byte(ngap.CodeInitialUEMessage) || f.count.Load()%2 == 0 {
				to.Send(m)
				return
			}
			for _, p := range f.all() {
				if p[1] == to {
					p[0].Send(releaseOf(m))
				}
			}
		}})
		r, err := g.Run(load.N2Load{Rate: 200, Duration: 300 * time.Millisecond, Limited: limited}, noFigures)
		if err != nil {
			t.Fatal(err)
		}
		// The gNB's answer is of a UE that the AMF does not know.
		if r.Turned == 0 || r.Turned+r.Done != r.UEs || r.Lost() != 0 || r.Cut != 0 || r.Strange != r.Turned {
			t.Errorf("%v\n%d refused\n%v", r.Err(0), r.Turned, r)
		}
		r.Strange = 0
		if (r.Err(0) == nil) != limited {
			t.Errorf("limited %t: %v", limited, r.Err(0))
		}
	}
}
