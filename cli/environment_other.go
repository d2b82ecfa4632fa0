//go:build !unix

package cli

func isNotAvailable(error) bool { return false }

func isInUse(error) bool { return false }
