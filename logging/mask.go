package logging

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// identity finds a subscriber's identity behind its name, in an attribute
// ("imsi=262420000000001") as well as in words ("filter tlli c0000001").
var identity = regexp.MustCompile(`(?i)\b((?:imsi|p-?tmsi|tmsi|tlli)[=: ]"?(?:0x)?)([0-9a-f]{4,16})\b`)

// mask puts pseudonyms in the place of identities: equal for equal identities as
// long as the program runs, so that lines of one subscriber can still be found,
// and not to be turned back without a key that never leaves the process.
func (h *Hub) mask(text string) string {
	return identity.ReplaceAllStringFunc(text, func(s string) string {
		m := identity.FindStringSubmatch(s)
		return strings.TrimSuffix(strings.TrimSuffix(m[1], "0x"), "0X") + "~" + h.pseudonym(m[2])
	})
}

func (h *Hub) pseudonym(id string) string {
	m := hmac.New(sha256.New, h.key)
	m.Write([]byte(strings.ToLower(id)))
	return hex.EncodeToString(m.Sum(nil)[:5])
}

func newKey() []byte {
	k := make([]byte, 32)
	rand.Read(k) // never fails
	return k
}
