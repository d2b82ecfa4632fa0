package ns

// Segmenter is what a Conn may offer besides: to hand datagrams of one size to one
// destination to the kernel together, which cuts them apart as late as it can
// (UDP_SEGMENT). What peers receive is the same; a capture on this machine may
// show them as one. Therefore only user data goes out so, of which a batch has
// several.
type Segmenter interface {
	// WriteTrains is WriteBatch, but datagrams to different destinations may change
	// their order.
	WriteTrains(msgs []Message) (n int, err error)
	// SetSegmentation turns it on, if the kernel can, or off.
	SetSegmentation(on bool)
	Segmentation() bool
}

// writer is the sending half of a Conn.
type writer interface {
	WriteBatch(msgs []Message) (n int, err error)
}

// dataWriter is how user data goes out of a Conn.
func dataWriter(c Conn) writer {
	if s, ok := c.(Segmenter); ok {
		return trainWriter{s}
	}
	return c
}

type trainWriter struct{ Segmenter }

func (w trainWriter) WriteBatch(msgs []Message) (int, error) { return w.WriteTrains(msgs) }

// setSegmentation turns it on or off on open sockets.
func (b *bind) setSegmentation(on bool) {
	for _, conn := range b.conns {
		if c, ok := conn.(Segmenter); ok {
			c.SetSegmentation(on)
		}
	}
}
