//go:build !usrsctp || !cgo

package sctp

import "errors"

var errNoUserspace = errors.New("sctp: this build has no userspace SCTP: install libusrsctp-dev and gcc, and build again with make")

// Userspace says that this build has none.
func Userspace(UserspaceOptions) (Transport, error) { return nil, errNoUserspace }

func userspaceAvailable(bool) error { return errNoUserspace }

// UserspaceRoom tells that there is no userspace stack.
func UserspaceRoom() Room { return Room{} }
