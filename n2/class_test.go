package n2

import (
	"testing"

	"poolgw/ngap"
)

// Each PDU has one class, and of these the last keep their room longest.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		what string
		pdu  []byte // the first octets: kind, procedure code (TS 38.413 9.4.3, 9.4.7)
		want Class
		rank rank
	}{
		{"Initial UE Message", []byte{0x00, 15}, ClassNew, usual},
		{"RAN CP Relocation Indication", []byte{0x00, 57}, ClassNew, usual},
		{"Uplink NAS Transport", []byte{0x00, 46}, ClassEstablished, usual},
		{"Handover Request", []byte{0x00, 13}, ClassEstablished, usual},
		{"Path Switch Request", []byte{0x00, 25}, ClassEstablished, usual},
		{"Initial Context Setup Response", []byte{0x20, 14}, ClassAnswer, needed},
		{"Initial Context Setup Failure", []byte{0x40, 14}, ClassAnswer, needed},
		{"UE Context Release Command", []byte{0x00, 41}, ClassRelease, needed},
		{"UE Context Release Request", []byte{0x00, 42}, ClassRelease, needed},
		{"UE Context Release Complete", []byte{0x20, 41}, ClassAnswer, needed},
		{"NG Reset", []byte{0x00, 20}, ClassRelease, needed},
		{"Handover Cancel", []byte{0x00, 10}, ClassRelease, needed},
		{"Paging", []byte{0x00, 24}, ClassOther, spare},
		{"Error Indication", []byte{0x00, 9}, ClassOther, spare},
		{"Overload Start", []byte{0x00, 22}, ClassOther, usual},
		{"a procedure that is not known", []byte{0x00, 200}, ClassOther, usual},
		{"half a PDU", []byte{0x00}, ClassOther, usual},
	} {
		if got := classIn(c.pdu); got != c.want || rankOf(c.pdu) != c.rank {
			t.Errorf("%s: %s, rank %d", c.what, got, rankOf(c.pdu))
		}
	}
	for code := range 256 {
		if row := ngap.Lookup(ngap.Code(code)); row != nil && row.Association == ngap.UE && classIn([]byte{0, byte(code)}) == ClassOther {
			t.Errorf("%s belongs to no UE", row.Initiating)
		}
	}
}
