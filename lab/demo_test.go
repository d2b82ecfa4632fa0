package lab

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares with testdata/name, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it); got:\n%s", path, got)
	}
}

// aView is three SGSNs, one drained, one killed, two BSSs.
func aView() *view {
	m := func(nsei uint16, up, attach, runs, offload bool, bound, serves int) member {
		return member{nsei: nsei, inPool: true, gw: gwSGSN{NSEI: nsei, NRI: "1-9", Up: up, AllowAttach: attach, Bound: bound, Active: bound + 9},
			truth:  SGSNTruth{NSEI: nsei, Running: runs, Offload: offload, SGSN: SGSNCounters{ULUnitdata: 12345, DLUnitdata: 6789}},
			serves: serves, least: bound - 2, most: bound + 3}
	}
	b := func(nsei uint16, nobody int, serves ...int) bssView {
		return bssView{truth: BSSTruth{NSEI: nsei, Subscribers: 500, Cells: 2, Up: 2}, serves: serves, nobody: nobody}
	}
	v := &view{elapsed: 83 * time.Second, window: time.Minute, states: map[string]int{"registered": 964, "updating": 12, "attaching": 0, "deregistered": 24},
		members: []member{m(101, true, false, true, true, 12, 7), m(102, false, true, false, false, 2, 0), m(103, true, true, true, false, 990, 961)},
		bsss:    []bssView{b(2001, 20, 3, 0, 477), b(2002, 12, 4, 0, 484)},
		cells:   []gwCell{{20010, []uint16{101, 103}}, {20011, []uint16{101, 103}}, {20020, []uint16{101, 103}}, {20021, []uint16{101, 103}}},
		drops:   map[string]uint64{"no_member": 3, "nothing": 0},
		ms:      MSCounters{Sent: 4321, Echoed: 4300, Interrupted: 4, Attaches: 1100, RAUs: 2000, RAURejects: 330, Moves: 60, Suspends: 20}}
	return v
}

func TestTableGolden(t *testing.T) {
	v := aView()
	d := &demo{differs: map[string]time.Time{}}
	d.compare(v)
	if !v.holds() {
		t.Errorf("the view is good, but: %+v", v.checks)
	}
	golden(t, "table.txt", table(v)+"\n"+summary(v))
	golden(t, "lines.txt", plainLines(v))
	v.ms.Disordered, v.members[0].gw.Bound = 1, 999
	v.checks = nil
	d.compare(v)
	golden(t, "table-fail.txt", table(v)+"\n"+summary(v))
	for _, l := range strings.Split(table(v), "\n") {
		if len(l) > 80 {
			t.Errorf("%d columns: %s", len(l), l)
		}
	}
}

// Each rule finds what it is for, and nothing else does.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		rule  string
		wrong func(v *view)
	}{
		{"the gateway knows which SGSNs are up", func(v *view) { v.members[1].gw.Up = true }},
		{"the gateway knows which SGSNs are up", func(v *view) { v.members[0].gw.Up = false }},
		{"every cell has a BVC at every SGSN that is up", func(v *view) { v.cells[2].SGSNs = v.cells[2].SGSNs[:1] }},
		{"every cell has a BVC at every SGSN that is up", func(v *view) { v.cells = v.cells[:3] }},
		{"every cell has a BVC at every SGSN that is up", func(v *view) { v.bsss[0].truth.Up = 1 }},
		{"bound is what the SGSNs saw", func(v *view) { v.members[2].gw.Bound = v.members[2].most + 1 }},
		{"bound is what the SGSNs saw", func(v *view) { v.members[2].gw.Bound = v.members[2].least - 1 }},
		{"the subscribers are registered", func(v *view) { v.states["registered"] = 100 }},
		{"a drained or removed SGSN is empty after 75 s", func(v *view) { v.members[0].drainedFor = 76 * time.Second }},
		{"no PDU came to a wrong SGSN", func(v *view) {
			v.members[2].wrong, v.members[2].truth.Strays = 1, []Stray{{TLLI: 0xc0000000}}
		}},
		{"no PDU came to a wrong SGSN", func(v *view) { v.ms.WrongSGSN = 1 }},
		{"no user data was lost", func(v *view) { v.members[0].lost = 1 }},
		{"user data stayed in order", func(v *view) { v.members[0].truth.SGSN.Disordered = 1 }},
		{"every PDU could be read", func(v *view) { v.bsss[1].truth.BSS.WrongCell = 1 }},
	} {
		v := aView()
		c.wrong(v)
		(&demo{differs: map[string]time.Time{}}).compare(v)
		for _, got := range v.checks {
			if got.holds == (got.what == c.rule) {
				t.Errorf("%q wrong: check %+v", c.rule, got)
			}
		}
	}
	v := aView()
	v.members[1].took = 5
	(&demo{differs: map[string]time.Time{}}).compare(v)
	const want = "ok    no user data was lost but what SGSN 102 took with it (5)"
	if !v.holds() || !strings.Contains(table(v), want) {
		t.Errorf("want %q in:\n%s", want, table(v))
	}
}

