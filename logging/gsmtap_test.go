package logging

import (
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func deviceInode(t *testing.T, f *os.File) string {
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	st := fi.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}

// The headers as gsmtap.h documents them, by hand.
func TestGSMTAPOctets(t *testing.T) {
	e := entry{time: time.Unix(0x66000001, 5000), level: LevelNotice, cat: "lbssgp", text: "hi", tid: 0x1234}
	want := "02041000" + "00000000" + "00000000" + "00000000" + // version, words, type; the rest is of radio bursts
		"66000001" + "00000005" + // seconds, microseconds
		"706f6f6c6777" + strings.Repeat("00", 10) + // "poolgw"
		"00001234" + "05" + "000000" + // process, level NOTICE, padding
		"4c425353" + "4750" + strings.Repeat("00", 10) + // "LBSSGP"
		strings.Repeat("00", 32) + "00000000" + // no source
		"6869"
	if got := hex.EncodeToString(encodeGSMTAP(e, "")); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	e.cat, e.text = strings.Repeat("c", 40), strings.Repeat("x", maxText)
	if n := len(encodeGSMTAP(e, "")); n != 16+84+maxText {
		t.Errorf("%d octets with long names", n)
	}
}

// tshark finds in each datagram what was logged.
func TestGSMTAPIsDissected(t *testing.T) {
	for _, tool := range []string{"tshark", "text2pcap"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed: the encoder has no outside judge here", tool)
		}
	}
	c, err := net.ListenPacket("udp", "127.0.0.77:"+gsmtapPort)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	h := New("gprs", "lns")
	targets(t, h, Target{Kind: "gsmtap", Arg: "127.0.0.77", Format: Format{Timestamp: true, Category: true, Level: true}})
	h.Logger().Error("the pool is down", "cat", "gprs")
	h.Logger().Log(t.Context(), LevelNotice, "NSE availability", "cat", "lns", "nsei", 101)
	var dump strings.Builder
	for range 2 {
		b := make([]byte, 65536)
		c.SetReadDeadline(time.Now().Add(5 * time.Second))
		n, _, err := c.ReadFrom(b)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&dump, hex.Dump(b[:n]))
	}
	lines := tshark(t, dump.String(), "gsmtap_log.ident", "gsmtap_log.level", "gsmtap_log.subsys",
		"gsmtap_log.src_file.name", "gsmtap_log.string", "_ws.malformed")
	want := []string{"poolgw|7|GPRS|gsmtap_test.go|the pool is down|", "poolgw|5|LNS|gsmtap_test.go|NSE availability nsei=101|"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("tshark shows %q, want %q", lines, want)
	}
}

// tshark dissects datagrams to the GSMTAP port, and returns a line for each.
func tshark(t *testing.T, dump string, fields ...string) []string {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	// hex.Dump's offsets are text2pcap's; its ASCII column is not.
	var plain strings.Builder
	for l := range strings.Lines(dump) {
		l, _, _ = strings.Cut(l, "|")
		fmt.Fprintln(&plain, strings.TrimSpace(l))
	}
	if err := os.WriteFile(in, []byte(plain.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := exec.Command("text2pcap", "-q", "-u", "4000,"+gsmtapPort, in, out).CombinedOutput(); err != nil {
		t.Fatalf("text2pcap: %v: %s", err, b)
	}
	args := []string{"-r", out, "-T", "fields", "-E", "separator=|"}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	b, err := exec.Command("tshark", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}
