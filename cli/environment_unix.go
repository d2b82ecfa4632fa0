//go:build unix

package cli

import (
	"errors"
	"syscall"
)

func isNotAvailable(err error) bool { return errors.Is(err, syscall.EADDRNOTAVAIL) }

func isInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