// A difference within its grace is none yet.
func TestGrace(t *testing.T) {
	d := &demo{differs: map[string]time.Time{}}
	look := func() bool {
		v := aView()
		v.members[0].gw.Up = false
		d.compare(v)
		return v.holds()
	}
	if !look() {
		t.Error("failed at once")
	}
	what := rules[0].what
	d.differs[what] = time.Now().Add(-rules[0].grace - time.Second)
	if look() {
		t.Error("did not fail after its grace")
	}
	d.compare(aView())
	if _, ok := d.differs[what]; ok {
		t.Error("is remembered though it holds")
	}
}

func TestPlan(t *testing.T) {
	o, err := Options{GatewayBinary: "x"}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.remove()
	text, err := os.ReadFile(p.file)
	if err != nil || strings.Count(string(text), "sgsn nsei") != 3 || !strings.Contains(string(text), " nri add 1 341\n") {
		t.Errorf("%v:\n%s", err, text)
	}
	total := 0
	for i := range o.BSSs {
		total += p.bss(i, o, nil, nil).Subscribers
	}
	if total != 1000 {
		t.Errorf("%d subscribers planned", total)
	}
	r := shareNRIs(16)
	for i := range r {
		if r[i].First == 0 || r[i].Last > 1023 || i > 0 && r[i].First <= r[i-1].Last {
			t.Errorf("ranges %v", r)
		}
	}
	if err := p.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.dir); !os.IsNotExist(err) {
		t.Errorf("directory left: %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{SGSNs: 17}, {BSSs: -1}, {Subscribers: 1 << 20}, {Kill: 104}, {Kill: 1}} {
		if err := Demo(context.Background(), o); err == nil {
			t.Errorf("%+v taken", o)
		}
	}
}

// fakeGateway is an environment variable: the test binary acts as a gateway.
const fakeGateway = "LAB_TEST_GATEWAY"

// actAsGateway does not return when the variable is set.
func actAsGateway() {
	switch os.Getenv(fakeGateway) {
	case "dies":
		os.Stderr.WriteString("no such bind\n")
		os.Exit(2)
	case "mute":
		time.Sleep(time.Hour)
	case "ends":
		os.Exit(0)
	}
}

func TestMain(m *testing.M) {
	actAsGateway()
	os.Exit(m.Run())
}

func TestGatewayThatDies(t *testing.T) {
	t.Setenv(fakeGateway, "dies")
	err := Demo(context.Background(), Options{GatewayBinary: os.Args[0]})
	if err == nil || !strings.Contains(err.Error(), "no such bind") || !strings.Contains(err.Error(), "exit status 2") {
		t.Errorf("error %v", err)
	}
	var ended *GatewayEnded
	if !errors.As(err, &ended) || ended.Status != 2 {
		t.Errorf("error %#v", err)
	}
}

func TestGatewayIsEndedWithTheContext(t *testing.T) {
	t.Setenv(fakeGateway, "mute")
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := Demo(ctx, Options{GatewayBinary: os.Args[0]}); err == nil {
		t.Error("no error from a gateway without VTY")
	}
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("took %s", d)
	}
}

func TestGatewayBinaryMissing(t *testing.T) {
	if err := Demo(context.Background(), Options{GatewayBinary: "/nonexistent"}); err == nil {
		t.Error("no error")
	}
}

func TestTailIsBounded(t *testing.T) {
	var b tail
	for range 1000 {
		b.Write([]byte(strings.Repeat("x", 100)))
	}
	b.Write([]byte("end\n"))
	if s := b.String(); len(s) > maxTail || !strings.HasSuffix(s, "end") {
		t.Errorf("%d octets", len(s))
	}
}
