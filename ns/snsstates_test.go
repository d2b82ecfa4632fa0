package ns

import (
	"fmt"
	"strings"
	"testing"
)

// snsPDUs are PDUs of the peer for the NSE with the NSEI in place of NNNN, made by
// hand from the tables of TS 48.016 9.3. The peer is 10.0.1.1:7777, which has told
// 10.0.1.1:7770 too where endpoints are exchanged.
var snsPDUs = []struct{ name, octets string }{
	{"SIZE", "120482NNNN" + "0a01" + "070008" + "080002"},
	{"SIZE, no reset", "120482NNNN" + "0a00" + "070008" + "080002"},
	{"SIZE, too many", "120482NNNN" + "0a01" + "070001" + "080002"},
	{"SIZE-ACK", "130482NNNN"},
	{"SIZE-ACK, cause", "130482NNNN" + "008110"},
	{"CONFIG", "0f01" + "0482NNNN" + "0590" + "0a0001011e610101" + "0a0001011e5a0101"},
	{"CONFIG, part", "0f00" + "0482NNNN" + "0588" + "0a0001011e610101"},
	{"CONFIG, weights", "0f01" + "0482NNNN" + "0590" + "0a0001011e610100" + "0a0001011e5a0100"},
	{"CONFIG, too many", "0f01" + "0482NNNN" + "05d0" + strings.Repeat("0a0001011e610101", 1) +
		"0a0001011e500101" + "0a0001011e510101" + "0a0001011e520101" + "0a0001011e530101" + "0a0001011e540101" +
		"0a0001011e550101" + "0a0001011e560101" + "0a0001011e570101" + "0a0001011e580101"},
	{"CONFIG-ACK", "100482NNNN"},
	{"CONFIG-ACK, cause", "100482NNNN" + "008111"},
	{"ADD", "0d0482NNNN" + "09" + "0588" + "0a0001011e620101"},
	{"DELETE", "110482NNNN" + "09" + "0588" + "0a0001011e5a0101"},
	{"DELETE, address", "110482NNNN" + "09" + "0b010a000109"},
	{"CHANGEWEIGHT", "0e0482NNNN" + "09" + "0588" + "0a0001011e5a0203"},
	{"CHANGEWEIGHT to 0", "0e0482NNNN" + "09" + "0590" + "0a0001011e610100" + "0a0001011e5a0100"},
	{"ACK", "0c0482NNNN" + "01"},
	{"ACK, cause", "0c0482NNNN" + "01" + "008112"},
	{"ACK, other", "0c0482NNNN" + "02"},
}

// snsStateRigs bring an NSE into each state of each role.
var snsStateRigs = []struct {
	state, letter string
	nsei          uint16
	script        []string // names of snsPDUs
	local         bool     // then a change of ours
}{
	{"BSS_SIZE", "z", 101, nil, false},
	{"BSS_CONFIG_BSS", "b", 101, []string{"SIZE-ACK"}, false},
	{"BSS_CONFIG_SGSN", "s", 101, []string{"SIZE-ACK", "CONFIG-ACK"}, false},
	{"CONFIGURED", "C", 101, []string{"SIZE-ACK", "CONFIG-ACK", "CONFIG"}, false},
	{"LOCAL_PROCEDURE", "L", 101, []string{"SIZE-ACK", "CONFIG-ACK", "CONFIG"}, true},
	{"UNCONFIGURED", "U", 101, []string{"SIZE-ACK", "CONFIG-ACK", "CONFIG, weights"}, false},
	{"UNCONFIGURED", "U", 2001, nil, false},
	{"SGSN_WAIT_CONFIG", "w", 2001, []string{"SIZE"}, false},
	{"SGSN_WAIT_CONFIG_ACK", "a", 2001, []string{"SIZE", "CONFIG"}, false},
	{"CONFIGURED", "C", 2001, []string{"SIZE", "CONFIG", "CONFIG-ACK"}, false},
	{"LOCAL_PROCEDURE", "L", 2001, []string{"SIZE", "CONFIG", "CONFIG-ACK"}, true},
}

func snsPDU(name string, nsei uint16) string {
	for _, p := range snsPDUs {
		if p.name == name {
			return strings.Replace(p.octets, "NNNN", fmt.Sprintf("%04x", nsei), 1)
		}
	}
	panic(name)
}

func snsStateRig(t *testing.T, i int) *rig {
	t.Helper()
	st := snsStateRigs[i]
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "a"))
		must(t, c.AddNSE(2001, RoleSGSN))
		must(t, c.AddSNSBind(2001, "a"))
		if st.nsei == 101 {
			must(t, c.AddSNSRemote(101, ap(sgsn1)))
		}
	}, Limits{VCsPerNSE: 8})
	for _, name := range st.script {
		r.write("a", sgsn1, snsPDU(name, st.nsei))
	}
	if st.local {
		r.edit(func(c *Config) { must(t, c.AddSNSBind(st.nsei, "b")) })
	}
	r.wantSNS(st.nsei, st.state)
	r.frames()
	return r
}

