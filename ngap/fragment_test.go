package ngap_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"poolgw/lab/tshark"
	. "poolgw/ngap"
)

// byClause is the length determinant and octets of X.691 11.9.3.5 to 11.9.3.8,
// with the fragments written out: the largest first, the last below 16384.
func byClause(v []byte) []byte {
	const k = 16384
	var b []byte
	piece := func(head []byte, n int) { b, v = append(append(b, head...), v[:n]...), v[n:] }
	switch n := len(v); {
	case n < 128:
		piece([]byte{byte(n)}, n)
	case n < k:
		piece([]byte{0x80 | byte(n/256), byte(n % 256)}, n)
	case n == k:
		piece([]byte{0xc1}, k)
		piece([]byte{0}, 0)
	case n == k+1:
		piece([]byte{0xc1}, k)
		piece([]byte{1}, 1)
	case n > k+127 && n < 2*k:
		piece([]byte{0xc1}, k)
		piece([]byte{0x80 | byte((n-k)/256), byte((n - k) % 256)}, n-k)
	case n == 3*k:
		piece([]byte{0xc3}, 3*k)
		piece([]byte{0}, 0)
	case n == 4*k:
		piece([]byte{0xc4}, 4*k)
		piece([]byte{0}, 0)
	case n == 5*k+200:
		piece([]byte{0xc4}, 4*k)
		piece([]byte{0xc1}, k)
		piece([]byte{0x80, 200}, 200)
	case n == 9*k:
		piece([]byte{0xc4}, 4*k)
		piece([]byte{0xc4}, 4*k)
		piece([]byte{0xc1}, k)
		piece([]byte{0}, 0)
	default:
		panic("no vector of that length")
	}
	if len(v) != 0 {
		panic("a vector is wrong")
	}
	return b
}

// message is an Error Indication of an AMF UE NGAP ID and an unknown IE of octets,
// so long that the message has n octets.
func message(n int) (pdu, value []byte) {
	for l := n - 20; l <= n; l++ { // what the IE's own length takes
		value = bytes.Repeat([]byte{0x5a, 0xc1, 0x00}, l/3+1)[:max(l, 0)]
		m := append([]byte{0, 0, 2, 0, 10, 0x40, 2, 0, 7, 0x27, 0x0f, 0x40}, clauseOr(value)...)
		if len(m) == n {
			return append([]byte{0, 9, 0x40}, byClause(m)...), value
		}
	}
	return nil, nil
}

// clauseOr is byClause for the IE within, whose length need not be one of the
// vectors: then it is between them.
func clauseOr(v []byte) []byte {
	const k = 16384
	var b []byte
	for len(v) >= k {
		m := min(len(v)/k, 4)
		b = append(append(b, 0xc0+byte(m)), v[:m*k]...)
		v = v[m*k:]
	}
	if len(v) < 128 {
		return append(append(b, byte(len(v))), v...)
	}
	return append(append(b, 0x80+byte(len(v)/256), byte(len(v)%256)), v...)
}

var lengths = []int{127, 128, 16383, 16384, 16385, 20000, 3 * 16384, 4 * 16384, 5*16384 + 200, 9 * 16384}

// Messages at the edges of each form of length walk, and are the same when built
// again; a changed ID moves every length after it.
// Facts: N6-76
func TestFragments(t *testing.T) {
	for _, n := range lengths {
		b, value := message(n)
		if b == nil {
			t.Fatalf("no message of %d octets", n)
		}
		p := walk(t, b)
		if len(p.IEs) != 2 || !bytes.Equal(p.IEs[1].Value, value) {
			t.Errorf("%d: %s", n, ids(p))
			continue
		}
		if again := rebuilt(p); !bytes.Equal(again, b) {
			t.Errorf("%d: built again it has %d octets of %d", n, len(again), len(b))
		}
		p.SetAMFUENGAPID(0, MaxAMFUENGAPID) // four octets longer
		long := p.Append(nil)
		q := walk(t, long)
		if id, _, err := q.AMFUENGAPID(); err != nil || id != MaxAMFUENGAPID || !bytes.Equal(q.IEs[1].Value, value) || p.Size() != len(long) {
			t.Errorf("%d: edited: %d, %v", n, id, err)
		}
		q.SetAMFUENGAPID(0, 7)
		if back := q.Append(nil); !bytes.Equal(back, b) {
			t.Errorf("%d: edited and back: %d octets of %d", n, len(back), len(b))
		}
	}
}

