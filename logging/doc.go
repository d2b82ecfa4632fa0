// Package logging brings slog records to the targets that an operator sets:
// stderr, files, syslog, the systemd journal, an alarm list and VTY sessions,
// each with levels by category and its own format, as Osmocom programs have
// them.
//
// A record's category is its attribute "cat" ("lns", "lbssgp", …); without it
// lglobal. Slow targets never hold up the program: each has a bounded
// queue and counts what it drops.
package logging
