// Package pcusock is the BTS's end of Osmocom's PCU socket: it lets a real
// osmo-pcu run as a BSS without any radio.
//
// A PCU connects to a UNIX socket of type SEQPACKET and tells its software
// version (TXT_IND). The BTS answers with INFO_IND, which holds the cell and the
// NS-VCs toward the SGSN, and with the frame clock (TIME_IND); the PCU then
// brings up NS and BSSGP by itself. It asks for its packet data channels
// (ACT_REQ); for each block of an active one the BTS asks for data (RTS_REQ) and
// the PCU sends a block (DATA_REQ), which goes nowhere here.
//
// The messages are those of interface version 10, which osmo-pcu 1.0 and 1.1
// speak: C structures without padding, in the host's byte order but for
// addresses. The version stands in INFO_IND alone; a PCU of another one leaves.
//
// To add a message: its type and name in types.go, its length in bodySizes, and
// a struct with a fields method that lists the members in wire order.
package pcusock
