package n2_test

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

const inNamespace = "POOLGW_TEST_NETNS"

// alone runs the test in a network namespace of its own, where no other stack of
// this host aborts what it does not know; it tells whether this is the process
// in there.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(inNamespace) != "" {
		return true
	}
	if os.Geteuid() != 0 {
		t.Skip("not root: no network namespaces, no raw sockets")
	}
	pattern := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.Command(os.Args[0], "-test.run="+pattern, "-test.v", "-test.timeout=15m")
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	out, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(err.Error(), "operation not permitted") {
		t.Skip("no network namespaces here")
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	} else if s := string(out); strings.Contains(s, "--- SKIP") {
		t.Skip(s)
	}
	return false
}

// place is where a test over a real stack happens: gateway and gNBs are in this
// process, which has a network namespace to itself, the AMFs in another one. Link i
// has 10.98.i.1 here and 10.98.i.2 there.
type place struct {
	*testing.T
	there string
}

func newPlace(t *testing.T, links ...int) *place {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("no ip command (Debian: iproute2)")
	}
	p := &place{T: t, there: fmt.Sprintf("n2there%d", os.Getpid())}
	p.ip("netns", "add", p.there)
	t.Cleanup(func() { exec.Command("ip", "netns", "del", p.there).Run() })
	p.ip("link", "set", "lo", "up")
	p.ip("addr", "add", "127.0.0.2/8", "dev", "lo")
	p.ip("-n", p.there, "link", "set", "lo", "up")
	for _, i := range links {
		name := fmt.Sprintf("v%d", i)
		p.ip("link", "add", name, "type", "veth", "peer", "name", name, "netns", p.there)
		p.ip("addr", "add", here(i).String()+"/24", "dev", name)
		p.ip("-n", p.there, "addr", "add", there(i).String()+"/24", "dev", name)
		p.ip("link", "set", name, "up")
		p.ip("-n", p.there, "link", "set", name, "up")
	}
	return p
}

func here(link int) netip.Addr  { return netip.AddrFrom4([4]byte{10, 98, byte(link), 1}) }
func there(link int) netip.Addr { return netip.AddrFrom4([4]byte{10, 98, byte(link), 2}) }

func (p *place) ip(args ...string) {
	p.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		p.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// cut makes a link a black hole both ways: its packets go to a station that
// isn't there.
func (p *place) cut(link int) {
	p.Helper()
	station := []string{"dev", fmt.Sprintf("v%d", link), "lladdr", "02:00:00:00:00:99", "nud", "permanent"}
	p.ip(append([]string{"neigh", "replace", there(link).String()}, station...)...)
	p.ip(append([]string{"-n", p.there, "neigh", "replace", here(link).String()}, station...)...)
}

func (p *place) restore(link int) {
	p.Helper()
	dev := fmt.Sprintf("v%d", link)
	p.ip("neigh", "del", there(link).String(), "dev", dev)
	p.ip("-n", p.there, "neigh", "del", here(link).String(), "dev", dev)
}

// command runs this program in the other namespace.
func (p *place) command(env ...string) *exec.Cmd {
	cmd := exec.Command("ip", "netns", "exec", p.there, os.Args[0])
	cmd.Env = append(os.Environ(), env...)
	return cmd
}
