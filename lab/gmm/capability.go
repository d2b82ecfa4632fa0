package gmm

// The capabilities of a plain GPRS phone, as one was captured.
var (
	// networkCapability: GEA/1, SMS on dedicated and GPRS channels, SS screening
	// phase 2 and so on (TS 24.008 10.5.5.12).
	networkCapability = []byte{0xe5, 0xe0}
	// radioCapability: three bands, multislot class 12 (10.5.5.12a).
	radioCapability = []byte{
		0x18, 0xb3, 0x43, 0x2b, 0x25, 0x96, 0x62, 0x00, 0x60, 0x80, 0x9a, 0xc2, 0xc6,
		0x62, 0x00, 0x60, 0x80, 0xba, 0xc8, 0xc6, 0x62, 0x00, 0x60, 0x80, 0x00}
	// drx: split paging cycle 8, no non-DRX timer (10.5.5.6).
	drx = [2]byte{0x08, 0x00}
)
