package vty

import (
	"io"
	"strings"
	"testing"
	"time"
)

const verification = "\r\nUser Access Verification\r\n\r\n"

func locked() Settings {
	return Settings{Hostname: host, Banner: "Welcome\n\nto it\n", Login: true, Password: "secret", EnablePassword: "topsecret"}
}

// The octets were taken down from osmo-gbproxy 0.5.0 (which closes without its
// last words).
// Facts: G11-22
func TestLoginTranscript(t *testing.T) {
	s := started(t, proxyTree(), nil, locked())
	greeting := "Welcome\r\n\r\nto it\r\n" + verification + offered + "Password: "
	c := call(t, s)
	c.expect("", greeting)
	c.expect("foo\r", "\r\nPassword: ")
	c.expect("secret\x03", "\r\nPassword: ")
	c.expectEnd("foo\r", "\r\n% Bad passwords, too many failures!\r\n")

	c = call(t, s)
	c.expect("", greeting)
	c.expect("secret\r", "\r\n"+host+"> ")
	c.expect("enable\r", "enable\r\nPassword: ")
	c.expect("x\r", "\r\nPassword: ")
	c.expect("x\r", "\r\nPassword: ")
	c.expect("x\r", "\r\n% Bad enable passwords, too many failures!\r\n"+host+"> ")
	c.expect("enable\r", "enable\r\nPassword: ")
	c.expect("topsecret\r", "\r\n"+host+"# ")
	c.expect("configure terminal\r", "configure terminal\r\n"+host+"(config)# ")
	c.expect("abc\x03", "abc\r\n"+host+"(config)# ")
	c.expect("\x10", "configure terminal") // no password in the history
	c.expect("\x15\x10\x10", backs(18)+spaces(18)+backs(18)+"enable")
}

func TestLoginWithoutPasswordSet(t *testing.T) {
	set := locked()
	set.Password = ""
	call(t, started(t, proxyTree(), nil, set)).expectEnd("\r", "Welcome\r\n\r\nto it\r\nVty password is not set.\r\n")
}

func TestNoLogin(t *testing.T) {
	set := locked()
	set.Login = false
	call(t, started(t, proxyTree(), nil, set)).expect("enable\r", "Welcome\r\n\r\nto it\r\n"+offered+host+"> enable\r\nPassword: ")
}

func TestLoginWithHashedPassword(t *testing.T) {
	set := locked()
	var err error
	if set.Password, err = EncodePassword("secret"); err != nil {
		t.Fatal(err)
	}
	c := call(t, started(t, proxyTree(), nil, set))
	c.expect("secret\r", "Welcome\r\n\r\nto it\r\n"+verification+offered+"Password: \r\n"+host+"> ")
}

// A password that is longer than any line is none, even if its beginning is right.
func TestOverlongPassword(t *testing.T) {
	set := locked()
	set.Password = strings.Repeat("x", maxLine)
	c := call(t, started(t, proxyTree(), nil, set))
	c.expect(set.Password+"x\r", "Welcome\r\n\r\nto it\r\n"+verification+offered+"Password: \a\r\nPassword: ")
	c.expect(set.Password+"\r", "\r\n"+host+"> ")
}

func TestWrongPasswordCostsTime(t *testing.T) {
	piped(t, nil, locked(), func(s *Server, c *pipe) {
		s.failDelay = failDelay
		c.settle()
		began := time.Now()
		c.send("foo\r")
		for !strings.HasSuffix(c.settle(), "\r\nPassword: ") {
			time.Sleep(10 * time.Millisecond)
		}
		if d := time.Since(began); d < failDelay {
			t.Errorf("the next try after %v", d)
		}
	})
}

func TestLoginTakesTooLong(t *testing.T) {
	piped(t, nil, locked(), func(s *Server, c *pipe) {
		c.send("s")
		time.Sleep(loginTimeout - time.Second)
		c.send("e") // a key does not help
		time.Sleep(2 * time.Second)
		if got := c.settle(); !strings.HasSuffix(got, "\r\nVty connection is timed out.\r\n") || !c.ended() {
			t.Errorf("got %q, ended %v", got, c.ended())
		}
	})
}

func TestIdleTimeout(t *testing.T) {
	set := Settings{Hostname: host, IdleTimeout: 5 * time.Minute}
	piped(t, nil, set, func(s *Server, c *pipe) {
		time.Sleep(4 * time.Minute)
		c.send("e")
		time.Sleep(4 * time.Minute)
		if c.settle(); c.ended() {
			t.Fatal("a key did not begin the time anew")
		}
		time.Sleep(61 * time.Second)
		if got := c.settle(); !strings.HasSuffix(got, "> e\r\nVty connection is timed out.\r\n") || !c.ended() {
			t.Errorf("got %q, ended %v", got, c.ended())
		}
	})
}

func TestIdleTimeoutWithinMore(t *testing.T) {
	set := Settings{Hostname: host, IdleTimeout: time.Minute, TerminalLength: 2}
	piped(t, nil, set, func(s *Server, c *pipe) {
		c.send("show rows 3\r")
		time.Sleep(61 * time.Second)
		if got := c.settle(); !strings.Contains(got, morePrompt) || !c.ended() {
			t.Errorf("got %q, ended %v", got, c.ended())
		}
	})
}

func TestIdleTimeoutChangesLive(t *testing.T) {
	set := Settings{Hostname: host}
	piped(t, nil, set, func(s *Server, c *pipe) {
		time.Sleep(24 * time.Hour)
		if c.settle(); c.ended() {
			t.Fatal("0 is not never")
		}
		c.send("e")
		c.settle()
		set.IdleTimeout = time.Minute
		s.SetSettings(set)
		time.Sleep(61 * time.Second)
		if c.settle(); !c.ended() {
			t.Error("a waiting session did not hear of the new time")
		}
	})
}

func TestDeadClientIsGivenUp(t *testing.T) {
	piped(t, nil, Settings{Hostname: host}, func(s *Server, c *pipe) {
		c.settle()
		c.deaf(true)
		c.send("show rows 65535\r")
		time.Sleep(writeTimeout + time.Second)
		if len(s.visitors(nil)) != 0 {
			t.Error("the session lives")
		}
		c.deaf(false)
	})
}

func TestHalfClosedInputIsHeardToItsEnd(t *testing.T) {
	set := osmocom()
	set.TerminalLength = 2 // nobody can answer --More--
	c := call(t, started(t, proxyTree(), nil, set))
	io.WriteString(c.Conn, strings.Repeat("show rows 3\r", 100))
	c.Conn.(interface{ CloseWrite() error }).CloseWrite()
	got, err := io.ReadAll(c.Conn)
	if n := strings.Count(string(got), "\r\nrow 1\r\nrow 2\r\nrow 3\r\n"); n != 100 || err != nil {
		t.Errorf("%d answers of 100, %v", n, err)
	}
}
