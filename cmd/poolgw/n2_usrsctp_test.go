//go:build usrsctp && cgo && linux

package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolgw/sctp"
)

// Octets of UERANSIM 3.3.0 and Ella Core 1.15.0, captured on kernel SCTP.
const (
	ngSetupRequest  = "0015003e000004001b00090000f1105000000001005240140880554552414e53494d2d676e622d312d312d310066000d00000000010000f110000000080015400140"
	ngSetupResponse = "20150029000004000100050100616d6600600008000000f11081004100564001ff005000080000f11000000008"
	ngInitialUE     = "000f40480000050055000200010026001a197e004179000d0100f1100000000079653199532e04f0f0f0f0007900135000f110000000010000f110000001eeb72e36005a4001180070400100"
)

func octets(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// peerStack is the userspace stack of the test's own process.
func peerStack(t *testing.T) sctp.Transport {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not root: the userspace stack needs raw sockets")
	}
	s, err := sctp.Userspace(sctp.UserspaceOptions{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serveAMF is an AMF that answers NG Setup; what else comes is other's.
func serveAMF(t *testing.T, s sctp.Transport, port uint16, other func(a sctp.Assoc, ev sctp.Event)) {
	t.Helper()
	l, err := s.Listen(sctp.At(port, netip.MustParseAddr("127.0.0.1")), sctp.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	answer := octets(t, ngSetupResponse)
	go func() {
		for {
			a, err := l.Accept(context.Background())
			if err != nil {
				return
			}
			go func() {
				for {
					ev, err := a.Recv()
					if err != nil {
						return
					}
					if ev.Kind == sctp.Data && ev.Data[1] == 21 {
						a.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: answer})
					} else if ev.Kind == sctp.Data {
						other(a, ev)
					}
				}
			}()
		}
	}()
}

// amfAt is an AMF that answers NG Setup; what else comes is in the channel.
func amfAt(t *testing.T, s sctp.Transport, port uint16) <-chan []byte {
	t.Helper()
	got := make(chan []byte, 100)
	serveAMF(t, s, port, func(_ sctp.Assoc, ev sctp.Event) { got <- append([]byte(nil), ev.Data...) })
	return got
}

// receive waits for a message.
func receive(t *testing.T, a sctp.Assoc) []byte {
	t.Helper()
	a.SetRecvDeadline(time.Now().Add(10 * time.Second))
	for {
		ev, err := a.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == sctp.Data {
			return append([]byte(nil), ev.Data...)
		}
	}
}

// TestN2 runs the program with two AMFs and a gNB in another process, over the
// userspace stack.
func TestN2(t *testing.T) {
	s := peerStack(t)
	ports := [3]uint16{uint16(freePort(t, "tcp")), uint16(freePort(t, "tcp")), uint16(freePort(t, "tcp"))}
	amfs := [2]<-chan []byte{amfAt(t, s, ports[1]), amfAt(t, s, ports[2])}
	text := fmt.Sprintf("ngap\n bind ran\n  listen 127.0.0.1 %d\n  transport userspace\namf 1\n remote 127.0.0.1 %d\n transport userspace\n"+
		"amf 2\n remote 127.0.0.1 %d\n transport userspace\n no allow-attach\n", ports[0], ports[1], ports[2])
	port := freePort(t, "tcp")
	file := writeFile(t, fill(t, fmt.Sprintf("line vty\n no login\n bind 127.0.0.1 %d\nctrl\n bind 127.0.0.1 CTRLPORT\n", port)+text))
	p := start(t, "-c", file)
	p.running(t)
	v := dialVTY(t, port)
	say := func(line string, wants ...string) {
		t.Helper()
		out, err := v.Run(line)
		for _, want := range wants {
			if err != nil || !strings.Contains(out, want) {
				t.Errorf("%s: %v; no %q in\n%s", line, err, want, out)
			}
		}
	}
	gnb, err := s.Dial(t.Context(), sctp.At(0, netip.MustParseAddr("127.0.0.1")), sctp.At(ports[0], netip.MustParseAddr("127.0.0.1")), sctp.Defaults())
	if err != nil {
		t.Fatalf("%v; standard error:\n%s", err, &p.err)
	}
	gnb.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: octets(t, ngSetupRequest)})
	if answer := receive(t, gnb); answer[0] != 0x20 || answer[1] != 21 || !strings.Contains(string(answer), "POOL-AMF") {
		t.Errorf("NG Setup is answered by %x", answer)
	}
	say("enable")
	say("show amf", "AMF1", "up")
	say("show gnb", "001-01-1", "UERANSIM-gnb-1")
	say("show sctp", "userspace", "path 127.0.0.1 active", "AMF1")
	say("ngap trace gnb 001-01-1", "gnb-001-01-1-")
	gnb.Send(sctp.Message{Stream: 1, PPID: sctp.PPIDNGAP, Data: octets(t, ngInitialUE)})
	select {
	case m := <-amfs[0]:
		if m[1] != 15 {
			t.Errorf("the AMF gets %x", m)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("no Initial UE Message came; standard error:\n%s", &p.err)
	}
	say("show amf 1", "1 UEs", "no_identity 1")
	say("show ngap conservation", "balance                         0")
	say("drain amf 1", "no AMF takes new UEs")
	say("undrain amf 2")
	say("no ngap trace", "1 trace ended")
	traces, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "traces", "*.pcap"))
	if st, err := os.Stat(strings.Join(traces, "")); err != nil || st.Mode().Perm() != 0o600 || st.Size() < 200 {
		t.Errorf("traces %v: %v", traces, err)
	}
	// The node goes and comes at run time.
	say("configure terminal")
	say("no ngap", "1 gNB with 1 UE: associations ended")
	gnb.SetRecvDeadline(time.Now().Add(10 * time.Second))
	for err = nil; err == nil; {
		_, err = gnb.Recv()
	}
	if cause, _ := sctp.CauseOf(err); cause != sctp.PeerShutdown {
		t.Errorf("the gNB's association ended so: %v", err)
	}
	say("ngap")
	say("bind ran")
	say("transport userspace")
	say(fmt.Sprintf("listen 127.0.0.1 %d", ports[0]))
	again, err := s.Dial(t.Context(), sctp.At(0, netip.MustParseAddr("127.0.0.1")), sctp.At(ports[0], netip.MustParseAddr("127.0.0.1")), sctp.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	p.cmd.Process.Signal(syscall.SIGTERM)
	if code := p.exited(t); code != 0 {
		t.Errorf("exit code %d on SIGTERM; standard error:\n%s", code, &p.err)
	}
}

