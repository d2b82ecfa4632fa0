package ngap

import (
	"fmt"
	"io"

	aperlog "github.com/free5gc/aper/logger"
	free5gc "github.com/free5gc/ngap"
	ngaplog "github.com/free5gc/ngap/logger"
	"github.com/free5gc/ngap/ngapType"
	"github.com/sirupsen/logrus"
)

// free5gc/ngap logs to stderr; what it has to say comes back as an error.
func init() {
	for _, l := range []*logrus.Logger{aperlog.GetLogger(), ngaplog.GetLogger()} {
		l.SetOutput(io.Discard)
		l.SetLevel(logrus.PanicLevel)
	}
}

// Encode appends a message that was made with free5gc/ngap's types, for messages
// with values that this package has no encoder of. It is slow, knows procedures
// 0 to 52, and refuses what does not decode again: that library leaves out
// the last fragment of a length that is a multiple of 16384.
func Encode(dst []byte, m *ngapType.NGAPPDU) (b []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			b, err = dst, fmt.Errorf("ngap: encoding a message: %v", r)
		}
	}()
	o, err := free5gc.Encoder(*m)
	if err != nil {
		return dst, fmt.Errorf("ngap: encoding a message: %w", err)
	}
	var p PDU
	if err := p.Walk(o); err != nil {
		return dst, fmt.Errorf("ngap: a message encoded wrongly: %w", err)
	}
	if _, err := free5gc.Decoder(o); err != nil {
		return dst, fmt.Errorf("ngap: a message encoded wrongly: %w", err)
	}
	return append(dst, o...), nil
}
