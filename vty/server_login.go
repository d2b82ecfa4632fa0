package vty

import (
	"errors"
	"io"
	"time"
)

const passwordTries = 3

// login is banner, negotiation and password, in Osmocom's order.
func (c *console) login() error {
	s := c.Settings()
	io.WriteString(c, s.Banner)
	if s.Login && s.Password == "" {
		return errNoPassword
	}
	if s.Login {
		c.out.WriteString("\r\nUser Access Verification\r\n\r\n")
	}
	if err := c.offer(); err != nil || !s.Login {
		return err
	}
	c.loginBy = time.Now().Add(loginTimeout)
	ok, err := c.AskPassword(s.Password)
	switch {
	case err != nil:
		return err
	case !ok:
		c.srv.log().Warn("VTY login failed", "session", c.id, "remote", c.conn.RemoteAddr())
		return errLogin
	}
	c.loginBy = time.Time{}
	return nil
}

// offer sends the options past go-telnet, which would double their IACs.
func (c *console) offer() error {
	if err := c.out.Flush(); err != nil {
		return err
	}
	_, err := c.conn.Write(telnetOffer)
	return err
}

// AskPassword implements Terminal. ^C is a wrong password.
func (c *console) AskPassword(encoded string) (bool, error) {
	for range passwordTries {
		plain, err := c.ReadPassword("Password: ")
		switch {
		case errors.Is(err, ErrInterrupted):
			continue
		case err != nil:
			return false, err
		case c.srv.check(encoded, plain):
			return true, nil
		case !c.srv.sleep(c.srv.failDelay):
			return false, errStopped
		}
	}
	c.srv.count.failed.Add(1)
	return false, nil
}

// ReadPassword implements Terminal.
func (c *console) ReadPassword(prompt string) (string, error) {
	c.out.WriteString(prompt)
	e := editor{hidden: true}
	for {
		b, err := c.key(nil)
		if err != nil {
			return "", err
		}
		screen, ev := e.feed(b)
		c.out.Write(screen)
		switch ev {
		case evLine:
			return e.take(), nil
		case evTooLong:
			return "", nil // no password
		case evInterrupt, evSuspend:
			return "", ErrInterrupted
		case evEOF:
			return "", io.EOF
		}
	}
}
