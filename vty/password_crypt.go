package vty

import "strings"

// Traditional crypt(3), in which Osmocom keeps "password 8 …": DES (FIPS 46-3)
// of a zero block, 25 times, with 8 characters of the password as key and two
// of salt that disturb the expansion. It is here to check such passwords, not
// to make them: it is weak. crypto/des can't be disturbed, hence the tables.

const cryptAlphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const cryptLen = 13 // two characters of salt, eleven of hash

// desCrypt hashes plain with the salt that stored begins with. It refuses what
// is not of crypt's form.
func desCrypt(plain, stored string) (string, bool) {
	if len(stored) != cryptLen || strings.Trim(stored, cryptAlphabet) != "" {
		return "", false
	}
	var key uint64
	for i := range min(8, len(plain)) {
		key |= uint64(plain[i]<<1) << (56 - 8*i)
	}
	keys := desKeys(key)
	salt := uint64(strings.IndexByte(cryptAlphabet, stored[0])) | uint64(strings.IndexByte(cryptAlphabet, stored[1]))<<6
	var left, right uint64 // the initial permutation of zero is zero
	for range 25 {
		for _, k := range keys {
			left, right = right, left^desRound(right, k, salt)
		}
		left, right = right, left
	}
	hash := permute(left<<32|right, 64, desFinal[:])
	text := []byte(stored[:2])
	for shift := 58; shift > 0; shift -= 6 {
		text = append(text, cryptAlphabet[hash>>shift&63])
	}
	return string(append(text, cryptAlphabet[hash<<2&63])), true
}

// desRound is the cipher function f(R, K) with crypt's salt: salt bit i
// exchanges the bits i and i+24 of the expansion.
func desRound(right, key, salt uint64) uint64 {
	e := permute(right, 32, desExpansion[:])
	upper, lower := e>>24, e&0xffffff
	swap := (upper ^ lower) & reverse24(salt)
	e = (upper^swap)<<24 | (lower ^ swap)
	e ^= key
	var s uint64
	for i, box := range desBoxes {
		six := e >> (42 - 6*i) & 63
		row, col := six>>4&2|six&1, six>>1&15
		s = s<<4 | uint64(box[row][col]-'A')
	}
	return permute(s, 32, desP[:])
}

// reverse24 puts bit 0 first, as DES counts.
func reverse24(v uint64) (r uint64) {
	for range 24 {
		r, v = r<<1|v&1, v>>1
	}
	return r
}

func desKeys(key uint64) (keys [16]uint64) {
	const mask = 1<<28 - 1
	cd := permute(key, 64, desPC1[:])
	c, d := cd>>28, cd&mask
	for i, n := range desShifts {
		c, d = (c<<n|c>>(28-n))&mask, (d<<n|d>>(28-n))&mask
		keys[i] = permute(c<<28|d, 56, desPC2[:])
	}
	return keys
}

// permute makes a word of the bits that table names, counted from 1 at the most
// significant of width.
func permute(v uint64, width int, table []byte) (r uint64) {
	for _, bit := range table {
		r = r<<1 | v>>(width-int(bit))&1
	}
	return r
}

var desExpansion = [48]byte{
	32, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 8, 9, 10, 11, 12, 13, 12, 13, 14, 15, 16, 17,
	16, 17, 18, 19, 20, 21, 20, 21, 22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1,
}

var desP = [32]byte{
	16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10,
	2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
}

var desFinal = [64]byte{
	40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31,
	38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53, 21, 61, 29,
	36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27,
	34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25,
}

var desPC1 = [56]byte{
	57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
	63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
}

var desPC2 = [48]byte{
	14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
	41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
}

var desShifts = [16]int{1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1}

// desBoxes are the selection functions S1 to S8, by row and column; "A" is 0.
var desBoxes = [8][4]string{
	{"OENBCPLIDKGMFJAH", "APHEOCNBKGMLJFDI", "EBOINGCLPMJHDKFA", "PMICEJBHFLDOKAGN"},
	{"PBIOGLDEJHCNMAFK", "DNEHPCIOMABKGJLF", "AOHLKENBFIMGJDCP", "NIKBDPECLGHMAFOJ"},
	{"KAJOGDPFBNMHLECI", "NHAJDEGKCIFOMLPB", "NGEJIPDALBCMFKOH", "BKNAGJIHEPODLFCM"},
	{"HNODAGJKBCIFLMEP", "NILFGPADEHCMBKOJ", "KGJAMLHNPBDOFCIE", "DPAGKBNIJEFLMHCO"},
	{"CMEBHKLGIFDPNAOJ", "OLCMEHNBFAPKDJIG", "ECBLKNHIPJMFGDAO", "LIMHBOCNGPAJKEFD"},
	{"MBKPJCGIANDEOHFL", "KPECHMJFGBNOALDI", "JOPFCIMDHAEKBNLG", "EDCMJFPKLOBHGAIN"},
	{"ELCOPAINDMJHFKGB", "NALHEJBKODFMCPIG", "BELNMDHOKPGIAFJC", "GLNIBEKHJFAPOCDM"},
	{"NCIEGPLBKJDOFAMH", "BPNIKDHEMFGLAOJC", "HLEBJMOCAGKNPDFI", "CBOHEKINPMJADFGL"},
}
