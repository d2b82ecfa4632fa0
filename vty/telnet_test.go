package vty

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// RFC 854, 857, 858, 1073, 1184 by hand; the offer is osmo-gbproxy's.
func TestOfferIsOsmocoms(t *testing.T) {
	if want := "\xff\xfb\x01\xff\xfb\x03\xff\xfe\x22\xff\xfd\x1f"; string(telnetOffer) != want {
		t.Errorf("offer % x, want % x", telnetOffer, want)
	}
}

// Facts: G11-09, G11-10
func TestTelnetDecoder(t *testing.T) {
	tests := []struct {
		name, in, data, reply string
		cols, rows            uint16
	}{
		{name: "CR", in: "a\rb", data: "a\rb"},
		{name: "LF", in: "a\nb", data: "a\rb"},
		{name: "CR LF is one Enter", in: "a\r\nb\r\n", data: "a\rb\r"},
		{name: "CR NUL is one Enter", in: "a\r\x00b\r\x00", data: "a\rb\r"},
		{name: "CR CR, LF LF, LF CR are two", in: "\r\r1\n\n2\n\r3", data: "\r\r1\r\r2\r\r3"},
		{name: "CR NUL LF is two", in: "\r\x00\n", data: "\r\r"},
		{name: "CR, command, LF is one", in: "\r\xff\xf1\n", data: "\r"},
		{name: "IP and BRK are ^C", in: "a\xff\xf4b\xff\xf3", data: "a\x03b\x03"},
		{name: "EC, EL, SUSP, EOF, ABORT", in: "\xff\xf7\xff\xf8\xff\xed\xff\xec\xff\xee", data: "\x7f\x15\x1a\x04\x03"},
		{name: "NOP, DM, GA, AO, SE", in: "a\xff\xf1\xff\xf2\xff\xf9\xff\xf5\xff\xf0b", data: "ab"},
		{name: "AYT", in: "\xff\xf6", reply: "\r\n[Yes]\r\n"},
		{name: "IAC IAC", in: "a\xff\xffb", data: "a\xffb"},
		{name: "offers agreed to", in: "\xff\xfd\x01\xff\xfd\x03\xff\xfb\x1f\xff\xfc\x22"},
		{name: "offers declined", in: "\xff\xfe\x01\xff\xfe\x03\xff\xfc\x1f"},
		{name: "timing mark of a client's ^C", in: "\xff\xf4\xff\xfd\x06", data: "\x03", reply: "\xff\xfc\x06"},
		{name: "others refused", in: "\xff\xfd\x05\xff\xfb\x18\xff\xfb\x22", reply: "\xff\xfc\x05\xff\xfe\x18\xff\xfe\x22"},
		{name: "refusals not answered", in: "\xff\xfe\x05\xff\xfc\x18"},
		{name: "NAWS", in: "a\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0b", data: "ab", cols: 80, rows: 24},
		{name: "NAWS, 255 columns", in: "\xff\xfa\x1f\x00\xff\xff\x01\x00\xff\xf0b", data: "b", cols: 255, rows: 256},
		{name: "NAWS, wrong length", in: "\xff\xfa\x1f\x00\x50\x00\xff\xf0b", data: "b"},
		{name: "another subnegotiation", in: "\xff\xfa\x18\x00xterm\xff\xf0b", data: "b"},
		{name: "IAC command within one", in: "\xff\xfa\x1f\x00\x50\xff\xf1\x00\x18\xff\xf0b", data: "b", cols: 80, rows: 24},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for size := 1; size <= len(tt.in); size++ {
				d := telnetDecoder{foldEnter: true, answer: answerServer}
				var data, reply []byte
				var err error
				for in := []byte(tt.in); len(in) > 0 && err == nil; {
					n := min(size, len(in))
					data, reply, err = d.decode(in[:n], data, reply)
					in = in[n:]
				}
				if string(data) != tt.data || string(reply) != tt.reply || err != nil {
					t.Errorf("pieces of %d: data %q, reply %q, err %v; want %q, %q", size, data, reply, err, tt.data, tt.reply)
				}
				if d.cols != tt.cols || d.rows != tt.rows {
					t.Errorf("window %dx%d, want %dx%d", d.cols, d.rows, tt.cols, tt.rows)
				}
			}
		})
	}
}

func TestSubnegotiationIsBounded(t *testing.T) {
	d := telnetDecoder{answer: answerServer}
	_, _, err := d.decode([]byte("\xff\xfa\x18"+strings.Repeat("x", maxSubnegotiation)), nil, nil)
	if !errors.Is(err, errSubnegotiation) {
		t.Errorf("err %v", err)
	}
	ok := telnetDecoder{answer: answerServer}
	_, _, err = ok.decode([]byte("\xff\xfa\x18"+strings.Repeat("x", maxSubnegotiation-1)+"\xff\xf0"), nil, nil)
	if err != nil {
		t.Errorf("a long one that ends: %v", err)
	}
}

