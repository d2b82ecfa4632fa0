package sctp_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scenes are what happens to associations between two hosts, each end a
// process of its own.
var scenes = []struct {
	name string
	run  func(s *stage, n nodeSettings)
}{
	{"PathCutAndRestored", pathCutAndRestored},
	{"SecondAddressOfALink", secondAddressOfALink},
	{"AllPathsCut", allPathsCut},
	{"BlackHoleIdle", blackHoleIdle},
	{"BlackHoleFull", blackHoleFull},
	{"AssociationMaxRetrans", associationMaxRetrans},
	{"NobodyAnswersINIT", nobodyAnswersINIT},
	{"PeerKilled", peerKilled},
	{"PeerRestarts", peerRestarts},
	{"PeerHangs", peerHangs},
	{"AbortWithReason", abortWithReason},
	{"ShutdownWithDataInFlight", shutdownWithDataInFlight},
	{"ShutdownIntoBlackHole", shutdownIntoBlackHole},
	{"LongMessagesAmongPathEvents", longMessagesAmongPathEvents},
}

func runScenes(t *testing.T, n nodeSettings, but ...string) {
	for _, c := range scenes {
		if slices.Contains(but, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) { c.run(newStage(t), n) })
	}
}

// Facts: N3-08, N6-70
func TestKernelPaths(t *testing.T) {
	kernelSCTP(t)
	// A kernel does not die with the process: TestKernelHearsRestart instead.
	runScenes(t, nodeSettings{Transport: "kernel", Options: emulated()}, "PeerRestarts")
}

// hurry is the time of an emulated machine beyond what protocols need.
const hurry = 3 * time.Second

// A path of two is lost: both ends hear it, what is sent arrives all the same;
// it comes back, and carries when the other is lost.
func pathCutAndRestored(s *stage, n nodeSettings) {
	n.Options.AssocMaxRetrans = 20
	astray := s.watchSources()
	client, server := s.pair(2, n)
	client.do("send 1000 1")
	server.want(dataLine(1000, 0), hurry)
	found := longest(n.Options, n.Options.PathMaxRetrans) + hurry
	s.cut(1)
	client.do("send 1001 20")
	for i := range 20 {
		server.want(dataLine(1001, i), found)
	}
	client.want("path 10.99.1.2 inactive", found)
	server.want("path 10.99.1.1 inactive", found)
	client.do("send 1002 1")
	server.want(dataLine(1002, 0), hurry)
	client.forget()
	server.forget()
	s.restore(1)
	client.want("path 10.99.1.2 active", found)
	server.want("path 10.99.1.1 active", found)
	client.forget() // on a busy machine this path may have seemed lost for a moment
	s.cut(2)
	server.do("send 1003 20")
	for i := range 20 {
		client.want(dataLine(1003, i), found)
	}
	client.want("path 10.99.2.2 inactive", found)
	client.do("stats")
	if l := client.want("stats", hurry); strings.Count(l, "active") < 2 || !strings.Contains(l, "inactive") {
		s.Errorf("one path works, one does not, but: %s", l)
	}
	if all, wrong := astray(); wrong != 0 || all < 50 {
		s.Errorf("%d of %d packets had the source address of the other link", wrong, all)
	}
}

// An endpoint at an address that is not the first of its link, where the host would
// not take it by itself, is known by that address.
func secondAddressOfALink(s *stage, n nodeSettings) {
	for i := range s.space {
		s.ip("-n", s.space[i], "addr", "add", fmt.Sprintf("10.99.1.1%d/24", i+1), "dev", "v1")
	}
	server, client := s.start(b, n), s.start(a, n)
	server.do("listen 10.99.1.12:38412")
	server.want("listening", 10*time.Second)
	client.do("dial 10.99.1.11:38413 10.99.1.12:38412")
	if l := client.want("up", 30*time.Second); l != "up 10.99.1.11:38413 10.99.1.12:38412" {
		s.Errorf("the client says %q", l)
	}
	if l := server.want("up", 30*time.Second); l != "up 10.99.1.12:38412 10.99.1.11:38413" {
		s.Errorf("the server says %q", l)
	}
	server.do("send 1000 1")
	client.want(dataLine(1000, 0), hurry)
}

