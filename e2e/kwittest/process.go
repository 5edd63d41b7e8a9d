package kwittest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait: far beyond what a healthy process takes on a busy
// machine.
const patience = 2 * time.Minute

// Options say how a process is run. The zero value is `kwit` without arguments
// in an empty folder, with nothing of kwit's in its environment.
type Options struct {
	Args  []string
	Env   []string  // NAME=value
	Stdin io.Reader // nothing by default
	Dir   string    // working directory; a temporary one by default
	Tags  []string  // build tags, such as Faultpoints
}

// Result is how a process ended.
type Result struct {
	Code           int // exit code; -1 after a signal
	Stdout, Stderr string
}

// Run runs kwit to its end.
func Run(t testing.TB, o Options) Result {
	t.Helper()
	return Launch(t, o).Wait()
}

// Process is a running kwit. It is killed at the end of its test if it still
// runs.
type Process struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdout output
	stderr output
	ended  chan struct{}
	code   int
}

// Launch starts kwit and returns at once.
func Launch(t testing.TB, o Options) *Process {
	t.Helper()
	p := &Process{t: t, cmd: exec.Command(Binary(t, o.Tags...), o.Args...), ended: make(chan struct{})}
	p.cmd.Dir = o.Dir
	if p.cmd.Dir == "" {
		p.cmd.Dir = t.TempDir()
	}
	p.cmd.Env = append(cleanEnvironment(), o.Env...)
	p.cmd.Stdin = o.Stdin
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the exit code says it
		p.code = p.cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("kwit %s ended with %d; stderr:\n%s", strings.Join(o.Args, " "), p.code, p.Stderr())
		}
	})
	return p
}

// cleanEnvironment is this process's without what would configure kwit.
func cleanEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "KWIT_") && !strings.HasPrefix(v, "DATABASE_URL=") && !strings.HasPrefix(v, "PG") {
			env = append(env, v)
		}
	}
	return env
}

// Signal sends a signal. It is no error if the process has ended.
func (p *Process) Signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Errorf("send %s: %v", s, err)
	}
}

// Kill ends the process as a crash would, and waits for its end.
func (p *Process) Kill() {
	p.t.Helper()
	p.Signal(syscall.SIGKILL)
	<-p.ended
}

// Stop ends the process in order and returns how it ended.
func (p *Process) Stop() Result {
	p.t.Helper()
	p.Signal(syscall.SIGTERM)
	return p.Wait()
}

// Wait waits for the process's end.
func (p *Process) Wait() Result {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatalf("kwit did not end within %s; stderr:\n%s", patience, p.Stderr())
	}
	return Result{Code: p.code, Stdout: p.Stdout(), Stderr: p.Stderr()}
}

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stdout is what the process has written to its standard output so far.
func (p *Process) Stdout() string { return p.stdout.text() }

// Stderr is what the process has written to its standard error so far.
func (p *Process) Stderr() string { return p.stderr.text() }

// AwaitStderr waits until the process has written a line that contains text,
// and returns the line. The test fails if it ends before.
func (p *Process) AwaitStderr(text string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	for {
		changed := p.stderr.changed()
		if line, ok := lineWith(p.Stderr(), text); ok {
			return line
		}
		select {
		case <-changed:
		case <-p.ended:
			if line, ok := lineWith(p.Stderr(), text); ok {
				return line
			}
			p.t.Fatalf("kwit ended with %d before it wrote %q; stderr:\n%s", p.code, text, p.Stderr())
		case <-ctx.Done():
			p.t.Fatalf("kwit did not write %q within %s; stderr:\n%s", text, patience, p.Stderr())
		}
	}
}

// lineWith finds the first whole line that contains text.
func lineWith(all, text string) (string, bool) {
	for line := range strings.Lines(all) {
		if strings.HasSuffix(line, "\n") && strings.Contains(line, text) {
			return strings.TrimSuffix(line, "\n"), true
		}
	}
	return "", false
}

// output collects what a process writes.
type output struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	next chan struct{} // closed at the next write
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.next != nil {
		close(o.next)
		o.next = nil
	}
	return o.buf.Write(b)
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

func (o *output) changed() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.next == nil {
		o.next = make(chan struct{})
	}
	return o.next
}
