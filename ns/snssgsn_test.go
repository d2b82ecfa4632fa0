package ns

import (
	"fmt"
	"testing"
)

// sgsnUp brings up the BSS of sgsnRig, with room for 8 NS-VCs.
func (r *rig) sgsnUp() {
	r.t.Helper()
	r.write("b", bss, size2001, conf2001, confAck, aliveAckHex)
	r.wantSNS(2001, "CONFIGURED")
	r.frames()
	r.events = nil
}

const snsAck2001 = "0c048207d1" // and the transaction

// The default binds are the endpoints of dynamic NSEs: a change is told to each
// BSS, and a bind that is not among them has no NS-VCs.
//
// Facts: G1.6-35, G1.6-39
func TestSNSDefaultBindsAtRunTime(t *testing.T) {
	r := sgsnRig(t)
	r.edit(func(c *Config) {
		must(t, c.AddBind(LinkUDP, "other"))
		must(t, c.SetListen("other", ap("10.0.0.3:23000")))
		must(t, c.AddDefaultBind("b"))
	})
	r.sgsnUp()
	r.write("b", bss, "0d048207d1"+"05"+"0588"+"0a00020259d80101") // 10.0.2.2:23000
	r.wantTo("10.0.0.2:23000>10.0.2.1:23000 "+snsAck2001+"05", "10.0.0.2:23000>10.0.2.2:23000 0a")
	r.wantVCs(2001, "UNBLOCKED", "UNBLOCKED") // on no other bind
	r.edit(func(c *Config) { must(t, c.AddDefaultBind("a")) })
	r.want("0d048207d1" + "01" + "0588" + endA + "0101")
	r.write("b", bss, snsAck2001+"01"+"0588"+endA+"0101")
	r.wantTo("10.0.0.1:23000>10.0.2.1:23000 0a", "10.0.0.1:23000>10.0.2.2:23000 0a")
	r.edit(func(c *Config) { must(t, c.RemoveDefaultBind("b")) })
	r.wantTo("10.0.0.1:23000>10.0.2.1:23000 " + "11048207d1" + "02" + "0588" + endB + "0101")
	r.write("a", bss, snsAck2001+"02")
	r.wantLocal(2001, atA)
	r.wantEvents("vc up 2001", "vc up 2001", "vc up 2001", "vc down 2001", "vc down 2001")
	r.edit(func(c *Config) { must(t, c.ClearListen("a")) })
	r.wantIdle() // nothing is left
	if r.s.NSE(2001) != nil {
		t.Error("still there")
	}
}

// A BSS that does not answer has failed: a dynamic NSE is deleted. One that
// refuses is served on as before, and not asked again until something changes.
//
// Facts: G1.6-40, G1.6-48
func TestSNSLocalChangesAsSGSN(t *testing.T) {
	r := sgsnRig(t)
	r.sgsnUp()
	add := func(c *Config) { must(t, c.AddDefaultBind("b")); must(t, c.AddDefaultBind("a")) }
	r.edit(add)
	r.want("0d048207d1" + "01" + "0588" + endA + "0101")
	r.write("b", bss, snsAck2001+"01"+"00810e"+"0588"+endA+"0101")
	r.wantIdle()
	r.wantSNS(2001, "CONFIGURED")
	r.wantVCs(2001, "UNBLOCKED")
	r.wantEvents()
	if n := r.nse(2001).SNS; len(n.Refused) != 1 || n.Refused[0].Addr != ap(atA) || len(n.Local) != 1 {
		t.Errorf("%+v", n)
	}
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("b", 2, 2)) })
	r.want("0d048207d1" + "02" + "0588" + endA + "0101") // once more
	r.write("b", bss, snsAck2001+"02"+"00810e")
	r.want("0e048207d1" + "03" + "0588" + endB + "0202")
	for range 3 {
		r.timer(3 * sec)
		r.want("0e048207d1" + "03" + "0588" + endB + "0202")
	}
	r.events = nil
	r.timer(3 * sec)
	r.wantEvents("sns failure 2001", "vc down 2001", "failure 2001", "free 2001")
	if _, armed := r.s.Deadline(); armed {
		t.Error("a timer outlived its NSE")
	}
	r.sgsnUp()
	must(t, r.s.RestartSNS(2001, r.now)) // the BSS has to begin
	r.wantEvents("vc down 2001", "vc down 2001", "failure 2001", "free 2001")
}