func allPathsCut(s *stage, n nodeSettings) {
	client, server := s.pair(2, n)
	s.cut(1, 2)
	// Losses on both paths count, one after the other or at once.
	within := longest(n.Options, n.Options.AssocMaxRetrans) + hurry
	client.want("down the peer does not answer", within)
	server.want("down the peer does not answer", hurry)
}

func blackHoleIdle(s *stage, n nodeSettings) {
	client, server := s.pair(1, n)
	s.cut(1)
	began := time.Now()
	client.want("down the peer does not answer", longest(n.Options, n.Options.AssocMaxRetrans)+hurry)
	server.want("down the peer does not answer", hurry)
	if d := time.Since(began); d < time.Duration(n.Options.AssocMaxRetrans)*n.Options.RTOMin {
		s.Errorf("given up after %v", d)
	}
}

// Who waits for a full buffer hears the same as who reads; what was not
// acknowledged comes back.
func blackHoleFull(s *stage, n nodeSettings) {
	n.Options.SendBuffer = 64 << 10
	client, _ := s.pair(1, n)
	s.cut(1)
	client.do("send 3000 1000")
	client.want("full after", hurry)
	line, passed := client.await("down", longest(n.Options, n.Options.AssocMaxRetrans)+hurry)
	if !strings.HasPrefix(line, "down the peer does not answer") {
		s.Fatalf("%q, after %q", line, passed)
	}
	all := strings.Join(passed, "\n")
	if !strings.Contains(all, "failed stream 1 ppid 60 size") {
		s.Errorf("nothing came back: %q", passed)
	}
	if !strings.Contains(all, "stopped after") {
		client.want("stopped after", hurry)
	}
}

// More losses take longer.
func associationMaxRetrans(s *stage, n nodeSettings) {
	var took [2]time.Duration
	for i, tries := range []uint16{1, 8} {
		n.Options.AssocMaxRetrans = tries
		client, server := s.pair(1, n)
		s.cut(1)
		began := time.Now()
		client.want("down the peer does not answer", longest(n.Options, tries)+hurry)
		took[i] = time.Since(began)
		// Else a kernel still has it when the next one comes from the same address.
		server.want("down the peer does not answer", longest(n.Options, tries)+hurry)
		client.kill()
		server.kill()
		s.restore(1)
	}
	if took[1] < took[0]+6*n.Options.RTOMin {
		s.Errorf("2 losses took %v, 9 took %v", took[0], took[1])
	}
}

func nobodyAnswersINIT(s *stage, n nodeSettings) {
	n.Options.InitAttempts, n.Options.InitTimeout = 3, 400*time.Millisecond
	client := s.start(a, n)
	s.cut(1)
	began := time.Now()
	client.dialFrom(1)
	if l, _ := client.await("error", 10*time.Second); !strings.Contains(l, "no answer to INIT") {
		s.Errorf("got %q", l)
	}
	if d := time.Since(began); d < 600*time.Millisecond || d > 3*time.Second+hurry {
		s.Errorf("given up after %v", d)
	}
}

// kill -9: the kernel ends the association of a dead process, a stack that
// died with it is missed. Then the server is there again.
func peerKilled(s *stage, n nodeSettings) {
	client, server := s.pair(1, n)
	server.kill()
	want := "down the peer does not answer"
	if n.Transport == "kernel" {
		want = "down shut down by the peer"
	}
	client.want(want, longest(n.Options, n.Options.AssocMaxRetrans)+hurry)
	server = s.start(b, n)
	server.do("listen %s:38412", addrs(b, 1))
	server.want("listening", hurry)
	client.dialFrom(1)
	client.want("up", 20*time.Second)
	server.want("up", hurry)
}

