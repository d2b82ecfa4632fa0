package ns

import (
	"errors"

	"golang.org/x/sys/unix"
)

var errNotSplit = errors.New("ns: not the sockets of a UDP bind")

// Split opens one more socket on the address of conns and has the kernel choose
// by a classic BPF program (SO_ATTACH_REUSEPORT_CBPF, Linux 4.5) who gets a
// datagram: user data the worker that the peer's address tells, the rest that
// socket. Until the program is there the kernel shares out by its own hash, so
// that either socket must be ready for everything.
func (k *KernelUDP) Split(b BindConfig, conns []Conn, data UserData) (Conn, error) {
	first, ok := conns[0].(*udpConn)
	if !ok {
		return nil, errNotSplit
	}
	c, err := k.open(b, first.local, true)
	if err != nil {
		return nil, err
	}
	prog := splitProgram(len(conns), first.v6, data)
	fprog := &unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	if e := c.raw.Control(func(fd uintptr) {
		err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF, fprog)
	}); e != nil || err != nil {
		c.Close()
		return nil, &SocketError{"choose the socket by program", first.local, errors.Join(e, err)}
	}
	return c, nil
}

// Instructions of classic BPF.
const (
	bpfLoad8    = unix.BPF_LD | unix.BPF_B | unix.BPF_ABS
	bpfLoad16   = unix.BPF_LD | unix.BPF_H | unix.BPF_ABS
	bpfLoad32   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfLoad16X  = unix.BPF_LD | unix.BPF_H | unix.BPF_IND
	bpfIPLenX   = unix.BPF_LDX | unix.BPF_B | unix.BPF_MSH // X = 4 * (P[k] & 15)
	bpfStore    = unix.BPF_ST
	bpfLoadMemX = unix.BPF_LDX | unix.BPF_MEM
	bpfAddX     = unix.BPF_ALU | unix.BPF_ADD | unix.BPF_X
	bpfMul      = unix.BPF_ALU | unix.BPF_MUL | unix.BPF_K
	bpfShift    = unix.BPF_ALU | unix.BPF_RSH | unix.BPF_K
	bpfMod      = unix.BPF_ALU | unix.BPF_MOD | unix.BPF_K
	bpfIfEqual  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	bpfIfLeast  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	bpfReturn   = unix.BPF_RET | unix.BPF_K
	bpfReturnA  = unix.BPF_RET | unix.BPF_A

	bpfNetwork = 0xFFF00000 // SKF_NET_OFF: offsets from the IP header
)

// splitProgram returns a worker's number, 0..workers-1, for user data, workers for
// the rest. Offsets are from the end of the UDP header; a load beyond the end of
// the datagram ends the program with 0.
func splitProgram(workers int, v6 bool, data UserData) []unix.SockFilter {
	p := []unix.SockFilter{
		{Code: bpfLoad8, K: 0},
		{Code: bpfIfEqual, K: uint32(PDUUnitdata), Jt: 1},
		{Code: bpfReturn, K: uint32(workers)},
		{Code: bpfLoad16, K: 2}, // the BVCI
		{Code: bpfIfLeast, K: 2, Jt: 1},
		{Code: bpfReturn, K: uint32(workers)},
	}
	if data != nil {
		p = append(p, unix.SockFilter{Code: bpfLoad8, K: unitdataHeader})
		for _, r := range ranges(data) { // in the range: on behind the last return
			p = append(p, unix.SockFilter{Code: bpfIfLeast, K: r.first, Jf: 2},
				unix.SockFilter{Code: bpfIfLeast, K: r.end, Jt: 1},
				unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA}) // to be filled in
		}
		p = append(p, unix.SockFilter{Code: bpfReturn, K: uint32(workers)})
		for i := range p {
			if p[i].Code == unix.BPF_JMP|unix.BPF_JA {
				p[i].K = uint32(len(p) - i - 1)
			}
		}
	}
	return append(p, workerProgram(workers, v6)...)
}

type octetRange struct{ first, end uint32 } // end is the first behind

// ranges returns the octets that are set, in order.
func ranges(set UserData) (rs []octetRange) {
	for i := range uint32(len(set)) {
		switch {
		case !set[i]:
		case len(rs) > 0 && rs[len(rs)-1].end == i:
			rs[len(rs)-1].end++
		default:
			rs = append(rs, octetRange{i, i + 1})
		}
	}
	return rs
}

// workerProgram chooses a worker by a hash of the peer's address and port.
func workerProgram(workers int, v6 bool) []unix.SockFilter {
	if workers == 1 {
		return []unix.SockFilter{{Code: bpfReturn, K: 0}}
	}
	// The source port, behind the IP header; the last word of the source address.
	port := []unix.SockFilter{{Code: bpfIPLenX, K: bpfNetwork}, {Code: bpfLoad16X, K: bpfNetwork}}
	word := uint32(12)
	if v6 {
		port, word = []unix.SockFilter{{Code: bpfLoad16, K: bpfNetwork + 40}}, 8+12
	}
	return append(port,
		unix.SockFilter{Code: bpfStore, K: 0},
		unix.SockFilter{Code: bpfLoadMemX, K: 0},
		unix.SockFilter{Code: bpfLoad32, K: bpfNetwork + word},
		unix.SockFilter{Code: bpfAddX},
		unix.SockFilter{Code: bpfMul, K: 0x9E3779B1},
		unix.SockFilter{Code: bpfShift, K: 16},
		unix.SockFilter{Code: bpfMod, K: uint32(workers)},
		unix.SockFilter{Code: bpfReturnA})
}
