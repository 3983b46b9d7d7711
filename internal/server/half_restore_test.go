package server_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/server"
)

// TestHalfARestoreIsLeftAlone holds that a server refuses a directory in which a
// restore was cut short before it writes anything there.
func TestHalfARestoreIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "restoring"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := server.Start(server.Config{Dir: dir, Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		_ = s.Close(t.Context()) // it was not to start
	}
	if !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("Start = %v, want ErrUnavailable", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v; want what was there", entries, err)
	}
}
