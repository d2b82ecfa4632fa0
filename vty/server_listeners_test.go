package vty

import (
	"net"
	"net/netip"
	"testing"
)

// What is no longer listened on takes nobody; who came in there stays.
func TestUnlisten(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	at := s.Addrs()[0]
	c := call(t, s)
	c.expect("", offered+host+"> ")
	s.Unlisten(netip.MustParseAddrPort("127.0.0.9:1"))
	if len(s.Addrs()) != 1 {
		t.Error("another address was given up")
	}
	s.Unlisten(at)
	if late, err := net.Dial("tcp", at.String()); err == nil {
		late.Close()
		t.Error("the address is still listened on")
	}
	if n := len(s.Addrs()); n != 0 {
		t.Errorf("%d addresses are listened on", n)
	}
	c.expect("enable\r", "enable\r\n"+host+"# ")
	if err := s.Listen(at); err != nil {
		t.Errorf("listening again: %v", err)
	}
}

// 0.0.0.0 is IPv4 and no more.
func TestListenAnyIPv4(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	if err := s.Listen(netip.MustParseAddrPort("0.0.0.0:0")); err != nil {
		t.Fatal(err)
	}
	at := s.Addrs()[1]
	if !at.Addr().Is4() {
		t.Errorf("listens at %s", at)
	}
	s.Unlisten(at)
	if len(s.Addrs()) != 1 {
		t.Error("it can't be given up")
	}
}
