package config

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"poolgw/finding"
	"poolgw/gb"
	"poolgw/nri"
)

// recorder is an applier that notes what it was asked.
type recorder struct {
	name  string
	notes *[]string
	fail  error // when going to host name "bad"
}

func (r recorder) Apply(old, new *Config, _ time.Time) error {
	*r.notes = append(*r.notes, r.name+" "+old.Hostname+">"+new.Hostname)
	if new.Hostname == "bad" {
		return r.fail
	}
	return nil
}

func rename(to string) func(*Config) error {
	return func(c *Config) error { c.Hostname = to; return nil }
}

func TestEditAppliesInOrder(t *testing.T) {
	var notes []string
	s := NewStore(Default(), nil)
	s.Register(recorder{name: "a", notes: &notes}, recorder{name: "b", notes: &notes})
	if _, err := s.Edit(rename("x")); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a >x", "b >x"}, notes); d != "" {
		t.Error(d)
	}
	if s.Current().Hostname != "x" {
		t.Errorf("in force: %q", s.Current().Hostname)
	}
}

func TestEditThatChangesNothingAppliesNothing(t *testing.T) {
	var notes []string
	s := NewStore(Default(), nil)
	s.Register(recorder{name: "a", notes: &notes})
	if _, err := s.Edit(rename("")); err != nil || len(notes) != 0 {
		t.Errorf("%v, %v", notes, err)
	}
}

func TestEditTakesBackInReverse(t *testing.T) {
	var notes []string
	broken := errors.New("no socket")
	s := NewStore(Default(), nil)
	s.Register(recorder{name: "a", notes: &notes}, recorder{name: "b", notes: &notes},
		recorder{name: "c", notes: &notes, fail: broken}, recorder{name: "d", notes: &notes})
	before := s.Current()
	if _, err := s.Edit(rename("bad")); !errors.Is(err, broken) {
		t.Fatalf("error %v", err)
	}
	if d := cmp.Diff([]string{"a >bad", "b >bad", "c >bad", "b bad>", "a bad>"}, notes); d != "" {
		t.Error(d)
	}
	if s.Current() != before {
		t.Error("another configuration is in force")
	}
}

func TestEditErrorChangesNothing(t *testing.T) {
	s := NewStore(Default(), nil)
	broken := errors.New("no")
	if _, err := s.Edit(func(c *Config) error { c.Hostname = "half"; return broken }); err != broken {
		t.Errorf("error %v", err)
	}
	if s.Current().Hostname != "" {
		t.Error("a failed edit is in force")
	}
}

// overlap gives two SGSNs the same NRI.
func overlap(c *Config) error {
	for _, n := range []uint16{1, 2} {
		set, _ := nri.Set(nil).Add(nri.Single(5))
		c.Gb.SGSNs = append(c.Gb.SGSNs, gb.SGSN{NSEI: n, AllowAttach: true, NRI: set})
	}
	return nil
}

func TestClasses(t *testing.T) {
	s := NewStore(Default(), nil)
	fs, err := s.Edit(overlap)
	if err != nil {
		t.Fatalf("a finding that is fatal at start refuses an edit: %v", err)
	}
	if c, _ := finding.Worst(fs); c != finding.FatalAtStart {
		t.Errorf("findings %v", fs)
	}
	var r *Refused
	if !errors.As(RefuseStart(s.Findings()), &r) || len(r.Findings) != 1 {
		t.Errorf("start is not refused for it alone: %v", r)
	}
	if _, err := NewStore(Default(), nil).Replace(*s.Current()); !errors.As(err, &r) {
		t.Errorf("Replace takes it: %v", err)
	}
	bad := func(c *Config) error { c.Gb.ActivityWindow = 0; return nil }
	if _, err := s.Edit(bad); !errors.As(err, &r) || s.Current().Gb.ActivityWindow == 0 {
		t.Errorf("an error does not refuse the edit: %v", err)
	}
}

func TestEditTellsOnlyWhatIsNew(t *testing.T) {
	s := NewStore(Default(), nil)
	if _, err := s.Edit(overlap); err != nil {
		t.Fatal(err)
	}
	if fs, err := s.Edit(rename("x")); err != nil || len(fs) != 0 {
		t.Errorf("findings %v, error %v", fs, err)
	}
}

func TestCurrentIsNotChangedByLaterEdits(t *testing.T) {
	s := NewStore(Default(), nil)
	if _, err := s.Edit(overlap); err != nil {
		t.Fatal(err)
	}
	before := s.Current()
	if _, err := s.Edit(func(c *Config) error {
		c.Gb.SGSNs[0].AllowAttach = false
		c.Logs[0].SetAll("debug")
		c.Logs[0].Color = false
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !before.Gb.SGSNs[0].AllowAttach || before.Logs[0].LevelOf("lns") != "notice" || !before.Logs[0].Color {
		t.Error("an edit changed a configuration that others look at")
	}
}

func TestVTYFindings(t *testing.T) {
	for _, c := range []struct {
		name  string
		edit  func(v *VTY)
		class finding.Class
		text  string
	}{
		{"loopback", func(v *VTY) { v.Binds = append(v.Binds, loopback(1)) }, 0, ""},
		{"open", func(v *VTY) { v.Binds = append(v.Binds, anyAddr) }, finding.Note, "without login"},
		{"open, login required", func(v *VTY) { v.Binds, v.RequireLogin = append(v.Binds, anyAddr), true }, finding.Error, "without login"},
		{"open with login", func(v *VTY) {
			v.Binds, v.RequireLogin, v.Login, v.Password = append(v.Binds, anyAddr), true, true, "9 x"
		}, 0, ""},
		{"login without password", func(v *VTY) { v.Login = true }, finding.Note, "no password"},
	} {
		cfg := Default()
		c.edit(&cfg.VTY)
		fs := cfg.Validate()
		switch {
		case c.text == "" && len(fs) > 0:
			t.Errorf("%s: %v", c.name, fs)
		case c.text != "" && (len(fs) != 1 || fs[0].Class != c.class || !strings.Contains(fs[0].Text, c.text)):
			t.Errorf("%s: %v", c.name, fs)
		}
	}
}

func TestKeptGivesOneNoteEach(t *testing.T) {
	c := Default()
	if fs := c.Validate(); len(fs) != 0 {
		t.Fatalf("the default has findings: %v", fs)
	}
	c.Stats.Reporters = make([]StatsReporter, 3)
	c.CPUSched = CPUSched{RR: 1, Affinity: []CPUAffinity{{Thread: "self"}, {Thread: "one"}, {Thread: "two"}}}
	var got []string
	for _, f := range c.Validate() {
		if f.Class != finding.Note {
			t.Errorf("%v is no note", f)
		}
		got = append(got, f.Text)
	}
	want := []string{"cpu-affinity of a thread by its name (Go's threads have none, and work moves among them): kept; not acted on"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
