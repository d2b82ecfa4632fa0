package nri

import "testing"

// The values are worked out by hand from TS 23.003 2.6 and TS 23.236 4.1.
// Facts: G-03, G-04
func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		tlli uint32
		want Kind
		name string
	}{
		{0xC0000000, Local, "local"},
		{0xFFFFFFFF, Local, "local"},
		{0x80000000, Foreign, "foreign"},
		{0xBFFFFFFF, Foreign, "foreign"},
		{0x78000000, Random, "random"},
		{0x7FFFFFFF, Random, "random"},
		{0x70000000, Auxiliary, "auxiliary"},
		{0x77FFFFFF, Auxiliary, "auxiliary"},
		{0x6FFFFFFF, Reserved, "reserved"},
		{0x60000000, Reserved, "reserved"},
		{0x40000000, Reserved, "reserved"},
		{0x00000000, Reserved, "reserved"},
		{0x3FFFFFFF, Reserved, "reserved"},
	} {
		if got := KindOf(c.tlli); got != c.want || got.String() != c.name {
			t.Errorf("KindOf(%08X) = %v, want %s", c.tlli, got, c.name)
		}
	}
	if got := Kind(9).String(); got != "Kind(0x09)" {
		t.Error(got)
	}
}

// Facts: G-01, G4-07
func TestFromTMSI(t *testing.T) {
	for _, c := range []struct {
		tmsi   uint32
		bitLen uint8
		want   V
	}{
		{0xFFFFFFFF, 0, 0},
		{0x00800000, 1, 1},
		{0xFF7FFFFF, 1, 0},
		{0x00800000, 10, 0x200},
		{0x00004000, 10, 1},
		{0x00003FFF, 10, 0},
		{0xFF003FFF, 10, 0},
		{0xC0D54000, 10, 0x355}, // 1101 0101 01
		{0x00FFFFFF, 15, 32767},
		{0x00000200, 15, 1},
		{0x000001FF, 15, 0},
		{0xFFFFFFFF, 16, 0}, // no such length
		{0xFFFFFFFF, 255, 0},
	} {
		if got := FromTMSI(c.tmsi, c.bitLen); got != c.want {
			t.Errorf("FromTMSI(%08X, %d) = %d, want %d", c.tmsi, c.bitLen, got, c.want)
		}
	}
}

// Facts: G4-03, G4-05, G4-06
func TestFromTLLI(t *testing.T) {
	for _, c := range []struct {
		tlli   uint32
		bitLen uint8
		want   V
		ok     bool
	}{
		{0xC0D54000, 10, 0x355, true},
		{0x80D54000, 10, 0x355, true},
		{0x78D54000, 10, 0, false},
		{0x70D54000, 10, 0, false},
		{0x00D54000, 10, 0, false},
		{0xC0D54000, 0, 0, false},
		{0xC0D54000, 16, 0, false},
	} {
		if v, ok := FromTLLI(c.tlli, c.bitLen); v != c.want || ok != c.ok {
			t.Errorf("FromTLLI(%08X, %d) = %d, %v", c.tlli, c.bitLen, v, ok)
		}
	}
}

// Facts: G-05
func TestConversions(t *testing.T) {
	const tmsi = 0x12D54321
	if got := LocalTLLI(tmsi); got != 0xD2D54321 {
		t.Errorf("LocalTLLI = %08X", got)
	}
	if got := ForeignTLLI(0xD2D54321); got != 0x92D54321 {
		t.Errorf("ForeignTLLI = %08X", got)
	}
	for tlli, want := range map[uint32]uint32{0xD2D54321: 0xD2D54321, 0x92D54321: 0xD2D54321} {
		if got, ok := PTMSI(tlli); !ok || got != want || Key(tlli) != want {
			t.Errorf("PTMSI(%08X) = %08X, %v", tlli, got, ok)
		}
	}
	for _, tlli := range []uint32{0x78000001, 0x70000001, 0x00000001} {
		if _, ok := PTMSI(tlli); ok || Key(tlli) != tlli {
			t.Errorf("PTMSI(%08X) is ok", tlli)
		}
	}
}

func TestWithNRI(t *testing.T) {
	if got := WithNRI(0xFFFFFFFF, 0, 10); got != 0xFF003FFF {
		t.Errorf("%08X", got)
	}
	if got := WithNRI(0xC0000000, 0xFFFF, 1); got != 0xC0800000 {
		t.Errorf("a value too long spills: %08X", got)
	}
	if WithNRI(5, 1, 0) != 5 || WithNRI(5, 1, 16) != 5 {
		t.Error("no such length must change nothing")
	}
}

func FuzzNRI(f *testing.F) {
	f.Add(uint32(0xC0D54000), uint16(0x355), uint8(10))
	f.Fuzz(func(t *testing.T, tmsi uint32, v uint16, bitLen uint8) {
		got := FromTMSI(WithNRI(tmsi, v, bitLen), bitLen)
		want := V(0)
		if bitLen <= MaxBitLen {
			want = v & (1<<bitLen - 1)
		}
		if got != want {
			t.Fatalf("%d, want %d", got, want)
		}
		if k := KindOf(tmsi); k.HasNRI() != (tmsi >= 0x80000000) {
			t.Fatalf("%08X is %v", tmsi, k)
		}
	})
}
