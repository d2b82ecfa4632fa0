package logging

import "github.com/prometheus/client_golang/prometheus"

// Register exports what the log has lost.
func (h *Hub) Register(r prometheus.Registerer) error {
	for _, c := range []struct {
		name, help string
		value      func() uint64
	}{
		{"log_lines_held_back_total", "Log lines over the limit of lines per second.", h.Muted},
		{"log_lines_dropped_total", "Log lines that a slow target had no room for.", h.Dropped},
		{"log_lines_failed_total", "Log lines that a target could not write.", h.Failed},
	} {
		f := c.value
		if err := r.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: c.name, Help: c.help},
			func() float64 { return float64(f()) })); err != nil {
			return err
		}
	}
	return nil
}
