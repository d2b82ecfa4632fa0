package sctp

import "fmt"

// Choice is the word "transport" of a configuration.
type Choice uint8

// Choices.
const (
	Auto Choice = iota // the kernel's stack where it has one, else the userspace stack
	OnlyKernel
	OnlyUserspace
)

func (c Choice) String() string { return nameOf(int(c), "auto", "kernel", "userspace") }

// Available tells, without starting anything, why Choose would give no transport
// that can be used, and what to do; nil: it would.
func Available(c Choice, encapsulated bool) error {
	if c == OnlyUserspace {
		return userspaceAvailable(encapsulated)
	}
	_, kernelErr := Kernel()
	if kernelErr == nil || c == OnlyKernel {
		return kernelErr
	}
	if err := userspaceAvailable(encapsulated); err != nil {
		return fmt.Errorf("sctp: no transport: %w; %w", kernelErr, err)
	}
	return nil
}

// Choose returns the transport for c. With Auto the reason says why the first
// choice was not taken; it is for the log and for "show sctp". The error says
// what to do when there is none.
func Choose(c Choice, o UserspaceOptions) (t Transport, reason string, err error) {
	if c == OnlyUserspace {
		t, err = Userspace(o)
		return t, "", err
	}
	k, kernelErr := Kernel()
	if kernelErr == nil || c == OnlyKernel {
		return k, "", kernelErr
	}
	if t, err = Userspace(o); err != nil {
		return nil, "", fmt.Errorf("sctp: no transport: %w; %w", kernelErr, err)
	}
	return t, kernelErr.Error(), nil
}
