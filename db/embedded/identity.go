package embedded

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// identity is a user whom PostgreSQL's processes can run as.
type identity struct {
	name  string // for people
	owner ids    // whose the files are, seen from this process
	attr  syscall.SysProcAttr
	// refuges is where this user gets a home if it cannot reach the data
	// directory, and refuge is that home, set by chooseIdentity.
	refuges, refuge string
}

type ids struct{ uid, gid int }

// ordinary is the user who runs this process.
func ordinary() identity {
	return identity{name: "the same user", owner: ids{os.Geteuid(), os.Getegid()}}
}

// unprivileged is another user, whom only root can become.
func unprivileged(name string) (identity, error) {
	who, err := lookup(name)
	if err != nil {
		return identity{}, err
	}
	return identity{
		name:    "user " + name,
		owner:   who,
		attr:    syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(who.uid), Gid: uint32(who.gid)}},
		refuges: "/var/lib/kwit",
	}, nil
}

// identities lists whom the server may run as, the best first. PostgreSQL
// refuses to run as root.
func identities() []identity {
	if os.Geteuid() != 0 {
		return []identity{ordinary()}
	}
	var whom []identity
	for _, name := range []string{"postgres", "nobody"} {
		if who, err := lookup(name); err == nil {
			whom = append(whom, inUserNamespace(name, who)...)
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		if who, err := unprivileged(name); err == nil {
			whom = append(whom, who)
		}
	}
	return whom
}

func lookup(name string) (ids, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return ids{}, err
	}
	uid, uidErr := strconv.Atoi(u.Uid)
	gid, gidErr := strconv.Atoi(u.Gid)
	return ids{uid, gid}, errors.Join(uidErr, gidErr)
}

// chooseIdentity takes the first whom this system lets us become: user
// namespaces are forbidden in many containers.
func chooseIdentity(ctx context.Context, whom []identity, dir string) (identity, error) {
	var failures []error
	for _, who := range whom {
		if err := who.try(ctx, "/"); err != nil {
			failures = append(failures, fmt.Errorf("as %s: %w", who.name, err))
			continue
		}
		if who.refuges != "" && who.try(ctx, dir) != nil {
			sum := sha256.Sum256([]byte(dir))
			who.refuge = filepath.Join(who.refuges, hex.EncodeToString(sum[:6]))
		}
		return who, nil
	}
	return identity{}, fmt.Errorf("PostgreSQL does not run as root, and no other user could be used: run kwit as an ordinary user (%w)", errors.Join(failures...))
}

// try runs a program that does nothing, as that user, in dir.
func (i identity) try(ctx context.Context, dir string) error {
	cmd := i.command(ctx, "true")
	cmd.Dir = dir
	return cmd.Run()
}

// command is a program run as that user, without the settings of PostgreSQL's
// programs that this process's environment may hold (PGDATA, PGPORT, …).
func (i identity) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	attr := i.attr
	cmd.SysProcAttr = &attr
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PG") })
	cmd.Env = append(cmd.Env, "LC_ALL=C", "TZ=UTC")
	return cmd
}
