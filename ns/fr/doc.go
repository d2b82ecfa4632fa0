// Package fr knows what lies between NS and a Frame Relay line: the two-octet
// address of Q.922, the local management (LMI) of Q.933 Annex A in both roles,
// and Frame Relay in GRE (RFC 2784, RFC 2890).
//
// It is codec and state machine only: no sockets, no clock, no goroutines.
// Package ns owns a Link per line and gives it what comes in, and the time.
package fr
