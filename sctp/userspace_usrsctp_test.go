//go:build usrsctp && cgo

package sctp_test

import (
	"net/netip"
	"os"
	"strconv"
	"testing"
	"time"

	"poolgw/lab/sctptest"
	"poolgw/sctp"
)

func userspaceBed(t *testing.T) sctptest.Bed {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not root: the userspace stack needs raw sockets")
	}
	if _, err := sctp.Kernel(); err == nil {
		t.Skip("this kernel has SCTP: it aborts what the userspace stack opens over IP at the same address")
	}
	u, err := sctp.Userspace(sctp.UserspaceOptions{UDPPort: 9899})
	if err != nil {
		t.Fatal(err)
	}
	lo := netip.MustParseAddr("127.0.0.1")
	return sctptest.Bed{Server: u, Client: u, Addrs: []netip.Addr{lo}, Port: 38412, Local: []netip.Addr{lo},
		Many: 200, Patience: 10 * time.Second, Options: sctp.Defaults()}
}

// Facts: N3-03, N3-04, N3-06, N3-07, N3-09, N3-11
func TestUserspaceContract(t *testing.T) { sctptest.Run(t, userspaceBed) }

func TestUserspaceContractOverUDP(t *testing.T) {
	sctptest.Run(t, func(t *testing.T) sctptest.Bed {
		b := userspaceBed(t)
		b.Options.Encapsulation = 9899
		return b
	})
}

// Facts: N3-05, N3-08, N3-10, N6-70
func TestUserspacePaths(t *testing.T) {
	n := nodeSettings{Transport: "userspace", Options: quick()}
	t.Run("IP", func(t *testing.T) {
		if _, err := sctp.Kernel(); err == nil {
			t.Skip("this kernel has SCTP: it aborts what the userspace stack opens over IP at the same address")
		}
		runScenes(t, n)
	})
	n.Stack.UDPPort, n.Options.Encapsulation = 9899, 9899
	t.Run("UDP", func(t *testing.T) { runScenes(t, n) })
}

// Facts: N2-01, N3-02
func TestUserspaceOnTheWire(t *testing.T) {
	for _, c := range onEachBed {
		t.Run(c.name, func(t *testing.T) { c.run(t, userspaceBed(t)) })
	}
}

func TestUserspaceTenThousand(t *testing.T) { manyFewThreads(t, userspaceBed(t), 10000) }

// Closing frees everything that the library took: after a warm-up, associations
// that come and go leave the memory as it was. SCTP_SOAK says how many,
// instead of 1,000.
func TestUserspaceSoak(t *testing.T) {
	n := 1000
	if v, err := strconv.Atoi(os.Getenv("SCTP_SOAK")); err == nil {
		n = v
	}
	b := userspaceBed(t)
	openAndEnd(t, b, n/4)
	before := residentKiB(t)
	openAndEnd(t, b, n)
	grown, most := residentKiB(t)-before, 8<<10+n/2
	for end := time.Now().Add(b.Patience); grown > most && time.Now().Before(end); grown = residentKiB(t) - before {
		time.Sleep(50 * time.Millisecond) // sockets outlive their associations for a moment
	}
	t.Logf("%d associations: %d KiB before, %d KiB more after", n, before, grown)
	if grown > most && !raceDetector {
		t.Errorf("grown by %d KiB, more than %d", grown, most)
	}
}
