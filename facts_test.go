package poolgw_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of facts, and the numbers in their lists, anew")

const withoutTest = "# facts without a test: "

// factList is a list of facts and the table that is made of it and the tests.
type factList struct {
	list, table string
	id          *regexp.Regexp
	stances     map[string]stance
	intro       func(of map[string]int) string // by the numbers of facts: of each stance, "all", "open"
}

// stance is what poolgw makes of a fact.
type stance struct {
	reason   bool // it has one
	untested bool // it needs no test
}

// fact is one line of a list.
type fact struct {
	id, stance, text, reason string
	tests                    []string
}

var factMark = regexp.MustCompile(`^([A-Z][\d.]*-\d\d)(?: \(([^(),]+)\))?$`)

func (l *factList) parseFact(line string) (fact, error) {
	f := strings.Split(line, " | ")
	if len(f) < 3 || !l.id.MatchString(f[0]) || strings.TrimSpace(f[2]) == "" {
		return fact{}, fmt.Errorf("not id | stance | fact: %q", line)
	}
	w := fact{id: f[0], stance: f[1], text: f[2]}
	s, known := l.stances[w.stance]
	switch {
	case known && !s.reason && len(f) == 3:
	case known && s.reason && len(f) == 4:
		w.reason = f[3]
	default:
		return fact{}, fmt.Errorf("no such stance, or not its number of fields: %q", line)
	}
	return w, nil
}

// parseFacts reads the list; open is the number in its header.
func (l *factList) parseFacts(text string) (facts []*fact, open int, err error) {
	open = -1
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if n, is := strings.CutPrefix(line, withoutTest); is {
			if open, err = strconv.Atoi(n); err != nil {
				return nil, 0, err
			}
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f, err := l.parseFact(line)
		if err != nil {
			return nil, 0, err
		}
		if seen[f.id] {
			return nil, 0, fmt.Errorf("%s stands twice", f.id)
		}
		seen[f.id] = true
		facts = append(facts, &f)
	}
	if open < 0 {
		return nil, 0, fmt.Errorf("no line %q", withoutTest+"N")
	}
	return facts, open, nil
}

// mark is one "Facts:" of a test.
type mark struct{ id, test, sub string }

// marksOf reads the marks of one test file: lines "Facts: id, id (sub)" of the
// comment above a Test or Fuzz function. Elsewhere they would be lost.
func marksOf(fset *token.FileSet, file *ast.File) (marks []mark, err error) {
	of := map[*ast.CommentGroup]string{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil && f.Recv == nil &&
			(strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz")) {
			of[f.Doc] = f.Name.Name
		}
	}
	for _, g := range file.Comments {
		for _, c := range g.List {
			list, is := strings.CutPrefix(c.Text, "// Facts: ")
			switch {
			case !is && strings.Contains(c.Text, "Facts:"):
				return nil, fmt.Errorf("%s: not \"// Facts: id, id (sub)\"", fset.Position(c.Pos()))
			case !is:
				continue
			case of[g] == "":
				return nil, fmt.Errorf("%s: not above a test", fset.Position(c.Pos()))
			}
			for part := range strings.SplitSeq(list, ", ") {
				m := factMark.FindStringSubmatch(part)
				if m == nil {
					return nil, fmt.Errorf("%s: %q is no id", fset.Position(c.Pos()), part)
				}
				marks = append(marks, mark{m[1], of[g], m[2]})
			}
		}
	}
	return marks, nil
}

// addMarks gives the marks of a file to its facts. A sub must stand in the file,
// as it does or with spaces, or in testdata: in a file, or as its name.
func addMarks(byID map[string]*fact, path string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	marks, err := marksOf(fset, file)
	if err != nil {
		return err
	}
	for _, m := range marks {
		f := byID[m.id]
		if f == nil {
			return fmt.Errorf("%s: %s has %s, which is in no list", path, m.test, m.id)
		}
		name := filepath.ToSlash(filepath.Dir(path)) + " " + m.test
		if m.sub != "" {
			if !isSub(path, string(src), m.sub) {
				return fmt.Errorf("%s: %s has no %q", path, m.test, m.sub)
			}
			name += "/" + m.sub
		}
		f.tests = append(f.tests, name)
	}
	return nil
}

func isSub(path, src, sub string) bool {
	src = strings.ReplaceAll(src, "("+sub+")", "")
	if strings.Contains(src, sub) || strings.Contains(src, strings.ReplaceAll(sub, "_", " ")) {
		return true
	}
	found := false
	_ = filepath.WalkDir(filepath.Join(filepath.Dir(path), "testdata"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !found {
			text, _ := os.ReadFile(p)
			found = strings.HasPrefix(d.Name(), sub+".") || strings.Contains(string(text), sub)
		}
		return nil
	})
	return found
}