// A second process can't have the address of a bind, though its stack is another.
func TestN2BindInUse(t *testing.T) {
	peerStack(t)
	text := fmt.Sprintf("MGMT\nngap\n bind ran\n  listen 127.0.0.1 %d\n  transport userspace\n", freePort(t, "tcp"))
	start(t, "-c", writeFile(t, fill(t, text))).running(t)
	second := start(t, "-c", writeFile(t, fill(t, text)))
	if code := second.exited(t); code != 2 || !strings.Contains(second.err.String(), "the address is in use: another program, or another poolgw, has it") {
		t.Errorf("exit code %d, standard error:\n%s", code, &second.err)
	}
}

// "transport auto" has begun the userspace stack over IP: UDP encapsulation is refused
// then, with what to do, and the bind stays.
func TestN2EncapsulationComesTooLate(t *testing.T) {
	peerStack(t)
	if _, err := sctp.Kernel(); err == nil {
		t.Skip("transport auto takes the kernel's stack here")
	}
	port, at := freePort(t, "tcp"), freePort(t, "tcp")
	p := start(t, "-c", writeFile(t, fill(t, fmt.Sprintf("line vty\n no login\n bind 127.0.0.1 %d\nctrl\n bind 127.0.0.1 CTRLPORT\nngap\n bind ran\n  listen 127.0.0.1 %d\n", port, at))))
	p.running(t)
	v := dialVTY(t, port)
	for _, c := range []struct{ line, want string }{{"enable", ""}, {"configure terminal", ""}, {"ngap", ""}, {"bind ran", ""},
		{"transport udp-encapsulation 9899", "write it to the file, transport before listen, and start anew"},
		{"do show ngap", fmt.Sprintf("bind ran at 127.0.0.1:%d userspace: 0 gNBs", at)}} {
		out, err := v.Run(c.line)
		if err != nil && c.want == "" {
			t.Fatalf("%s: %v", c.line, err)
		}
		if all := fmt.Sprint(out, err); !strings.Contains(all, c.want) {
			t.Errorf("%s: no %q in\n%s", c.line, c.want, all)
		}
	}
}
