package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/backup"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}

// house is a repo over a store.
type house struct {
	t     testing.TB
	store *store.Store
	repo  *repo.Repo
}

func open(t testing.TB, dir string) *house {
	t.Helper()
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t, st, repo.Start(repo.Config{Store: st, Log: slog.New(slog.DiscardHandler)})}
	t.Cleanup(h.close)
	return h
}

func (h *house) close() {
	if h.repo == nil {
		return
	}
	if err := errors.Join(h.repo.Close(), h.store.Close()); err != nil {
		h.t.Error(err)
	}
	h.repo = nil
}

func (h *house) create(title string) kaijutsu.DocumentID {
	h.t.Helper()
	cid, err := h.repo.CreateContext(h.t.Context(), amy, title)
	if err != nil {
		h.t.Fatal(err)
	}
	return cid.Document()
}

func (h *house) write(doc kaijutsu.DocumentID, text string) {
	h.t.Helper()
	_, err := h.repo.Edit(h.t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: text})
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) fork(doc kaijutsu.DocumentID) kaijutsu.DocumentID {
	h.t.Helper()
	cid, err := h.repo.Fork(h.t.Context(), amy, doc, nil, "")
	if err != nil {
		h.t.Fatal(err)
	}
	return cid.Document()
}

func (h *house) delete(doc kaijutsu.DocumentID) {
	h.t.Helper()
	if err := h.repo.Delete(h.t.Context(), doc); err != nil {
		h.t.Fatal(err)
	}
}

// shows lists what every context shows, by id.
func (h *house) shows() map[string][]string {
	h.t.Helper()
	all := map[string][]string{}
	for doc, err := range h.store.Documents() {
		if err != nil {
			h.t.Fatal(err)
		}
		err := h.repo.View(h.t.Context(), doc, func(v repo.View) error {
			lines := []string{v.Title()}
			for _, b := range v.Blocks() {
				lines = append(lines, b.By.Name+": "+b.Content)
			}
			all[doc.Name()] = lines
			return nil
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return all
}

var moment = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// fetch is the stream of a store, by a pipe.
func fetch(st *store.Store) backup.Fetch {
	return func(ctx context.Context, have backup.Have) (io.ReadCloser, error) {
		have, err := backup.DecodeHave(have.Encode())
		if err != nil {
			return nil, err
		}
		r, w := io.Pipe()
		go func() {
			_, err := backup.Send(ctx, w, st, have, backup.Source{Kernel: "main", Version: "test", Now: moment})
			w.CloseWithError(err)
		}()
		return r, nil
	}
}

// take adds a run to a backup.
func take(t testing.TB, dir string, st *store.Store, o backup.TakeOptions) backup.Taken {
	t.Helper()
	taken, err := tryTake(t, dir, st, o)
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

func tryTake(t testing.TB, dir string, st *store.Store, o backup.TakeOptions) (backup.Taken, error) {
	t.Helper()
	d, err := backup.OpenDir(dir)
	if err != nil {
		return backup.Taken{}, err
	}
	defer d.Close()
	return d.Take(t.Context(), fetch(st), o)
}

// restore restores a run, verified, and returns it as it is served.
func restore(t testing.TB, path string, run int) (backup.Restored, *house) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	out, err := tryRestore(t, path, run, dir)
	if err != nil {
		t.Fatal(err)
	}
	return out, open(t, dir)
}

func tryRestore(t testing.TB, path string, run int, dir string) (backup.Restored, error) {
	t.Helper()
	b, err := backup.Open(path)
	if err != nil {
		return backup.Restored{}, err
	}
	defer b.Close()
	r, err := b.Run(run)
	if err != nil {
		return backup.Restored{}, err
	}
	return backup.Restore(t.Context(), b, r, backup.RestoreOptions{Dir: dir, Verify: true})
}

func same(t testing.TB, when string, got, want map[string][]string) {
	t.Helper()
	for doc, lines := range want {
		if !slices.Equal(got[doc], lines) {
			t.Errorf("%s, %s shows %q, want %q", when, doc, got[doc], lines)
		}
	}
	for doc := range got {
		if _, ok := want[doc]; !ok {
			t.Errorf("%s, %s is there and was not", when, doc)
		}
	}
}

// files lists the files of a backup, with slashes, but for the lock.
func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "lock" {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func copyTree(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

func text(n int) string { return fmt.Sprintf("line %d %s", n, strings.Repeat("é word ", 8)) }
