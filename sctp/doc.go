// Package sctp is one interface to SCTP associations (RFC 9260) with
// several transports beneath: the kernel's stack, a userspace stack, and, in
// lab/simsctp, a network in memory.
//
// It carries messages and tells what happens to an association; it knows
// nothing of NGAP beyond the number of its payload protocol identifier.
//
// Whoever owns an association reads it from one goroutine (Recv) and sends from
// one goroutine; the two may differ. Send never blocks: ErrFull is
// back-pressure, and OnWritable tells when it ends. A message is taken or
// refused whole. Addresses are always explicit: a wildcard bind would announce
// every address of the host to the peer.
package sctp
