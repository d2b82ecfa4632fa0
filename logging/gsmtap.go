package logging

import (
	"cmp"
	"encoding/binary"
	"net"
	"os"
	"strings"
	"time"
)

// GSMTAP, as libosmocore's gsmtap.h documents it.
const (
	gsmtapPort    = "4729"
	gsmtapVersion = 2
	gsmtapWords   = 4    // of 32 bits, the header
	gsmtapLog     = 0x10 // type "libosmocore logging"
	gsmtapHeader  = 4*gsmtapWords + 4 + 4 + 16 + 4 + 4 + 16 + 32 + 4
)

// newGSMTAP sends lines as GSMTAP to a host; "" is this one.
func newGSMTAP(host string) *datagram {
	d := net.Dialer{Timeout: 2 * time.Second}
	return &datagram{encode: encodeGSMTAP, dial: func() (net.Conn, error) {
		return d.Dial("udp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), gsmtapPort))
	}}
}

// encodeGSMTAP makes the two headers and the message, which has nothing of the
// line's beginning: the header tells it.
func encodeGSMTAP(e entry, _ string) []byte {
	b := make([]byte, 0, gsmtapHeader+len(e.text))
	b = append(b, gsmtapVersion, gsmtapWords, gsmtapLog)
	b = append(b, make([]byte, 4*gsmtapWords-3)...) // timeslot, ARFCN, …: of radio bursts
	b = binary.BigEndian.AppendUint32(b, uint32(e.time.Unix()))
	b = binary.BigEndian.AppendUint32(b, uint32(e.time.Nanosecond()/1000))
	b = appendFixed(b, program, 16)
	b = binary.BigEndian.AppendUint32(b, uint32(cmp.Or(e.tid, os.Getpid())))
	b = append(b, osmocom(e.level), 0, 0, 0)
	b = appendFixed(b, strings.ToUpper(e.cat), 16)
	name, line := FileBase.place(e.pc)
	b = appendFixed(b, name, 32)
	b = binary.BigEndian.AppendUint32(b, uint32(line))
	return append(b, e.text...)
}

// appendFixed appends s in n octets, at least one of them zero.
func appendFixed(b []byte, s string, n int) []byte {
	field := make([]byte, n)
	copy(field[:n-1], s)
	return append(b, field...)
}
