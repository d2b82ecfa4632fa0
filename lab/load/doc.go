// Package load measures a Gb gateway: simulated BSSs and SGSNs bring NS and
// BVCs up with it over UDP and then send UL- and DL-UNITDATA in an open loop,
// at a given rate, with random local TLLIs over all NRIs. Each PDU carries its
// subscriber, number and time, so that who got it (the owner of the NRI, the
// cell), order, loss, duplicates, changed octets and latency are known of every
// single one.
//
// The same generator measures a bare relay, which is the floor: recvmmsg, a
// look-up of the NRI or BVCI, sendmmsg, and nothing else. What a figure of a
// gateway is worth, its ratio to the relay's of the same run tells.
//
// The user data of all nodes is sent and received by one thread on
// non-blocking sockets, in batches, never with segmentation offload; NS and
// BVC management are those of packages ns and bssgp.
//
// The same for N2 (n2*.go): simulated gNBs and AMFs over SCTP, UEs that register and
// leave, every message judged, beside a relay of SCTP messages.
package load
