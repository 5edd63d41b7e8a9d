package main_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"kwit/account"
	"kwit/e2e/kwittest"
)

func TestVerifyNamesTheRowsThatBreakAnInvariant(t *testing.T) {
	t.Parallel()
	site := kwittest.NewSite(t, kwittest.Config("http://127.0.0.1:9", time.Minute))
	_, token := site.Person("ewa@example.org", account.RoleUser)
	server := site.Serve(kwittest.Options{})
	api := server.Client(token)
	job := api.Submit("k1", "note", map[string]any{"text": "A text that is long enough. It has two sentences."})
	api.AwaitState(job.ID, "succeeded")

	sound := site.Run("verify")
	if sound.Code != 0 || sound.Stdout != "I1 to I7 hold\n" {
		t.Fatalf("a sound database: %d\n%s%s", sound.Code, sound.Stdout, sound.Stderr)
	}
	if got := site.Run("verify", "--json"); got.Code != 0 || strings.Join(strings.Fields(got.Stdout), "") != `{"findings":[]}` {
		t.Errorf("a sound database as JSON: %d\n%s", got.Code, got.Stdout)
	}

	if stopped := server.Stop(); stopped.Code != 0 {
		t.Fatalf("stop the worker: exit code %d", stopped.Code)
	}
	job = site.Serve(kwittest.Options{Args: []string{"--role", "web"}}).Client(token).Submit("k2", "note", map[string]any{"text": "Nobody sends this."})
	if _, err := site.Pool.Exec(t.Context(), "UPDATE jobs SET state = 'running' WHERE id = $1", job.ID); err != nil {
		t.Fatal(err)
	}
	broken := site.Run("verify")
	if broken.Code != 1 || broken.Stderr != "" {
		t.Errorf("a broken database: exit code %d, stderr %q", broken.Code, broken.Stderr)
	}
	holds(t, broken.Stdout, "I7: ")
	holds(t, broken.Stdout, job.ID.String())
	var found struct {
		Findings []struct{ Invariant, ID string }
	}
	listed := site.Run("verify", "--json")
	if err := json.Unmarshal([]byte(listed.Stdout), &found); err != nil || listed.Code != 1 ||
		len(found.Findings) != 1 || found.Findings[0].ID != job.ID.String() {
		t.Errorf("as JSON: %d, %v\n%s", listed.Code, err, listed.Stdout)
	}
}
