package simnet

import (
	"io"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// Capture writes datagrams as a pcap file of raw IP packets, for tshark
// (-d udp.port==PORT,gprs-ns) and Wireshark.
type Capture struct {
	w      *pcapgo.Writer
	frames int
	err    error
}

// NewCapture writes the file header to w.
func NewCapture(w io.Writer) (*Capture, error) {
	c := &Capture{w: pcapgo.NewWriter(w)}
	return c, c.w.WriteFileHeader(65535, layers.LinkTypeRaw)
}

// Packet writes p; it may be given to Network.Tap. Datagrams that the network
// drops are in the file too: it shows what was sent.
func (c *Capture) Packet(p Packet) {
	if c.err != nil {
		return
	}
	frame, err := encapsulate(p)
	if err == nil {
		err = c.w.WritePacket(gopacket.CaptureInfo{Timestamp: p.Time,
			CaptureLength: len(frame), Length: len(frame)}, frame)
	}
	if c.err = err; err == nil {
		c.frames++
	}
}

// Frames tells how many packets are in the file, and the first error of
// writing it.
func (c *Capture) Frames() (int, error) { return c.frames, c.err }

func encapsulate(p Packet) ([]byte, error) {
	udp := &layers.UDP{SrcPort: layers.UDPPort(p.Src.Port()), DstPort: layers.UDPPort(p.Dst.Port())}
	ip := ipLayer(p.Src.Addr(), p.Dst.Addr())
	if err := udp.SetNetworkLayerForChecksum(ip.(gopacket.NetworkLayer)); err != nil {
		return nil, err
	}
	buf := gopacket.NewSerializeBuffer()
	err := gopacket.SerializeLayers(buf,
		gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		ip, udp, gopacket.Payload(p.Payload))
	return buf.Bytes(), err
}

func ipLayer(src, dst netip.Addr) gopacket.SerializableLayer {
	if src.Is4() && dst.Is4() {
		return &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP,
			SrcIP: src.AsSlice(), DstIP: dst.AsSlice()}
	}
	s, d := src.As16(), dst.As16()
	return &layers.IPv6{Version: 6, HopLimit: 64, NextHeader: layers.IPProtocolUDP,
		SrcIP: s[:], DstIP: d[:]}
}
