package e2e

import (
	"net/http"
	"testing"
)

// ready tells whether a process says that it can serve.
func ready(t *testing.T, url string) bool {
	t.Helper()
	r, err := http.Get(url + "/readyz")
	if err != nil {
		return false
	}
	defer r.Body.Close()
	return r.StatusCode == http.StatusOK
}
