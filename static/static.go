// Package static carries what browsers load: kwit's stylesheet and script, and
// under vendor what npm brings at build time. The pages work without vendor.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"sync"
)

// Files are the assets by their names below /static/.
//
//go:embed kwit.css kwit.js kwit.svg all:vendor
var Files embed.FS

var digests sync.Map // name -> digest of its content, or "" where there is no such file

// Has tells whether an asset was there at build time.
func Has(name string) bool { return digest(name) != "" }

// Path is the address of an asset below the site's prefix. It changes with the
// content, so a browser may keep what it got for ever.
func Path(name string) string { return "/static/" + name + "?v=" + digest(name) }

func digest(name string) string {
	if d, ok := digests.Load(name); ok {
		return d.(string)
	}
	var d string
	if content, err := fs.ReadFile(Files, name); err == nil {
		sum := sha256.Sum256(content)
		d = hex.EncodeToString(sum[:6])
	}
	digests.Store(name, d)
	return d
}
