package ns

import (
	"testing"
)

// Our own endpoints a 10.0.0.1:23000 and b 10.0.0.2:23000 as list elements,
// without weights.
const (
	endA, endB = "0a00000159d8", "0a00000259d8"
	snsAck101  = "0c04820065" // and the transaction
	add101     = "0d04820065"
	weight101  = "0e04820065"
	delete101  = "1104820065"
)

func (r *rig) wantLocal(nsei uint16, ends ...string) {
	r.t.Helper()
	var got []string
	for _, e := range r.nse(nsei).SNS.Local {
		got = append(got, e.Addr.String())
	}
	if g, w := len(got), len(ends); g != w {
		r.t.Fatalf("local endpoints %v, want %v", got, ends)
	}
	for i := range got {
		if got[i] != ends[i] {
			r.t.Fatalf("local endpoints %v, want %v", got, ends)
		}
	}
}

const atA, atB = "10.0.0.1:23000", "10.0.0.2:23000"

func addB(c *Config)    { c.NSE(101).SNSBinds = append(c.NSE(101).SNSBinds, "b") }
func removeB(c *Config) { c.NSE(101).SNSBinds = c.NSE(101).SNSBinds[:1] }

// Binds and weights change at run time: the SGSN is told by one procedure after
// another, over an endpoint for signalling, and nothing is begun anew.
//
// Facts: G1.6-39, G1.6-52
func TestSNSLocalChanges(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.snsUp()
	r.edit(addB)
	r.wantTo("10.0.0.1:23000>10.0.1.1:7777 " + add101 + "01" + "0588" + endB + "0101")
	r.wantSNS(101, "LOCAL_PROCEDURE")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED", "UNCONFIGURED", "UNCONFIGURED")
	r.wantLocal(101, atA)
	if n := r.nse(101); !n.Alive || n.SNS.Timer != 5 || n.SNS.Procedure.PDU != "SNS-ADD" || n.SNS.Procedure.Transaction != 1 ||
		n.SNS.Procedure.Sent != 1 || n.SNS.Procedure.Limit != 4 || n.SNS.Procedure.Waiting != 0 {
		t.Errorf("%+v", n.SNS.Procedure)
	}
	r.write("a", sgsn1, snsAck101+"01")
	r.wantTo("10.0.0.2:23000>10.0.1.1:7777 0a", "10.0.0.2:23000>10.0.1.1:7770 0a")
	r.wantSNS(101, "CONFIGURED")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED", "UNBLOCKED")
	r.wantLocal(101, atA, atB)
	if n := r.nse(101); n.SNS.Procedure != nil || n.SNS.Timer != 0 {
		t.Errorf("%+v", n.SNS)
	}
	// weights of both together; b goes while they are told
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("a", 2, 3)); must(t, c.SetSNSWeights("b", 4, 5)) })
	r.want(weight101 + "02" + "0590" + endA + "0203" + endB + "0405")
	r.edit(removeB)
	r.wantIdle()
	r.write("a", sgsn1, snsAck101+"02"+"0590"+endA+"0203"+endB+"0405") // 1.10.0 of libosmogb repeats the list
	r.want(delete101 + "03" + "0588" + endB + "0405")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED", "UNBLOCKED") // the SGSN may still use it
	r.write("a", "10.0.1.1:7770", snsAck101+"03")
	r.wantIdle()
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	r.wantLocal(101, atA)
	r.wantEvents("vc up 101", "vc up 101", "vc down 101", "vc down 101")
}

// What is changed and changed back before it is told is not told.
func TestSNSLocalChangeTakenBack(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.snsUp()
	r.edit(addB)
	r.frames()
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("a", 2, 3)) })
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("a", 1, 1)) })
	r.write("a", sgsn1, snsAck101+"01")
	r.want(alive, alive)
	r.wantSNS(101, "CONFIGURED")
}