// The mesh would have more NS-VCs than the BSS can take: the bind is left out
// until the BSS says that it can, by an SNS-SIZE without reset.
//
// Facts: G1.6-50
func TestSNSSizeWithoutReset(t *testing.T) {
	r := sgsnRig(t)
	r.write("b", bss, "12048207d10a01070001080001", conf2001, confAck, aliveAckHex)
	r.frames()
	r.edit(func(c *Config) { must(t, c.AddDefaultBind("b")); must(t, c.AddDefaultBind("a")) })
	r.wantIdle()
	r.write("b", "10.0.9.9:1", "12048207d10a00070008080001") // not the BSS
	r.want(ack2001 + "00810a")
	r.write("b", bss, "12048207d10a00070008080001")
	r.want(ack2001, "0d048207d1"+"01"+"0588"+endA+"0101")
	r.write("b", bss, snsAck2001+"01")
	r.wantVCs(2001, "UNBLOCKED", "UNBLOCKED")
	r.frames()
	r.write("b", bss, "12048207d10a00070001080001", "12048207d10a00070008090001") // fewer than there are; IPv6
	r.want(ack2001+"008110", ack2001+"00810f")
	r.wantVCs(2001, "UNBLOCKED", "UNBLOCKED")
	if n := r.nse(2001).SNS.MaxNSVCs; n != 8 {
		t.Errorf("%d NS-VCs", n)
	}
}

// Binds come and go while the endpoints are being exchanged: the BSS is told
// afterwards, or has nothing left to speak to.
func TestSNSBindsChangeDuringExchange(t *testing.T) {
	r := sgsnRig(t)
	r.edit(func(c *Config) { must(t, c.AddDefaultBind("b")); must(t, c.AddDefaultBind("a")) })
	r.write("b", bss, size2001, conf2001)
	r.want(ack2001, confAck, "0f01048207d10590"+endB+"0101"+endA+"0101")
	r.edit(func(c *Config) { must(t, c.ClearListen("a")) })
	r.wantIdle()
	r.write("b", bss, confAck)
	r.want(alive, "11048207d1"+"01"+"0588"+endA+"0101")
	r.wantVCs(2001, "UNBLOCKED") // none on the bind that is closed
	r.write("b", bss, snsAck2001+"01")
	r.wantVCs(2001, "UNBLOCKED")
	r.wantLocal(2001, atB)

	q := newRig(t, func(c *Config) { must(t, c.AddNSE(2001, RoleSGSN)); must(t, c.AddSNSBind(2001, "b")) })
	q.write("b", bss, size2001, conf2001)
	q.edit(func(c *Config) { must(t, c.ClearListen("b")) })
	q.wantSNS(2001, "UNCONFIGURED")
	if _, armed := q.s.Deadline(); armed {
		t.Error("waits for nothing")
	}
	q.frames()
	q.edit(func(c *Config) { must(t, c.SetListen("b", ap(atB))) })
	q.write("b", bss, size2001)
	q.want(ack2001)
}

// Long lists come, and go, in several SNS-CONFIGs, each acknowledged.
//
// Facts: G1.6-51
func TestSNSConfigOfManyEndpoints(t *testing.T) {
	const many = 150
	names := make([]string, many)
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
		for i := range names {
			names[i] = fmt.Sprint("n", i)
			must(t, c.AddBind(LinkUDP, names[i]))
			must(t, c.SetListen(names[i], ap(fmt.Sprintf("10.1.0.1:%d", 256+i))))
			must(t, c.AddSNSBind(101, names[i]))
		}
	}, Limits{VCsPerNSE: 300})
	r.want("12048200650a0107012c080096")
	part := func(flag string, from, to int) string {
		list := ""
		for i := from; i < to; i++ {
			list += fmt.Sprintf("0a010001%04x0101", 256+i)
		}
		return fmt.Sprintf("0f%s0482006505%04x", flag, 8*(to-from)) + list
	}
	r.write("n0", sgsn1, sizeAck101)
	r.want(part("00", 0, 64))
	r.timer(3 * sec)
	r.want(part("00", 0, 64))
	r.write("n0", sgsn1, configAck101)
	r.want(part("00", 64, 128))
	r.wantSNS(101, "BSS_CONFIG_BSS")
	for range 3 { // of its own
		r.timer(3 * sec)
		r.want(part("00", 64, 128))
	}
	r.write("n0", sgsn1, configAck101)
	r.want(part("01", 128, 150))
	r.write("n0", sgsn1, configAck101)
	r.wantSNS(101, "BSS_CONFIG_SGSN")
	r.write("n0", sgsn1, "0f000482006505880a0001011e610100", "0f0104820065"+"05880a0001011e5a0001")
	if n := len(r.nse(101).VCs); n != 300 {
		t.Errorf("%d NS-VCs", n)
	}
}

