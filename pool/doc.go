// Package pool holds the members of a pool and the routing rule: which member
// a subscriber goes to, and why (TS 23.236 5.3, 5.4).
//
// It is pure: no I/O, no clock, no logger. Candidates go in, a choice and its
// reason come out. A Pool is immutable; what changes while it lives (a member
// is up) is an atomic word in the member's entry.
package pool