// A client that died unheard comes back from its address and port before the
// server has missed it (RFC 9260 clause 5.2.4).
func restarts(s *stage, server, client nodeSettings) {
	server.Options.AssocMaxRetrans = 100
	client.Stack.Shared = true // else its new life could abort what is left of the old one
	b := s.start(b, server)
	b.do("listen 10.99.1.2/10.99.2.2:38412")
	b.want("listening", hurry)
	for life := range 2 {
		a := s.start(a, client)
		a.dialFrom(2)
		a.want("up", 20*time.Second)
		if life == 0 {
			b.want("up", hurry)
		} else {
			b.want("restart", hurry)
		}
		a.do("send 1000 1")
		b.want(dataLine(1000, 0), hurry)
		b.do("send 1001 1")
		a.want(dataLine(1001, 0), hurry)
		a.kill()
	}
}

func peerRestarts(s *stage, n nodeSettings) {
	restarts(s, n, n)
}

// A process that hangs: its own stack hangs with it and is missed; the kernel
// answers in its stead, which no SCTP can see.
func peerHangs(s *stage, n nodeSettings) {
	client, server := s.pair(1, n)
	server.signal(syscall.SIGSTOP)
	within := longest(n.Options, n.Options.AssocMaxRetrans) + hurry
	if n.Transport != "kernel" {
		client.want("down the peer does not answer", within)
		return
	}
	if l, _ := client.await("down", within); l != "" {
		s.Fatalf("got %q", l)
	}
	client.do("send 1000 1")
	server.signal(syscall.SIGCONT)
	server.want(dataLine(1000, 0), hurry)
}

func abortWithReason(s *stage, n nodeSettings) {
	client, server := s.pair(1, n)
	server.do("abort out of service")
	want := "down aborted by the peer; code 12; reason "
	if n.Transport != "kernel" { // which has no words
		want += "out of service"
	}
	if l := client.want("down", hurry); l != want {
		s.Errorf("got %q, want %q", l, want)
	}
	server.want("down aborted here", hurry)
}

// What Send took before Close is delivered even if the path fails meanwhile.
func shutdownWithDataInFlight(s *stage, n nodeSettings) {
	n.Options.AssocMaxRetrans, n.Options.PathMaxRetrans = 60, 60
	client, server := s.pair(1, n)
	s.cut(1)
	client.do("send 1200 40")
	client.want("sent 40", hurry)
	client.do("close")
	client.want("down closed here", hurry)
	time.Sleep(500 * time.Millisecond)
	s.restore(1)
	for i := range 40 {
		server.want(dataLine(1200, i), 10*time.Second)
	}
	server.want("down shut down by the peer", hurry)
}

func shutdownIntoBlackHole(s *stage, n nodeSettings) {
	client, server := s.pair(1, n)
	s.cut(1)
	client.do("send 100 1")
	client.do("close")
	client.want("down closed here", hurry)
	server.want("down the peer does not answer", longest(n.Options, n.Options.AssocMaxRetrans)+hurry)
	s.restore(1)
	client.dialFrom(1) // the same port is free again
	client.want("up", 20*time.Second)
}

// Messages beyond 64 KiB come in pieces, with notifications in between.
func longMessagesAmongPathEvents(s *stage, n nodeSettings) {
	n.Options.AssocMaxRetrans, n.Options.PathMaxRetrans = 100, 1
	n.Options.SendBuffer, n.Options.ReceiveBuffer = 300_000, 100_000
	client, server := s.pair(2, n)
	client.do("send 150001 30")
	server.do("send 70001 30")
	for i := range 30 {
		if i%10 == 5 {
			s.cut(1 + i/10%2)
		}
		server.want(dataLine(150001, i), 30*time.Second)
		client.want(dataLine(70001, i), 30*time.Second)
		if i%10 == 7 {
			s.restore(1 + i/10%2)
		}
	}
}
