package main

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"poolgw/vty"
)

// watchedSaves logs and counts what becomes of "write": who types it reads the
// answer, who watches the gateway does not.
type watchedSaves struct {
	vty.Program
	log    *slog.Logger
	failed prometheus.Counter
}

func watchSaves(p vty.Program, log *slog.Logger) *watchedSaves {
	return &watchedSaves{p, log.With("cat", "lglobal"), prometheus.NewCounter(prometheus.CounterOpts{
		Name: "poolgw_config_failed_saves_total", Help: "Times that the configuration could not be saved."})}
}

// Save implements vty.Program.
func (w *watchedSaves) Save(path string, force bool) (string, error) {
	file, err := w.Program.Save(path, force)
	if err != nil {
		w.failed.Inc()
		w.log.Error("configuration not saved", "err", err)
	} else {
		w.log.Info("configuration saved", "file", file)
	}
	return file, err
}
