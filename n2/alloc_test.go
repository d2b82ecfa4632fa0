package n2

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"poolgw/ngap"
)

// bound is a gNB with one AMF and a UE, RAN UE NGAP ID 1, AMF UE NGAP ID 1, and
// NAS transports of it.
func bound(t testing.TB) (g *gnb, l *leg, up, down []byte) {
	t.Helper()
	w := newWay(t, usualPDUs[2])
	w.add(t, usualPDUs[0].octets, true)
	return w.g, w.l, w.pdus[0].data, w.pdus[1].data
}

// A PDU takes no allocation on its way, in either direction, nor do the PDUs with which a UE
// begins and ends.
func TestRelayDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes buffers from the pool by chance")
	}
	var decodes float64
	for _, u := range usualPDUs {
		w := newWay(t, u)
		decodes = max(decodes, testing.AllocsPerRun(10, func() { w.decode(t) })/float64(len(w.pdus)))
		w.whole()
		if n := testing.AllocsPerRun(100, w.whole); n != 0 {
			t.Errorf("%s: %v allocations", u.name, n)
		}
		if c := w.g.led.read(); c.ToAMF+c.ToGNB != 102*uint64(len(w.pdus)) || len(c.Dropped) != 0 {
			t.Errorf("%s: %+v", u.name, c)
		}
	}
	if !t.Failed() {
		t.Logf("| N2, allocations of each of %d usual PDUs on that way | free5gc/ngap decode: up to %.0f | 0 | | must 0 |", len(usualPDUs), decodes)
	}
}

// What gNBs share is not written when a PDU of a bound UE passes: their owners
// would wait for each other's cache lines.
func TestRelayWritesNothingShared(t *testing.T) {
	c := newCrowd(2, 2)
	c.bind(10, time.Now())
	shared := func() []byte {
		var all []byte
		all = append(all, unsafe.Slice((*byte)(unsafe.Pointer(c.gw)), unsafe.Sizeof(*c.gw))...)
		all = append(all, unsafe.Slice((*byte)(unsafe.Pointer(c.gw.affinity)), unsafe.Sizeof(*c.gw.affinity))...)
		for _, m := range c.gw.dir.Load().members {
			all = append(all, unsafe.Slice((*byte)(unsafe.Pointer(m)), unsafe.Sizeof(*m))...)
		}
		return all
	}
	rng, pdu := rand.New(rand.NewPCG(1, 2)), new(ngap.PDU)
	before := shared()
	for range 100 {
		c.pass(rng, pdu, time.Now())
	}
	if after := shared(); !bytes.Equal(before, after) {
		t.Error("something that all owners share was written")
	}
	if on, lost := c.passed(); on != 100 || lost != 0 {
		t.Errorf("of 100 PDUs %d went on, %d were dropped", on, lost)
	}
}

// Procedures are counted by each owner and summed over all, gone ones included.
func TestProceduresSummed(t *testing.T) {
	c := newCrowd(3, 2)
	c.bind(10, time.Now())
	rng, pdu := rand.New(rand.NewPCG(1, 2)), new(ngap.PDU)
	for range 100 {
		c.pass(rng, pdu, time.Now())
	}
	c.gw.forget(c.gnbs[1])
	p := c.gw.Procedures()
	if up, down := p[0][ngap.CodeUplinkNASTransport], p[1][ngap.CodeDownlinkNASTransport]; up+down != 100 || up == 0 || down == 0 {
		t.Errorf("%d up and %d down, of 100", up, down)
	}
}
