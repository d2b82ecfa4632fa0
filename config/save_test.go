package config

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var anyAddr = netip.MustParseAddrPort("0.0.0.0:4246")

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, path, text string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("%s: %q, %v, want %q", path, got, err, text)
	}
}

// wantFiles asserts that a folder has these files and nothing left behind.
func wantFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	es, err := os.ReadDir(dir)
	if err != nil || len(es) != len(names) {
		t.Fatalf("%s has %v, want %v; %v", dir, es, names, err)
	}
}

func TestSaveFileKeepsMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pool.cfg")
	write(t, path, "old", 0o604)
	if err := SaveFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	want(t, path, "new")
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o604 {
		t.Errorf("mode %v", st.Mode())
	}
	wantFiles(t, dir, "pool.cfg")
}

func TestSaveFileMakesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pool.cfg")
	if err := SaveFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	want(t, path, "new")
	if st, _ := os.Stat(path); st.Mode().Perm()&0o007 != 0 {
		t.Errorf("mode %v: everybody can read the hashes of passwords", st.Mode())
	}
}

func TestDiskFullLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pool.cfg")
	write(t, path, "old", 0o600)
	err := saveFile(path, func(f *os.File) error {
		f.WriteString("ha")
		return &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "pool.cfg is as it was") {
		t.Errorf("error %v", err)
	}
	want(t, path, "old")
	wantFiles(t, dir, "pool.cfg")
}

func TestSaveFileFollowsTheConfigurationsOwnLink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.cfg"), filepath.Join(dir, "link.cfg")
	write(t, real, "old", 0o600)
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if err := SaveFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	want(t, real, "new")
	if st, _ := os.Lstat(link); st.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
}

func TestSaveBelow(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "etc")
	for _, d := range []string{filepath.Join(dir, "sub"), filepath.Join(top, "other")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(top, "victim"), "old", 0o600)
	write(t, filepath.Join(dir, "target"), "old", 0o600)
	for link, to := range map[string]string{"out": "../victim", "outdir": "../other", "in": "target"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	for _, c := range []struct {
		path, wrote string // wrote: below top; "" when refused
	}{
		{"a.cfg", "etc/a.cfg"},
		{"sub/a.cfg", "etc/sub/a.cfg"},
		{"sub/../b.cfg", "etc/b.cfg"},
		{filepath.Join(dir, "c.cfg"), "etc/c.cfg"},
		{"../victim", ""},
		{"sub/../../victim", ""},
		{"/etc/passwd", ""},
		{"", ""},
		{".", ""},
		{"sub", ""},
		{"out", ""},
		{"in", ""},
		{"outdir/x", ""},
		{"nosuch/x", ""},
	} {
		got, err := SaveBelow(dir, c.path, []byte("new"))
		if (err == nil) != (c.wrote != "") {
			t.Errorf("%q: error %v", c.path, err)
			continue
		}
		if err == nil {
			if got != filepath.Join(top, c.wrote) {
				t.Errorf("%q: says it wrote %s", c.path, got)
			}
			want(t, filepath.Join(top, c.wrote), "new")
		}
	}
	want(t, filepath.Join(top, "victim"), "old")
	want(t, filepath.Join(dir, "target"), "old")
	wantFiles(t, filepath.Join(top, "other"))
}