// FuzzTelnet: whatever arrives and however it is cut, the decoder gives the
// same data, bounded by the input, and keeps nothing but a short tail.
func FuzzTelnet(f *testing.F) {
	f.Add([]byte("show\r\n\xff\xf4\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0\xff\xff\xff\xf6"), uint8(3))
	f.Add([]byte("\xff\xfd\x06\xff\xfb\x18\r\x00\r\xff\xf1\n\xff"), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, cut uint8) {
		whole := telnetDecoder{foldEnter: true, answer: answerServer}
		data, reply, err := whole.decode(in, nil, nil)
		if len(data) > len(in) || len(reply) > 5*len(in) || len(whole.sub) > maxSubnegotiation+1 {
			t.Fatalf("%d octets became %d and %d", len(in), len(data), len(reply))
		}
		if bytes.ContainsAny(data, "\n\x00") {
			t.Fatalf("LF or NUL in %q", data)
		}
		pieces := telnetDecoder{foldEnter: true, answer: answerServer}
		var data2, reply2 []byte
		var err2 error
		for rest := in; len(rest) > 0 && err2 == nil; {
			n := min(int(cut)+1, len(rest))
			data2, reply2, err2 = pieces.decode(rest[:n], data2, reply2)
			rest = rest[n:]
		}
		if !bytes.Equal(data, data2) || !bytes.Equal(reply, reply2) || err != err2 {
			t.Fatalf("in pieces: %q %q %v, whole: %q %q %v", data2, reply2, err2, data, reply, err)
		}
	})
}

// carried runs handle over go-telnet on one end of a pipe and gives the other.
func carried(t *testing.T, handle func(r io.Reader, w io.Writer)) (client net.Conn, ended <-chan struct{}) {
	t.Helper()
	client, server := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		serveTelnet(newTelnetConn(server, time.Second), slog.New(slog.DiscardHandler), handle)
	}()
	t.Cleanup(func() { client.Close(); <-done })
	client.SetDeadline(time.Now().Add(10 * time.Second))
	return client, done
}

func TestDataIsCleanWithinGoTelnet(t *testing.T) {
	got := make(chan string, 1)
	client, _ := carried(t, func(r io.Reader, w io.Writer) {
		buf := make([]byte, 6)
		io.ReadFull(r, buf)
		got <- string(buf)
	})
	// NOP and IP are "corrupted" to go-telnet itself; the subnegotiation has a
	// doubled IAC.
	go client.Write([]byte("a\xff\xf1b\xff\xf4\xff\xfa\x1f\x00\xff\xff\x00\x18\xff\xf0\xff\xffc\r\n"))
	if s := <-got; s != "ab\x03\xffc\r" {
		t.Errorf("the handler read %q", s)
	}
}

func TestOutputDoubles255(t *testing.T) {
	client, _ := carried(t, func(r io.Reader, w io.Writer) { w.Write([]byte("a\xffb\xff")) })
	if got, _ := io.ReadAll(client); string(got) != "a\xff\xffb\xff\xff" {
		t.Errorf("% x arrived", got)
	}
}

func TestAreYouThereIsAnswered(t *testing.T) {
	client, _ := carried(t, func(r io.Reader, w io.Writer) { io.ReadFull(r, make([]byte, 1)) })
	client.Write([]byte("\xff\xf6"))
	buf := make([]byte, 9)
	if _, err := io.ReadFull(client, buf); err != nil || string(buf) != "\r\n[Yes]\r\n" {
		t.Errorf("%q, %v", buf, err)
	}
}

// A 0xFF to a client that is gone makes go-telnet panic in the handler's
// goroutine: the session ends, the program doesn't.
func TestPanicOfTheWriterEndsTheSessionOnly(t *testing.T) {
	client, ended := carried(t, func(r io.Reader, w io.Writer) {
		io.ReadFull(r, make([]byte, 1)) // until the client is gone
		w.Write([]byte("\xff"))
		t.Error("go-telnet did not panic: this test shows nothing any more")
	})
	client.Close()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the session did not end")
	}
}

func TestEndlessSubnegotiationEndsTheSession(t *testing.T) {
	client, ended := carried(t, func(r io.Reader, w io.Writer) {
		if _, err := io.ReadFull(r, make([]byte, 1)); !errors.Is(err, errSubnegotiation) {
			t.Errorf("err %v", err)
		}
	})
	client.Write([]byte("\xff\xfa" + strings.Repeat("x", 2*maxSubnegotiation)))
	<-ended
}

func TestClientThatTakesNothingIsGivenUp(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	c := newTelnetConn(server, 10*time.Millisecond)
	if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("err %v", err)
	}
}

func TestHTTPIsSeen(t *testing.T) {
	tests := []struct {
		in   string
		want bool
	}{
		{"GET / HTTP/1.1\r\n", true}, {"POST /x HTTP/1.0\r", true}, {"PUT /", true}, {"HEAD /", true},
		{"OPTIONS * HTTP/1.1", true}, {"CONNECT a:1", true}, {"DELETE /", true}, {"PRI * HTTP/2.0", true},
		{"get /", false}, {"GETTING", false}, {"show GET ", false}, {"\rGET /", false}, {"enable\rPOST ", false},
	}
	for _, tt := range tests {
		for size := 1; size <= len(tt.in); size++ {
			var g httpGuard
			got := false
			for in := []byte(tt.in); len(in) > 0; {
				n := min(size, len(in))
				got = g.isHTTP(in[:n]) || got
				in = in[n:]
			}
			if got != tt.want {
				t.Errorf("%q in pieces of %d: %v, want %v", tt.in, size, got, tt.want)
			}
		}
	}
}
