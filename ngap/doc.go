// Package ngap reads, edits and makes NGAP PDUs (TS 38.413, Release 19) in aligned
// PER (X.691). It has no transport, no state, no clock and no logger.
//
//   - procedures.go is the one table of elementary procedures: code, messages,
//     initiator, association, criticality. doc/ngap-procedures.md is made from it.
//   - walk.go reads a PDU's header and IE list in one pass, without decoding values;
//     edit.go changes the list and appends the PDU again, with the lengths of IE,
//     list and PDU that follow. Both allocate nothing, up to a message of 16384
//     octets. They are what the forwarding path uses.
//   - The other files read and append the values that routing needs: ueid.go the UE
//     NGAP IDs, reset.go the lists of NG Reset, identity.go and guamilist.go what
//     identifies AMFs and UEs, nas.go the first octets of a NAS-PDU, area.go,
//     slice.go and node.go areas, slices and RAN nodes, setup.go, overload.go and
//     tnla.go what AMFs announce, cause.go causes and diagnostics, misc.go the rest.
//   - per.go and perwrite.go are aligned PER; extras.go keeps what is behind a value
//     that was read, so that what this package does not know survives a change.
//   - free5gc.go encodes messages that were made with free5gc/ngap's types.
//
// A gateway keeps one PDU per goroutine and a buffer for what it sends:
//
//	if err := p.Walk(in); err != nil { … }          // transfer syntax error
//	if id, twice := p.Repeated(); twice { … }       // falsely constructed message
//	id, i, err := p.AMFUENGAPID()
//	p.SetAMFUENGAPID(i, translated)
//	out = p.Append(out[:0])
//
// Every reader takes an IE's value and answers malformed octets by an *Error with
// the reason and the octet. Padding is ignored, and so are octets behind a PDU (see
// PDU.Surplus); octets behind a message or a value are a fault.
//
// To add an IE: its id (ie.go), a reader in the file of its concept, a row in the
// tests' table of readers, which fuzzes it, and octets of an outside witness.
package ngap
