// Package bssgp knows the base station subsystem GPRS protocol, TS 48.018
// (Release 15): the codec, the BVC state machine and the flow control
// arithmetic. It has no I/O, no clock and no logger.
//
//   - table.go is the one table of PDUs (clause 10): direction, kind of BVC, IEs.
//     Check judges a PDU by it, with the cause for a STATUS (clause 9).
//   - walk.go and read.go read single IEs without decoding the rest: what the
//     forwarding path uses. They allocate nothing.
//   - build.go, build_*.go append PDUs; pdu.go has a PDU as a list of IEs, for
//     logs, tests and what has no builder.
//   - flowcontrol.go scales a FLOW-CONTROL-BVC to a share of the cell (8.2,
//     11.3.102).
//   - bvc.go, fsm.go, fsm_actions.go are the BVC machine (8.3, 8.4).
//
// To add a PDU: its type (pdutype.go), new IEIs (iei.go), its row in table.go; a
// builder if the gateway or a simulator sends it; in samples_test.go its octets
// from an outside witness and the fields that tshark must read in them.
package bssgp