// snsReaction tells what a PDU brings about: the types of what is sent, but for
// NS-ALIVE, with causes; the new state if it changes; "." if it is dropped.
func snsReaction(r *rig, i int, pdu string) string {
	st := snsStateRigs[i]
	before := snsDropped(r)
	r.write("a", sgsn1, snsPDU(pdu, st.nsei))
	var out []string
	for _, f := range r.frames() {
		p, err := Parse(f.b)
		switch {
		case err != nil:
			out = append(out, err.Error())
		case p.Type == PDUAlive:
		case p.Has.Has(IECause):
			out = append(out, fmt.Sprintf("%02x/%02x", f.b[0], uint8(p.Cause)))
		default:
			out = append(out, fmt.Sprintf("%02x", f.b[0]))
		}
	}
	if snsDropped(r) > before {
		out = append(out, ".")
	}
	text := strings.Join(out, "+")
	if now := r.nse(st.nsei).SNS.State; now != st.state {
		for _, o := range snsStateRigs {
			if o.state == now {
				return text + ">" + o.letter
			}
		}
	}
	if text == "" {
		return "-"
	}
	return text
}

func snsDropped(r *rig) (n uint64) {
	for _, b := range r.s.Snapshot(r.now).Binds {
		for _, d := range b.Dropped {
			n += d
		}
	}
	return n
}

// snsGrid is what each PDU does in each state: BSS role in SIZE, CONFIG_BSS,
// CONFIG_SGSN, CONFIGURED, LOCAL_PROCEDURE, UNCONFIGURED; SGSN role in
// UNCONFIGURED, WAIT_CONFIG, WAIT_CONFIG_ACK, CONFIGURED, LOCAL_PROCEDURE.
const snsGrid = `
SIZE               .     .     .        .      .      .  13>w     13       13>w    13>w   13>w
SIZE, no reset     .     .     .        .      .      .  13/0a    13       13      13     13
SIZE, too many     .     .     .        .      .      .  13/10    13/10    13/10   13/10  13/10
SIZE-ACK           0f>b  .     .        .      .      .  .        .        .       .      .
SIZE-ACK, cause    -     .     .        .      .      .  .        .        .       .      .
CONFIG             .     .     10>C     10     10     .  08/0a+.  10+0f>a  10      .      .
CONFIG, part       .     .     10       10     10     .  08/0a+.  10       10      .      .
CONFIG, weights    .     .     10/11>U  10     10     .  08/0a+.  10/11    10      .      .
CONFIG, too many   .     .     10/0e>U  10/0a  10/0a  .  08/0a+.  10/0e    10/0a   .      .
CONFIG-ACK         .     >s    .        .      .      .  .        .        >C      .      .
CONFIG-ACK, cause  .     -     .        .      .      .  .        .        -       .      .
ADD                .     .     .        0c     0c     .  08/0a+.  .        .       0c     0c
DELETE             .     .     .        0c     0c     .  08/0a+.  .        .       0c     0c
DELETE, address    .     .     .        0c/13  0c/13  .  08/0a+.  .        .       0c/13  0c/13
CHANGEWEIGHT       .     .     .        0c     0c     .  08/0a+.  .        .       0c     0c
CHANGEWEIGHT to 0  .     .     .        0c/11  0c/11  .  08/0a+.  .        .       0c/11  0c/11
ACK                .     .     .        .      >C     .  .        .        .       .      >C
ACK, cause         .     .     .        .      12>z   .  .        .        .       .      >C
ACK, other         .     .     .        .      .      .  .        .        .       .      .
`

// Facts: G1.6-16, G1.6-22, G1.6-28, G1.6-38, G1.6-50, G1.6-54
func TestSNSEveryPDUInEveryState(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(snsGrid), "\n")
	if len(lines) != len(snsPDUs) {
		t.Fatalf("%d lines, %d PDUs", len(lines), len(snsPDUs))
	}
	for n, p := range snsPDUs {
		cells := strings.Fields(strings.TrimPrefix(lines[n], p.name))
		if len(cells) != len(snsStateRigs) {
			t.Fatalf("%q", lines[n])
		}
		for i, st := range snsStateRigs {
			if got := snsReaction(snsStateRig(t, i), i, p.name); got != cells[i] {
				t.Errorf("%s in %s of NSE %d: %s, want %s", p.name, st.state, st.nsei, got, cells[i])
			}
		}
	}
}
