package server

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/quarantine"
)

// TestStatusTellsOfDamage holds that a status names damaged documents and
// quarantine, and how to mend them.
func TestStatusTellsOfDamage(t *testing.T) {
	s, err := Start(Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil { // the test's own context has ended
			t.Error(err)
		}
	})
	if got := s.diskProblems(); len(got) > 0 {
		t.Fatalf("problems of a sound server: %q", got)
	}
	doc, err := kaijutsu.DocumentIDFromBytes([]byte("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	s.store.NoteDamage(doc, errors.New("a row is gone"))
	if err := s.quarantine.Add(t.Context(), quarantine.Entry{Document: doc, Change: kaijutsu.ChangeHash{1}, At: time.Now(), Why: "it panics", Kind: "panic"}, []byte{1}); err != nil {
		t.Fatal(err)
	}
	problems := strings.Join(s.diskProblems(), "\n")
	for _, want := range []string{"document " + doc.Name() + " is damaged", "kj storage mend " + doc.Name(), "quarantine holds 1 changes"} {
		if !strings.Contains(problems, want) {
			t.Errorf("problems do not say %q:\n%s", want, problems)
		}
	}
}
