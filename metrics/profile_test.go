package metrics

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// profileServer listens; profiles are off.
func profileServer(t *testing.T) (s *Server, url string) {
	t.Helper()
	s = NewServer(NewRegistry("v"))
	t.Cleanup(s.Close)
	a := freeAddr(t)
	if err := s.Listen(a); err != nil {
		t.Fatal(err)
	}
	return s, "http://" + a.String() + "/debug/pprof/"
}

// fetch returns status and body.
func fetch(t *testing.T, url string) (int, []byte) {
	t.Helper()
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, b
}

// Profiles are there while they are on, and only then; nothing of them is on
// http.DefaultServeMux.
func TestProfilesOffByDefault(t *testing.T) {
	s, at := profileServer(t)
	paths := []string{"", "heap", "heap?gc=1", "goroutine?debug=2", "allocs", "profile?seconds=0.05", "trace?seconds=0.05"}
	want := func(code int) {
		t.Helper()
		for _, p := range paths {
			if got, b := fetch(t, at+p); got != code {
				t.Errorf("%q is answered by %d %.100q, want %d", p, got, b, code)
			}
		}
	}
	want(http.StatusNotFound)
	s.Profile(true)
	want(http.StatusOK)
	if got, _ := fetch(t, at+"cmdline"); got != http.StatusNotFound {
		t.Errorf("the command line is answered by %d", got)
	}
	s.Profile(false)
	want(http.StatusNotFound)
	w := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(w, httptest.NewRequest("GET", "/debug/pprof/", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("http.DefaultServeMux answers by %d", w.Code)
	}
}

// Profiles are in the format that "go tool pprof" reads: protocol buffers, gzipped,
// with the names of functions; a trace begins as "go tool trace" wants.
func TestProfilesAreProfiles(t *testing.T) {
	s, at := profileServer(t)
	s.Profile(true)
	_, b := fetch(t, at+"goroutine")
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil || !bytes.Contains(text, []byte("net/http.(*Server).Serve")) {
		t.Errorf("%v; no function in %.200q", err, text)
	}
	if _, b = fetch(t, at+"trace?seconds=0.02"); !bytes.HasPrefix(b, []byte("go 1.")) {
		t.Errorf("a trace begins %.20q", b)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fetch(t, at+"heap?gc=1")
	if runtime.ReadMemStats(&after); after.NumGC == before.NumGC {
		t.Error("gc=1 does not collect garbage")
	}
}

// One profile is made at a time, none longer than MaxProfile, and one that is being made
// ends when its client goes, or when profiles are turned off.
func TestProfilesAreBounded(t *testing.T) {
	s, at := profileServer(t)
	s.Profile(true)
	for _, n := range []string{"61", "0", "-1", "x", "NaN", "1e300"} {
		if got, _ := fetch(t, at+"profile?seconds="+n); got != http.StatusBadRequest {
			t.Errorf("%s seconds are answered by %d", n, got)
		}
	}
	for what, end := range map[string]func(cancel func()){
		"its client went":          func(cancel func()) { cancel() },
		"profiles were turned off": func(func()) { s.Profile(false) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for code := http.StatusServiceUnavailable; code == http.StatusServiceUnavailable; {
				r, _ := http.NewRequestWithContext(ctx, "GET", at+"profile?seconds=60", nil)
				c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
				a, err := c.Do(r)
				if err != nil {
					return
				}
				code = a.StatusCode
				io.Copy(io.Discard, a.Body)
				a.Body.Close()
			}
		}()
		eventually(t, "another profile is refused", func() bool {
			got, b := fetch(t, at+"heap")
			return got == http.StatusServiceUnavailable && strings.Contains(string(b), "another")
		})
		end(cancel)
		<-done
		s.Profile(true)
		eventually(t, "after "+what+" there is room", func() bool {
			got, _ := fetch(t, at+"profile?seconds=0.01")
			return got == http.StatusOK
		})
		cancel()
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not seen: ", what)
		}
	}
}
