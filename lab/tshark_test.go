package lab

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/lab/simnet"
	"poolgw/lab/tshark"
	"poolgw/ns"
)

// Everything that the simulators say, over each kind of NS, is well-formed to
// tshark, up to the echo requests; and every NS-UNITDATA is dissected as BSSGP.
func TestTsharkReadsTheLab(t *testing.T) {
	for _, d := range []ns.Dialect{ns.DialectStaticAlive, ns.DialectIPAccess, ns.DialectSNS} {
		t.Run(dialectName(d), func(t *testing.T) {
			var pdus [][]byte
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, worldConfig{dialect: d, bsss: 1, subscribers: 4, behaviour: busyBehaviour,
					sgsn: SGSNConfig{T3312: 15 * time.Second, Reallocate: 0.5, Page: time.Second}})
				w.net.Tap(func(p simnet.Packet) { pdus = append(pdus, p.Payload) })
				w.run(30 * time.Second)
				w.sgsns[0].Offload(true)
				w.run(30 * time.Second)
				w.sgsns[0].Restart()
				w.run(30 * time.Second)
				w.stop()
			})
			judge(t, pdus)
		})
	}
}

func judge(t *testing.T, pdus [][]byte) {
	t.Helper()
	bad, seen := 0, map[string]int{}
	for i, f := range tshark.Dissect(t, pdus) {
		for p := range strings.SplitSeq(f.Protocols, ":") {
			seen[p]++
		}
		unitdata := pdus[i][0] == 0
		if f.Malformed || unitdata && !strings.Contains(f.Protocols, "bssgp") || strings.Contains(f.Expert, "alformed") {
			if bad++; bad < 6 {
				t.Errorf("%s: %x: %s", f.Protocols, pdus[i], f.Expert)
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d datagrams are bad", bad, len(pdus))
	}
	for _, p := range []string{"gprs-ns", "bssgp", "llcgprs", "gsm_a.dtap", "icmp"} {
		if seen[p] == 0 {
			t.Errorf("tshark saw no %s: %v", p, seen)
		}
	}
}
