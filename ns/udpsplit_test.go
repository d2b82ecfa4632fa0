//go:build linux

package ns

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// splitConns opens workers sockets and that for what is no user data, behind them.
func splitConns(t *testing.T, ip string, workers int, data UserData) []Conn {
	t.Helper()
	conns := listen(t, ip, 0, workers)
	c, err := (&KernelUDP{}).Split(BindConfig{Name: "b", Link: LinkUDP}, conns, data)
	if errors.Is(err, unix.ENOPROTOOPT) {
		t.Skipf("this kernel does not choose sockets by program: %v", err)
	}
	must(t, err)
	t.Cleanup(func() { c.Close() })
	return append(conns, c)
}

// unitdataTypes are the PDU types that count as user data in these tests:
// TS 48.018 11.3.26 has UL- and DL-UNITDATA, 28 is FLOW-CONTROL-MS.
func unitdataTypes() UserData {
	set := new([256]bool)
	set[0x00], set[0x01], set[0x28], set[0xff] = true, true, true, true
	return set
}

// splitCases are datagrams by hand, from TS 48.016 9.2 and 9.3.
var splitCases = []struct {
	name, hex string
	data      bool
}{
	{"NS-ALIVE", "0a", false},
	{"NS-ALIVE-ACK", "0b", false},
	{"NS-RESET", reset101, false},
	{"NS-UNBLOCK", unblock, false},
	{"SNS-SIZE", "12048207d20a01070008080002", false},
	{"unknown NS PDU", "7f", false},
	{"BVC-RESET on BVCI 0", "0000000022040020", false},
	{"UL-UNITDATA octets on BVCI 0", "0000000001fb000001", false},
	{"PTM", "0000000100fb000001", false},
	{"UL-UNITDATA", "000003e801fb000001", true},
	{"DL-UNITDATA", "000003e800fb000001", true},
	{"DL-UNITDATA, SDU control bits", "00ff03e800fb000001", true},
	{"BVCI 2", "0000000201fb000001", true},
	{"FLOW-CONTROL-MS", "000003e828fb000001", true},
	{"FLOW-CONTROL-BVC", "000003e826fb000001", false},
	{"type 02", "000003e802fb000001", false},
	{"type 27", "000003e827fb000001", false},
	{"type fe", "000003e8fefb000001", false},
	{"type ff", "000003e8fffb000001", true},
}

func TestUDPSplit(t *testing.T) {
	for _, ip := range loopbacks {
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprint(ip, " ", workers), func(t *testing.T) {
				conns := splitConns(t, ip, workers, unitdataTypes())
				peer := listen(t, ip, 0, 1)[0]
				for _, c := range splitCases {
					peer.WriteBatch([]Message{message(conns[0].LocalAddr(), string(unhex(c.hex)))})
					at := arrivals(t, conns)
					if control := at[workers] == 1; sum(at) != 1 || control == c.data {
						t.Errorf("%s: at %v", c.name, at)
					}
				}
				// Nothing is lost that is too short to tell.
				for _, short := range []string{"", "\x00", "\x00\x00\x03", "\x00\x00\x03\xe8"} {
					peer.WriteBatch([]Message{message(conns[0].LocalAddr(), short)})
					if at := arrivals(t, conns); sum(at) != 1 {
						t.Errorf("%x: at %v", short, at)
					}
				}
			})
		}
	}
}

// arrivals counts what waits at each socket, and takes it.
func arrivals(t *testing.T, conns []Conn) (at []int) {
	for _, c := range conns {
		at = append(at, len(queued(t, c)))
	}
	return at
}

func sum(n []int) (total int) {
	for _, v := range n {
		total += v
	}
	return total
}

// User data of a peer stays with one worker, and all workers have peers.
func TestUDPSplitSharesOut(t *testing.T) {
	for _, ip := range loopbacks {
		t.Run(ip, func(t *testing.T) {
			const peers, each, workers = 64, 3, 4
			conns := splitConns(t, ip, workers, nil)
			total := make([]int, workers+1)
			for range peers {
				peer := listen(t, ip, 0, 1)[0]
				for range each {
					peer.WriteBatch([]Message{message(conns[0].LocalAddr(), "\x00\x00\x03\xe8\x01")})
				}
				at := arrivals(t, conns)
				if i := slices.Index(at, each); i < 0 || i == workers {
					t.Fatalf("a peer's PDUs are at %v", at)
				} else {
					total[i] += each
				}
			}
			for w := range workers {
				if total[w] < each*peers/workers/4 {
					t.Errorf("shares %v", total)
				}
			}
		})
	}
}

