package pcusock

import (
	"net"
	"time"
)

// maxDatagram is the read buffer: longer messages are cut and malformed.
const maxDatagram = 4096

// writeWait is how long a PCU that does not read is borne.
const writeWait = time.Second

// serve is one PCU's session; it returns when the PCU is gone.
func (s *Server) serve(c *net.UnixConn) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	defer func() { close(stop); <-stopped }()
	go func() { defer close(stopped); s.clock(c, stop) }()
	buf := make([]byte, maxDatagram)
	for {
		n, err := c.Read(buf)
		if err != nil || n == 0 { // 0: end of file on a SEQPACKET socket
			return
		}
		s.receive(c, buf[:n])
	}
}

// receive handles one datagram.
func (s *Server) receive(c *net.UnixConn, b []byte) {
	m, err := Parse(b)
	if err == nil && len(b) < maxDatagram {
		if h := handlers[m.Type]; h != nil {
			err = h(s, c, m)
		} else {
			s.note(func(st *Status) { st.Others++ })
		}
	}
	if err != nil || len(b) == maxDatagram {
		s.note(func(st *Status) { st.Malformed++ })
		s.cfg.Log.Warn("malformed message from the PCU", "cat", "lglobal", "octets", len(b), "err", err)
	}
}

// handlers take what a PCU sends; an error says that the message is malformed.
var handlers = map[MsgType]func(*Server, *net.UnixConn, Message) error{
	MsgTextInd: (*Server).text,
	MsgActReq:  (*Server).activation,
	MsgDataReq: (*Server).block,
}

// text answers the PCU's version with the cell.
func (s *Server) text(c *net.UnixConn, m Message) error {
	var t Text
	if err := m.Decode(&t); err != nil {
		return err
	}
	if t.Type != TextVersion {
		s.note(func(st *Status) { st.Alerts++ })
		s.cfg.Log.Warn("alarm from the PCU", "cat", "lglobal", "text", t.Text)
		return nil
	}
	s.note(func(st *Status) { st.Version = t.Text })
	cell := s.cfg.Cell
	s.send(c, &cell)
	return nil
}

func (s *Server) activation(_ *net.UnixConn, m Message) error {
	var a Activation
	if err := m.Decode(&a); err != nil {
		return err
	}
	if a.TRX >= maxTRX || a.Slot >= maxSlots {
		return ErrSlot
	}
	s.note(func(st *Status) {
		if st.Active[a.TRX] &^= 1 << a.Slot; a.On {
			st.Active[a.TRX] |= 1 << a.Slot
		}
	})
	return nil
}

func (s *Server) block(_ *net.UnixConn, m Message) error {
	var d Block
	if err := m.Decode(&d); err != nil {
		return err
	}
	s.note(func(st *Status) {
		if len(d.Data) == 0 {
			st.Idle++
		} else {
			st.Blocks++
		}
	})
	return nil
}

// send writes one message; a PCU that does not read for writeWait loses its
// session.
func (s *Server) send(c *net.UnixConn, v body) {
	c.SetWriteDeadline(time.Now().Add(writeWait))
	if _, err := c.Write(Encode(0, v)); err != nil {
		c.Close()
	}
}
