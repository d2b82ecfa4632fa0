package gb_test

import (
	"testing"
	"time"

	"poolgw/gb"
)

// An IMSI that an SGSN has paged lately is that SGSN's subscriber: a RADIO-STATUS
// by IMSI goes there, and "show subscriber imsi" says so. Later any SGSN may have
// it.
func TestPagedIMSI(t *testing.T) {
	const status = "0a" + imsiIE + "198100"
	suite(t, config(2), func(b *bed) {
		for _, nsei := range []uint16{101, 102} {
			b.at(nsei).sig(paging(false, "02810f"))
			b.clear()
			b.at(2001).send(20011, status)
			b.at(nsei).want(at(20011, status))
			a, err := b.gw.Subscriber(gb.Query{IMSI: imsiDigits})
			if err != nil || a.NSEI != nsei || a.Reason != "pinned" || a.Text != gb.DefaultName(nsei)+": it paged the IMSI lately" {
				t.Errorf("%+v, %v", a, err)
			}
		}
		time.Sleep(11 * time.Second)
		b.clear()
		if a, err := b.gw.Subscriber(gb.Query{IMSI: imsiDigits}); err != nil || a.Member == "" || a.Reason != "no_identity" {
			t.Errorf("%+v, %v", a, err)
		}
	})
}
