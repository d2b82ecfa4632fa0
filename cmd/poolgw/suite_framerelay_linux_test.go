package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/lab/frline"
)

// What is put into the suite's file: a BSS on four lines, as the suite has it,
// or with four DLCIs over GRE.
const (
	suiteLines = `ns
 bind fr line1
  fr hdlcnet1 frnet
 bind fr line2
  fr hdlcnet2 frnet
 bind fr line3
  fr hdlcnet3 frnet
 bind fr line4
  fr hdlcnet4 frnet
 nse 2001
  nsvc fr hdlcnet1 dlci 16 nsvci 1
  nsvc fr hdlcnet2 dlci 17 nsvci 2
  nsvc fr hdlcnet3 dlci 18 nsvci 3
  nsvc fr hdlcnet4 dlci 19 nsvci 4
`
	suiteGRE = `ns
 bind frgre tunnel
  frgre listen 127.0.0.5
 nse 2001
  nsvc frgre tunnel 127.0.0.7 dlci 16 nsvci 1
  nsvc frgre tunnel 127.0.0.7 dlci 17 nsvci 2
  nsvc frgre tunnel 127.0.0.7 dlci 18 nsvci 3
  nsvc frgre tunnel 127.0.0.7 dlci 19 nsvci 4
`
)

// TestSuiteFrameRelay is the suite's TC_load_sharing_dl where the suite has it:
// at a BSS with four NS-VCs on Frame Relay; and the same over GRE. SGSNs are as
// ever.
//
// Facts: G1.1-02, G1.1-05, G1.5-08
func TestSuiteFrameRelay(t *testing.T) {
	if !frline.InNamespace(t) {
		return
	}
	for _, tc := range []struct {
		name, config string
		open         func(t *testing.T, n *nse)
	}{{"lines", suiteLines, openLines}, {"GRE", suiteGRE, openGRE}} {
		t.Run(tc.name, func(t *testing.T) {
			n := &nse{t: t, name: tc.name, nsei: 2001, cells: suiteCells()[0], nsvcis: []uint16{1, 2, 3, 4}, acked: map[int]bool{}}
			tc.open(t, n)
			l := &lane{addr: netip.MustParseAddr("127.0.0.1")}
			l.gw = start(t, "-c", writeFile(t, strings.Replace(suiteConfig(t, l.addr, false), "ns\n", tc.config, 1)))
			l.gw.running(t)
			w := newWorld(t, l, false)
			w.startSGSNs(suiteCells())
			w.vty.do("nse 101 restart-sns")
			w.vty.do("nse 102 restart-sns")
			w.sgsnsUp()
			n.until("NS-UNBLOCK of all NS-VCs", func() bool { return n.opened >= 4 })
			n.send(0, "22 04820000"+omReset)
			w.bss = []*nse{n}
			w.allUnblocked()
			w.begin()
			w.shared(0, n)
			w.shared(1, n)
			w.idle()
		})
	}
}

// openLines makes the far ends of four lines, the user's side of Q.933 Annex A.
func openLines(t *testing.T, n *nse) {
	for i := range n.nsvcis {
		line, err := frline.New(fmt.Sprintf("hdlcnet%d", i+1))
		if err != nil {
			t.Fatal(err)
		}
		far := &farEnd{line: line, dlci: q922(16 + i), n: n, on: i}
		n.eps = append(n.eps, &endpoint{sig: 1, data: 1, write: func(pdu []byte) { _ = line.Write(append(far.dlci[:], pdu...)) }})
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() { far.read(stop) })
		wg.Go(func() { far.poll(stop) })
		t.Cleanup(func() {
			close(stop)
			wg.Wait()
			line.Close()
		})
	}
}

// q922 is an address field of two octets, Q.922 figure 2: six bits of the DLCI,
// then four.
func q922(dlci int) [2]byte { return [2]byte{byte(dlci >> 4 << 2), byte(dlci&15<<4 | 1)} }

// farEnd is the far end of a line.
type farEnd struct {
	line *frline.Line
	dlci [2]byte
	n    *nse
	on   int

	mu     sync.Mutex
	tx, rx byte // sequence numbers of the LMI
}

func (f *farEnd) read(stop <-chan struct{}) {
	for {
		frame, err := f.line.Read(100 * time.Millisecond)
		select {
		case <-stop:
			return
		default:
		}
		switch {
		case os.IsTimeout(err) || err != nil || len(frame) < 3:
		case bytes.HasPrefix(frame, []byte{0, 1, 3, 8, 0, 0x7d, 0x51, 1, 0, 0x53, 2}) && len(frame) > 12: // STATUS, full
			f.mu.Lock()
			f.rx = frame[11]
			f.mu.Unlock()
		case bytes.HasPrefix(frame, f.dlci[:]):
			f.n.take(f.on, frame[2:])
		}
	}
}

// poll asks for a full status, as no T391 has it, so that the line is up soon.
func (f *farEnd) poll(stop <-chan struct{}) {
	for {
		f.mu.Lock()
		f.tx = max(1, f.tx+1) // 0 is never sent
		enquiry := []byte{0, 1, 3, 8, 0, 0x75, 0x51, 1, 0, 0x53, 2, f.tx, f.rx}
		f.mu.Unlock()
		_ = f.line.Write(enquiry)
		select {
		case <-stop:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// openGRE makes the far end of a tunnel, RFC 2784 with protocol 0x6559.
func openGRE(t *testing.T, n *nse) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_GRE)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 7}}); err != nil {
		t.Fatal(err)
	}
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 100000})
	head := []byte{0, 0, 0x65, 0x59}
	for i := range n.nsvcis {
		dlci := q922(16 + i)
		n.eps = append(n.eps, &endpoint{sig: 1, data: 1, write: func(pdu []byte) {
			_ = unix.Sendto(fd, append(append(head[:4:4], dlci[:]...), pdu...), 0, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 5}})
		}})
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		readGRE(fd, n, stop)
	}()
	t.Cleanup(func() {
		close(stop)
		<-done
		unix.Close(fd)
	})
}

func readGRE(fd int, n *nse, stop <-chan struct{}) {
	const ip = 20 // the kernel gives the IPv4 header
	for buf := make([]byte, 65536); ; {
		k, _, err := unix.Recvfrom(fd, buf, 0)
		select {
		case <-stop:
			return
		default:
		}
		if err != nil || k < ip+7 || binary.BigEndian.Uint32(buf[ip:]) != 0x6559 {
			continue
		}
		for i := range n.nsvcis {
			if dlci := q922(16 + i); bytes.Equal(buf[ip+4:ip+6], dlci[:]) {
				n.take(i, buf[ip+6:k])
			}
		}
	}
}
