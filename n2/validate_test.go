package n2_test

import (
	"net/netip"
	"strings"
	"testing"

	"poolgw/finding"
	"poolgw/n2"
	"poolgw/sctp"
)

// One local address begins the associations of all gNBs to several AMFs: Linux has
// 28,232 ports for it (32768 to 60999). It is told once for each address.
// Facts: N6-71
func TestPortsOfALocalAddress(t *testing.T) {
	for _, c := range []struct {
		amfs, gnbs int
		local      string
		notes      int
	}{{6, 4096, "192.0.2.1", 0}, {7, 4096, "192.0.2.1", 1}, {7, 4096, "", 0}, {7, 4000, "192.0.2.1", 0}, {254, 100, "192.0.2.1", 0}, {1, 28001, "192.0.2.1", 1}} {
		conf := n2.Default()
		conf.Enabled = true
		conf.Binds = []n2.Bind{{Name: "ran", Listen: sctp.At(n2.DefaultPort, address(0, 1))}}
		conf.Limits.GNBs = uint32(c.gnbs)
		for i := range c.amfs {
			a := n2.AMF{ID: uint8(i + 1), Remote: sctp.At(n2.DefaultPort, address(1, i)), Capacity: -1, AllowAttach: true}
			if c.local != "" {
				a.Local = []netip.Addr{netip.MustParseAddr(c.local)}
			}
			conf.AMFs = append(conf.AMFs, a)
		}
		notes := 0
		for _, f := range conf.Validate() {
			if f.Class != finding.Note || !strings.Contains(f.Text, "28000 ports") {
				t.Errorf("%+v: %+v", c, f)
			}
			notes++
		}
		if notes != c.notes {
			t.Errorf("%+v: %d notes", c, notes)
		}
	}
}

// What can't be an AMF's address is refused; the gateway's own is told.
func TestRemoteOfAnAMF(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.2": "", "192.0.2.1": "its own AMF", "0.0.0.0": "no address of a host",
		"224.0.0.1": "no address of a host", "255.255.255.255": "no address of a host", "ff02::1": "no address of a host",
	} {
		conf := n2.Default()
		conf.Enabled = true
		conf.Binds = []n2.Bind{{Name: "ran", Listen: sctp.At(n2.DefaultPort, netip.MustParseAddr("192.0.2.1"))}}
		conf.AMFs = []n2.AMF{{ID: 1, Remote: sctp.At(n2.DefaultPort, netip.MustParseAddr(remote)), Capacity: -1, AllowAttach: true}}
		var got string
		for _, f := range conf.Validate() {
			got += f.Text
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("remote %s: %q, want %q", remote, got, want)
		}
	}
}
