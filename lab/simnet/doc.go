// Package simnet is a datagram network in memory: an ns.Network whose
// endpoints lose, delay, reorder and duplicate what they carry, as a seed says.
//
// It uses channels and timers only, so that it works inside testing/synctest
// bubbles (create the Network inside the bubble). Queues are bounded, and every
// datagram is accounted for: Sent + Duplicated == Delivered + the drops +
// InFlight, see Stats.
//
// What happens to a datagram depends on the seed, its two addresses and its
// number among the datagrams between them, never on how goroutines interleave:
// a run with one writer per address can be repeated.
package simnet
