package n2_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/lab/tshark"
	"poolgw/sctp"
)

// What the userspace stack sends, over IP and over UDP, is SCTP and NGAP to tshark:
// as many PDUs as the gateway counted, none malformed but the one that is broken on
// purpose.
func TestRealIsNGAPToTshark(t *testing.T) {
	onStacks(t, []realStack{userspaceStack, udpStack}, func(t *testing.T, s realStack) {
		see := tap(t)
		r := startReal(t, s, realConfig{capacities: []uint8{100, 100}})
		r.sameIDs()
		r.sendBroken()
		var counted uint64
		r.until("the broken PDU is answered", 10*time.Second, func() bool {
			c := r.gw.Conservation()
			counted = c.FromGNB + c.FromAMF + c.ToGNB + c.ToAMF
			return c.Balance() == 0 && c.Dropped["malformed"] == 1
		})
		packets := see()
		var as []string
		for i := range 3 {
			if s.udp != 0 {
				as = append(as, "-d", fmt.Sprintf("udp.port==%d,sctp", int(s.udp)+i))
			}
		}
		var seen, malformed uint64
		for i, f := range tshark.DissectLink(t, tshark.LinkRaw, packets, as, "ngap.procedureCode", "sctp.checksum.status") {
			if !strings.Contains(f.Protocols, "sctp") || strings.Contains(f.Protocols, "udp") != (s.udp != 0) || f.Field("sctp.checksum.status") == "0" {
				t.Errorf("%x: %s, checksum %s", packets[i], f.Protocols, f.Field("sctp.checksum.status"))
			}
			if codes := f.Field("ngap.procedureCode"); codes != "" {
				seen += uint64(strings.Count(codes, ",") + 1)
			}
			if f.Malformed {
				malformed++
			}
		}
		if seen != counted || malformed != 1 || counted < 500 {
			t.Errorf("tshark sees %d PDUs in %d packets, the gateway counted %d; malformed %d, want 1", seen, len(packets), counted, malformed)
		}
	})
}

// sendBroken sends a PDU whose end is missing as a gNB of its own.
func (r *real) sendBroken() {
	r.Helper()
	c := r.ranConfig(busy)
	a, err := r.transport.Dial(context.Background(), sctp.At(0, lo), c.AMF, c.Options)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { a.Abort("end of test") })
	pdu := unhex(setupRequest)
	if err := a.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: pdu[:len(pdu)-3]}); err != nil {
		r.Fatal(err)
	}
}

// tap keeps every SCTP packet that this namespace sends or gets, in UDP or not.
func tap(t *testing.T) func() [][]byte {
	t.Helper()
	const ethPAll = 0x0300 // in network byte order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, ethPAll)
	if err != nil {
		t.Fatal(err)
	}
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20)
	unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 100_000})
	var packets [][]byte
	over, done := make(chan struct{}), sync.WaitGroup{}
	done.Go(func() {
		for b := make([]byte, 65536); ; {
			n, from, err := unix.Recvfrom(fd, b, 0)
			if err == nil && wanted(from, b[:n]) {
				packets = append(packets, append([]byte(nil), b[:n]...))
			}
			select {
			case <-over:
				if err != nil {
					return
				}
			default:
			}
		}
	})
	return func() [][]byte {
		close(over)
		done.Wait()
		defer unix.Close(fd)
		if s, err := unix.GetsockoptTpacketStats(fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err != nil || s.Drops > 0 {
			t.Fatalf("the tap missed packets: %+v, %v", s, err)
		}
		return packets
	}
}

// wanted takes each packet once: on loopback, the namespace's first interface, there
// is each as it leaves and as it comes.
func wanted(from unix.Sockaddr, b []byte) bool {
	ll, ok := from.(*unix.SockaddrLinklayer)
	if !ok || ll.Ifindex == 1 && ll.Pkttype != unix.PACKET_OUTGOING || len(b) < 20 || b[0] != 0x45 {
		return false
	}
	return b[9] == unix.IPPROTO_SCTP || b[9] == unix.IPPROTO_UDP
}
