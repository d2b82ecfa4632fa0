package logging

import (
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
)

// journalSocket takes the journal's native datagrams.
var journalSocket = "/run/systemd/journal/socket"

// newJournal writes to systemd's journal by its native protocol
// (systemd.io/JOURNAL_NATIVE_PROTOCOL): FIELD=VALUE lines. No value has a line
// end: control characters do not get into an entry. Raw leaves to fields what
// a line begins with.
func newJournal(raw bool) *datagram {
	path := journalSocket
	return &datagram{dial: func() (net.Conn, error) { return net.DialTimeout("unixgram", path, sendTime) },
		encode: func(e entry, line string) []byte {
			b := fmt.Appendf(nil, "SYSLOG_IDENTIFIER=%s\nPRIORITY=%d\nOSMO_SUBSYS=D%s\nOSMO_SUBSYS_HEX=%04x\n",
				program, severity(e.level), strings.ToUpper(e.cat), e.index)
			if name, n := FilePath.place(e.pc); name != "" {
				b = fmt.Appendf(b, "CODE_FILE=%s\nCODE_LINE=%d\n", name, n)
			}
			if raw {
				line = e.text
			}
			return fmt.Appendf(b, "MESSAGE=%s\n", line)
		}}
}

// onJournal tells whether f goes to the journal: systemd.exec(5), JOURNAL_STREAM
// has its device and inode. There a line begins with its severity.
func onJournal(f *os.File) bool {
	var dev, ino uint64
	if n, _ := fmt.Sscanf(os.Getenv("JOURNAL_STREAM"), "%d:%d", &dev, &ino); n != 2 {
		return false
	}
	fi, err := f.Stat()
	if err != nil {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && uint64(st.Dev) == dev && st.Ino == ino
}
