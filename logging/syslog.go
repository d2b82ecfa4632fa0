package logging

import (
	"fmt"
	"net"
	"os"
)

// syslogPaths are where a system log may listen.
var syslogPaths = []string{"/dev/log", "/var/run/syslog", "/var/run/log"}

// facilities are those of RFC 5424 6.2.1 that a configuration can name.
var facilities = map[string]int{
	"user": 1, "mail": 2, "daemon": 3, "lpr": 6, "news": 7, "uucp": 8, "cron": 9, "authpriv": 10, "ftp": 11,
	"local 0": 16, "local 1": 17, "local 2": 18, "local 3": 19, "local 4": 20, "local 5": 21, "local 6": 22, "local 7": 23,
}

// newSyslog writes to the local system log, as RFC 3164 4.1 has it, without a
// host's name.
func newSyslog(facility string) (*datagram, error) {
	f, ok := facilities[facility]
	if !ok {
		return nil, fmt.Errorf("logging: no syslog facility %q", facility)
	}
	paths := syslogPaths
	return &datagram{dial: func() (net.Conn, error) { return dialFirst(paths...) }, encode: func(e entry, line string) []byte {
		return fmt.Appendf(nil, "<%d>%s %s[%d]: %s", f<<3|severity(e.level), e.time.Format("Jan _2 15:04:05"), program, os.Getpid(), line)
	}}, nil
}

// program is the name that the receivers of a log see.
const program = "poolgw"
