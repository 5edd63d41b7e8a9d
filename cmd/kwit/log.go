package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
)

// plainLog is for a person at a terminal: the message and what belongs to it,
// without time and level. Servers log by slog's own handler.
func plainLog(w io.Writer) *slog.Logger { return plain(w, slog.LevelInfo) }

// quietLog is plainLog for warnings and errors alone.
func quietLog(w io.Writer) *slog.Logger { return plain(w, slog.LevelWarn) }

func plain(w io.Writer, least slog.Level) *slog.Logger {
	return slog.New(&plainHandler{w: w, mu: new(sync.Mutex), least: least})
}

type plainHandler struct {
	w      io.Writer
	mu     *sync.Mutex
	least  slog.Level
	prefix string // of the names of attributes: the open groups
	attrs  string // written already
}

func (h *plainHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.least }

func (h *plainHandler) Handle(_ context.Context, r slog.Record) error {
	var line bytes.Buffer
	if r.Level >= slog.LevelWarn {
		fmt.Fprintf(&line, "%s: ", r.Level)
	}
	line.WriteString(r.Message + h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		line.WriteString(h.text(a))
		return true
	})
	line.WriteByte('\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := h.w.Write(line.Bytes())
	return err
}

func (h *plainHandler) text(a slog.Attr) string {
	if a.Equal(slog.Attr{}) {
		return ""
	}
	return fmt.Sprintf(" %s%s=%v", h.prefix, a.Key, oneLine(a.Value.Resolve().String()))
}

func (h *plainHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	for _, a := range attrs {
		with.attrs += h.text(a)
	}
	return &with
}

func (h *plainHandler) WithGroup(name string) slog.Handler {
	with := *h
	with.prefix += name + "."
	return &with
}
