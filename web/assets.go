package web

import (
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"kwit/static"
)

// asset is GET /static/…: what browsers load. Its address changes with its
// content, so a browser may keep it for ever.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/static/")
	content, err := fs.ReadFile(static.Files, name)
	if err != nil {
		return errNoPage
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	if r.URL.RequestURI() == static.Path(name) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		h.Set("Content-Type", kind)
	}
	// An error here means that the client is gone.
	_, _ = w.Write(content)
	return nil
}
