package lab

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// The end of the demonstration says and returns whether the checks hold.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name string
		last check
		want error
		says string
	}{
		{"all hold", check{what: "all is well", holds: true}, nil, "truth agree"},
		{"within its grace", check{what: "all is well", since: time.Second, grace: time.Minute}, nil, ""},
		{"one does not hold", check{what: "all is well", since: time.Minute, grace: time.Minute}, ErrCrossCheck, "FAIL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			v := aView()
			v.checks = []check{{what: "another", holds: true}, c.last}
			err := (&demo{opt: Options{Out: &out}}).verdict(v)
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if !strings.Contains(out.String(), c.says) {
				t.Errorf("does not say %q:\n%s", c.says, out.String())
			}
		})
	}
}
