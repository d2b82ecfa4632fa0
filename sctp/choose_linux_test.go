package sctp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"poolgw/sctp"
)

// Auto takes the kernel's stack where there is one, else the userspace stack,
// and says why.
func TestChoose(t *testing.T) {
	o := sctp.UserspaceOptions{UDPPort: 9899}
	_, kernelErr := sctp.Kernel()
	got, reason, err := sctp.Choose(sctp.Auto, o)
	if kernelErr == nil {
		// Without starting the userspace stack, which the kernel's would disturb.
		if err != nil || got.Name() != "kernel" || reason != "" {
			t.Errorf("%v, %q, %v", got, reason, err)
		}
		return
	}
	_, userErr := sctp.Userspace(o)
	switch {
	case userErr == nil:
		if err != nil || got.Name() != "userspace" || !strings.Contains(reason, "modprobe sctp") {
			t.Errorf("%v, %q, %v", got, reason, err)
		}
	case err == nil || !strings.Contains(err.Error(), "modprobe sctp") || strings.Contains(err.Error(), "\n"):
		t.Errorf("no stack at all, but %v, %v", got, err)
	}
	for _, c := range []struct {
		choice sctp.Choice
		name   string
		err    error
	}{{sctp.OnlyKernel, "kernel", kernelErr}, {sctp.OnlyUserspace, "userspace", userErr}} {
		got, reason, err := sctp.Choose(c.choice, o)
		if (err == nil) != (c.err == nil) || reason != "" || err == nil && got.Name() != c.name {
			t.Errorf("%v: %v, %q, %v", c.choice, got, reason, err)
		}
	}
}

// asNobody runs the tests that match, in a process that may do nothing.
func asNobody(t *testing.T, run string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not root: cannot become nobody")
	}
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "sctp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self := filepath.Join(dir, "test")
	if err := os.WriteFile(self, b, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.v", "-test.run", run)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SCTP_TEST_NOBODY=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, _ := cmd.CombinedOutput()
	return string(out)
}
