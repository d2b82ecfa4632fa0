package main

import (
	"encoding/binary"
	"math/rand/v2"
	"net"
	"testing"
	"time"
)

// attacks are floods of NS from many ports, by what a datagram of each is. With
// known, each port has an NS-VC of its own first.
var attacks = []struct {
	name  string
	known bool
	make  func(r *rand.Rand) []byte
}{
	{"garbage", false, garbage},
	{"NS-RESETs", false, anyReset},
	{"SNS-SIZEs", false, func(r *rand.Rand) []byte { return attackSize(anyID(r)) }},
	{"keepalives", false, func(*rand.Rand) []byte { return []byte{0x0a} }},
	{"keepalives' answers", false, func(*rand.Rand) []byte { return []byte{0x0b} }},
	{"user data", false, func(*rand.Rand) []byte { return append([]byte{0, 0, 0x07, 0xd1, 1}, make([]byte, 60)...) }},
	{"BVC-RESETs", false, func(*rand.Rand) []byte { return []byte{0, 0, 0, 0, 0x22, 4, 0x82, 0, 0, 7, 0x81, 8} }},
	{"garbage of peers", true, garbage},
	{"NS-RESETs of peers", true, anyReset},
	{"keepalives of peers", true, func(*rand.Rand) []byte { return []byte{0x0a} }},
}

func garbage(r *rand.Rand) []byte {
	b := make([]byte, 1+r.IntN(200))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// anyID is none of the ring's.
func anyID(r *rand.Rand) uint16 { return uint16(10000 + r.IntN(50000)) }

func anyReset(r *rand.Rand) []byte { return attackReset(anyID(r)) }

func attackReset(id uint16) []byte {
	b := binary.BigEndian.AppendUint16([]byte{2, 0, 0x81, 1, 1, 0x82}, id)
	return binary.BigEndian.AppendUint16(append(b, 4, 0x82), id)
}

func attackSize(id uint16) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0x12, 4, 0x82}, id), 0x0a, 1, 7, 0, 8, 8, 0, 1)
}

// attackers are the sockets, more than there may be dynamic NSEs; each attack goes
// on for a while, with as many datagrams as the machine makes.
const (
	attackers  = 1200
	attackTime = 500 * time.Millisecond
)

func attackSockets(t *testing.T, to net.Addr, known bool) (conns []net.PacketConn) {
	for i := range attackers {
		c, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		conns = append(conns, c)
		if known {
			_, _ = c.WriteTo(attackReset(uint16(3000+i)), to)
			_, _ = c.WriteTo([]byte{6}, to) // NS-UNBLOCK
		}
	}
	return conns
}

// TestFaultAttacks floods both binds in every way while BSSs and SGSNs are served.
// Their NS-VCs stay up, unless the kernel had no room for what came or the machine
// held the gateway up; and everybody is served after each.
func TestFaultAttacks(t *testing.T) {
	t.Parallel()
	r := newRing(t, t.TempDir())
	rng := rand.New(rand.NewPCG(4, 8))
	for _, bind := range []string{"RAN", "CORE"} {
		to := net.UDPAddrFromAddrPort(r.addrs[bind])
		for _, a := range attacks {
			if bind == "CORE" && a.known {
				continue // no stranger gets an NS-VC there
			}
			before, excuse := r.failures(), r.excuses()
			t.Run(bind+", "+a.name, func(t *testing.T) {
				conns, sent := attackSockets(t, to, a.known), 0
				for end := time.Now().Add(attackTime); time.Now().Before(end); sent++ {
					_, _ = conns[rng.IntN(len(conns))].WriteTo(a.make(rng), to)
				}
				time.Sleep(300 * time.Millisecond)
				if n, late := r.failures()-before, r.excuses()-excuse; n != 0 && late == 0 {
					t.Errorf("%d failures of NSEs", n)
				} else {
					t.Logf("%d datagrams; %d failures of NSEs, %v datagrams without room or stalls", sent, n, late)
				}
			})
			r.back(60 * time.Second)
		}
	}
}

// failures is how often the peers' NSEs failed.
func (r *ring) failures() (n uint64) {
	for _, b := range r.bsss {
		n += b.Truth().BSS.Failures
	}
	return n
}

func (r *ring) excuses() float64 {
	return r.metric(`poolgw_gb_stalls_total`) + r.metric(`poolgw_gb_bind_dropped_datagrams_total\{bind="ran",reason="udp_receive_queue_full"\}`) +
		r.metric(`poolgw_gb_bind_dropped_datagrams_total\{bind="core",reason="udp_receive_queue_full"\}`)
}
