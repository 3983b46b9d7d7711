package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/doctor"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/server"
	"kaijutsu/internal/store"
)

var amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}

func never(*store.Store) (time.Time, error) { return time.Time{}, nil }

// levels returns the findings as "check level", each once.
func levels(r *doctor.Report) (all []string) {
	for _, f := range r.Findings {
		if line := fmt.Sprintf("%s %s", f.Check, f.Level); !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return all
}

func examine(t *testing.T, dir string, mend bool) *doctor.Report {
	t.Helper()
	r, err := doctor.Examine(t.Context(), doctor.Options{Dir: dir, Mend: mend, Now: time.Now()}, never)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func want(t *testing.T, r *doctor.Report, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !slices.Contains(levels(r), line) {
			t.Errorf("no finding %q in %+v", line, r.Findings)
		}
	}
}

// stopped is a data directory in which nobody runs, with one document; the
// bytes of one of its changes.
func stopped(t *testing.T) (dir string, change []byte) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	parts := repo.Start(repo.Config{Log: slog.New(slog.DiscardHandler), Store: st})
	cid, err := parts.CreateContext(t.Context(), amy, "Plan")
	for i := 0; err == nil && i < 40; i++ {
		_, err = parts.Edit(t.Context(), cid.Document(), repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
			return tx.SetTitle(fmt.Sprintf("the title that is number %d", i))
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	raw, err := parts.Raw(t.Context(), cid.Document(), 20, 1)
	if err != nil || len(raw) != 1 {
		t.Fatal(raw, err)
	}
	change = bytes.Clone(raw[0].Raw)
	if err := errors.Join(parts.Close(), st.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, change
}

// TestStopped: a directory that is sound is called so; one with a document that
// is damaged is not, until that is mended.
func TestStopped(t *testing.T) {
	dir, change := stopped(t)
	r := examine(t, dir, false)
	want(t, r, "tables sound", "documents sound", "quarantine sound", "backup advice")
	if !r.Sound() || r.Running {
		t.Errorf("a sound directory: %+v", r.Findings)
	}

	tables, err := filepath.Glob(filepath.Join(dir, "badger", "*.sst"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range tables {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if at := bytes.Index(b, change); at >= 0 {
			clear(b[at+len(change)/2 : at+len(change)/2+16])
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r = examine(t, dir, false); r.Sound() {
		t.Errorf("a damaged directory: %+v", r.Findings)
	}
	r = examine(t, dir, true)
	want(t, r, "documents mended")
	if r = examine(t, dir, false); !r.Sound() {
		t.Errorf("a mended directory: %+v", r.Findings)
	}
	if asides, _ := filepath.Glob(filepath.Join(dir, "lost", "*")); len(asides) == 0 {
		t.Error("nothing is in lost: the damaged rows were destroyed")
	}
}

// TestPermissions: what others may read is found, and closed to them.
func TestPermissions(t *testing.T) {
	dir, _ := stopped(t)
	token := filepath.Join(dir, "owner.token")
	if err := os.WriteFile(token, []byte(strings.Repeat("x", 43)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(token, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := examine(t, dir, false); r.Sound() {
		t.Errorf("a token that all may read: %+v", r.Findings)
	}
	if r := examine(t, dir, true); !r.Sound() {
		t.Errorf("after --mend: %+v", r.Findings)
	}
	if info, err := os.Stat(token); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file has mode %v, %v, want 0600", info.Mode(), err)
	}
}

// TestRunning: a directory in use is not opened, and its server can be asked.
func TestRunning(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s, err := server.Start(server.Config{Dir: dir, Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if _, err := doctor.Examine(t.Context(), doctor.Options{Dir: dir, Now: time.Now()}, never); !errors.Is(err, store.ErrInUse) {
		t.Errorf("Examine while a server runs = %v, want ErrInUse", err)
	}
	call := func(ctx context.Context, operation string, params json.RawMessage) (json.RawMessage, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/v1/ops/"+operation, bytes.NewReader(params))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", resp.Status, b)
		}
		return b, err
	}
	ready(t, s)
	r, err := doctor.Ask(t.Context(), doctor.Server{URL: s.URL(), Call: call}, doctor.Options{Dir: dir, Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	want(t, r, "documents sound", "quarantine sound", "backup advice")
	if !r.Running || !r.Sound() {
		t.Errorf("a server that runs: %+v", r.Findings)
	}
}

// ready waits until a server has opened its parts.
func ready(t *testing.T, s *server.Server) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		resp, err := http.Get(s.URL() + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-deadline:
			t.Fatal("the server does not get ready:", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
