package main

import (
	"bytes"
	"os"
	"testing"
)

// TestReference wants doc/vty-reference.md to be what "poolgw reference" says.
func TestReference(t *testing.T) {
	const file = "../../doc/vty-reference.md"
	got, err := poolgw(t, "reference").Output()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what \"poolgw reference\" prints (%v): go test ./cmd/poolgw -run TestReference -update", file, err)
	}
	xml, err := poolgw(t, "reference", "--xml").Output()
	if err != nil || !bytes.Contains(xml, []byte("<vtydoc")) {
		t.Errorf("no XML form: %v", err)
	}
}