// SNS-ADD of an endpoint to which another NSE has an NS-VC is refused.
func TestSNSAddOfForeignEndpoint(t *testing.T) {
	r := sgsnRig(t)
	r.sgsnUp()
	r.write("b", "10.0.2.2:23000", "12048207d20a01070008080001", "0f01048207d205880a00020259d80101", "10048207d2")
	r.frames()
	r.write("b", bss, "0d048207d1"+"05"+"0588"+"0a00020259d80101")
	r.want(snsAck2001 + "05" + "00810b" + "0588" + "0a00020259d80101")
	r.wantVCs(2001, "UNBLOCKED")
	r.wantVCs(2002, "UNBLOCKED")
}

// With endpoints of IPv6 exchanged, those of IPv4 play no part.
//
// Facts: G1.6-44
func TestSNSOtherFamilyPlaysNoPart(t *testing.T) {
	r := sgsnRig(t)
	r.edit(func(c *Config) {
		must(t, c.AddBind(LinkUDP, "six"))
		must(t, c.SetListen("six", ap("[2001:db8::2]:23000")))
		must(t, c.AddDefaultBind("b"))
		must(t, c.AddDefaultBind("six"))
	})
	const list = "0694" + "20010db8000000000000000000000009" + "59d80101"
	r.write("b", bss, "12048207d1"+"0a01"+"070008"+"080001"+"090001", "0f01048207d1"+list, confAck)
	r.wantVCs(2001, "UNBLOCKED")
	r.frames()
	r.edit(func(c *Config) { must(t, c.RemoveDefaultBind("b")); must(t, c.AddDefaultBind("a")) })
	r.wantIdle()
	r.write("six", "[2001:db8::9]:23000", "0d048207d1"+"05"+"0588"+"0a00020259d80101", "0e048207d1"+"06"+list)
	r.want(snsAck2001+"05"+"00810f"+"0588"+"0a00020259d80101", snsAck2001+"06")
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("six", 2, 3)) })
	r.want("0e048207d1" + "01" + "0694" + "20010db8000000000000000000000002" + "59d80203")
}

// The BSS's NS-ALIVE on another endpoint overtakes its CONFIG-ACK: it is no
// stranger's, gets no NS-STATUS, and its answer when the endpoints are there.
func TestSNSAliveBeforeConfigAck(t *testing.T) {
	r := sgsnRig(t)
	r.edit(func(c *Config) { must(t, c.AddDefaultBind("b")); must(t, c.AddDefaultBind("a")) })
	r.write("b", bss, size2001, conf2001)
	r.frames()
	r.write("a", bss, alive, "00004e2b0102")
	r.wantIdle()
	r.wantSNS(2001, "SGSN_WAIT_CONFIG_ACK")
	r.wantEvents("new 2001")
	r.write("b", bss, confAck)
	r.want(alive, aliveAckHex, alive) // in the order of the binds
	r.wantEvents("vc up 2001", "recovery 2001", "vc up 2001", "sns up 2001", "data 2001/20011 0102")
	r.wantVCs(2001, "UNBLOCKED", "UNBLOCKED")
	r.write("a", bss, alive)
	r.want(aliveAckHex)
	// a stranger's still does
	r.write("b", "10.0.9.9:1", alive)
	r.want("08008104")
}
