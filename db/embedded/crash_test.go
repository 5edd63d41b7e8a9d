package embedded

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// launchHelper starts a process that starts a server in dir, and returns what
// the process says.
func launchHelper(t *testing.T, dir string) (*exec.Cmd, io.Reader) {
	t.Helper()
	helper := exec.CommandContext(t.Context(), os.Args[0])
	helper.Env = append(os.Environ(), helperDir+"="+dir)
	helper.Stderr = t.Output()
	says, err := helper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := helper.Start(); err != nil {
		t.Fatal(err)
	}
	return helper, says
}

func kill9(t *testing.T, p *exec.Cmd) {
	t.Helper()
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait() // it was killed
}

// until waits for a condition that nothing announces.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("waited in vain until %s", what)
		case <-tick.C:
		}
	}
}

func TestTheServerOutlivesAKilledProcessAndTheNextOneStopsIt(t *testing.T) {
	t.Parallel()
	dir := openTempDir(t)
	helper, says := launchHelper(t, dir)
	line, err := bufio.NewReader(says).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	beside := begin(t, dir, identities())
	run(t, beside, remember)
	end(t, beside)
	kill9(t, helper)

	next := begin(t, dir, identities())
	if !next.Attached() || next.PID() != pid {
		t.Errorf("pid %d, attached %v; the killed process's server is %d", next.PID(), next.Attached(), pid)
	}
	if got := ask(t, next, recall); got != "acknowledged" {
		t.Error(got)
	}
	end(t, next)
	if serves(pid, next.layout.data()) {
		t.Error("the server outlived its last user")
	}
}

func TestStopUnusedStopsOnlyWhatNobodyUses(t *testing.T) {
	t.Parallel()
	dir := openTempDir(t)
	if err := StopUnused(t.Context(), filepath.Join(dir, "nothing"), logTo(t)); err != nil {
		t.Errorf("where there is nothing: %v", err)
	}
	helper, says := launchHelper(t, dir)
	if _, err := bufio.NewReader(says).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	post, running, err := findPostmaster(layoutOf(dir).data())
	if err != nil || !running {
		t.Fatalf("running %v: %v", running, err)
	}
	if err := StopUnused(t.Context(), dir, logTo(t)); err != nil {
		t.Error(err)
	}
	if !serves(post.pid, layoutOf(dir).data()) {
		t.Error("stopped under its user")
	}
	kill9(t, helper)
	if err := StopUnused(t.Context(), dir, logTo(t)); err != nil {
		t.Error(err)
	}
	if serves(post.pid, layoutOf(dir).data()) {
		t.Error("the left-over server lives on")
	}
}

func TestAClusterLeftHalfMadeIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir := openTempDir(t)
	helper, _ := launchHelper(t, dir)
	until(t, "initdb is at work", func() bool {
		made, _ := filepath.Glob(filepath.Join(dir, "postgres", unfinished, "base"))
		return len(made) > 0
	})
	kill9(t, helper)

	s := begin(t, dir, identities())
	if got := ask(t, s, "SELECT 'whole'"); got != "whole" {
		t.Error(got)
	}
}

func TestAKilledServerRecoversAlthoughItsProcessesAreBusy(t *testing.T) {
	t.Parallel()
	dir := openTempDir(t)
	s := begin(t, dir, identities())
	run(t, s, remember)

	busy, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := busy.Exec(t.Context(), "DO $$ BEGIN LOOP END LOOP; END $$")
		ended <- err
	}()
	until(t, "the loop runs", func() bool {
		return ask(t, s, "SELECT count(*)::text FROM pg_stat_activity WHERE query LIKE 'DO %'") == "1"
	})
	if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the postmaster is dead", s.gone)
	end(t, s)

	again := begin(t, dir, identities())
	if err := <-ended; err == nil {
		t.Error("the endless loop came to an end")
	}
	if got := ask(t, again, recall); got != "acknowledged" {
		t.Error(got)
	}
}

// After a restart of the machine the number in postmaster.pid may be that of any
// process.
func TestAForeignProcessIsNotTakenForTheServer(t *testing.T) {
	t.Parallel()
	dir := openTempDir(t)
	s := begin(t, dir, identities())
	run(t, s, remember)
	file := filepath.Join(s.layout.data(), postmasterFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	end(t, s)

	foreign := exec.CommandContext(t.Context(), "cat")
	if _, err := foreign.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := foreign.Start(); err != nil {
		t.Fatal(err)
	}
	defer kill9(t, foreign)
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(file, []byte(strconv.Itoa(foreign.Process.Pid)+"\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}

	again := begin(t, dir, identities())
	if again.Attached() {
		t.Error("attached to a foreign process")
	}
	if got := ask(t, again, recall); got != "acknowledged" {
		t.Error(got)
	}
}

func TestKillLeavesNoProcessThatAnswers(t *testing.T) {
	t.Parallel()
	s := begin(t, openTempDir(t), identities())
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT"); err == nil {
		t.Error("a killed server answers")
	}
}
