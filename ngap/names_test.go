package ngap_test

import (
	"strings"
	"testing"

	"poolgw/lab/tshark"
	. "poolgw/ngap"
)

// Extended names by hand (9.3.3.51), and what tshark reads in them. tshark 4.0 takes
// the size of a UTF8String for visible to PER; that type is no known-multiplier one
// (X.691, 30.6), so that its length is unconstrained.
func TestExtendedName(t *testing.T) {
	var pdus [][]byte
	names := []struct{ hex, want string }{
		{"40 30 616d662d74776f", "amf-two"},
		{"20 06 7a77c3b66c66", "zwölf"},
		{"60 30 616d662d74776f 06 7a77c3b66c66", "zwölf,amf-two"},
	}
	for _, c := range names {
		v := unhex(t, c.hex)
		list, err := ReadExtendedName(v, nil)
		var got []string
		for _, n := range list {
			got = append(got, string(n))
		}
		if err != nil || strings.Join(got, ",") != c.want {
			t.Errorf("%s: %q %v", c.hex, got, err)
		}
		for n := range v {
			if _, err := ReadExtendedName(v[:n:n], nil); err == nil {
				t.Errorf("%x is cut off and read", v[:n])
			}
		}
		if !strings.HasPrefix(c.hex, "40") {
			continue
		}
		pdus = append(pdus, new(PDU).New(CodeNGSetupRequest, Successful).Add(IEExtendedAMFName, Ignore, v).Append(nil))
	}
	for _, bad := range []string{"00", "20 01 ff", "20 01 0a", "20 00", "40 00 0a"} {
		if _, err := ReadExtendedName(unhex(t, bad), nil); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	for i, f := range tshark.DissectNGAP(t, pdus, "ngap.aMFNameVisibleString") {
		if got := f.Field("ngap.aMFNameVisibleString"); f.Malformed || got != names[i].want {
			t.Errorf("%q, want %q", got, names[i].want)
		}
	}
}

// The backup AMF is taken out of an item in any form, and the other extensions stay;
// octets by hand.
func TestDropBackup(t *testing.T) {
	const head, kind, backup = "00f110 02 1055", "00b0 40 01 40", "01ba 40 09 4030616d662d74776f"
	for _, c := range []struct{ item, want string }{
		{"00 60" + head + "0100 616d66 0001" + kind + backup, "00 20" + head + "0000" + kind},
		{"00 20" + head + "0001" + backup + kind, "00 20" + head + "0000" + kind},
		{"00 20" + head + "0000" + backup, "00 00" + head},
		{"00 40" + head + "0100 616d66", "00 00" + head},
		{"00 20" + head + "0000" + kind, "00 20" + head + "0000" + kind},
	} {
		v := unhex(t, c.item)
		list, err := ReadServedGUAMIs(v, nil)
		if err != nil || len(list) != 1 {
			t.Errorf("%s: %v", c.item, err)
			continue
		}
		had := strings.Contains(c.item, backup) || strings.Contains(c.item, "616d66 0001") || strings.HasSuffix(c.item, "616d66")
		if n := len(list[0].Backups()); (n > 0) != had {
			t.Errorf("%s: %d backups", c.item, n)
		}
		list[0].DropBackup()
		if got := AppendServedGUAMIs(nil, list); string(got) != string(unhex(t, c.want)) {
			t.Errorf("%s: %x, want %s", c.item, got, c.want)
		}
		if again, _ := ReadServedGUAMIs(v, nil); string(AppendServedGUAMIs(nil, again)) != string(v) {
			t.Errorf("%s: written again otherwise", c.item)
		}
	}
}