// tshark reads the same PDUs.
func TestFragmentsTshark(t *testing.T) {
	var pdus [][]byte
	for _, n := range lengths {
		b, _ := message(n)
		p := walk(t, b)
		p.SetAMFUENGAPID(0, 0x1234567890)
		pdus = append(pdus, b, p.Append(nil))
	}
	for i, f := range tshark.DissectNGAP(t, pdus, "ngap.id", "ngap.AMF_UE_NGAP_ID") {
		want := []string{"7", "78187493520"}[i%2]
		if f.Malformed || f.Field("ngap.id") != "10,9999" || f.Field("ngap.AMF_UE_NGAP_ID") != want {
			t.Errorf("%d octets: %+v", lengths[i/2], f)
		}
	}
}

// A length that is not ended, a fragment of a size that is not one of four, and
// fragments that reach beyond the end are refused.
func TestBadFragments(t *testing.T) {
	b, _ := message(16384)
	for _, c := range []struct {
		what string
		b    []byte
		why  Reason
	}{
		{"no last fragment", b[:len(b)-1], Truncated},
		{"a fragment of none", append([]byte{0, 9, 0x40, 0xc0}, b[4:]...), Fragments},
		{"a fragment of five", append([]byte{0, 9, 0x40, 0xc5}, b[4:]...), Fragments},
		{"a fragment beyond the end", append([]byte{0, 9, 0x40, 0xc2}, b[4:]...), Truncated},
	} {
		if err := new(PDU).Walk(c.b); !errors.Is(err, c.why) {
			t.Errorf("%s: %v, want %v", c.what, err, c.why)
		}
	}
}

// A reset of 16384 connections and more is fragmented by items (X.691, 20.6), and
// one of more than 65536 is refused.
// Facts: N1-05
func TestManyConnections(t *testing.T) {
	for _, n := range []int{1, 127, 128, 16383, 16384, 16385, 65535, MaxConnections} {
		list := make([]Connection, n)
		for i := range list {
			list[i] = Connection{RAN: uint32(i), HasRAN: true}
			if i%3 > 0 {
				list[i].AMF, list[i].HasAMF = uint64(i)<<20, true
			}
		}
		v := AppendConnections(nil, list)
		got, err := ReadConnections(v, nil)
		if err != nil || len(got) != n || got[n-1] != list[n-1] {
			t.Errorf("%d: %d, %v", n, len(got), err)
		}
	}
	two := []byte{0x02, 0x20, 0x0d, 0x20} // two RAN IDs of one octet: preambles 0010, lengths 00
	if list, err := ReadConnections(append(two, 0x0e), nil); err != nil || len(list) != 2 || list[0] != (Connection{RAN: 13, HasRAN: true}) {
		t.Errorf("%+v, %v", list, err)
	}
	connectionsByTshark(t, 16383)               // it does not know fragments of items
	items := bytes.Repeat([]byte{0}, 4*16384/2) // items of four bits
	many := append(append([]byte{0xc4}, items...), append([]byte{0x01}, 0)...)
	if _, err := ReadConnections(many, nil); !errors.Is(err, TooMany) {
		t.Errorf("65537 connections: %v", err)
	}
	many[len(many)-2] = 0
	if list, err := ReadConnections(many[:len(many)-1], nil); err != nil || len(list) != MaxConnections {
		t.Errorf("65536 connections: %d, %v", len(list), err)
	}
}

// connectionsByTshark counts what tshark finds in an answer of n connections.
func connectionsByTshark(t *testing.T, n int) {
	t.Helper()
	list := make([]Connection, n)
	for i := range list {
		list[i] = Connection{RAN: uint32(i & 0xff), HasRAN: true}
	}
	b := new(PDU).New(CodeNGReset, Successful).Add(IEUEAssociatedLogicalNGConnectionList, Ignore, AppendConnections(nil, list)).Append(nil)
	f := tshark.DissectNGAP(t, [][]byte{b}, "ngap.RAN_UE_NGAP_ID")[0]
	if got := strings.Count(f.Field("ngap.RAN_UE_NGAP_ID"), ",") + 1; f.Malformed || got != n {
		t.Errorf("tshark finds %d connections of %d: %s", got, n, f.Expert)
	}
}
