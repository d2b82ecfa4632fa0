package ngap

// MaxSessions is the most PDU sessions of a list (maxnoofPDUSessions).
const MaxSessions = 256

// ReadSwitchedSessions appends the PDU Session IDs (9.3.1.50), 0..255, of a PDU
// Session Resource to be Switched in Downlink List (IE 76) to list. What a session's
// Path Switch Request Transfer holds is not looked at.
func ReadSwitchedSessions(v []byte, list []uint8) ([]uint8, error) {
	c := cursor{b: v}
	for n := c.count256(); n > 0 && c.bad == ""; n-- {
		extended, opt := c.sequence(1)
		o := c.octets(1)
		c.unbounded()
		c.skip(extended, opt == 1)
		if c.bad == "" {
			list = append(list, o[0])
		}
	}
	return list, c.done()
}

// AppendReleasedSessions appends a PDU Session Resource Released List of a Path
// Switch Request Failure (IE 69) of 1 to MaxSessions: each session with a Path Switch
// Request Unsuccessful Transfer that holds cause.
func AppendReleasedSessions(b []byte, list []uint8, cause Cause) []byte {
	t := writer{}
	t.preamble(nil, 0, 0)
	t.cause(cause)
	w := writer{b: b}
	list = list[:min(len(list), MaxSessions)]
	w.count256(len(list))
	for _, id := range list {
		w.preamble(nil, 0, 0)
		w.octets([]byte{id})
		w.unbounded(t.b)
	}
	return w.b
}
