package ns

import (
	"fmt"
	"net/netip"
)

// Link is the link layer beneath an NSE or bind.
type Link uint8

const (
	LinkUndefined Link = iota
	LinkUDP
	LinkFR
	LinkFRGRE
)

// Dialect is how the NS-VCs of an NSE are managed. An NSE takes it from its
// first NS-VC or SNS setting.
type Dialect uint8

const (
	DialectUndefined        Dialect = iota
	DialectStaticAlive              // "nsvc udp": no RESET, no BLOCK; ALIVE only
	DialectStaticResetBlock         // "nsvc fr": RESET and BLOCK procedures, TS 48.016 7.2, 7.3
	DialectIPAccess                 // "nsvc ipa": RESET and BLOCK over UDP, as ip.access BTSs do
	DialectSNS                      // IP sub-network service, TS 48.016 6.2.6, 7.4b
)

// Role is the role poolgw plays in the SNS procedures of an NSE.
type Role uint8

const (
	RoleBSS  Role = iota // we send SNS-SIZE (toward SGSNs); the default
	RoleSGSN             // we await SNS-SIZE (toward BSSs)
)

var linkNames = [...]string{"undefined", "UDP", "FR", "FRGRE"}

func (l Link) String() string { return name(linkNames[:], "Link", uint8(l)) }

var dialectNames = [...]string{"undefined", "static-alive", "static-resetblock", "ipaccess", "sns"}

func (d Dialect) String() string { return name(dialectNames[:], "Dialect", uint8(d)) }

var roleNames = [...]string{"BSS", "SGSN"}

func (r Role) String() string { return name(roleNames[:], "Role", uint8(r)) }

// name looks v up in a table of names.
func name(names []string, typ string, v uint8) string {
	if int(v) < len(names) && names[v] != "" {
		return names[v]
	}
	return fmt.Sprintf("%s(0x%02x)", typ, v)
}

// Config is the node "ns": everything of the NS layer that an operator sets.
// It is a value: edits copy it with Clone.
type Config struct {
	Timers          Timers
	TxQueueMax      uint16 // datagrams per bind, 1..4096; default 128
	Binds           []BindConfig
	SNSDefaultBinds []string // "ip-sns-default bind NAME", in order
	NSEs            []NSEConfig
	Index           *Index `json:"-"` // nil but while many edits are made, see Indexed
}

// BindConfig is one local end.
type BindConfig struct {
	Name           string
	Link           Link           // LinkUDP, LinkFR or LinkFRGRE
	Listen         netip.AddrPort // zero: not (yet) listening; LinkFRGRE: port 0
	DSCP           uint8          // 0..63
	Priority       uint8          // SO_PRIORITY, 0..255
	ReceiveBuffer  uint32         // LinkUDP: octets, of each socket; 0: DefaultReceiveBuffer
	SendBuffer     uint32         // LinkUDP: 0: DefaultSendBuffer
	Segmentation   bool           // LinkUDP: user data in trains (UDP_SEGMENT), if the kernel can
	SigWeight      uint8          // IP-SNS signalling weight, 0..254; default 1
	DataWeight     uint8          // IP-SNS data weight, 0..254; default 1
	Accept         AccessList     // sources that may send; empty: all
	AcceptIPAccess bool           // dynamic NSEs by NS-RESET
	AcceptSNS      bool           // dynamic NSEs by SNS-SIZE
	FRNetIf        string         // LinkFR: net device; empty: none
	FRNetwork      bool           // LinkFR: network side ("frnet"), else user side ("fr")
}

// NSEConfig is one NSE configured in node "ns".
type NSEConfig struct {
	NSEI       uint16
	Role       Role
	Dialect    Dialect
	VCs        []VCConfig
	SNSBinds   []string         // "ip-sns-bind NAME"
	SNSRemotes []netip.AddrPort // "ip-sns-remote IP PORT": initial SGSN endpoints
}

// VCConfig is one configured NS-VC.
type VCConfig struct {
	Link       Link
	Bind       string         // LinkUDP, LinkFRGRE: bind's name; LinkFR: net device
	Remote     netip.AddrPort // LinkUDP; LinkFRGRE: the address, port 0
	DLCI       uint16         // LinkFR, LinkFRGRE: 16..1007
	NSVCI      uint16         // with HasNSVCI
	HasNSVCI   bool           // ipa and fr
	SigWeight  uint8          // static-alive: 0..254; default 1
	DataWeight uint8          // static-alive: 0..254; default 1
}
