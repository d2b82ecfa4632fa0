package pcusock

import (
	"net"
	"time"
)

// The frame clock, 3GPP TS 45.002: a multiframe of 52 frames has 12 radio blocks
// of four frames each; after each three blocks a frame is left over. Thirteen
// frames last 60 ms.
const (
	quarter       = 60 * time.Millisecond // three blocks and the odd frame
	quarterFrames = 13
	hyperframe    = 2715648
)

// clock gives the PCU the time and asks for the blocks of its active channels
// until stop is closed. Three blocks go at once: there is no radio that would
// wait for each.
func (s *Server) clock(c *net.UnixConn, stop <-chan struct{}) {
	tick := time.NewTicker(quarter)
	defer tick.Stop()
	for frame := uint32(0); ; frame = (frame + quarterFrames) % hyperframe {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		st := s.Status()
		if st.Version == "" {
			continue // it has no cell yet
		}
		for n := range uint32(3) {
			s.blocks(c, st.Active, frame+4*n)
		}
	}
}

// blocks tells of the frame that a block begins with, and asks each channel for
// that block.
func (s *Server) blocks(c *net.UnixConn, active [maxTRX]uint8, frame uint32) {
	s.send(c, &Time{Frame: frame})
	for trx, slots := range active {
		for slot := range uint8(maxSlots) {
			if slots&(1<<slot) != 0 {
				s.send(c, &Ready{SAPI: SAPIPDTCH, Frame: frame, ARFCN: s.cfg.Cell.TRX[trx].ARFCN,
					TRX: uint8(trx), Slot: slot, Block: blockOf(frame)})
			}
		}
	}
}

// blockOf returns the number, 0..11, of the block that begins with a frame.
func blockOf(frame uint32) uint8 {
	in := frame % 52
	return uint8(3*(in/quarterFrames) + in%quarterFrames/4)
}