// section orders ids by their section's number.
func section(id string) (s float64, first string) {
	n, _, _ := strings.Cut(id[1:], "-")
	s = -1
	if n != "" {
		s, _ = strconv.ParseFloat(n, 64)
	}
	return s, id[:1]
}

func compareFacts(a, b *fact) int {
	sa, fa := section(a.id)
	sb, fb := section(b.id)
	return cmp.Or(strings.Compare(fa, fb), cmp.Compare(sa, sb), strings.Compare(a.id, b.id))
}

// open lists the facts that have no test and need one.
func (l *factList) open(facts []*fact) (ids []string) {
	for _, f := range facts {
		if len(f.tests) == 0 && !l.stances[f.stance].untested {
			ids = append(ids, f.id)
		}
	}
	return ids
}

func (l *factList) coverage(facts []*fact) string {
	count := map[string]int{"all": len(facts), "open": len(l.open(facts))}
	for _, f := range facts {
		count[f.stance]++
	}
	var b strings.Builder
	b.WriteString(l.intro(count))
	for _, f := range facts {
		text := f.text
		if f.reason != "" {
			text += ". Why: " + f.reason
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.id, f.stance, strings.ReplaceAll(text, "|", `\|`), strings.Join(f.tests, ", "))
	}
	return b.String()
}

// testFiles lists the test files of the module.
func testFiles(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, "fact") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// TestFacts joins the lists of facts and the tests that name them. A fact
// without a test fails it, beyond as many as its list's header still admits.
func TestFacts(t *testing.T) {
	byID := map[string]*fact{}
	type read struct {
		text  string
		facts []*fact
		most  int
	}
	lists := map[*factList]read{}
	for _, l := range factLists {
		text, err := os.ReadFile(l.list)
		if err != nil {
			t.Fatal(err)
		}
		r := read{text: string(text)}
		if r.facts, r.most, err = l.parseFacts(r.text); err != nil {
			t.Fatalf("%s: %v", l.list, err)
		}
		for _, f := range r.facts {
			byID[f.id] = f
		}
		lists[l] = r
	}
	for _, path := range testFiles(t) {
		if err := addMarks(byID, path); err != nil {
			t.Error(err)
		}
	}
	for _, l := range factLists {
		r := lists[l]
		t.Run(l.list, func(t *testing.T) { l.check(t, r.text, r.facts, r.most) })
	}
}

// check compares the table with its list and the tests, or writes it.
func (l *factList) check(t *testing.T, text string, facts []*fact, most int) {
	for _, f := range facts {
		slices.Sort(f.tests)
	}
	open := l.open(facts)
	slices.SortFunc(facts, compareFacts)
	want := l.coverage(facts)
	if *update {
		next := strings.Replace(text, withoutTest+strconv.Itoa(most), withoutTest+strconv.Itoa(min(most, len(open))), 1)
		if err := os.WriteFile(l.list, []byte(next), 0o644); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(l.table, []byte(want), 0o644); err != nil {
			t.Error(err)
		}
		return
	}
	if len(open) > 0 {
		t.Logf("%d of %d facts have no test: %s", len(open), len(facts), strings.Join(open, " "))
	}
	if len(open) > most {
		t.Errorf("%d facts have no test, more than %d: %s", len(open), most, strings.Join(open, " "))
	}
	if got, err := os.ReadFile(l.table); most == 0 && (err != nil || string(got) != want) {
		t.Errorf("%s is not what the list and the tests say (%v): go test . -run Facts -update", l.table, err)
	}
}

func TestFactLines(t *testing.T) {
	for _, bad := range []string{"G3-4 | same | x", "G3-04 | same |", "G3-04 | same", "G3-04 | departed | x", "G3-04 | right | x | y",
		"G3-04 | other | x", "H3-04 | same | x"} {
		if _, err := gbFacts.parseFact(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if _, err := n2Facts.parseFact("N3-04 | later | x"); err == nil {
		t.Error("later without a reason is taken")
	}
	if _, _, err := gbFacts.parseFacts(withoutTest + "1\nG3-04 | same | x\nG3-04 | same | y\n"); err == nil {
		t.Error("an id may stand twice")
	}
	for src, ok := range map[string]bool{
		"// Text.\n// Facts: G3-04, G1.3-07 (a b), N3-04\nfunc TestX() {}": true,
		"// Facts: G3-04 G3-05\nfunc TestX() {}":                           false,
		"// Facts: G3-04,G3-05\nfunc TestX() {}":                           false,
		"// Facts: G3-4\nfunc TestX() {}":                                  false,
		"// facts and Facts:G3-04\nfunc TestX() {}":                        false,
		"// Facts: G3-04\nfunc helper() {}":                                false,
		"// Facts: G3-04\n\nfunc TestX() {}":                               false,
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "x_test.go", "package x\n\n"+src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := marksOf(fset, file); (err == nil) != ok {
			t.Errorf("%q: %v", src, err)
		}
	}
}
