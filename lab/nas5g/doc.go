// Package nas5g encodes and decodes the 5GMM messages (TS 24.501) that the
// simulated UEs and AMFs of the lab exchange: registration, service request,
// de-registration, identification, NAS transport, 5GMM status.
//
// It knows plain messages and messages in a security header of the NULL
// algorithms, whose authentication code is 0 (TS 24.501, 9.3). It is not a NAS
// stack: there are no keys.
//
// To add a message: its Type in types.go, its row in layouts (message.go), an
// octet string that others made in message_test.go.
package nas5g
