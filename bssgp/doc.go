// Package bssgp knows the base station subsystem GPRS protocol, TS 48.018:
// the codec (PDU and IE tables, walkers, builders), the BVC state machine and
// the flow control arithmetic. It has no I/O, no clock and no logger.
package bssgp
