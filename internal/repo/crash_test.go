package repo_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/examine"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// TestMain runs the tests, or, as another process that is to be killed, edits.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "examine" { // as the examiner
		os.Exit(examine.Child(examine.Limits{}, os.Stdin, os.Stdout))
	}
	if dir := os.Getenv("KJ_REPO_CHILD"); dir != "" {
		if err := childEdit(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const families = 4

// childEdit makes contexts and forks of them, edits, compacts and deletes them,
// and says what it is about to do and what was acknowledged.
func childEdit(dir string) error {
	log := slog.New(slog.DiscardHandler)
	s, err := store.Open(store.Options{Dir: dir, Log: log})
	if err != nil {
		return err
	}
	r := repo.Start(repo.Config{Log: log, Store: s, SnapshotChanges: 12, IdleAfter: 20 * time.Millisecond, BudgetBytes: 1})
	fmt.Println("open")
	failed := make(chan error, families)
	var wg sync.WaitGroup
	for range families {
		wg.Go(func() { failed <- family(r) })
	}
	wg.Wait()
	return <-failed
}

// family goes on until the process is killed or something fails.
func family(r *repo.Repo) error {
	ctx := context.Background()
	cid, err := r.CreateContext(ctx, amy, "")
	if err != nil {
		return err
	}
	docs := []kaijutsu.DocumentID{cid.Document()}
	fmt.Printf("new %s\n", docs[0])
	for n := 0; ; n++ {
		at := rand.IntN(len(docs))
		doc := docs[at]
		switch dice := rand.IntN(20); {
		case dice == 0 && len(docs) < 12:
			cid, err := r.Fork(ctx, amy, doc, nil, "")
			if err != nil {
				return err
			}
			docs = append(docs, cid.Document())
			fmt.Printf("fork %s %s\n", cid.Document(), doc)
		case dice == 1 && len(docs) > 4:
			fmt.Printf("deleting %s\n", doc)
			if err := r.Delete(ctx, doc); err != nil {
				return err
			}
			docs = append(docs[:at], docs[at+1:]...)
			fmt.Printf("deleted %s\n", doc)
		default:
			text := fmt.Sprint("edit-", n)
			_, err := r.Edit(ctx, doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
				return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: text})
			})
			if err != nil {
				return err
			}
			fmt.Printf("edit %s %s\n", doc, text)
		}
	}
}

// expected is what is known of a document by what was acknowledged.
type expected struct {
	texts    []string
	deleting bool // it may be gone
	deleted  bool
}

func TestKilledWhileForking(t *testing.T) {
	dir := t.TempDir()
	known := make(map[string]*expected)
	rounds := 8
	if os.Getenv("KJ_FULL") != "" {
		rounds = 80
	}
	for round := range rounds {
		out := runAndKill(t, dir, 50+rand.IntN(250))
		for line := range strings.Lines(out) {
			if !strings.HasSuffix(line, "\n") {
				continue // cut by the kill
			}
			f := strings.Fields(line)
			switch f[0] {
			case "new":
				known[f[1]] = &expected{}
			case "fork":
				known[f[1]] = &expected{texts: append([]string(nil), known[f[2]].texts...)}
			case "edit":
				known[f[1]].texts = append(known[f[1]].texts, f[2])
			case "deleting":
				known[f[1]].deleting = true
			case "deleted":
				known[f[1]].deleted = true
			}
		}
		checkForked(t, dir, known)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	t.Logf("%d documents made, found or gone as acknowledged", len(known))
}

// runAndKill runs the child for some milliseconds and returns what it said.
func runAndKill(t *testing.T, dir string, ms int) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "KJ_REPO_CHILD="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(pipe)
	if line, err := out.ReadString('\n'); line != "open\n" {
		t.Fatalf("the child says %q, %v: %s", line, err, stderr.String())
	}
	kill := time.AfterFunc(time.Duration(ms)*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	said, _ := io.ReadAll(out)
	_ = cmd.Wait()
	if stderr.Len() > 0 {
		t.Fatalf("the child says %s", stderr.String())
	}
	return string(said)
}

// checkForked holds a directory against what was acknowledged: every edit is
// there, in its document alone, and at most one more that was under way; and
// the journal names every change.
func checkForked(t *testing.T, dir string, known map[string]*expected) {
	t.Helper()
	h := open(t, dir, nil)
	defer h.close(t)
	checkJournal(t, h)
	for name, want := range known {
		doc, err := kaijutsu.ParseDocumentID(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = h.repo.View(t.Context(), doc, func(v repo.View) error {
			for _, b := range v.Blocks() {
				got = append(got, b.Content)
			}
			return nil
		})
		switch {
		case errors.Is(err, repo.ErrDeleted) && want.deleting:
			want.deleted = true
		case err != nil || want.deleted:
			t.Errorf("document %s (deleted: %v): %v", name, want.deleted, err)
		case len(got) < len(want.texts) || len(got) > len(want.texts)+1 || strings.Join(got[:len(want.texts)], " ") != strings.Join(want.texts, " "):
			t.Errorf("document %s holds %q, want %q and at most one more", name, got, want.texts)
		default:
			want.texts, want.deleting = got, false
		}
	}
}
