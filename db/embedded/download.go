package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// defaultRepository leaves the choice of the place to the library.
const defaultRepository = ""

// releases are the versions that the library offers, the newest first.
var releases = []embeddedpostgres.PostgresVersion{
	embeddedpostgres.V18, embeddedpostgres.V17, embeddedpostgres.V16, embeddedpostgres.V15, embeddedpostgres.V14,
}

// download brings the programs of a major version ("" for the newest) into a
// folder below dir, and returns their folder.
//
// The library downloads only as the first step of starting a server of its own,
// in a way that kwit cannot use: on a network port, and not as root. So it is
// given a locale that no system has: it ends when the programs are there.
func download(ctx context.Context, dir, major, repository string) (string, error) {
	for _, release := range releases {
		if major != "" && !strings.HasPrefix(string(release), major+".") {
			continue
		}
		target := filepath.Join(dir, string(release))
		config := embeddedpostgres.DefaultConfig().
			Version(release).
			Port(0).
			Locale("programs-only").
			CachePath(filepath.Join(dir, "cache")).
			BinariesPath(target).
			RuntimePath(filepath.Join(dir, "runtime")).
			Logger(io.Discard)
		if repository != defaultRepository {
			config = config.BinaryRepositoryURL(repository)
		}
		return filepath.Join(target, "bin"), fetch(ctx, config, target)
	}
	return "", fmt.Errorf("there is no download of version %s", major)
}

func fetch(ctx context.Context, config embeddedpostgres.Config, target string) error {
	ended := make(chan error, 1)
	go func() { ended <- embeddedpostgres.NewDatabase(config).Start() }()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-ended:
		if _, missing := os.Stat(filepath.Join(target, "bin", "initdb")); missing != nil {
			return errors.Join(err, missing)
		}
		return nil
	}
}
