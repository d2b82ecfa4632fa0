//go:build !linux

package ns

import "errors"

// MayOpen is there for Linux only.
func MayOpen(BindConfig) error { return nil }

// Listen is there for Linux only.
func (k *KernelUDP) Listen(BindConfig, int) ([]Conn, error) {
	return nil, errors.New("ns: UDP binds need Linux")
}
