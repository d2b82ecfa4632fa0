package main

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"poolgw/lab/sctptest"
	"poolgw/sctp"
)

// bindFaults are starts that have no way to SCTP, or not to the bind, over each
// stack: exit code 2 and, as the last line of standard error, one that says what to
// do.
var bindFaults = []struct {
	name      string
	transport string
	address   string // and port; the port PORT is a free one
	kernel    bool   // it takes a kernel that has SCTP; else one that has none
	nobody    bool   // run by a user who may do nothing
	occupy    func(t *testing.T, port int)
	want      []string // in that line
	unbuilt   []string // instead, in a build without userspace SCTP; nil: the same
}{
	{"UserspaceNotPermitted", "userspace", "127.0.0.1 PORT", false, true, nil,
		[]string{"not permitted: the userspace stack needs root or CAP_NET_RAW; transport udp-encapsulation does not"}, nil},
	{"EncapsulationPortInUse", "udp-encapsulation PORT", "127.0.0.1 38412", false, false, occupyUDP,
		[]string{"encapsulation port: ", "the address is in use: another program, or another poolgw, has it"}, nil},
	{"NothingAtAll", "auto", "127.0.0.1 PORT", false, true, nil,
		[]string{"no transport: the kernel has no SCTP: load its module (modprobe sctp)", "not permitted: the userspace stack needs root or CAP_NET_RAW"},
		[]string{"no transport: the kernel has no SCTP: load its module (modprobe sctp)", "this build has no userspace SCTP: install libusrsctp-dev and gcc"}},
	{"KernelMissing", "kernel", "127.0.0.1 PORT", false, false, nil,
		[]string{"the kernel has no SCTP: load its module (modprobe sctp), or take transport userspace"}, nil},
	{"KernelInUse", "kernel", "127.0.0.1 PORT", true, false, occupySCTP,
		[]string{"127.0.0.1:", "the address is in use: another program, or another poolgw, has it"}, nil},
	{"KernelNotPermitted", "kernel", "127.0.0.1 700", true, true, nil,
		[]string{"127.0.0.1:700", "not permitted: run as root, or give the capability", "CAP_NET_BIND_SERVICE (ports below 1024)"}, nil},
}

func TestN2BindFaults(t *testing.T) {
	_, kernelErr := sctp.Kernel()
	for _, c := range bindFaults {
		t.Run(c.name, func(t *testing.T) {
			switch {
			case c.kernel && kernelErr != nil:
				t.Skip("in the virtual machine instead (TestN2BindFaultsInVM)")
			case !c.kernel && kernelErr == nil:
				t.Skip("this kernel has SCTP")
			case strings.HasPrefix(c.transport, "u") && sctp.Available(sctp.OnlyUserspace, true) != nil:
				t.Skip(sctp.Available(sctp.OnlyUserspace, true))
			case os.Geteuid() != 0:
				t.Skip("not root: the userspace stack needs raw sockets, and nobody can't be had")
			}
			port := freePort(t, "udp")
			if c.occupy != nil {
				c.occupy(t, port)
			}
			text := fill(t, "MGMT\nngap\n bind ran\n  listen "+c.address+"\n  transport "+c.transport+"\n")
			code, said := startAs(t, strings.ReplaceAll(text, "PORT", fmt.Sprint(port)), c.nobody)
			lines := strings.Split(strings.TrimSpace(said), "\n")
			last := lines[len(lines)-1]
			if code != 2 || !strings.HasPrefix(last, "ngap bind ran: ") {
				t.Errorf("exit code %d, standard error:\n%s", code, said)
			}
			want := c.want
			if c.unbuilt != nil && sctp.Available(sctp.OnlyUserspace, true) != nil {
				want = c.unbuilt
			}
			for _, w := range want {
				if !strings.Contains(last, w) {
					t.Errorf("%q does not say %q", last, w)
				}
			}
		})
	}
}

// The kernel's part of TestN2BindFaults where this host's kernel has no SCTP.
func TestN2BindFaultsInVM(t *testing.T) {
	sctptest.InVM(t, "../../test/sctpvm", "^TestN2BindFaults$/^Kernel(InUse|NotPermitted)$", 300, 1024)
}

func occupyUDP(t *testing.T, port int) {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{Port: port})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
}

func occupySCTP(t *testing.T, port int) {
	t.Helper()
	k, err := sctp.Kernel()
	if err != nil {
		t.Fatal(err)
	}
	l, err := k.Listen(sctp.At(uint16(port), netip.MustParseAddr("127.0.0.1")), sctp.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
}

// startAs runs poolgw with a configuration, as us or as nobody, to its end.
func startAs(t *testing.T, text string, nobody bool) (code int, stderr string) {
	t.Helper()
	if !nobody {
		p := start(t, "-c", writeFile(t, text))
		return p.exited(t), p.err.String()
	}
	dir, err := os.MkdirTemp("/tmp", "poolgw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program, config := filepath.Join(dir, "poolgw"), filepath.Join(dir, "poolgw.cfg")
	for _, err := range []error{os.Chmod(dir, 0o755), os.WriteFile(program, self, 0o755), os.WriteFile(config, []byte(text), 0o644)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, "-c", config)
	cmd.Env, cmd.Dir = append(os.Environ(), runAsProgram+"=1"), dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	var said strings.Builder
	cmd.Stderr = &said
	cmd.Run()
	return cmd.ProcessState.ExitCode(), said.String()
}
