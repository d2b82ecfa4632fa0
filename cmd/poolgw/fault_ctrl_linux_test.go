package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// CTRL clients that speak something else or are too many hold up neither
// subscribers nor other clients.
func TestFaultCTRLClients(t *testing.T) {
	t.Parallel()
	r := newRing(t, t.TempDir())
	dial := func() net.Conn {
		c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", r.ctrl))
		r.must(err)
		t.Cleanup(func() { c.Close() })
		return c
	}
	const get, reply = "\x00\x16\xee\x00GET 1 number-of-peers", "\x00\x1e\xee\x00GET_REPLY 1 number-of-peers 2"
	served := func(c net.Conn) {
		t.Helper()
		_, err := io.WriteString(c, get)
		r.must(err)
		r.must(c.SetReadDeadline(time.Now().Add(5 * time.Second)))
		for { // traps may come first
			head := make([]byte, 4)
			if _, err := io.ReadFull(c, head); err != nil {
				t.Error(err)
				return
			}
			body := make([]byte, int(head[0])<<8+int(head[1])-1)
			_, err := io.ReadFull(c, body)
			if got := string(head) + string(body); strings.HasPrefix(string(body), "TRAP ") && err == nil {
				continue
			} else if err != nil || got != reply {
				t.Errorf("got %q, %v", got, err)
			}
			return
		}
	}
	other := dial()
	served(other)

	web := dial()
	_, err := io.WriteString(web, "GET / HTTP/1.1\r\n\r\n")
	r.must(err)
	if said, err := io.ReadAll(web); len(said) > 0 {
		t.Errorf("a browser hears %q, %v", said, err)
	}
	r.logged("CTRL session ended: no IPA frames")
	if n := r.metric("poolgw_ctrl_malformed_sessions_total"); n != 1 {
		t.Errorf("%v malformed", n)
	}

	for range 31 {
		dial()
	}
	r.until("all sessions are in use", 5*time.Second, func() bool { return r.metric("poolgw_ctrl_sessions") == 32 })
	if said, _ := io.ReadAll(dial()); len(said) > 0 {
		t.Errorf("the 33rd hears %q", said)
	}
	r.logged("CTRL session refused: too many")
	if n := r.metric("poolgw_ctrl_refused_sessions_total"); n != 1 {
		t.Errorf("%v refused", n)
	}
	served(other)
	r.served(time.Second)
}
