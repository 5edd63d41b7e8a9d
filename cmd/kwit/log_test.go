package main

import (
	"bytes"
	"errors"
	"testing"
)

func TestPlainLogIsForReading(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := plainLog(&out)
	log.Debug("not this")
	log.Info("starting PostgreSQL", "dir", ".kwit")
	log.With("node", "a:1").WithGroup("call").Warn("slow", "seconds", 3)
	log.Error("lost", "error", errors.New("one\ntwo"))
	want := "starting PostgreSQL dir=.kwit\nWARN: slow node=a:1 call.seconds=3\nERROR: lost error=one; two\n"
	if out.String() != want {
		t.Errorf("got:\n%swant:\n%s", out.String(), want)
	}
	out.Reset()
	quietLog(&out).Info("nor this")
	if out.Len() > 0 {
		t.Errorf("a quiet log says %q", out.String())
	}
}
