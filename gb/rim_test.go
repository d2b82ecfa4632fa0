package gb_test

import (
	"fmt"
	"testing"
)

// A routeing information of another radio technology is not one of a cell of
// ours, though it may have the same octets: that of an RNC is a RAI and an RNC-ID
// (TS 48.018 11.3.70, low half of the first octet; the high half is spare).
// Facts: G7-02, G7-03, G7-04, G7-05, G7-06, G7-09
func TestRIMAddressTypes(t *testing.T) {
	other := "62f224334f017545"
	for typ := range uint8(16) {
		suite(t, config(2), func(b *bed) {
			toOther := ranInfo(fmt.Sprintf("%02x%s", 0xF0|typ, other), "00"+cell20011.id)
			fromOurs := ranInfo("00"+other, fmt.Sprintf("%02x%s", 0xF0|typ, cell20011.id))
			b.at(2001).sig(toOther)
			if typ == 0 {
				b.at(2002).want("0:" + toOther)
			} else if n := len(b.at(101).taken()) + len(b.at(102).taken()); n != 1 {
				t.Errorf("destination of type %d: %d SGSNs got it", typ, n)
			}
			b.wantIdle()
			b.at(2001).sig(fromOurs)
			if typ == 0 {
				b.at(2002).want("0:" + fromOurs)
			} else {
				b.at(2001).want(status("2b", "", 0, fromOurs))
			}
			b.wantIdle()
			b.at(101).sig(toOther)
			if typ == 0 {
				b.at(2002).want("0:" + toOther)
			} else {
				b.at(101).want(status("2b", "", 0, toOther))
			}
			b.wantIdle()
		})
	}
}
