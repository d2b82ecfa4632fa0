package sctp_test

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"poolgw/sctp"
)

const aloneVariable = "SCTP_TEST_ALONE"

// alone runs these tests in a network namespace of their own, with the exit code
// that they have there: another userspace stack on this host (a gateway, the lab)
// aborts what it does not know. False: here, for want of rights or of the need.
func alone() (code int, ran bool) {
	if os.Getenv(aloneVariable) != "" {
		exec.Command("ip", "link", "set", "lo", "up").Run()
		return 0, false
	}
	_, noIP := exec.LookPath("ip")
	_, noKernel := sctp.Kernel()
	if os.Geteuid() != 0 || noIP != nil || noKernel == nil {
		return 0, false
	}
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), aloneVariable+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if cmd.Start() != nil {
		return 0, false
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() < 0 {
		fmt.Fprintln(os.Stderr, "the tests ended by", err)
	}
	return cmd.ProcessState.ExitCode(), true
}
