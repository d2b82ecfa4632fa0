package load

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// TestReadSeesWhose: a PDU that is whole but for whom it is, on which BVC and
// which way is altered, as one is that names another subscriber.
func TestReadSeesWhose(t *testing.T) {
	r := newRig(t)
	defer r.relay.Close()
	g := r.g
	if err := g.prepare([]int{100}); err != nil {
		t.Fatal(err)
	}
	const index = 7
	s := &g.subs.all[index]
	tpl := &g.cells[s.cell].templates[Up][g.use[0]]
	var b [maxDatagram]byte
	want := probe{sub: index, seq: 1, dir: Up, run: 1, at: 1}
	good := b[:tpl.write(b[:], s.tlli, want)]
	if p, ok := g.read(Up, good); !ok || p != want {
		t.Fatalf("the PDU itself: %+v, %v", p, ok)
	}
	for name, change := range map[string]func(b []byte){
		"TLLI of another subscriber": func(b []byte) { binary.BigEndian.PutUint32(b[tlliAt:], g.subs.all[index+3].tlli) },
		"TLLI of nobody":             func(b []byte) { b[tlliAt+3] ^= 1 },
		"another subscriber":         func(b []byte) { b[tpl.probe+7] = index + 3 },
		"no subscriber":              func(b []byte) { b[tpl.probe+4] = 0xff },
		"another cell's BVCI":        func(b []byte) { b[3] ^= 1 },
		"other direction":            func(b []byte) { b[tpl.probe+12] = byte(Down) },
	} {
		bad := bytes.Clone(good)
		change(bad)
		if _, ok := g.read(Up, bad); ok {
			t.Errorf("%s: not seen", name)
		}
	}
}
