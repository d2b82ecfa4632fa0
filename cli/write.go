package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"poolgw/config"
)

// writer collects lines of a configuration.
type writer struct{ bytes.Buffer }

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

// trimmed is line without spaces at the end.
func (w *writer) trimmed(format string, args ...any) {
	w.line("%s", strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

func (w *writer) lineIf(cond bool, format string, args ...any) {
	if cond {
		w.line(format, args...)
	}
}

// WriteConfig writes c as lines that load to the same configuration, in
// osmo-gbproxy's order: what is a default is written where osmo-gbproxy does so.
func WriteConfig(to io.Writer, c *config.Config) error {
	var w writer
	for _, node := range []func(*writer, *config.Config){
		writeHost, writeLogs, writeStats, writeLine, writeCPUSched, writeMetrics, writeLimits,
		writeNS, writeCtrl, writeGbproxy, writeSGSNs, writeNGAP, writeAMFs,
	} {
		node(&w, c)
	}
	_, err := to.Write(w.Bytes())
	return err
}
