// Preview writes every page in typical states to a folder, to be looked at:
//
//	go run ./views/internal/preview DIR
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"kwit/static"
	"kwit/views/internal/sample"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: preview DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "preview:", err)
		os.Exit(1)
	}
}

// write renders the pages; their assets stand beside them under static.
func write(dir string) error {
	assets := filepath.Join(dir, "static")
	if err := os.RemoveAll(assets); err != nil {
		return err
	}
	if err := os.CopyFS(assets, static.Files); err != nil {
		return err
	}
	for name, page := range sample.Pages() {
		var b bytes.Buffer
		if err := page.Render(context.Background(), &b); err != nil {
			return fmt.Errorf("page %s: %w", name, err)
		}
		html := bytes.ReplaceAll(b.Bytes(), []byte(`"/static/`), []byte(`"static/`))
		if err := os.WriteFile(filepath.Join(dir, name+".html"), html, 0o644); err != nil {
			return err
		}
	}
	return nil
}
