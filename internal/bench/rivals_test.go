package bench

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/faultfs"
)

func TestRivalsAreShippedAndDurable(t *testing.T) {
	want := []struct {
		name     string
		fleeting bool
		promise  string
	}{
		{"npm", false, "without fsync"},
		{"npm-durable", false, "syncs each file"},
		{"hocuspocus", false, "2 s after the last edit"},
		{"hocuspocus-durable", false, "after each edit"},
		{"y-websocket", true, "nothing is saved"},
		{"y-websocket-durable", false, "synced writes"},
	}
	all := contestants(t)
	if len(all) != len(want) {
		t.Fatalf("%d rivals, want %d", len(all), len(want))
	}
	for i, c := range all {
		w := want[i]
		if c.name != w.name || c.fleeting != w.fleeting || !strings.Contains(c.about, w.promise) || !strings.Contains(c.about, ".") {
			t.Errorf("rival %q, fleeting %v: %s; want %q, %v, versions and %q", c.name, c.fleeting, c.about, w.name, w.fleeting, w.promise)
		}
	}
}

func TestRivalsThatAreNotThereSayHowToGetThem(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("no npm")
	}
	dir := t.TempDir() // without a lock file there is nothing to install
	all, err := rivals(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if !errors.Is(c.missing, kaijutsu.ErrUnavailable) || !strings.Contains(c.missing.Error(), "npm ci in "+dir) {
			t.Errorf("contestant %s: missing = %v, want unavailable and the command", c.name, c.missing)
		}
	}
}

// TestDurableRivalsSyncEachEdit has them save on a file system that counts.
func TestDurableRivalsSyncEachEdit(t *testing.T) {
	t.Parallel()
	for _, c := range contestants(t) {
		if !strings.HasSuffix(c.name, "-durable") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			backing, point := filepath.Join(t.TempDir(), "backing"), filepath.Join(t.TempDir(), "mount")
			for _, dir := range []string{backing, point} {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			fs, err := faultfs.Mount(backing, point, faultfs.Options{})
			if errors.Is(err, faultfs.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := fs.Unmount(); err != nil {
					t.Error(err)
				}
			})
			synced := make(chan struct{}, 1)
			fs.OnOp(func(op faultfs.Op) faultfs.Verdict {
				if op.Kind == faultfs.Fsync {
					select {
					case synced <- struct{}{}:
					default:
					}
				}
				return faultfs.Verdict{}
			})
			p, _, err := c.launch(t.Context(), point)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.Kill) // before the file system goes
			doc := newDocName()
			if err := c.speech.seed(t.Context(), p, doc, emptyText()); err != nil {
				t.Fatal(err)
			}
			e, err := c.speech.enter(t.Context(), p, doc, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 10 {
				if err := e.edit(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
				select {
				case <-synced:
				case <-time.After(20 * time.Second):
					t.Fatalf("no fsync after edit %d", i)
				}
			}
			if err := e.close(); err != nil {
				t.Error(err)
			}
			if err := p.Stop(); err != nil {
				t.Errorf("stop: %v: %s", err, p.Log())
			}
		})
	}
}
