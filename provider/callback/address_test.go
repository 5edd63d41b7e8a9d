package callback_test

import (
	"net/url"
	"testing"

	"kwit/provider/callback"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	key := []byte("a key of thirty-two bytes, or so")
	const owner, attempt = "0197a1b2-0000-7000-8000-000000000001", "0197a1b2-0000-7000-8000-000000000002"
	for base, path := range map[string]string{
		"https://kwit.example":        "/api/v1/callbacks/" + attempt,
		"https://kwit.example/":       "/api/v1/callbacks/" + attempt,
		"https://kwit.example/print/": "/print/api/v1/callbacks/" + attempt,
	} {
		at, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		got, err := url.Parse(callback.Address(at, key, owner, attempt))
		if err != nil {
			t.Fatal(err)
		}
		if got.Host != "kwit.example" || got.Path != path || got.Query().Get("owner") != owner {
			t.Errorf("%s: %s", base, got)
		}
		mac := got.Query().Get("t")
		if !callback.CheckAddress(key, owner, attempt, mac) {
			t.Errorf("the address %s is not taken", got)
		}
		for name, taken := range map[string]bool{
			"another key":     callback.CheckAddress([]byte("another"), owner, attempt, mac),
			"another owner":   callback.CheckAddress(key, attempt, attempt, mac),
			"another attempt": callback.CheckAddress(key, owner, owner, mac),
			"swapped":         callback.CheckAddress(key, attempt, owner, mac),
			"cut":             callback.CheckAddress(key, owner, attempt, mac[1:]),
			"empty":           callback.CheckAddress(key, owner, attempt, ""),
		} {
			if taken {
				t.Errorf("%s: taken", name)
			}
		}
	}
}
