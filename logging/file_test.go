package logging

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// After a rotation the lines go on in a new file, and none is lost or doubled
// while others write.
func TestReopenLosesNoLine(t *testing.T) {
	for _, blocking := range []bool{false, true} {
		h := New()
		name := filepath.Join(t.TempDir(), "log")
		set, err := h.SetTargets(nil, []Target{{Kind: "file", Arg: name, Blocking: blocking}})
		if err != nil {
			t.Fatal(err)
		}
		const writers, lines, turns = 4, 500, 5
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range lines {
					h.Logger().Error(fmt.Sprintf("line %d of %d", i, w))
				}
			})
		}
		for turn := range turns {
			if err := os.Rename(name, fmt.Sprintf("%s.%d", name, turn)); err != nil {
				t.Fatal(err)
			}
			if err := set.Reopen(); err != nil {
				t.Fatal(err)
			}
		}
		wg.Wait()
		set.Close(h)
		seen := map[string]int{}
		files, _ := filepath.Glob(name + "*")
		for _, f := range files {
			b, _ := os.ReadFile(f)
			for l := range strings.Lines(string(b)) {
				seen[l]++
			}
		}
		for l, n := range seen {
			if n != 1 {
				t.Errorf("%q %d times", l, n)
			}
		}
		if len(seen) != writers*lines || len(files) != turns+1 {
			t.Errorf("blocking %v: %d lines in %d files", blocking, len(seen), len(files))
		}
	}
}

// A file that can't be opened anew goes on where it was, and is an error.
func TestReopenFails(t *testing.T) {
	h := New()
	dir := filepath.Join(t.TempDir(), "d")
	os.Mkdir(dir, 0o700)
	name := filepath.Join(dir, "log")
	set, err := h.SetTargets(nil, []Target{{Kind: "file", Arg: name}})
	if err != nil {
		t.Fatal(err)
	}
	os.Rename(dir, dir+".gone")
	if err := set.Reopen(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	h.Logger().Error("still here")
	set.Close(h)
	if b, _ := os.ReadFile(filepath.Join(dir+".gone", "log")); string(b) != "still here\n" {
		t.Errorf("the old file has %q", b)
	}
}

// A full disk is told once, and counted; when there is room again, that is told
// too.
func TestFullDisk(t *testing.T) {
	h := New()
	s, got := collect(h)
	defer s.Close()
	out, err := openFile("/dev/full")
	if err != nil {
		t.Skip(err)
	}
	full := h.newSink("file /dev/full", out, true)
	h.add(full)
	for range 10 {
		h.Logger().Error("x")
	}
	if n := h.Failed(); n != 10 {
		t.Errorf("%d lines failed, want 10", n)
	}
	told := strings.Join(*got, "\n")
	if strings.Count(told, "does not work") != 1 || !strings.Contains(told, "log target file /dev/full does not work: write /dev/full: no space left on device") {
		t.Errorf("told: %s", told)
	}
	name := filepath.Join(t.TempDir(), "log")
	room, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	out.f.Swap(room).Close()
	h.Logger().Error("room")
	h.remove(full)
	full.close()
	if last := (*got)[len(*got)-1]; !strings.Contains(strings.Join(*got, "\n"), "works again, 10 lines are lost") {
		t.Errorf("the last line is %q", last)
	}
	if b, _ := os.ReadFile(name); string(b) != "DLGLOBAL ERROR room\n" {
		t.Errorf("the file has %q", b)
	}
}

// A line that was written in part does not swallow the next one.
func TestTornLine(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	o := &file{}
	o.f.Store(w)
	const room = 4096
	c, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if c.Control(func(fd uintptr) { _, err = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, room) }); err != nil {
		t.Fatal(err)
	}
	w.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
	if err := o.write(entry{}, strings.Repeat("a", room+100)); err == nil {
		t.Fatal("the pipe took it all")
	}
	buf := make([]byte, 2*room)
	r.Read(buf)
	w.SetWriteDeadline(time.Time{})
	if err := o.write(entry{}, "next"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	n, _ := r.Read(buf)
	if got := string(buf[:n]); got != "\nnext\n" {
		t.Errorf("after a torn line: %q", got)
	}
	r.Close()
}

func TestFileWithoutPermission(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "log")
	if f, err := os.Create(name); err == nil { // root may do everything
		f.Close()
		os.Remove(name)
		name = "/proc/version/log"
	}
	h := New()
	set, err := h.SetTargets(nil, []Target{{Kind: "stderr", Filter: Filter{Only: true}}, {Kind: "file", Arg: name}})
	if err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("error %v", err)
	}
	if len(*h.sinks.Load()) != 0 {
		t.Error("half of the targets is in force")
	}
	set.Close(h)
}