// The socket for the rest counts as one of the bind's: nobody else gets the address.
func TestUDPSplitIsExclusive(t *testing.T) {
	conns := splitConns(t, "127.0.0.1", 1, nil)
	bind := BindConfig{Link: LinkUDP, Listen: conns[0].LocalAddr()}
	if _, err := (&KernelUDP{}).Listen(bind, 1); !errors.Is(err, unix.EADDRINUSE) {
		t.Fatal(err)
	}
	conns[0].Close()
	if _, err := (&KernelUDP{}).Listen(bind, 1); !errors.Is(err, unix.EADDRINUSE) {
		t.Fatalf("with the worker's socket closed: %v", err)
	}
	conns[1].Close()
	listen(t, "127.0.0.1", bind.Listen.Port(), 1)
}

// stuck is a DataPath that goes on when it is told.
type stuck struct{ begun, end chan struct{} }

func (s *stuck) Data(*Port, *NSE, uint16, []byte) bool {
	select {
	case s.begun <- struct{}{}:
	default:
	}
	<-s.end
	return true
}

// realStack runs a stack with one static NS-VC on the kernel's UDP.
func realStack(t *testing.T, network Network, data DataPath) (peer *net.UDPConn, to netip.AddrPort) {
	t.Helper()
	peer, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	t.Cleanup(func() { peer.Close() })
	at := listen(t, "127.0.0.1", 0, 1)[0]
	to = at.LocalAddr()
	at.Close()
	cfg := Config{Timers: DefaultTimers(), TxQueueMax: 128}
	must(t, cfg.AddBind(LinkUDP, "a"))
	must(t, cfg.SetListen("a", to))
	must(t, cfg.AddNSE(101, RoleBSS))
	must(t, staticVC(&cfg, 101, "a", peer.LocalAddr().String(), 1, 1))
	s := NewStack(Options{Network: network, Workers: 1, Upper: &rig{}, DataPath: data})
	must(t, s.Apply(cfg, time.Now()))
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case g := <-s.Control():
				s.Handle(time.Now(), g)
				s.Flush()
			case <-end:
				s.Close()
				return
			}
		}
	}()
	t.Cleanup(func() { close(end); <-done })
	return peer, to
}

// unsplit is the kernel's UDP without the socket for the rest.
type unsplit struct{ *KernelUDP }

func (unsplit) Split(BindConfig, []Conn, UserData) (Conn, error) { return nil, errors.ErrUnsupported }

// exchange sends a datagram and waits for one of the answer's octets.
func exchange(t *testing.T, peer *net.UDPConn, to netip.AddrPort, send, want byte, limit time.Duration) bool {
	t.Helper()
	_, err := peer.WriteToUDPAddrPort([]byte{send}, to)
	must(t, err)
	must(t, peer.SetReadDeadline(time.Now().Add(limit)))
	for buf := make([]byte, 100); ; {
		n, err := peer.Read(buf)
		if err != nil {
			return false
		}
		if n == 1 && buf[0] == want {
			return true
		}
	}
}

// While the worker has its hands full, and the kernel no room for more user data,
// NS-ALIVE is answered; without a socket of its own it is not.
func TestAliveDespiteUserData(t *testing.T) {
	for name, c := range map[string]struct {
		network Network
		answers bool
	}{"own socket": {&KernelUDP{}, true}, "one socket": {unsplit{&KernelUDP{}}, false}} {
		t.Run(name, func(t *testing.T) {
			path := &stuck{make(chan struct{}, 1), make(chan struct{})}
			peer, to := realStack(t, c.network, path)
			defer close(path.end)
			_, err := peer.WriteToUDPAddrPort([]byte{byte(PDUAliveAck)}, to) // unblocks the NS-VC
			must(t, err)
			if !exchange(t, peer, to, byte(PDUAlive), byte(PDUAliveAck), 5*time.Second) {
				t.Fatal("no answer before the user data")
			}
			data := make([]byte, 400)
			copy(data, "\x00\x00\x03\xe8\x01")
			_, err = peer.WriteToUDPAddrPort(data, to)
			must(t, err)
			<-path.begun
			for range 40000 { // more than 16 MB with what the kernel adds
				_, err := peer.WriteToUDPAddrPort(data, to)
				must(t, err)
			}
			limit := 10 * time.Second
			if !c.answers {
				limit = time.Second
			}
			if got := exchange(t, peer, to, byte(PDUAlive), byte(PDUAliveAck), limit); got != c.answers {
				t.Errorf("answered: %v", got)
			}
		})
	}
}
