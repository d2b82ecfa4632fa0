package vty

import (
	"strings"
	"testing"
)

// The hashes of the "8" form were made by glibc's crypt(3).
func TestCheckPassword(t *testing.T) {
	tests := []struct {
		encoded, plain string
		want           bool
	}{
		{"secret", "secret", true},
		{"secret", "Secret", false},
		{"secret", "secret ", false},
		{"", "", false},
		{"8 abNANd1rDfiNc", "secret", true},
		{"8 abNANd1rDfiNc", "secreT", false},
		{"8 ./9OWEeiCIzXs", "topsecret!longer", true},
		{"8 ./9OWEeiCIzXs", "topsecre", true}, // crypt sees 8 characters
		{"8 ./9OWEeiCIzXs", "topsecr", false},
		{"8 zZO7u0HfQST3A", "", true},
		{"8 abNANd1rDfiN", "secret", false},
		{"8 abNANd1rDf:Nc", "secret", false},
		{"8 ", "", false},
		// RFC 7914 section 11: PBKDF2-HMAC-SHA256("passwd", "salt", 1, 64), first half.
		{"9 pbkdf2-sha256$1$c2FsdA$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLw", "passwd", true},
		{"9 pbkdf2-sha256$1$c2FsdA$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLw", "passwe", false},
		{"9 pbkdf2-sha256$2$c2FsdA$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLw", "passwd", false},
		{"9 pbkdf2-sha256$1$c2FsdB$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLw", "passwd", false},
		{"9 pbkdf2-sha256$99999999999$c2FsdA$VawE", "passwd", false}, // not worked at for hours
		{"9 pbkdf2-sha256$0$c2FsdA$", "passwd", false},
		{"9 pbkdf2-sha256$1$$", "", false},
		{"9 scrypt$1$c2FsdA$VawE", "passwd", false},
		{"9 ", "", false},
	}
	for _, tt := range tests {
		if got := CheckPassword(tt.encoded, tt.plain); got != tt.want {
			t.Errorf("CheckPassword(%q, %q) = %v", tt.encoded, tt.plain, got)
		}
	}
}

func TestEncodePassword(t *testing.T) {
	a, err := EncodePassword("gehe!m ß")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := EncodePassword("gehe!m ß")
	if a == b || !strings.HasPrefix(a, "9 pbkdf2-sha256$600000$") || strings.ContainsAny(a[2:], " ?\t") {
		t.Errorf("%q, %q", a, b)
	}
	if !CheckPassword(a, "gehe!m ß") || CheckPassword(a, "gehe!m") {
		t.Error("it does not check")
	}
}

func FuzzCheckPassword(f *testing.F) {
	f.Add("9 pbkdf2-sha256$1$c2FsdA$VawE", "x")
	f.Add("8 abNANd1rDfiNc", "secret")
	f.Fuzz(func(t *testing.T, encoded, plain string) {
		if strings.HasPrefix(encoded, "9 ") && len(encoded) > 24 {
			return // it may ask for much work
		}
		CheckPassword(encoded, plain)
	})
}
