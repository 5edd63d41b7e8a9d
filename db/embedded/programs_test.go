package embedded

import (
	"archive/zip"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheNewestProgramsAreChosenOrTheClustersOwn(t *testing.T) {
	t.Parallel()
	at := func(versions ...int) (found []programs) {
		for _, v := range versions {
			found = append(found, programs{version: v})
		}
		return found
	}
	for _, c := range []struct {
		name    string
		found   []programs
		cluster string
		want    int // 0: none
	}{
		{"nothing is there", nil, "", 0},
		{"the newest wins", at(15, 17, 16), "", 17},
		{"too old", at(12, 13), "", 0},
		{"the cluster decides", at(15, 17, 16), "15", 15},
		{"the cluster's are missing", at(16, 17), "15", 0},
	} {
		best, ok := choosePrograms(c.found, c.cluster)
		if ok != (c.want != 0) || best.version != c.want {
			t.Errorf("%s: version %d, %v", c.name, best.version, ok)
		}
	}
}

// place makes a folder with a program that says that it is of a version.
func place(t *testing.T, postgres string, withInitdb bool) string {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\n" + postgres + "\n"
	if err := os.WriteFile(filepath.Join(dir, "postgres"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if withInitdb {
		if err := os.WriteFile(filepath.Join(dir, "initdb"), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOnlyFoldersWithAWorkingServerCount(t *testing.T) {
	t.Parallel()
	whole := place(t, "echo 'postgres (PostgreSQL) 16.4 (Debian 16.4-1)'", true)
	beta := place(t, "echo 'postgres (PostgreSQL) 19beta1'", true)
	found := installed(t.Context(), []string{
		whole, beta,
		place(t, "echo 'postgres (PostgreSQL) 17.1'", false),
		place(t, "exit 1", true),
		place(t, "echo something else", true),
		filepath.Join(whole, "nothing"),
	})
	if len(found) != 2 || found[0].version != 16 || found[1].version != 19 {
		t.Errorf("%+v", found)
	}
}

func TestAClusterOfAVersionThatIsNotThereNamesIt(t *testing.T) {
	t.Parallel()
	err := missingError([]programs{{postgres: "/usr/lib/postgresql/15/bin/postgres"}}, "13", errors.New("no network"))
	for _, part := range []string{"PostgreSQL 13", "/usr/lib/postgresql/15/bin", "no network", "apt-get install postgresql", "DATABASE_URL"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in: %v", part, err)
		}
	}
}

// archive is a .txz of two shell scripts, bin/initdb and bin/postgres.
const archive = `/Td6WFoAAAFpIt42AgAhARwAAAAQz1jM4Cf/AKxdADEaShsO1TDyWxuE7yh9tnRTrysNXAd5TfRibhGBDGjIhwYc94duxzFIJcGD
i4K/Pu6Yf700kGM0FiFO7X1bbRNQaMM6iEKujmhmOkMTqe0TcNwUmwmUTIoPv/gfnrESFnA4skCL0LFqGUeD8iHv/PkZ+h6pqZl8
ChB2Hhfr8hUwgfdAMSQ9FFDeJwYUwhXsSMMaNJaqVmQtvSrTxmz84T7Ft/j8YSDQdxlvCAAAm21fuwABxAGAUAAARDmp9T4wDYsC
AAAAAAFZWg==`

// repository serves the archive as the library expects it: in a jar.
func repository(t *testing.T) string {
	t.Helper()
	txz, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(archive, "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, ".jar") {
			http.NotFound(w, r)
			return
		}
		jar := zip.NewWriter(w)
		file, err := jar.Create("postgres.txz")
		if err == nil {
			_, err = file.Write(txz)
		}
		if err := errors.Join(err, jar.Close()); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestProgramsAreDownloaded(t *testing.T) {
	t.Parallel()
	from := repository(t)
	for major, want := range map[string]int{"": 16, "16": 16} {
		dir, err := download(t.Context(), t.TempDir(), major, from)
		if err != nil {
			t.Fatalf("version %q: %v", major, err)
		}
		if found := installed(t.Context(), []string{dir}); len(found) != 1 || found[0].version != want {
			t.Errorf("version %q: %+v", major, found)
		}
	}
}

func TestADownloadThatCannotBeSaysSo(t *testing.T) {
	t.Parallel()
	if _, err := download(t.Context(), t.TempDir(), "9", repository(t)); err == nil {
		t.Error("a version that nobody offers was downloaded")
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	if _, err := download(t.Context(), t.TempDir(), "", closed.URL); err == nil {
		t.Error("downloaded from nowhere")
	}
}
