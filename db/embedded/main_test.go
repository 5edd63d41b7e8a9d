package embedded

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// helperDir is the variable that turns the test binary into a process that
// starts a server there, says so, and is killed by the test.
const helperDir = "KWIT_TEST_EMBEDDED_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		s, err := Start(context.Background(), Options{Dir: dir})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(s.PID())
		select {}
	}
	os.Exit(m.Run())
}
