//go:build usrsctp && cgo

package sctp

// #include "userspace.h"
import "C"

// UserspaceRoom tells of the packets that wait for the userspace stack.
func UserspaceRoom() Room {
	theUserspace.Lock()
	defer theUserspace.Unlock()
	var r C.struct_pg_room
	C.pg_room(&r)
	return Room{int(r.octets), C.PG_ROOM, uint64(r.dropped)}
}

// sendsLocked is how often a send took an association's lock that the library only tries.
func sendsLocked() uint64 { return uint64(C.pg_sends_locked()) }

// ticks is how often the library's timer had its turn, in which nothing is sent.
func ticks() uint64 { return uint64(C.pg_ticks()) }
