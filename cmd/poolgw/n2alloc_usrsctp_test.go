//go:build usrsctp && cgo && linux

package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"poolgw/sctp"
)

// raceDetector is set where it is on.
var raceDetector bool

// NAS transports of the UE with RAN UE NGAP ID 1, whose AMF UE NGAP ID is 1 at the
// AMF, by hand (TS 38.413 9.2.5.2, 9.2.5.3): NAS-PDU 7e0042, User Location as in
// ngInitialUE. %02x%s is the length and value of the AMF UE NGAP ID at the gNB.
const (
	ngDownlinkNAS = "00044017" + "000003" + "000a00020001" + "005500020001" + "00260004037e0042"
	ngUplinkNAS   = "002e40%02x" + "000004" + "000a00%02x%x" + "005500020001" + "00260004037e0042" + "007940135000f110000000010000f110000001eeb72e36"
)

// echoAMF answers NG Setup, and whatever else comes by a Downlink NAS Transport.
func echoAMF(t *testing.T, s sctp.Transport, port uint16) {
	t.Helper()
	nas := octets(t, ngDownlinkNAS)
	serveAMF(t, s, port, func(a sctp.Assoc, ev sctp.Event) {
		a.Send(sctp.Message{Stream: ev.Stream, PPID: sctp.PPIDNGAP, Data: nas})
	})
}

// exchange sends n messages, few of them unanswered at a time, and takes the answers.
func exchange(t *testing.T, gnb sctp.Assoc, up []byte, n int) {
	t.Helper()
	gnb.SetRecvDeadline(time.Now().Add(2 * time.Minute))
	const window = 8
	for sent, got := 0, 0; got < n; {
		for ; sent < n && sent < got+window; sent++ {
			if err := gnb.Send(sctp.Message{Stream: 1, PPID: sctp.PPIDNGAP, Data: up}); err != nil {
				t.Fatalf("after %d messages: %v", sent, err)
			}
		}
		ev, err := gnb.Recv()
		if err != nil {
			t.Fatalf("after %d answers: %v", got, err)
		}
		if ev.Kind == sctp.Data {
			got++
		}
	}
}

// alone runs the test in a network of its own, where no other SCTP stack of this host
// aborts what it does not know; it tells whether this is the process in there.
func alone(t *testing.T) bool {
	t.Helper()
	const inside = "POOLGW_TEST_NETNS"
	if os.Getenv(inside) != "" {
		return true
	}
	if os.Geteuid() != 0 {
		t.Skip("not root: no network namespaces, no raw sockets")
	}
	cmd := exec.Command("sh", "-c", `ip link set lo up && exec "$0" "$@"`, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, syscall.EPERM), cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 127:
		t.Skip("no network namespaces, or no ip command here")
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	default:
		t.Logf("%s", out)
	}
	return false
}

// PDUs of a bound UE cost the gateway no allocation between real SCTP sockets: there
// are some thousand for 80,000, which are those of a look at the metrics.
func TestN2RelayAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes buffers from pools by chance")
	}
	if !alone(t) {
		return
	}
	s := peerStack(t)
	ran, core, web := uint16(freePort(t, "tcp")), uint16(freePort(t, "tcp")), freePort(t, "tcp")
	echoAMF(t, s, core)
	p := start(t, "-c", writeFile(t, fill(t, fmt.Sprintf("MGMT\nmetrics\n bind 127.0.0.1 %d\nngap\n bind ran\n  listen 127.0.0.1 %d\n  transport userspace\n"+
		"amf 1\n remote 127.0.0.1 %d\n transport userspace\n", web, ran, core))))
	p.running(t)
	lo := netip.MustParseAddr("127.0.0.1")
	gnb, err := s.Dial(t.Context(), sctp.At(0, lo), sctp.At(ran, lo), sctp.Defaults())
	if err != nil {
		t.Fatalf("%v; standard error:\n%s", err, &p.err)
	}
	defer gnb.Abort("")
	ask := func(text string) []byte {
		t.Helper()
		if err := gnb.Send(sctp.Message{Stream: 1, PPID: sctp.PPIDNGAP, Data: octets(t, text)}); err != nil {
			t.Fatal(err)
		}
		return receive(t, gnb)
	}
	if answer := ask(ngSetupRequest); answer[0] != 0x20 {
		t.Fatalf("NG Setup is answered by %x", answer)
	}
	nas := ask(ngInitialUE)
	if nas[1] != 4 || nas[8] != 10 {
		t.Fatalf("no Downlink NAS Transport: %x", nas)
	}
	id := nas[11 : 11+nas[10]]
	up := octets(t, fmt.Sprintf(ngUplinkNAS, 44+len(id), len(id), id))
	exchange(t, gnb, up, 1000)
	const rounds = 40000 // a PDU up and one down each
	look := func() float64 {
		f := figures{text: webText(t, web, "/metrics")}
		return f.sum("go_memstats_mallocs_total")
	}
	look() // the first takes more
	before := look()
	exchange(t, gnb, up, rounds)
	each := (look() - before) / (2 * rounds)
	t.Logf("%.3f allocations for each of %d PDUs, those for the metrics among them", each, 2*rounds)
	if each > 0.25 { // one for each PDU up, or down, were 0.5
		t.Errorf("%.3f allocations for each PDU that is relayed, want none", each)
	}
}
