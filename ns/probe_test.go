package ns

import "testing"

// A probe asks at once, and only an answer to it or to one that came before it
// and is still awaited counts.
func TestProbe(t *testing.T) {
	r := ipaRig(t)
	r.up()
	n := r.s.NSE(101)
	r.sleep(5 * sec)
	asked := r.now
	n.Probe(asked)
	r.turn()
	r.want(alive)
	n.Probe(asked) // one unanswered is enough
	r.turn()
	r.wantIdle()
	if n.AnsweredSince(asked) {
		t.Error("an answer from before counts")
	}
	r.sleep(sec)
	r.write("a", remote, aliveAckHex)
	if !n.AnsweredSince(asked) || n.AnsweredSince(r.now.Add(1)) {
		t.Error("the answer does not count, or later ones do")
	}
	asked = r.now.Add(1)
	r.sleep(sec)
	r.write("a", remote, aliveAckHex) // nobody asked
	if n.AnsweredSince(asked) {
		t.Error("an answer that nobody waited for counts")
	}
	r.wantIdle()
}
