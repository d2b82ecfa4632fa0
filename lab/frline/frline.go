//go:build linux

// Package frline makes Frame Relay lines for tests: a network device whose
// frames the test reads and writes, in a network namespace of its own.
package frline

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const childEnv = "POOLGW_NETNS"

// InNamespace runs the calling test again, in a new network namespace with its
// loopback up, and tells there that it does: the test goes on only when it
// returns true. Without root it skips. It may be called once in a test, which is
// parallel by it.
func InNamespace(t *testing.T) bool {
	t.Helper()
	if os.Getenv(childEnv) == t.Name() {
		if err := SetUp("lo", true); err != nil {
			t.Fatal(err)
		}
		return true
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make a network namespace")
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		t.Skip("this machine has no /dev/net/tun")
	}
	t.Parallel() // it only waits here
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), childEnv+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	switch text := string(out); {
	case errors.Is(err, syscall.EPERM):
		t.Skip("may not make a network namespace")
	case err != nil:
		t.Fatalf("%v\n%s", err, text)
	case strings.Contains(text, "--- SKIP"):
		t.Skip(text)
	case !strings.Contains(text, "--- PASS: "+t.Name()):
		t.Fatalf("did not run\n%s", text)
	case testing.Verbose():
		t.Log(text)
	}
	return false
}

// Line is a device and the test's end of it.
type Line struct {
	Name string
	file *os.File
}

// header is what the kernel puts before each packet: flags, protocol.
const header = 4

// protoHDLC is ETH_P_HDLC, as the kernel's HDLC devices have it.
const protoHDLC = 0x0019

const protoIPv6 = "\x86\xdd"

// New makes a device that is down. Its packets are frames from the address
// field on, without flags and check sequence, as those of an HDLC device are.
func New(name string) (*Line, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	r, err := unix.NewIfreq(name)
	if err == nil {
		r.SetUint16(unix.IFF_TUN)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, r)
	}
	if err == nil {
		err = unix.IoctlSetInt(fd, unix.TUNSETLINK, unix.ARPHRD_FRAD)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("frline: %s: %w", name, err)
	}
	return &Line{Name: name, file: os.NewFile(uintptr(fd), name)}, nil
}

// Close takes the device away.
func (l *Line) Close() error { return l.file.Close() }

// Write puts a frame on the line, towards the device's user.
func (l *Line) Write(frame []byte) error {
	_, err := l.file.Write(append([]byte{0, 0, protoHDLC >> 8, protoHDLC & 0xff}, frame...))
	return err
}

// Read waits for a frame of the device's user; os.ErrDeadlineExceeded when none
// comes within d. What the kernel itself sends (IPv6) is passed over.
func (l *Line) Read(d time.Duration) ([]byte, error) {
	if err := l.file.SetReadDeadline(time.Now().Add(d)); err != nil {
		return nil, err
	}
	buf := make([]byte, 4096)
	for {
		n, err := l.file.Read(buf)
		if err != nil {
			return nil, err
		}
		if n > header && string(buf[2:header]) != protoIPv6 {
			return buf[header:n], nil
		}
	}
}

// SetUp brings a device up or takes it down.
func SetUp(name string, up bool) error {
	return ifreq(name, unix.SIOCGIFFLAGS, unix.SIOCSIFFLAGS, func(r *unix.Ifreq) {
		flags := r.Uint16() &^ unix.IFF_UP
		if up {
			flags |= unix.IFF_UP
		}
		r.SetUint16(flags)
	})
}

// SetMTU sets the MTU of a device.
func SetMTU(name string, mtu int) error {
	return ifreq(name, unix.SIOCGIFMTU, unix.SIOCSIFMTU, func(r *unix.Ifreq) { r.SetUint32(uint32(mtu)) })
}

// Slow makes the device, which must be up, as slow as kbits: 4000 octets wait,
// more the kernel refuses. Without the tool for it the test skips.
func Slow(t *testing.T, name string, kbits int) {
	t.Helper()
	if _, err := exec.LookPath("tc"); err != nil {
		t.Skip("tc is not installed: no slow device here")
	}
	out, err := exec.Command("tc", "qdisc", "replace", "dev", name, "root", "tbf",
		"rate", fmt.Sprintf("%dkbit", kbits), "burst", "1600", "limit", "4000").CombinedOutput()
	if err != nil {
		t.Skipf("this kernel makes no slow device: %s", out)
	}
}

func ifreq(name string, get, set uint, change func(*unix.Ifreq)) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	r, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, get, r); err != nil {
		return err
	}
	change(r)
	return unix.IoctlIfreq(fd, set, r)
}

// AddAddress gives the loopback another IPv6 address and waits until it can be
// used.
func AddAddress(a [16]byte) error {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	const loopback = 1 // always the first device
	req := struct {
		addr   [16]byte
		prefix uint32
		index  int32
	}{a, 128, loopback}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFADDR, uintptr(unsafe.Pointer(&req))); errno != 0 {
		return errno
	}
	for range 500 {
		if err = unix.Bind(fd, &unix.SockaddrInet6{Addr: a}); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}
