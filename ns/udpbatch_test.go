package ns

import (
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// A message that can't be sent costs itself only, and has no other sent twice.
func TestUDPBadDestinationWithinBatch(t *testing.T) {
	conns, err := (&KernelUDP{}).Listen(BindConfig{Link: LinkUDP, Listen: netip.MustParseAddrPort("127.0.0.1:0")}, 1)
	must(t, err)
	defer conns[0].Close()
	peer, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	defer peer.Close()
	to := peer.LocalAddr().(*net.UDPAddr).AddrPort()
	msgs := []Message{{Buf: []byte("a"), N: 1, Addr: to}, {Buf: []byte("x"), N: 1}, {Buf: []byte("b"), N: 1, Addr: to}, {Buf: []byte("c"), N: 1, Addr: to}}
	b := newBind(BindConfig{Name: "a"}, 0, 1, conns)
	writeAll(conns[0], b, 0, msgs, make([]*VC, len(msgs)))
	_, err = conns[0].WriteBatch([]Message{{Buf: []byte("end"), N: 3, Addr: to}})
	must(t, err)
	var got string
	for buf := make([]byte, 10); !strings.HasSuffix(got, "end"); {
		must(t, peer.SetReadDeadline(time.Now().Add(5*time.Second)))
		n, err := peer.Read(buf)
		must(t, err)
		got += string(buf[:n])
	}
	if got != "abcend" || b.drops[0].n[DropTransmit].v.Load() != 1 {
		t.Errorf("%q came, dropped %v", got, sumDrops(b.drops))
	}
}
