// Package lab has simulated peers for the gateway: BSSs with cells and
// subscribers, SGSNs that form a pool, and the demonstration "poolgw lab" that
// puts a gateway between them.
//
// The simulators speak NS (TS 48.016) and BSSGP (TS 48.018) through packages ns
// and bssgp, GMM (TS 24.008) over LLC (TS 44.064) through lab/gmm and lab/llc,
// over the kernel's UDP or an in-memory network (lab/simnet). Each has one loop
// of its own, bounded tables, and behaves as its seed says. They record what
// happened: who serves whom, what was sent, lost, repeated, out of order, or
// delivered to the wrong SGSN. That record is the truth which the gateway's
// own figures are judged by.
//
// A subscriber's user data are ICMP echo requests with a sequence number, which
// its SGSN answers; so a capture of the lab reads as what it is.
//
// What is simplified: no ciphering, no authentication, no SM; T3312 runs from
// the last accept, whatever the READY timer says; the SGSNs share a location
// register (Register) and hand no contexts over: a routing area update at an
// SGSN that does not know the P-TMSI is rejected with "implicitly detached",
// and the subscriber attaches anew.
package lab
