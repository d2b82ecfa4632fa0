package n2

import "poolgw/ngap"

// Class is what a PDU is for, when there is no room for all: new sessions give
// way first, then those that are established; answers and what ends something
// last. Its String is a metrics label.
type Class uint8

// The classes.
const (
	ClassOther       Class  = iota // of no UE, or it can't be read
	ClassNew                       // begins a UE's context here
	ClassEstablished               // of a UE that is there
	ClassAnswer                    // an outcome: somebody waits for it
	ClassRelease                   // ends something
	Classes          = iota        // their number
)

var classNames = [Classes]string{"other", "new_session", "established", "answer", "release"}

func (c Class) String() string { return classNames[c] }

// ClassNames are the labels of all classes in their order.
func ClassNames() []string { return classNames[:] }

// beginning is the class of each procedure's initiating message.
var beginning = func() (t [256]Class) {
	for c := range t {
		if row := ngap.Lookup(ngap.Code(c)); row != nil && row.Association == ngap.UE {
			t[c] = ClassEstablished
		}
	}
	for _, c := range []ngap.Code{ngap.CodeInitialUEMessage, ngap.CodeRANCPRelocationIndication} {
		t[c] = ClassNew
	}
	for _, c := range []ngap.Code{ngap.CodeUEContextReleaseCommand, ngap.CodeUEContextReleaseRequest, ngap.CodeNGReset, ngap.CodeHandoverCancel} {
		t[c] = ClassRelease
	}
	return t
}()

func classOf(c ngap.Code, k ngap.Kind) Class {
	if k != ngap.Initiating {
		return ClassAnswer
	}
	return beginning[c]
}

// classIn reads the class of a PDU from its first octets: the choice of the
// message's kind and the procedure code (9.4.3).
func classIn(pdu []byte) Class {
	if len(pdu) < 2 {
		return ClassOther
	}
	return classOf(ngap.Code(pdu[1]), ngap.Kind(pdu[0]>>5))
}

// perClass counts PDUs.
type perClass [Classes]int

// lose counts the PDU under way, which goes nowhere.
func (g *gnb) lose(d Drop) { g.led.lose(classOf(g.pdu.Code, g.pdu.Kind), d, 1) }

func (l *ledger) lose(c Class, d Drop, n int) {
	to := &l.dropped[c][d]
	to.Store(to.Load() + uint64(n))
}

// loseAll counts PDUs that stood in a queue; sum is how many they are.
func (l *ledger) loseAll(counts perClass, d Drop) (sum uint64) {
	for c, n := range counts {
		l.lose(Class(c), d, n)
		sum += uint64(n)
	}
	return sum
}