// A procedure without answer is repeated tns-procedures-retries times, over
// another NS-VC each time, then SNS fails and begins with the next endpoint.
//
// Facts: G1.6-40
func TestSNSLocalUnanswered(t *testing.T) {
	r := snsRig(t, sgsn1, sgsn2)
	r.write("a", sgsn1, sizeAck101, configAck101)
	r.write("a", sgsn1, "0f0104820065"+"0590"+"0a0001011e610101"+"0a0001011e5a0101")
	r.frames()
	r.edit(addB)
	for i, to := range []string{"7777", "7770", "7777", "7770"} {
		r.wantTo("10.0.0.1:23000>10.0.1.1:" + to + " " + add101 + "01" + "0588" + endB + "0101")
		if n := r.nse(101).SNS.Procedure.Sent; n != i+1 {
			t.Errorf("sent %d times", n)
		}
		r.write("a", sgsn1, aliveAckHex)
		r.write("a", "10.0.1.1:7770", aliveAckHex)
		r.timer(3 * sec)
	}
	r.wantTo("10.0.0.1:23000>10.0.1.2:7777 " + "12048200650a01070040080002")
	r.wantSNS(101, "BSS_SIZE")
	r.write("a", sgsn1, snsAck101+"01") // too late
	r.wantIdle()
	r.wantSNS(101, "BSS_SIZE")
}

// Only the answer to this transaction counts, once, from wherever of the peer.
//
// Facts: G1.6-48
func TestSNSLocalAnswers(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.snsUp()
	r.write("a", sgsn1, snsAck101+"00", snsAck101+"01") // asked for nothing
	r.wantDrop("a", DropState, 2)
	r.edit(addB)
	r.frames()
	r.write("a", sgsn1, snsAck101+"00", snsAck101+"02")
	r.write("a", "10.0.9.9:1", snsAck101+"01")       // a stranger
	r.write("a", sgsn1, "0c04820066"+"01", "0c0482") // another NSE; cut
	r.wantSNS(101, "LOCAL_PROCEDURE")
	r.write("a", sgsn1, snsAck101+"01", snsAck101+"01")
	r.wantSNS(101, "CONFIGURED")
	r.wantDrop("a", DropState, 5)
	// refused: all begins anew, with the right number of endpoints
	r.frames()
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("b", 2, 2)) })
	r.want(weight101 + "02" + "0588" + endB + "0202")
	r.write("a", sgsn1, snsAck101+"02"+"008112"+"0588"+endB+"0202")
	r.want("12048200650a01070040080002")
}

// The SGSN's NS-ALIVE overtakes its SNS-ACK, or the SNS-ACK is lost: the NS-VC is
// in use at once. Nobody else's NS-ALIVE does that.
//
// Facts: G1.6-52
func TestSNSLocalAliveBeforeAck(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.snsUp()
	r.edit(addB)
	r.frames()
	r.write("b", "10.0.1.1:7770", "00004e2b0101") // data is even quicker
	r.wantEvents("data 101/20011 0101")
	r.write("b", sgsn1, alive)
	r.want(alive, aliveAckHex)
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED", "UNCONFIGURED")
	r.write("b", sgsn1, "00004e2b0102")
	r.wantEvents("vc up 101", "data 101/20011 0102")
	r.timer(3 * sec)
	r.wantTo("10.0.0.2:23000>10.0.1.1:7777 "+add101+"01"+"0588"+endB+"0101", "10.0.0.2:23000>10.0.1.1:7777 0a")
	// an SGSN without memory finds the repetition of what it has done wrong, and
	// as libosmogb 1.10.0 does, right too
	r.write("a", sgsn1, snsAck101+"01"+"00810b", snsAck101+"01")
	r.wantSNS(101, "CONFIGURED")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED", "UNBLOCKED")

	q := snsRig(t, sgsn1)
	q.frames()
	q.write("a", sgsn1, alive)
	q.wantIdle()
	q.wantVCs(101, "UNCONFIGURED")
}

