//go:build !linux || !(amd64 || arm64)

package sctp

import "errors"

// Kernel says that this system's kernel stack is not supported.
func Kernel() (Transport, error) {
	return nil, errors.New("sctp: kernel SCTP needs Linux on amd64 or arm64")
}
