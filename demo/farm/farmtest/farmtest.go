// Package farmtest starts a farm for a test.
package farmtest

import (
	"testing"
	"time"

	"kwit/demo/farm"
)

// Quick answers without a wait.
var Quick = farm.Options{Orders: -1, Renders: -1, Slow: 50 * time.Millisecond, LateAfter: 50 * time.Millisecond}

// Start serves a farm on a free port of loopback until the test ends, and then
// fails the test if one attempt was submitted twice (I3).
func Start(t testing.TB, o farm.Options) *farm.Server {
	t.Helper()
	server, err := farm.Listen("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("closing the farm: %v", err)
		}
		if twice := server.Seen.Repeated(); len(twice) > 0 {
			t.Errorf("the farm saw these attempts more than once: %v", twice)
		}
	})
	return server
}
