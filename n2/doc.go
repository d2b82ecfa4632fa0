// Package n2 is the N2 gateway: gNBs on one side see one AMF, behind it is a pool
// of AMFs (TS 38.413, 38.412, 23.501 5.19 and 6.3.5).
//
// One goroutine owns a gNB (gnb.go): its association, one association to each AMF
// (leg.go) and its UE bindings (ue.go). The way of a PDU: a reader (link.go) takes
// it from an association and gives it to the owner; the owner walks it, finds its
// row in the table of procedures (table.go), and the row's rule forwards it with
// the AMF UE NGAP ID translated (relay.go, ids.go), or ends it here: setup.go,
// update.go, reset.go, handover.go, reroute.go, broadcast.go. What gNBs share is
// the directory of members (directory.go), read without a lock, and the index of
// bindings (bindings.go), which only procedures across gNBs ask. Owners talk to
// each other by messages (mail.go), never by locks.
//
// Every PDU is accounted for (conserve.go).
//
// It is not the transport (sctp), nor the codec (ngap), nor does it decide which
// AMF a UE has (pool). It knows neither VTY nor files.
package n2
