//go:build linux

package ns

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// trainConn is a socket that sends in trains, if the kernel can.
func trainConn(t *testing.T, ip string) *udpConn {
	c := listen(t, ip, 0, 1)[0].(*udpConn)
	if c.Segmentation() {
		t.Fatal("on without being asked for")
	}
	if c.SetSegmentation(true); !c.Segmentation() {
		t.Skip("this kernel has no UDP_SEGMENT")
	}
	return c
}

// mixed is n datagrams to peers by lot, of few sizes so that many go together.
func mixed(rng *rand.Rand, peers []Conn, n int) (msgs []Message, want map[Conn][]string) {
	want = map[Conn][]string{}
	sizes := []int{100, 100, 100, 500, 40, 1500, 3000}
	for i := range n {
		p := peers[rng.IntN(len(peers))]
		text := fmt.Sprintf("%06d", i) + strings.Repeat("x", sizes[rng.IntN(len(sizes))])
		msgs = append(msgs, message(p.LocalAddr(), text))
		want[p] = append(want[p], text)
	}
	return msgs, want
}

// Whatever goes together, each peer gets its datagrams unchanged and in order.
func TestUDPTrains(t *testing.T) {
	for _, ip := range loopbacks {
		for _, count := range []int{1, 3, 20} {
			t.Run(fmt.Sprint(ip, " ", count), func(t *testing.T) {
				a := trainConn(t, ip)
				var peers []Conn
				for range count {
					peers = append(peers, listen(t, ip, 0, 1)[0])
				}
				rng := rand.New(rand.NewPCG(1, uint64(count)))
				for range 20 {
					msgs, want := mixed(rng, peers, 1+rng.IntN(150))
					if n, err := a.WriteTrains(msgs); n != len(msgs) || err != nil {
						t.Fatalf("took %d of %d, %v", n, len(msgs), err)
					}
					for p, texts := range want {
						if got, _ := receive(t, p, len(texts)); !slices.Equal(got, texts) {
							t.Fatalf("%d datagrams are not those of %d", len(got), len(texts))
						}
					}
				}
			})
		}
	}
}

// pieces reads what the kernel hands over at once to a socket that takes trains
// as they are (UDP_GRO), and returns the octets of each.
func pieces(t *testing.T, c Conn, total int) (sizes []int) {
	t.Helper()
	c.(*udpConn).raw.Control(func(fd uintptr) {
		buf := make([]byte, 1<<16)
		for got := 0; got < total; {
			n, err := unix.Read(int(fd), buf)
			if err != nil {
				t.Errorf("%d octets of %d: %v", got, total, err)
				return
			}
			got += n
			sizes = append(sizes, n)
		}
	})
	return sizes
}

// The kernel gets equal sizes to one destination together; the last may be
// shorter; what is longer begins anew; the loop's datagrams never go together.
func TestUDPTrainsGoTogether(t *testing.T) {
	a, b := trainConn(t, "127.0.0.1"), listen(t, "127.0.0.1", 0, 1)[0]
	other := listen(t, "127.0.0.1", 0, 1)[0]
	for bucketOf(other.LocalAddr()) == bucketOf(b.LocalAddr()) { // two that share one break each other's trains
		other = listen(t, "127.0.0.1", 0, 1)[0]
	}
	b.(*udpConn).raw.Control(func(fd uintptr) {
		must(t, unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_GRO, 1))
	})
	var msgs []Message
	total := 0
	for _, size := range []int{100, 100, 100, 60, 60, 100, 200, 200, 1500, 1500} {
		msgs = append(msgs, message(b.LocalAddr(), strings.Repeat("x", size)), message(other.LocalAddr(), "y"))
		total += size
	}
	a.WriteTrains(msgs)
	if got := pieces(t, b, total); !slices.Equal(got, []int{360, 60, 100, 400, 1500, 1500}) {
		t.Errorf("in trains %v", got)
	}
	single := []int{100, 100, 100, 60, 60, 100, 200, 200, 1500, 1500}
	a.WriteBatch(msgs)
	if got := pieces(t, b, total); !slices.Equal(got, single) {
		t.Errorf("by themselves %v", got)
	}
	a.SetSegmentation(false)
	a.WriteTrains(msgs)
	if got := pieces(t, b, total); !slices.Equal(got, single) {
		t.Errorf("turned off %v", got)
	}
}

// A path that does not take trains costs no datagram, and is not tried for ever.
// The kernel refuses them on a socket without checksums.
func TestUDPTrainsRefused(t *testing.T) {
	a, b := trainConn(t, "127.0.0.1"), listen(t, "127.0.0.1", 0, 1)[0]
	a.raw.Control(func(fd uintptr) { must(t, unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_NO_CHECK, 1)) })
	for i := range trainFaults + 2 {
		if on := i < trainFaults; a.Segmentation() != on {
			t.Fatalf("after %d faults: on %v", i, !on)
		}
		msgs, want := mixed(rand.New(rand.NewPCG(1, 1)), []Conn{b}, 8)
		for i := range msgs {
			msgs[i] = message(b.LocalAddr(), want[b][0])
		}
		if n, err := a.WriteTrains(msgs); n != len(msgs) || err != nil {
			t.Fatalf("took %d, %v", n, err)
		}
		receive(t, b, len(msgs))
	}
	if a.SetSegmentation(true); !a.Segmentation() {
		t.Error("an operator can't turn it on again")
	}
}

// A bad destination costs its own datagrams only.
func TestUDPTrainsBadDestination(t *testing.T) {
	a, b := trainConn(t, "127.0.0.1"), listen(t, "127.0.0.1", 0, 1)[0]
	v6 := listen(t, "::1", 0, 1)[0]
	var msgs []Message
	for range 5 {
		msgs = append(msgs, message(b.LocalAddr(), "good"), message(v6.LocalAddr(), "other"))
	}
	if n, _ := a.WriteTrains(msgs); n != 5 || dropped(a, "udp_bad_address") != 5 {
		t.Errorf("took %d, dropped %d", n, dropped(a, "udp_bad_address"))
	}
	receive(t, b, 5)
}

func TestUDPTrainsAllocateNothing(t *testing.T) {
	a, b := trainConn(t, "127.0.0.1"), listen(t, "127.0.0.1", 0, 1)[0]
	out, in := room(16, 100), room(64, MaxDatagram)
	for i := range out {
		out[i].N, out[i].Addr = 100, b.LocalAddr()
	}
	if n := testing.AllocsPerRun(200, func() {
		a.WriteTrains(out)
		for left := len(out); left > 0; {
			n, _ := b.ReadBatch(in)
			left -= n
		}
		b.(*udpConn).Lost()
	}); n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
}
