package fr

import (
	"testing"
	"time"
)

// FuzzLink gives both roles whatever comes: they keep their bounds, never send
// the number 0, and an active DLCI means a link that is up.
func FuzzLink(f *testing.F) {
	for _, g := range lmiGolden {
		f.Add(false, append([]byte{12}, unhex(f, g.hex)...))
		f.Add(true, append([]byte{12}, unhex(f, g.hex)...))
	}
	f.Fuzz(func(t *testing.T, network bool, script []byte) {
		role := User
		if network {
			role = Network
		}
		r := &line{t: &testing.T{}, now: time.Unix(1e6, 0)}
		r.l = NewLink(role, Defaults(), r)
		r.l.Add(r.now, 16)
		r.l.Start(r.now)
		for len(script) > 0 { // a length, that many octets, some seconds
			n := min(int(script[0]), len(script)-1)
			_ = r.l.Receive(r.now, script[1:1+n])
			script = script[1+n:]
			r.now = r.now.Add(5 * time.Second)
			r.l.Expire(r.now)
			s := r.l.State()
			if len(s.DLCs) > MaxDLCI || len(r.did) > 0 && s.LastTxSeq == 0 && r.l.polls > 0 {
				t.Fatalf("%+v", s)
			}
			for _, d := range s.DLCs {
				if d.Active && !s.Up || d.DLCI < MinDLCI || d.DLCI > MaxDLCI {
					t.Fatalf("%+v", s)
				}
			}
		}
	})
}
