package lab

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a ^C at the terminal from the gateway, which is ended by us,
// and ends it when this process dies in whatever way.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
