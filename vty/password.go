package vty

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// Cost of new passwords (OWASP's figure for PBKDF2-HMAC-SHA256), and the
// bounds within which stored ones are believed: a password field must not
// become a way to keep a processor busy.
const (
	newIterations = 600_000
	maxIterations = 10_000_000
	saltLen       = 16
	keyLen        = sha256.Size
)

// EncodePassword returns the form "9 pbkdf2-sha256$ITERATIONS$SALT$KEY" (salt
// and key in unpadded base64) in which passwords are kept and written.
func EncodePassword(plain string) (string, error) {
	salt := make([]byte, saltLen)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("vty: salt: %w", err)
	}
	return encodePassword(plain, salt, newIterations)
}

func encodePassword(plain string, salt []byte, iterations int) (string, error) {
	key, err := pbkdf2.Key(sha256.New, plain, salt, iterations, keyLen)
	if err != nil {
		return "", fmt.Errorf("vty: %w", err)
	}
	e := base64.RawStdEncoding
	return fmt.Sprintf("9 pbkdf2-sha256$%d$%s$%s", iterations, e.EncodeToString(salt), e.EncodeToString(key)), nil
}

// CheckPassword tells whether plain is the password kept as encoded, which is
// "9 …" as EncodePassword writes it, "8 …" (traditional DES crypt, as Osmocom
// writes it), or the password itself. An empty one matches nothing.
func CheckPassword(encoded, plain string) bool {
	kind, rest, _ := strings.Cut(encoded, " ")
	switch {
	case encoded == "":
		return false
	case kind == "9":
		return checkPBKDF2(rest, plain)
	case kind == "8":
		return checkCrypt(rest, plain)
	}
	return equal(encoded, plain)
}

func checkPBKDF2(stored, plain string) bool {
	f := strings.Split(stored, "$")
	if len(f) != 4 || f[0] != "pbkdf2-sha256" {
		return false
	}
	n, err := strconv.Atoi(f[1])
	if err != nil || n < 1 || n > maxIterations {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(f[2])
	if err != nil {
		return false
	}
	again, err := encodePassword(plain, salt, n)
	return err == nil && equal(again, "9 "+stored)
}

func checkCrypt(stored, plain string) bool {
	again, ok := desCrypt(plain, stored)
	return ok && equal(again, stored)
}

// equal compares digests, so that neither content nor length show in the time.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
