package vty_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"poolgw/vty"
)

func readAll(r io.Reader) (string, error) {
	var b strings.Builder
	err := demoTree().ReadFile("x.cfg", r, nil, &b)
	return b.String(), err
}

func TestFileBounds(t *testing.T) {
	long := "title " + strings.Repeat("x", vty.MaxFileLine-len("title "))
	for _, tt := range []struct {
		name, text string
		line       int
		want       string
	}{
		{"longest line", "title x\n" + long + "\r\n", 0, ""},
		{"longest line without end", "title x\n" + long, 0, ""},
		{"too long", "title x\n" + long + "x\n", 2, "longer than 4096 octets"},
		{"too long by far", "title x\n" + strings.Repeat("y", 1<<20), 2, "longer than 4096 octets"},
		{"long comment", "!" + strings.Repeat("y", 5000) + "\n", 1, "longer than 4096 octets"},
		{"NUL", "title x\n\ntitle a\x00b\n", 3, "NUL octet"},
		{"NUL in a comment", "! \x00\n", 1, "NUL octet"},
		{"not UTF-8", "title \xff\xfe\n", 0, ""},
	} {
		_, err := readAll(strings.NewReader(tt.text))
		wantFileError(t, tt.name, err, tt.line, tt.want)
	}
}

func wantFileError(t *testing.T, name string, err error, line int, want string) {
	t.Helper()
	if line == 0 {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	var fe *vty.FileError
	switch {
	case !errors.As(err, &fe):
		t.Errorf("%s: %v is no *FileError", name, err)
	case fe.Line != line || fe.File != "x.cfg" || !strings.Contains(fe.Err.Error(), want):
		t.Errorf("%s: line %d, %v, want line %d, %s", name, fe.Line, fe.Err, line, want)
	case len(fe.Error()) > 500:
		t.Errorf("%s: the error has %d octets", name, len(fe.Error()))
	}
}

// A reader that goes on tells each refused line, and not those below one.
func TestFileGoesOn(t *testing.T) {
	text := "title x\nprot 1\n up\n nix\nport 49\nport 1\n up\n nix\n   up\n up\n\x00\nlatch\nport\n"
	var out strings.Builder
	errs := demoTree().ReadFileOn("x.cfg", strings.NewReader(text), nil, &out, 100)
	var lines []int
	for _, e := range errs {
		lines = append(lines, e.Line)
	}
	if want := []int{2, 5, 8, 11, 13}; !slices.Equal(lines, want) {
		t.Errorf("refused at %v, want %v: %v", lines, want, errs)
	}
	if got := strings.Count(out.String(), "ran up in config-port 1"); got != 2 {
		t.Errorf("%d good lines ran after a refused one, want 2:\n%s", got, &out)
	}
	if errs := demoTree().ReadFileOn("x.cfg", strings.NewReader(text), nil, io.Discard, 2); len(errs) != 2 || errs[1].Line != 5 {
		t.Errorf("with a limit of 2: %v", errs)
	}
	if errs := demoTree().ReadFileOn("x.cfg", endless{}, nil, io.Discard, 100); len(errs) != 1 {
		t.Errorf("a file without end: %v", errs)
	}
}

// Indentation that is wrong once does not make the lines behind it wrong.
func TestFileGoesOnAfterBadIndentation(t *testing.T) {
	errs := demoTree().ReadFileOn("x.cfg", strings.NewReader("port 1\n  up\n up\n  up\ntitle x\n"), nil, io.Discard, 100)
	if len(errs) != 1 || errs[0].Line != 3 || !errors.Is(errs[0], vty.ErrFileIndent) {
		t.Errorf("%v", errs)
	}
}

// endless gives comment lines for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	n := copy(p, bytes.Repeat([]byte("! 23456789012345678901234567890\n"), len(p)/32+1))
	return n, nil
}

func TestFileSizeIsBounded(t *testing.T) {
	_, err := readAll(endless{})
	var fe *vty.FileError
	if !errors.As(err, &fe) || !strings.Contains(err.Error(), "longer than 67108864 octets") {
		t.Errorf("error %v", err)
	}
}

func TestFileReaderFails(t *testing.T) {
	broken := errors.New("disk is on fire")
	_, err := readAll(io.MultiReader(strings.NewReader("title x\ntitle"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	wantFileError(t, "broken", err, 2, "on fire")
}

// What a handler sees of the file: its Data, and where the line stands.
func TestFileOrigin(t *testing.T) {
	tree := vty.NewTree()
	var seen []string
	tree.Add(vty.Command{Nodes: []vty.Node{vty.ConfigNode}, Syntax: "mark", Help: []string{"Mark"},
		Run: func(s *vty.Session, _ vty.Args) error {
			o := s.Origin()
			if !s.FromFile() || s.Terminal() != nil || o.File != "x.cfg" {
				t.Errorf("FromFile %v, terminal %v, file %q", s.FromFile(), s.Terminal(), o.File)
			}
			seen = append(seen, strings.Repeat("-", o.Line)+s.Data.(string))
			return nil
		}})
	if err := tree.ReadFile("x.cfg", strings.NewReader("mark\n! x\n\nmark\n"), "data", io.Discard); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(seen, " "); got != "-data ----data" {
		t.Errorf("handlers saw %q", got)
	}
}

// A configuration of ten thousand lines.
func BenchmarkReadFile(b *testing.B) {
	tree := demoTree()
	text := strings.Repeat("port 7\n up\n lane 2\n  weight 3\n listen 10.0.0.1 23000\n", 2000)
	for b.Loop() {
		if err := tree.ReadFile("x.cfg", strings.NewReader(text), nil, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
