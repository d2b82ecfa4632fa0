// Package gmm knows the GPRS mobility management messages (TS 24.008 9.4) that
// a simulated subscriber and a simulated SGSN exchange: attach, routing area
// update, identity, P-TMSI reallocation, detach. What a message needs beyond
// the fields of Message has the values of a plain GPRS phone (capability.go).
//
// To add a message: its type and name (gmm.go), its row with writer and reader
// (messages.go), octets from an outside witness (gmm_test.go).
package gmm
