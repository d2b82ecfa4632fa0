// Package simsctp is an SCTP network in memory: an sctp.Transport for tests in
// virtual time. It uses channels and timers only, so that it works inside
// testing/synctest bubbles (create the Network inside the bubble).
//
// It models what a user of SCTP sees: messages whole and in order per
// association, several addresses per end, paths that are cut and heal, the
// time-outs of Options, ABORT, SHUTDOWN, peers that vanish or restart, full
// buffers. It does not model chunks: nothing is lost within an association that
// lives.
package simsctp
