// Package pool holds the members of a pool and the routing rule: which member
// a subscriber goes to, and why (TS 23.236 5.3, 5.4).
//
// It is pure: no I/O, no clock, no logger. Candidates go in, a choice and its
// reason come out. A Pool is immutable; what changes while it lives (a member
// is up) is an atomic word in the member's entry, which the next Pool takes
// over. Times are durations since a moment of the caller's choice, so that no
// step of the wall clock matters.
//
// The rule, in the order in which Route tries it:
//
//  1. The identity carries an NRI (local or foreign TLLI, P-TMSI):
//     a NULL-NRI: as in 2, never a member whose ranges hold it;
//     owned: the owner while it is up, drained or not; of several owners the
//     first in configuration order that is up;
//     the owner is down: hold (drop) for OwnerDownHold, then as in 2;
//     nobody owns it: as in 2.
//  2. No owner: the fixed member if one is set, else the member the subscriber
//     was lately seen going to (its pin) while that is up, drained or not, else
//     one by weighted rendezvous hash of the subscriber's key among the members
//     that are up and allow attach.
//  3. Nobody is left: no member; drained ones are not used.
//
// With NRI length 0 pooling is off: no identity carries an NRI and all
// subscribers are shared out by 2; with one member it is that one.
//
// A weight is a member's share of the subscribers of 2. Weight 0 means none
// while another candidate has a weight; when no candidate has one they share
// equally, for they do allow attach: to close a member, drain it.
package pool
