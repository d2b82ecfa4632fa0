package vty

import "errors"

// Commands and options of the telnet protocol that a VTY meets (RFC 854, 857,
// 858, 1073, 1184).
const (
	telnetEOF   = 236
	telnetSUSP  = 237
	telnetABORT = 238
	telnetSE    = 240
	telnetBRK   = 243
	telnetIP    = 244
	telnetAYT   = 246
	telnetEC    = 247
	telnetEL    = 248
	telnetSB    = 250
	telnetWILL  = 251
	telnetWONT  = 252
	telnetDO    = 253
	telnetDONT  = 254
	telnetIAC   = 255

	optEcho     = 1
	optSGA      = 3
	optNAWS     = 31
	optLinemode = 34
)

// telnetOffer is what a server says after its banner: it echoes, it sends no
// go-ahead, it wants single characters and the size of the window.
var telnetOffer = []byte{
	telnetIAC, telnetWILL, optEcho,
	telnetIAC, telnetWILL, optSGA,
	telnetIAC, telnetDONT, optLinemode,
	telnetIAC, telnetDO, optNAWS,
}

// telnetKeys are the commands that stand for a key. Others (NOP, DM, GA, AO)
// mean nothing to a line editor.
var telnetKeys = map[byte]byte{
	telnetIP:    ctrl('C'),
	telnetBRK:   ctrl('C'),
	telnetABORT: ctrl('C'),
	telnetSUSP:  ctrl('Z'),
	telnetEOF:   ctrl('D'),
	telnetEC:    keyDEL,
	telnetEL:    ctrl('U'),
}

// A subnegotiation longer than this is not one that a VTY has asked for.
const maxSubnegotiation = 256

var errSubnegotiation = errors.New("vty: telnet subnegotiation without end")

// telnetDecoder takes the protocol out of a byte stream. It is pure: bytes in,
// data and answers out.
type telnetDecoder struct {
	// foldEnter makes CR, LF, CR LF and CR NUL one CR each: what a server
	// wants of a keyboard. Without it the data stay as they are but for NULs.
	foldEnter bool
	// answer appends the answer to a request (WILL, WONT, DO, DONT) about an
	// option.
	answer func(reply []byte, verb, option byte) []byte

	state telnetState
	verb  byte
	sub   []byte // bounded by maxSubnegotiation
	cr    bool   // the last data byte was a CR

	cols, rows uint16 // as NAWS last said; 0 is unknown
}

type telnetState uint8

const (
	inData    telnetState = iota
	inCommand             // after IAC
	inOption              // after IAC WILL, WONT, DO or DONT
	inSub                 // after IAC SB
	inSubIAC              // after an IAC within a subnegotiation
)

// decode appends the data of in to data, and what is to be sent back to reply.
// Its error is final.
func (d *telnetDecoder) decode(in, data, reply []byte) ([]byte, []byte, error) {
	for _, b := range in {
		switch d.state {
		case inData:
			data = d.dataByte(data, b)
		case inCommand:
			data, reply = d.command(data, reply, b)
		case inOption:
			d.state = inData
			reply = d.answer(reply, d.verb, b)
		case inSub:
			if b == telnetIAC {
				d.state = inSubIAC
				continue
			}
			d.sub = append(d.sub, b)
		case inSubIAC:
			d.subCommand(b)
		}
		if len(d.sub) > maxSubnegotiation {
			return data, reply, errSubnegotiation
		}
	}
	return data, reply, nil
}

func (d *telnetDecoder) dataByte(data []byte, b byte) []byte {
	afterCR := d.cr
	d.cr = b == '\r'
	switch {
	case b == telnetIAC:
		d.state, d.cr = inCommand, afterCR // a command may stand between CR and LF
		return data
	case b == 0:
		return data
	case b == '\n' && d.foldEnter:
		if afterCR {
			return data
		}
		return append(data, '\r')
	}
	return append(data, b)
}

func (d *telnetDecoder) command(data, reply []byte, b byte) ([]byte, []byte) {
	d.state = inData
	switch b {
	case telnetIAC:
		d.cr = false
		return append(data, telnetIAC), reply
	case telnetWILL, telnetWONT, telnetDO, telnetDONT:
		d.verb, d.state = b, inOption
	case telnetSB:
		d.sub, d.state = d.sub[:0], inSub
	case telnetAYT:
		reply = append(reply, "\r\n[Yes]\r\n"...)
	default:
		if key, ok := telnetKeys[b]; ok {
			d.cr = false
			data = append(data, key)
		}
	}
	return data, reply
}

// subCommand takes the octet after an IAC within a subnegotiation: a doubled
// IAC is data, and anything but SE is passed over (RFC 855 knows nothing else).
func (d *telnetDecoder) subCommand(b byte) {
	d.state = inSub
	switch b {
	case telnetIAC:
		d.sub = append(d.sub, telnetIAC)
	case telnetSE:
		d.state = inData
		d.window()
		d.sub = d.sub[:0]
	}
}

// window reads NAWS: option, columns, rows (RFC 1073). Other subnegotiations
// were not asked for.
func (d *telnetDecoder) window() {
	if len(d.sub) != 5 || d.sub[0] != optNAWS {
		return
	}
	d.cols = uint16(d.sub[1])<<8 | uint16(d.sub[2])
	d.rows = uint16(d.sub[3])<<8 | uint16(d.sub[4])
}

// answerServer refuses what a VTY does not do. Its own offers (telnetOffer)
// are not answered again when the client agrees or declines, and a refusal
// never is, so that no loop can arise (RFC 854).
func answerServer(reply []byte, verb, option byte) []byte {
	switch {
	case verb == telnetDO && option != optEcho && option != optSGA:
		return append(reply, telnetIAC, telnetWONT, option)
	case verb == telnetWILL && option != optNAWS:
		return append(reply, telnetIAC, telnetDONT, option)
	}
	return reply
}
