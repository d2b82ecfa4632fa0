package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestPasteOfThousandsOfLines configures 500 SGSNs by typed lines: each line is
// a transaction of its own, and all of them together must not be felt.
func TestPasteOfThousandsOfLines(t *testing.T) {
	const sgsns = 500
	b := newBufferBench(t, "ns\n bind udp core\n  listen 127.0.0.1 23000\n")
	paste := []string{"enable", "configure terminal"}
	for i := range sgsns {
		paste = append(paste, "ns", fmt.Sprintf("nse %d", i), fmt.Sprintf("nsvc udp core 127.1.%d.%d 23000", i/250, i%250),
			fmt.Sprintf("sgsn nsei %d", i), fmt.Sprintf("nri add %d %d", 2*i, 2*i+1))
	}
	start := time.Now()
	if got := b.run(paste...); got != "" {
		t.Errorf("prints %s", got)
	}
	t.Logf("%d lines in %v", len(paste), time.Since(start))
	c := b.store.Current()
	if len(c.Gb.SGSNs) != sgsns || len(c.Gb.NS.NSEs) != sgsns {
		t.Errorf("%d SGSNs, %d NSEs", len(c.Gb.SGSNs), len(c.Gb.NS.NSEs))
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
	var text bytes.Buffer
	if err := WriteConfig(&text, c); err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	if _, _, err := load(t, text.String()); err != nil {
		t.Fatal(err)
	}
	t.Logf("loaded in %v", time.Since(start))
}

// A file whose nodes follow each other without "exit" can be pasted, also where the
// next node's word is the beginning of several commands of the one before.
func TestPasteOfAmfBehindNgap(t *testing.T) {
	b := newBufferBench(t, "")
	if got := b.run("enable", "configure terminal", "ngap", " bind ran", "  listen 127.0.0.1 38412", " amf-name POOL",
		"amf 1", " name AMF01", " remote 127.0.0.5 38412", "amf 2", " remote 127.0.0.6 38412", "ngap", "amf 3", " remote 127.0.0.7 38412"); strings.Contains(got, "mmand") {
		t.Errorf("prints %s", got)
	}
	if c := b.store.Current().N2; len(c.AMFs) != 3 || c.AMFs[0].Name != "AMF01" || c.Name != "POOL" {
		t.Errorf("%+v", c)
	}
}
