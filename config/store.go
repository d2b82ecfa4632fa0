package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"poolgw/finding"
)

// Applier makes a part of the program follow the configuration. Apply gets the
// configuration in force and the one to come, and changes nothing when it
// returns an error. It must not keep or change either.
type Applier interface {
	Apply(old, new *Config, now time.Time) error
}

// ApplyFunc is a function as Applier.
type ApplyFunc func(old, new *Config, now time.Time) error

// Apply calls f.
func (f ApplyFunc) Apply(old, new *Config, now time.Time) error { return f(old, new, now) }

// Store holds the configuration in force. Its methods may be called from any
// goroutine; changes are made one after the other.
type Store struct {
	mu       sync.Mutex // held during a transaction
	current  atomic.Pointer[Config]
	findings []finding.Finding // of current; guarded by mu
	appliers []Applier
	now      func() time.Time
}

// NewStore returns a store with c in force, which is taken to be applied
// already. now is the clock; nil: time.Now.
func NewStore(c Config, now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	c = c.Clone()
	s := &Store{now: now, findings: c.Validate()}
	s.current.Store(&c)
	return s
}

// Register adds appliers; they run in this order.
func (s *Store) Register(a ...Applier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.appliers = append(s.appliers, a...)
}

// Current returns the configuration in force. It must not be changed.
func (s *Store) Current() *Config { return s.current.Load() }

// Findings validates the configuration in force.
func (s *Store) Findings() []finding.Finding { return s.Current().Validate() }

// Edit is one transaction: f changes a copy, which is validated, applied and
// put in force; when f leaves the copy as it was, nothing is applied. It returns
// the findings that the former configuration did not have. The error is f's own,
// a *Refused, or an applier's; then nothing has changed.
func (s *Store) Edit(f func(*Config) error) ([]finding.Finding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.current.Load()
	next := old.Clone()
	if err := f(&next); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(*old, next) {
		return nil, nil
	}
	all := next.Validate()
	fresh := Fresh(s.findings, all)
	if err := s.install(old, &next, fresh, finding.Error); err != nil {
		return fresh, err
	}
	s.findings = all
	return fresh, nil
}

// Replace puts a whole configuration in force, as a start or a reload does: it
// refuses findings that are fatal at start too. It returns all findings of c.
func (s *Store) Replace(c Config) ([]finding.Finding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := c.Clone()
	fs := next.Validate()
	if err := s.install(s.current.Load(), &next, fs, finding.FatalAtStart); err != nil {
		return fs, err
	}
	s.findings = fs
	return fs, nil
}

// install applies next unless fs has a finding of class atLeast or worse; the
// caller holds mu.
func (s *Store) install(old, next *Config, fs []finding.Finding, atLeast finding.Class) error {
	if r := refuse(fs, atLeast); r != nil {
		return r
	}
	if err := s.apply(old, next); err != nil {
		return err
	}
	s.current.Store(next)
	return nil
}

// apply runs the appliers; when one fails, those before it are taken back in
// reverse order.
func (s *Store) apply(old, next *Config) error {
	now := s.now()
	for i, a := range s.appliers {
		err := a.Apply(old, next, now)
		if err == nil {
			continue
		}
		for _, done := range slices.Backward(s.appliers[:i]) {
			if back := done.Apply(next, old, now); back != nil {
				err = errors.Join(err, fmt.Errorf("taking the change back: %w", back))
			}
		}
		return err
	}
	return nil
}

// Fresh returns the findings of new that old does not have.
func Fresh(old, new []finding.Finding) []finding.Finding {
	had := make(map[finding.Finding]bool, len(old))
	for _, f := range old {
		had[f] = true
	}
	var fresh []finding.Finding
	for _, f := range new {
		if !had[f] {
			fresh = append(fresh, f)
		}
	}
	return fresh
}

// Refused is a configuration that may not be put in force, saved or started
// with, for its findings.
type Refused struct{ Findings []finding.Finding }

func (r *Refused) Error() string {
	texts := make([]string, len(r.Findings))
	for i, f := range r.Findings {
		texts[i] = f.Text
	}
	return strings.Join(texts, "; ")
}

// refuse returns nil when no finding is of class atLeast or worse.
func refuse(fs []finding.Finding, atLeast finding.Class) error {
	var bad []finding.Finding
	for _, f := range fs {
		if f.Class >= atLeast {
			bad = append(bad, f)
		}
	}
	if bad == nil {
		return nil
	}
	return &Refused{bad}
}

// RefuseStart returns a *Refused when the findings keep a configuration from
// being started with or saved.
func RefuseStart(fs []finding.Finding) error { return refuse(fs, finding.FatalAtStart) }
