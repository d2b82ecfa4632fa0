package gb_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"poolgw/gb"
	"poolgw/ns"
)

// twin is an ns.Network of two binds with a socket for each worker.
type twin map[netip.AddrPort][]*wireEnd

func (w twin) Listen(b ns.BindConfig, workers int) (conns []ns.Conn, err error) {
	for range workers {
		e := &wireEnd{addr: b.Listen, in: make(chan []ns.Message, 64), done: make(chan struct{})}
		w[b.Listen] = append(w[b.Listen], e)
		conns = append(conns, e)
	}
	return conns, nil
}

// line is what one processor takes from another to write to it, in octets.
const line = 64

// memory is all that can be reached from a value: where, how much, and by what name.
type memory struct {
	seen  map[visit]bool
	parts []part
}

type visit struct {
	at  uintptr
	typ reflect.Type
}

type part struct {
	at   uintptr
	name string
	was  []byte
}

// reach notes an object in memory and goes on to what it points to.
func (m *memory) reach(at unsafe.Pointer, typ reflect.Type, name string) {
	if at == nil || typ.Size() == 0 || m.seen[visit{uintptr(at), typ}] {
		return
	}
	m.seen[visit{uintptr(at), typ}] = true
	m.parts = append(m.parts, part{at: uintptr(at), name: name, was: unsafe.Slice((*byte)(at), typ.Size())})
	m.follow(reflect.NewAt(typ, at).Elem(), name)
}

// follow goes on to what a value points to.
func (m *memory) follow(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			m.reach(v.UnsafePointer(), v.Type().Elem(), name)
		}
	case reflect.Interface:
		if !v.IsNil() {
			m.follow(v.Elem(), name)
		}
	case reflect.Slice:
		if v.Cap() > 0 {
			m.reach(v.UnsafePointer(), reflect.ArrayOf(v.Cap(), v.Type().Elem()), name+"[]")
		}
	case reflect.Array:
		if hasPointers(v.Type().Elem()) {
			for i := range v.Len() {
				m.follow(v.Index(i), fmt.Sprintf("%s[%d]", name, i))
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			m.follow(it.Value(), name+"[…]")
		}
	case reflect.Struct:
		if t, ok := atomicPointer(v.Type()); ok {
			m.reach(v.FieldByName("v").UnsafePointer(), t, name)
			return
		}
		for i := range v.NumField() {
			m.follow(v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	}
}

// atomicPointer tells what an atomic.Pointer points to.
func atomicPointer(t reflect.Type) (to reflect.Type, ok bool) {
	if t.PkgPath() != "sync/atomic" || !strings.HasPrefix(t.Name(), "Pointer[") {
		return nil, false
	}
	return t.Field(0).Type.Elem().Elem(), true // [0]*T
}

func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return true
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		if _, ok := atomicPointer(t); ok {
			return true
		}
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// written is which lines differ after f from what they were before, and a name for each.
func (m *memory) written(f func()) map[uintptr]string {
	before := make([][]byte, len(m.parts))
	for i := range m.parts {
		before[i] = slices.Clone(m.parts[i].was)
	}
	f()
	lines := map[uintptr]string{}
	for i := range m.parts {
		p := &m.parts[i]
		for k := range p.was {
			if p.was[k] != before[i][k] {
				lines[(p.at+uintptr(k))/line] = fmt.Sprintf("%s+%d", p.name, k)
			}
		}
	}
	return lines
}

// TestWorkersWriteNoCommonLine compares all memory that can be reached from the gateway
// before and after user data has passed on each of two workers: no line of
// the processor's cache was changed by both. What a worker has on
// its stack, and writes of what was there already, it does not see.
func TestWorkersWriteNoCommonLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := twin{}
		c := config(1)
		vc := func(bind string, remote netip.AddrPort) []ns.VCConfig {
			return []ns.VCConfig{{Link: ns.LinkUDP, Bind: bind, Remote: remote, SigWeight: 1, DataWeight: 1}}
		}
		c.NS.NSEs = []ns.NSEConfig{{NSEI: 101, Dialect: ns.DialectStaticAlive, VCs: vc("sgsn", sgsnAddr(101))},
			{NSEI: 2001, Dialect: ns.DialectStaticAlive, VCs: vc("bss", bssAddr(2001))}}
		g := gb.New(gb.Options{Network: w, Workers: 2})
		if err := g.Start(c); err != nil {
			t.Fatal(err)
		}
		defer g.Stop()
		time.Sleep(time.Second)
		for _, pdu := range []string{"2204820000078108", "2204824e2b0781080888" + cell20011.id} {
			w[bssSide][0].in <- one(bssAddr(2001), unitdata(t, 0, pdu))
			time.Sleep(time.Second)
		}
		first := uint32(0) // each batch is of other subscribers, so that the activity tables are written
		pass := func(worker int) {
			first += batch
			up := batchOf(t, bssAddr(2001), func(tlli uint32) string { return ul(tlli+first, cell20011, payload) })
			down := batchOf(t, sgsnAddr(101), func(tlli uint32) string { return dl(tlli+first, payload) })
			before := w[sgsnSide][worker].sent.Load() + w[bssSide][worker].sent.Load()
			w[bssSide][worker].in <- up
			w[sgsnSide][worker].in <- down
			synctest.Wait()
			if n := w[sgsnSide][worker].sent.Load() + w[bssSide][worker].sent.Load() - before; n != 2*batch {
				t.Fatalf("worker %d sent %d of %d PDUs out of its own sockets", worker, n, 2*batch)
			}
		}
		pass(0) // the activity tables have their first entries
		pass(1)
		m := &memory{seen: map[visit]bool{}}
		m.reach(unsafe.Pointer(g), reflect.TypeFor[gb.Gateway](), "gateway")
		var lines [2]map[uintptr]string
		for worker := range lines {
			lines[worker] = m.written(func() { pass(worker) })
			if len(lines[worker]) < 8 {
				t.Errorf("worker %d changed only %d lines: %v", worker, len(lines[worker]), lines[worker])
			}
		}
		for at, name := range lines[0] {
			if strings.Contains(name, ".opt.Network") {
				continue // ours
			}
			if other, both := lines[1][at]; both {
				t.Errorf("both workers write the line of %s and %s", name, other)
			}
		}
		t.Logf("%d objects; worker 0 changed %d lines, worker 1 %d", len(m.parts), len(lines[0]), len(lines[1]))
	})
}
