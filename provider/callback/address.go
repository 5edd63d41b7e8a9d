package callback

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
)

// Address is where the provider may call back about an attempt, below kwit's
// public address: …/api/v1/callbacks/{attempt}?owner=…&t=…. The MAC t says that
// kwit made this address for this attempt of this owner.
func Address(base *url.URL, key []byte, owner, attempt string) string {
	u := base.JoinPath("api", "v1", "callbacks", attempt)
	u.RawQuery = url.Values{"owner": {owner}, "t": {mac(key, owner, attempt)}}.Encode()
	return u.String()
}

// CheckAddress tells whether t is the MAC of the attempt's address. owner and
// attempt are written as they were for [Address].
func CheckAddress(key []byte, owner, attempt, t string) bool {
	return hmac.Equal([]byte(t), []byte(mac(key, owner, attempt)))
}

func mac(key []byte, owner, attempt string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("kwit callback " + owner + " " + attempt)) // never fails
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
