package ngap

import (
	"bytes"
	"time"
	"unicode"
	"unicode/utf8"
)

// ReadName reads a name of 1 to 150 printable octets, a slice of v: AMF Name (IE
// 1), Old AMF (48), RAN Node Name (82). Real names hold characters that a
// PrintableString may not (an underscore): every printable ASCII character is
// taken.
func ReadName(v []byte) ([]byte, error) {
	c := cursor{b: v}
	n := c.printable()
	return n, c.done()
}

// AppendName appends the value of a name, cut to 150 octets.
func AppendName(b []byte, s string) []byte {
	w := writer{b: b}
	w.printable([]byte(s))
	return w.b
}

// ReadExtendedName appends the names of an Extended AMF Name (9.3.3.51), an Extended
// RAN Node Name or the like to list, the one that counts first: IEs 273, 274, 442,
// 443. They are slices of v: UTF-8 without control characters, and a VisibleString,
// of which the first has more characters. At least one is there.
func ReadExtendedName(v []byte, list [][]byte) ([][]byte, error) {
	c := cursor{b: v}
	extended, opt := c.sequence(3)
	var visible []byte
	if opt&4 != 0 {
		visible = c.printable()
	}
	if opt&2 != 0 {
		n := c.unbounded() // a UTF8String's size is not visible to PER (X.691, 30.6)
		if !utf8.Valid(n) || len(n) == 0 || bytes.ContainsFunc(n, unicode.IsControl) {
			c.fail(NotText)
		}
		list = append(list, n)
	}
	if visible != nil {
		list = append(list, visible)
	}
	c.skip(extended, opt&1 != 0)
	if opt&6 == 0 {
		c.fail(OutOfRange)
	}
	return list, c.done()
}

// ReadCapacity reads a Relative AMF Capacity (9.3.1.32), 0..255: IE 86.
func ReadCapacity(v []byte) (uint8, error) {
	c := cursor{b: v}
	o := c.octets(1)
	if err := c.done(); err != nil {
		return 0, err
	}
	return o[0], nil
}

// AppendCapacity appends the value of a Relative AMF Capacity.
func AppendCapacity(b []byte, n uint8) []byte { return append(b, n) }

var timesToWait = [...]time.Duration{1, 2, 5, 10, 20, 60}

// ReadTimeToWait reads a Time to Wait (9.3.1.56), IE 107: 1 to 60 s. What a later
// release may add is taken as 60 s.
func ReadTimeToWait(v []byte) (time.Duration, error) {
	c := cursor{b: v}
	n := min(c.enum(3, uint32(len(timesToWait))), uint32(len(timesToWait)-1))
	return timesToWait[n] * time.Second, c.done()
}

// AppendTimeToWait appends the value of a Time to Wait: the least that is not
// below d, at most 60 s.
func AppendTimeToWait(b []byte, d time.Duration) []byte {
	n := 0
	for n < len(timesToWait)-1 && timesToWait[n]*time.Second < d {
		n++
	}
	w := writer{b: b}
	w.enum(uint32(n), uint32(len(timesToWait)), 3)
	return w.b
}

// ReadUERetention reads a UE Retention Information (9.3.1.117), IE 147: true for
// ues-retained.
func ReadUERetention(v []byte) (bool, error) {
	c := cursor{b: v}
	n := c.enum(0, 1)
	return n == 0, c.done()
}

// Establishment is an RRC Establishment Cause (9.3.1.111).
type Establishment uint8

// The establishment causes.
const (
	EstablishmentEmergency Establishment = iota
	EstablishmentHighPriority
	EstablishmentMTAccess
	EstablishmentMOSignalling
	EstablishmentMOData
	EstablishmentMOVoiceCall
	EstablishmentMOVideoCall
	EstablishmentMOSMS
	EstablishmentMPSPriority
	EstablishmentMCSPriority
	EstablishmentNotAvailable
	EstablishmentMOException
)

// String returns the specification's word.
func (e Establishment) String() string {
	return name(e, "emergency", "highPriorityAccess", "mt-Access", "mo-Signalling", "mo-Data", "mo-VoiceCall",
		"mo-VideoCall", "mo-SMS", "mps-PriorityAccess", "mcs-PriorityAccess", "notAvailable", "mo-ExceptionData")
}

// ReadEstablishment reads an RRC Establishment Cause, IE 90.
func ReadEstablishment(v []byte) (Establishment, error) {
	c := cursor{b: v}
	n := c.enum(4, 10)
	return Establishment(min(n, 255)), c.done()
}

// AppendEstablishment appends the value of an RRC Establishment Cause.
func AppendEstablishment(b []byte, e Establishment) []byte {
	w := writer{b: b}
	w.enum(uint32(e), 10, 4)
	return w.b
}
