package kwit_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// layers lists the packages from the top down: an import may only point further
// down, or to the same line's own folder (docs/architecture.md). A folder stands
// for all that is below it.
var layers = []string{
	"kwit/cmd/kwit",
	"kwit/demo",
	"kwit/web",
	"kwit/views",
	"kwit/dispatch",
	"kwit/contract",
	"kwit/demo/farm",
	"kwit/provider",
	"kwit/account",
	"kwit/ledger",
	"kwit/config",
	"kwit/db",
	"kwit/static",
	"kwit/faultpoint",
	"kwit/exactjson",
	"kwit/outcome",
}

// forTests lists what only tests import, which may look at everything.
var forTests = []string{"kwit/e2e", "kwit/db/dbtest"}

// mustNotKnow lists what a package must not import, directly, although it stands
// further down or outside of kwit.
var mustNotKnow = map[string][]string{
	"kwit/web":      {"kwit/provider/openai", "kwit/provider/anthropic", "kwit/provider/httpjson", "kwit/provider/simulator", "github.com/jackc/pgx"},
	"kwit/views":    {"kwit/db", "github.com/jackc/pgx", "github.com/labstack/echo"},
	"kwit/dispatch": {"kwit/views", "github.com/a-h/templ", "github.com/labstack/echo"},
	"kwit/contract": {"kwit/db", "kwit/ledger", "net/http"},
	"kwit/provider": {"kwit/db", "kwit/ledger", "kwit/account", "kwit/config"},
	"kwit/account":  {"kwit/ledger", "kwit/config"},
	"kwit/ledger":   {"kwit/config", "net/http", "github.com/a-h/templ", "github.com/labstack/echo"},
	"kwit/config":   {"kwit/db"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestImportsPointDownward(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if under(p.ImportPath, forTests) {
			continue
		}
		rank, home := layerOf(p.ImportPath)
		if home == "" {
			t.Errorf("%s stands in no layer: give it a place in docs/architecture.md and here", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if below, other := layerOf(imported); other != "" && below < rank {
				t.Errorf("%s imports %s, which stands above it", p.ImportPath, imported)
			}
			if under(imported, forTests) {
				t.Errorf("%s imports %s, which is for tests", p.ImportPath, imported)
			}
			if under(imported, mustNotKnow[home]) {
				t.Errorf("%s imports %s, which it must not know", p.ImportPath, imported)
			}
			if under(imported, []string{"github.com/labstack/echo"}) && home != "kwit/web" {
				t.Errorf("%s imports echo, which stays inside web", p.ImportPath)
			}
		}
	}
}

// packages lists those of kwit that are not only tests.
func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.Imports) > 0 {
			all = append(all, p)
		}
	}
}

// layerOf finds the layer that a package belongs to: the longest of those that
// it is below.
func layerOf(path string) (rank int, layer string) {
	for i, l := range layers {
		if under(path, []string{l}) && len(l) > len(layer) {
			rank, layer = i, l
		}
	}
	return rank, layer
}

func under(path string, folders []string) bool {
	for _, f := range folders {
		if path == f || strings.HasPrefix(path, f+"/") {
			return true
		}
	}
	return false
}
