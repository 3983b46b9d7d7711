package authorship_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/access"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var (
	owner = op.Call{By: kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}, Right: kaijutsu.RightOwn}
	amy   = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	ben   = kaijutsu.Principal{Name: "ben", Kind: kaijutsu.Person}
	bot   = kaijutsu.Principal{Name: "bot", Kind: kaijutsu.Agent}
	aide  = kaijutsu.Principal{Name: "aide", Kind: kaijutsu.Agent}
	ci    = kaijutsu.Principal{Name: "ci", Kind: kaijutsu.Service}
)

// tester is what both a test and a property have.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// world is a book and what is below it.
type world struct {
	tester
	ctx    context.Context
	repo   *repo.Repo
	access *access.Table
	kernel *kernel.Kernel
	book   *authorship.Book
	clock  *clock
}

// newWorld opens a world where everybody above has a token.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{tester: t, ctx: t.Context(), clock: &clock{at: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}}
	log := slog.New(slog.DiscardHandler)
	now := w.clock.now
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(store.Options{Dir: t.TempDir(), Log: log})
	must(err)
	var table *records.Table
	w.repo = repo.Start(repo.Config{Log: log, Store: st, Now: now, Committed: func(c repo.Committed) { table.Note(c) }})
	table, err = records.Open(records.Config{Log: log, Repo: w.repo, Kernel: "main"})
	must(err)
	w.access, err = access.Open(access.Config{Log: log, Records: table, Owners: []kaijutsu.Principal{owner.By}, Now: now})
	must(err)
	w.kernel, err = kernel.Open(kernel.Config{Log: log, Store: st, Repo: w.repo, Access: w.access, Records: table, Now: now})
	must(err)
	t.Cleanup(func() {
		if err := errors.Join(w.kernel.Close(), table.Close(), w.repo.Close(), st.Close()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	w.book = authorship.New(authorship.Config{Repo: w.repo, Kernel: w.kernel, Access: w.access, Now: now})
	for _, p := range []kaijutsu.Principal{amy, ben, bot, aide, ci} {
		_, _, err := w.access.CreateToken(w.ctx, access.NewToken{Name: p.Name, Kind: p.Kind, Right: kaijutsu.RightEdit, By: owner.By})
		must(err)
	}
	return w
}

// clock stands still but for pass. The kernel's goroutines look at it, too.
type clock struct {
	mu sync.Mutex
	at time.Time // guarded by mu
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func (w *world) identify(of kaijutsu.Principal, p access.Person) {
	w.Helper()
	if err := w.access.SetIdentity(w.ctx, owner.By, of, p); err != nil {
		w.Fatal(err)
	}
}

func (w *world) context(title string) kaijutsu.DocumentID {
	w.Helper()
	info, err := w.kernel.Create(w.ctx, owner, title)
	if err != nil {
		w.Fatal(err)
	}
	return info.Doc
}

// edit makes a change, a second after the one before it.
func (w *world) edit(doc kaijutsu.DocumentID, e repo.Edit, f func(repo.View, *blocks.Tx) error) repo.Edited {
	w.Helper()
	w.clock.pass(time.Second)
	out, err := w.repo.Edit(w.ctx, doc, e, f)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// file makes a file block.
func (w *world) file(by kaijutsu.Principal, doc kaijutsu.DocumentID, content string) (blocks.ID, repo.Edited) {
	w.Helper()
	id := blocks.NewID(w.clock.now())
	done := w.edit(doc, repo.Edit{By: by}, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: id, Kind: "file", Role: blocks.RoleSystem, Form: blocks.FormBody, Content: content})
	})
	return id, done
}

// replace makes the text of a block another, by the least splices.
func (w *world) replace(e repo.Edit, doc kaijutsu.DocumentID, id blocks.ID, content string) repo.Edited {
	w.Helper()
	return w.edit(doc, e, func(_ repo.View, tx *blocks.Tx) error { return tx.ReplaceText(id, content) })
}

func (w *world) content(doc kaijutsu.DocumentID, id blocks.ID) (text string, heads kaijutsu.Heads) {
	w.Helper()
	err := w.repo.View(w.ctx, doc, func(v repo.View) error {
		b, ok := v.Block(id)
		if !ok {
			w.Fatalf("no block %s", id)
		}
		text, heads = b.Content, v.Heads
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return text, heads
}

func (w *world) lines(doc kaijutsu.DocumentID, id blocks.ID) []authorship.Line {
	w.Helper()
	lines, err := w.book.Lines(w.ctx, doc, id)
	if err != nil {
		w.Fatal(err)
	}
	return lines
}

// names returns who wrote each line, separated by spaces; "-" is nobody.
func names(lines []authorship.Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, nameOf(l.By))
	}
	return strings.Join(out, " ")
}

func nameOf(p kaijutsu.Principal) string {
	if p.IsZero() {
		return "-"
	}
	return p.Name
}

// checkout is a repository of the real git, and how we see it.
type checkout struct {
	tester
	dir  string
	tree *git.Worktree
}

// newCheckout makes a repository with a worktree on main.
func newCheckout(t tester, dir string) *checkout {
	t.Helper()
	c := &checkout{tester: t, dir: dir}
	c.git("init", "-q", "-b", "main")
	c.git("config", "user.name", "Jane Doe")
	c.git("config", "user.email", "jane@example.org")
	r, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c.tree, err = r.OpenWorktree(dir); err != nil {
		t.Fatal(err)
	}
	return c
}

// git runs the real git with nothing of this machine's configuration.
func (c *checkout) git(args ...string) string {
	c.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_DATE=2026-11-21T12:00:00Z", "GIT_COMMITTER_DATE=2026-11-21T12:00:00Z",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (c *checkout) write(path, content string) {
	c.Helper()
	full := filepath.Join(c.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o666); err != nil {
		c.Fatal(err)
	}
}

func (c *checkout) head() git.Hash {
	c.Helper()
	e, err := c.tree.Epoch()
	if err != nil {
		c.Fatal(err)
	}
	return e.Head
}

// commit commits files as they are given, with a note that the book makes.
func (c *checkout) commit(w *world, doc kaijutsu.DocumentID, files []authorship.NoteFile, gone ...string) git.Hash {
	c.Helper()
	parent := c.head()
	spec := git.CommitSpec{Branch: "main", Parent: parent, Message: "change", Author: w.book.Signature(amy), Empty: true}
	for _, f := range files {
		c.write(f.Path, string(f.Data))
		spec.Files = append(spec.Files, git.FileChange{Path: f.Path, Data: f.Data})
	}
	for _, path := range gone {
		spec.Files = append(spec.Files, git.FileChange{Path: path, Delete: true})
		if err := os.Remove(filepath.Join(c.dir, path)); err != nil {
			c.Fatal(err)
		}
	}
	made, err := c.tree.MakeCommit(w.ctx, spec)
	if err != nil {
		c.Fatal(err)
	}
	note, err := w.book.Note(w.ctx, authorship.NoteSpec{Git: c.tree, Doc: doc, Commit: made.Hash, Parent: parent, Files: files})
	if err != nil {
		c.Fatal(err)
	}
	c.setNote(w, made.Hash, note)
	return made.Hash
}

func (c *checkout) setNote(w *world, commit git.Hash, note git.Authorship) {
	c.Helper()
	by := git.Signature{Name: "Kaijutsu", Email: "kaijutsu@kaijutsu.invalid", When: w.clock.now()}
	if err := c.tree.Repo().SetNotes(git.NotesRef, map[git.Hash][]byte{commit: note.Encode()}, by); err != nil {
		c.Fatal(err)
	}
}
