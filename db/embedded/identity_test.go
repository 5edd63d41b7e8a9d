package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
}

func asNobody(t *testing.T) identity {
	t.Helper()
	who, err := unprivileged("nobody")
	if err != nil {
		t.Fatal(err)
	}
	return who
}

// namespaced is root in a user namespace, where the system allows it.
func namespaced(t *testing.T) []identity {
	t.Helper()
	needRoot(t)
	who, err := lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	whom := inUserNamespace("nobody", who)
	if len(whom) == 0 || whom[0].try(t.Context(), "/") != nil {
		t.Skip("user namespaces are forbidden here")
	}
	return whom
}

func uidOf(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

// openTempDir is a folder that other users can pass through.
func openTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kwit-open-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRootRunsTheServerInAUserNamespace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // where nobody else may look
	s := begin(t, dir, namespaced(t))
	if got := ask(t, s, "SELECT 'here'"); got != "here" {
		t.Error(got)
	}
	if uid := uidOf(t, s.layout.data()); uid != 0 {
		t.Errorf("the cluster belongs to %d, not to root", uid)
	}
}

func TestRootRunsTheServerAsAnotherUser(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := filepath.Join(openTempDir(t), "data")
	whom := []identity{asNobody(t)}
	s := begin(t, dir, whom)
	run(t, s, remember)
	if home := filepath.Join(dir, "postgres"); s.layout.home != home {
		t.Errorf("the home is %s although %s can be reached", s.layout.home, home)
	}
	if uid := uidOf(t, s.layout.data()); uid != whom[0].owner.uid {
		t.Errorf("the cluster belongs to %d", uid)
	}
	end(t, s)

	again := begin(t, dir, identities())
	if got := ask(t, again, recall); got != "acknowledged" {
		t.Errorf("run by whom this system prefers: %q", got)
	}
}

func TestAUserWhoCannotReachTheDataDirectoryGetsAHomeElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // where nobody else may look
	first := begin(t, dir, namespaced(t))
	run(t, first, remember)
	end(t, first)

	who := asNobody(t)
	who.refuges = filepath.Join(openTempDir(t), "lib")
	s := begin(t, dir, []identity{who})
	if filepath.Dir(s.layout.home) != who.refuges {
		t.Errorf("the home is %s", s.layout.home)
	}
	if got := ask(t, s, recall); got != "acknowledged" {
		t.Errorf("what ran as another user before: %q", got)
	}
	beside := begin(t, dir, []identity{who})
	if !beside.Attached() {
		t.Error("the home was not found again")
	}
}

func TestTheFirstUserWhomTheSystemAllowsIsTaken(t *testing.T) {
	t.Parallel()
	forbidden := identity{name: "forbidden", attr: syscall.SysProcAttr{Chroot: "/nonexistent"}}
	allowed := ordinary()
	who, err := chooseIdentity(t.Context(), []identity{forbidden, allowed}, t.TempDir())
	if err != nil || who.name != allowed.name {
		t.Errorf("%q, %v", who.name, err)
	}
	_, err = chooseIdentity(t.Context(), []identity{forbidden}, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "forbidden") {
		t.Errorf("the error does not say whom it tried: %v", err)
	}
}

func TestOnlyRootBecomesSomebodyElse(t *testing.T) {
	t.Parallel()
	whom := identities()
	if os.Geteuid() != 0 {
		if len(whom) != 1 || whom[0].owner.uid != os.Geteuid() {
			t.Errorf("%+v", whom)
		}
		return
	}
	for _, who := range whom {
		if who.name == ordinary().name {
			t.Error("PostgreSQL refuses to run as root")
		}
	}
	if runtime.GOOS == "linux" && whom[0].owner.uid != 0 {
		t.Errorf("not a user namespace first: %s", whom[0].name)
	}
}

func TestStartWaitsForItsTurnUntilTheContextEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	held, err := lockFile(t.Context(), filepath.Join(dir, "start.lock"), exclusive)
	if err != nil {
		t.Fatal(err)
	}
	defer held.release()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, Options{Dir: dir}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