// Both sides run a procedure at once, with the same transaction.
//
// Facts: G1.6-49
func TestSNSLocalCrossing(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.snsUp()
	r.edit(addB)
	r.want(add101 + "01" + "0588" + endB + "0101")
	const add = add101 + "01" + "05880a0001011e620101" // 10.0.1.1:7778
	r.write("a", sgsn1, add)
	r.want(snsAck101+"01", alive)
	r.wantSNS(101, "LOCAL_PROCEDURE")
	r.write("a", sgsn1, add)
	r.want(snsAck101 + "01")
	r.write("a", sgsn1, snsAck101+"01")
	r.wantTo("10.0.0.2:23000>10.0.1.1:7777 0a", "10.0.0.2:23000>10.0.1.1:7770 0a", "10.0.0.2:23000>10.0.1.1:7778 0a")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED", "UNBLOCKED", "UNBLOCKED", "UNBLOCKED")
	// it deletes the endpoint that we are speaking to
	r.edit(removeB)
	r.want(delete101 + "02" + "0588" + endB + "0101")
	r.write("a", sgsn1, delete101+"02"+"05880a0001011e610100")
	r.want(snsAck101 + "02")
	r.timer(3 * sec)
	for _, f := range r.frames() {
		if f.b[0] == byte(PDUSNSDelete) && f.to != ap("10.0.1.1:7778") {
			t.Errorf("%v", f)
		}
	}
	r.write("a", "10.0.1.1:7778", snsAck101+"02")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
}

// A bind that closes takes its NS-VCs with it at once, and the SGSN is told over
// what is left; without anything left all begins anew.
//
// Facts: G1.6-39
func TestSNSLocalBindCloses(t *testing.T) {
	for name, edit := range map[string]func(*testing.T, *Config){
		"no listen": func(t *testing.T, c *Config) { must(t, c.ClearListen("a")) },
		"no bind":   func(t *testing.T, c *Config) { must(t, c.RemoveBind("a")) },
		"moved":     func(t *testing.T, c *Config) { must(t, c.SetListen("a", ap("10.0.0.7:23000"))) },
	} {
		t.Run(name, func(t *testing.T) {
			r := snsRig(t, sgsn1)
			r.edit(addB)
			r.write("a", sgsn1, sizeAck101, configAck101, sgsnConfig)
			r.wantVCs(101, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED", "UNBLOCKED")
			r.frames()
			r.edit(func(c *Config) { edit(t, c) })
			id := "01"
			if name == "moved" {
				r.wantTo("10.0.0.2:23000>10.0.1.1:7777 " + add101 + "01" + "0588" + "0a00000759d8" + "0101")
				r.write("b", sgsn1, snsAck101+"01")
				r.frames()
				id = "02"
				if p := r.nse(101).SNS.Procedure; p == nil || p.Transaction != 2 {
					t.Fatalf("%+v", p)
				}
			} else {
				r.wantTo("10.0.0.2:23000>10.0.1.1:7777 " + delete101 + id + "0588" + endA + "0101")
			}
			r.write("b", sgsn1, snsAck101+id)
			r.wantSNS(101, "CONFIGURED")
			r.wantLocal(101, map[bool][]string{false: {atB}, true: {atB, "10.0.0.7:23000"}}[name == "moved"]...)
			r.events = nil
			r.edit(func(c *Config) { must(t, c.ClearListen("b")) })
			if name == "moved" {
				r.want(delete101 + "03" + "0588" + endB + "0101")
				return
			}
			r.wantSNS(101, "UNCONFIGURED")
			if n := len(r.events); n != 5 || r.events[3] != "sns failure 101" || r.events[4] != "sns none 101" {
				t.Errorf("%q", r.events)
			}
			r.edit(func(c *Config) { must(t, c.SetListen("b", ap(atB))) })
			r.want(size101)
		})
	}
}

// The one endpoint is replaced by another: the new one first.
func TestSNSLocalReplaced(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.snsUp()
	r.edit(func(c *Config) { c.NSE(101).SNSBinds = []string{"b"} })
	r.want(add101 + "01" + "0588" + endB + "0101")
	if n := r.nse(101).SNS.Procedure.Waiting; n != 1 {
		t.Errorf("%d waiting", n)
	}
	r.write("a", sgsn1, snsAck101+"01")
	r.wantTo("10.0.0.2:23000>10.0.1.1:7777 0a", "10.0.0.2:23000>10.0.1.1:7770 0a",
		"10.0.0.2:23000>10.0.1.1:7777 "+delete101+"02"+"0588"+endA+"0101")
	r.write("b", sgsn1, snsAck101+"02")
	r.wantLocal(101, atB)
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	r.wantEvents("vc up 101", "vc up 101", "vc down 101", "vc down 101")
}

// There is no room for the new endpoint beside the old one: all begins anew. Nor
// is there for one more: it is left out.
func TestSNSLocalNoRoom(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "a"))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
	}, Limits{VCsPerNSE: 3})
	r.snsUp()
	r.edit(addB)
	r.wantIdle()
	r.wantSNS(101, "CONFIGURED")
	// the SGSN takes one of its two away: there is room
	r.write("a", sgsn1, weight101+"55"+"05880a0001011e610101", delete101+"56"+"05880a0001011e5a0001")
	r.want(snsAck101+"55", snsAck101+"56", add101+"01"+"0588"+endB+"0101")
	r.write("a", sgsn1, snsAck101+"01")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	r.frames()
	r.write("a", sgsn1, add101+"57"+"05880a0001011e620101")
	r.want(snsAck101 + "57" + "008110" + "05880a0001011e620101")

	q := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "a"))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
	}, Limits{VCsPerNSE: 3})
	q.snsUp()
	q.edit(func(c *Config) { c.NSE(101).SNSBinds = []string{"b"} })
	q.wantTo("10.0.0.2:23000>10.0.1.1:7777 12048200650a01070003080001")
}

