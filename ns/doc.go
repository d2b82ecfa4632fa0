// Package ns knows the network service of the Gb interface, TS 48.016: the
// codec, the NS-VC and IP-SNS state machines, UDP binds and load sharing.
//
// A Stack is owned by one goroutine (its loop): control datagrams, timers and
// configuration changes happen there. User data does not pass through the
// loop: the worker whose socket got a datagram hands it to the DataPath and
// sends what comes of it out of its own sockets, against entries whose
// changing parts are atomic words.
package ns
