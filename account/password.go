package account

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"
)

// hashing is OWASP's second choice of parameters for Argon2id: the two hashes
// that may run at once take 38 MiB, and one takes some 30 ms.
var hashing = argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

const (
	hashesAtOnce = 2
	hashPatience = 5 * time.Second
)

// hasher makes and checks hashes of passwords, two at a time; others wait, and
// are turned away with ErrBusy when it takes too long (3-interfaces, "Doors").
type hasher struct {
	slots    chan struct{}
	patience time.Duration
	decoy    string
}

func newHasher() *hasher {
	return &hasher{slots: make(chan struct{}, hashesAtOnce), patience: hashPatience, decoy: newDecoy()}
}

// newDecoy returns a hash that no password has, and that costs as much to check
// as any. It is checked where there is no person to check.
func newDecoy() string {
	random := make([]byte, hashing.SaltLength+hashing.KeyLength)
	_, _ = rand.Read(random) // never fails: crypto/rand ends the program instead
	text := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashing.Memory, hashing.Iterations,
		hashing.Parallelism, text.EncodeToString(random[:hashing.SaltLength]), text.EncodeToString(random[hashing.SaltLength:]))
}

// acquire waits for a slot. The caller must call release, once.
func (h *hasher) acquire(ctx context.Context) (release func(), err error) {
	patience := time.NewTimer(h.patience)
	defer patience.Stop()
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-patience.C:
		return nil, ErrBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	release, err := h.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	return argon2id.CreateHash(password, &hashing)
}