// Two SNS-ADDs cross that do not fit together: ours was first.
func TestSNSLocalNoRoomForBoth(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "a"))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
	}, Limits{VCsPerNSE: 4})
	r.snsUp()
	r.edit(addB)
	r.want(add101 + "01" + "0588" + endB + "0101")
	r.write("a", sgsn1, add101+"01"+"05880a0001011e620101")
	r.want(snsAck101 + "01" + "008110" + "05880a0001011e620101")
	r.write("a", sgsn1, snsAck101+"01")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED", "UNBLOCKED")
}

// The address of a bind on the unspecified address changes: the SGSN hears of the
// new one, then that the old one is gone, and the NS-VCs stay.
func TestSNSLocalWildcardMoves(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddBind(LinkUDP, "w"))
		must(t, c.SetListen("w", ap("0.0.0.0:24000")))
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "w"))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
	})
	r.write("w", sgsn1, sizeAck101, configAck101, sgsnConfig)
	r.frames()
	r.events = nil
	r.net.faces = ap("10.9.9.8:1").Addr()
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("w", 2, 2)) })
	r.want(add101 + "01" + "0588" + "0a0909085dc0" + "0202")
	r.write("w", sgsn1, snsAck101+"01")
	r.want(delete101 + "02" + "0588" + "0a0909095dc0" + "0101")
	r.write("w", sgsn1, snsAck101+"02")
	r.wantSNS(101, "CONFIGURED")
	r.wantLocal(101, "10.9.9.8:24000")
	r.wantEvents()
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	if !r.nse(101).Alive {
		t.Error("unavailable")
	}
}

// Weights of 0 everywhere can't be told: there is nothing to begin with until
// that is mended. Weights that are exchanged go in one PDU.
//
// Facts: G1.6-39, G1.6-53
func TestSNSLocalWeights(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.edit(addB)
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("a", 1, 0)); must(t, c.SetSNSWeights("b", 0, 1)) })
	r.write("a", sgsn1, sizeAck101, configAck101, sgsnConfig)
	r.frames()
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("a", 0, 1)); must(t, c.SetSNSWeights("b", 1, 0)) })
	r.want(weight101 + "01" + "0590" + endA + "0001" + endB + "0100")
	r.write("a", sgsn1, snsAck101+"01")
	r.events = nil
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("b", 0, 0)) })
	r.wantIdle()
	r.wantSNS(101, "UNCONFIGURED")
	r.wantEvents("sns failure 101", "vc down 101", "vc down 101", "failure 101", "vc down 101", "vc down 101", "sns none 101")
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("b", 7, 0)) })
	r.want("12048200650a01070040080002")
}
