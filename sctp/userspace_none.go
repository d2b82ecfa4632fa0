//go:build !usrsctp || !cgo

package sctp

import "errors"

// Userspace says that this build has none.
func Userspace(UserspaceOptions) (Transport, error) {
	return nil, errors.New("sctp: this build has no userspace SCTP: install libusrsctp-dev and gcc, and build again with make")
}
