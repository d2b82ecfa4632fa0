// Package ctrl is the Osmocom CTRL interface: GET, SET and TRAP lines in IPA
// frames over TCP. It is generic: a program registers variables; it knows
// nothing of what they mean.
package ctrl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the longest line taken from a peer, in octets.
const MaxLine = 4096

// The IPA header of a CTRL line: length of what follows the stream
// identifier, stream identifier "OSMO", extension "CTRL".
const (
	protoOsmo = 0xee
	extCtrl   = 0x00
)

// appendFrame appends one CTRL line as an IPA frame. A line beyond the
// 16-bit length is cut.
func appendFrame(b []byte, line string) []byte {
	if len(line) > 0xfffe {
		line = line[:0xfffe]
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(line)+1))
	b = append(b, protoOsmo, extCtrl)
	return append(b, line...)
}

var errFrame = errors.New("ctrl: no frame")

// readFrame reads frames until one has a CTRL line. Frames of other streams
// (IPA keepalives) are skipped.
func readFrame(r io.Reader) (string, error) {
	for {
		var head [3]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return "", err
		}
		n := int(binary.BigEndian.Uint16(head[:]))
		if n > MaxLine {
			return "", fmt.Errorf("%w: %d octets, %d at most", errFrame, n, MaxLine)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return "", err
		}
		if head[2] == protoOsmo && n >= 1 && body[0] == extCtrl {
			return string(body[1:]), nil
		}
	}
}
