// Package stats is Osmocom's statistics: groups of counters with their rates,
// stat items, and the reporters that send them to a statsd server or the log.
//
// It counts nothing: a Source is asked for what others count. Each second a
// Registry reads every group and keeps what rates and reports need; a Reader in
// between gets the values of the moment with the rates of the last whole
// second, minute, hour and day, as libosmocore has them. The package knows
// nothing of what the values mean.
package stats
