package mounts_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/access"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// patience is how long a test waits for what should come soon.
const patience = 30 * time.Second

var owner = op.Call{By: kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}, Right: kaijutsu.RightOwn}

// world is Mounts and everything below them, on a disk.
type world struct {
	t      testing.TB
	dir    string // the data directory
	home   string
	node   string
	config func(*mounts.Config) // changes the configuration; may be nil

	store   *store.Store
	repo    *repo.Repo
	records *records.Table
	access  *access.Table
	kernel  *kernel.Kernel
	*mounts.Mounts

	mu     sync.Mutex
	events []flowbus.Event // guarded by mu
}

func newWorld(t testing.TB) *world { return newWorldWith(t, nil) }

func newWorldWith(t testing.TB, config func(*mounts.Config)) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), home: t.TempDir(), config: config}
	w.open()
	t.Cleanup(w.close)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) open() {
	w.t.Helper()
	log := slog.New(slog.DiscardHandler)
	if testing.Verbose() {
		log = slog.New(slog.NewTextHandler(w.t.Output(), nil))
	}
	var err error
	w.store, err = store.Open(store.Options{Dir: filepath.Join(w.dir, "store"), Log: log})
	w.must(err)
	var table atomic.Pointer[records.Table]
	var opened atomic.Pointer[kernel.Kernel]
	var all atomic.Pointer[mounts.Mounts]
	w.repo = repo.Start(repo.Config{Log: log, Store: w.store, Committed: func(c repo.Committed) {
		if t := table.Load(); t != nil {
			t.Note(c)
		}
		if k := opened.Load(); k != nil {
			k.Note(c)
		}
		if m := all.Load(); m != nil {
			m.Note(c)
		}
	}})
	w.records, err = records.Open(records.Config{Log: log, Repo: w.repo, Kernel: "main"})
	w.must(err)
	table.Store(w.records)
	w.access, err = access.Open(access.Config{Log: log, Records: w.records, Store: w.store, Owners: []kaijutsu.Principal{owner.By}})
	w.must(err)
	w.kernel, err = kernel.Open(kernel.Config{Log: log, Store: w.store, Repo: w.repo, Access: w.access, Records: w.records, Cache: filepath.Join(w.dir, "contexts")})
	w.must(err)
	opened.Store(w.kernel)
	cfg := mounts.Config{
		Log: log, Repo: w.repo, Kernel: w.kernel, Access: w.access, Store: w.store, Records: w.records, Dir: w.dir, Home: w.home, Node: w.node,
		Emit: w.hear, Every: 50 * time.Millisecond,
	}
	if w.config != nil {
		w.config(&cfg)
	}
	w.Mounts, err = mounts.Open(cfg)
	w.must(err)
	all.Store(w.Mounts)
	w.Start()
	w.settle()
}

func (w *world) hear(e flowbus.Event) {
	w.mu.Lock()
	w.events = append(w.events, e)
	w.mu.Unlock()
}

func (w *world) ctx() context.Context {
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	w.t.Cleanup(cancel)
	return ctx
}

func (w *world) settle() {
	w.t.Helper()
	w.must(w.Settle(w.ctx()))
}

func (w *world) close() {
	if w.kernel == nil {
		return
	}
	if err := errors.Join(w.Mounts.Close(), w.kernel.Close(), w.records.Close(), w.repo.Close(), w.store.Close()); err != nil {
		w.t.Error(err)
	}
	w.kernel = nil
}

// restart stops everything and starts it on the same disk.
func (w *world) restart() {
	w.t.Helper()
	w.close()
	w.open()
}

// member makes a principal with a role and an address, and returns calls by it.
func (w *world) member(name string, kind kaijutsu.PrincipalKind, right kaijutsu.Right) op.Call {
	w.t.Helper()
	_, made, err := w.access.CreateToken(w.t.Context(), access.NewToken{Name: name, Kind: kind, Right: right, By: owner.By})
	w.must(err)
	w.must(w.access.SetIdentity(w.t.Context(), owner.By, made.Principal, access.Person{Name: strings.ToUpper(name[:1]) + name[1:], Email: name + "@example.org", Model: "m-1"}))
	return op.Call{By: made.Principal, Right: right}
}

// git runs the git command and returns what it prints.
func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "init.defaultBranch=main", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC",
		"GIT_AUTHOR_NAME=Olga", "GIT_AUTHOR_EMAIL=olga@example.org", "GIT_COMMITTER_NAME=Olga", "GIT_COMMITTER_EMAIL=olga@example.org",
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return strings.TrimRight(out.String(), "\n"), err
}

// repository makes a repository with a commit of these files in the home
// directory.
func (w *world) repository(name string, files map[string]string) string {
	w.t.Helper()
	dir := filepath.Join(w.home, name)
	w.must(os.MkdirAll(dir, 0o755))
	w.git(dir, "init", "-q")
	for path, text := range files {
		w.put(filepath.Join(dir, path), text)
	}
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-qm", "first")
	return dir
}

func (w *world) put(path, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path, []byte(text), 0o644))
}

// app mounts a repository of two files at /mnt/app.
func (w *world) app() mounts.Mount {
	w.t.Helper()
	w.repository("app", map[string]string{"a.go": "package a\n\nfunc A() {}\n", "b.txt": "one\ntwo\nthree\n", "bin.dat": "x\x00y"})
	m, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app", Source: "git:~/app", ReadWrite: true})
	w.must(err)
	return m
}

// write makes a text the whole of a file.
func (w *world) write(c op.Call, path, text string) mounts.File {
	w.t.Helper()
	f, err := w.WriteFile(w.ctx(), c, mounts.WriteSpec{Path: path, Text: text, Parents: true})
	w.must(err)
	return f
}

func (w *world) read(c op.Call, path string) mounts.File {
	w.t.Helper()
	f, err := w.ReadFile(w.ctx(), c, mounts.ReadSpec{Path: path})
	w.must(err)
	return f
}

// agree holds what ordinary git says against what should be.
func (w *world) agree(m mounts.Mount, status ...string) {
	w.t.Helper()
	if got, want := w.git(m.Dir, "status", "--porcelain"), strings.Join(status, "\n"); got != want {
		w.t.Errorf("git status says\n%s\nwant\n%s", got, want)
	}
	if out, err := tryGit(m.Dir, "fsck", "--full", "--strict"); err != nil || strings.Contains(out, "error") || strings.Contains(out, "missing") {
		w.t.Errorf("git fsck: %v\n%s", err, out)
	}
	if got := w.git(m.Dir, "worktree", "list", "--porcelain"); !strings.Contains(got, "worktree "+m.Dir+"\n") || strings.Contains(got, "prunable") {
		w.t.Errorf("git worktree list says\n%s", got)
	}
}

// blocksOf returns the blocks of a context that show.
func (w *world) blocksOf(doc kaijutsu.DocumentID, kind blocks.Kind) (out []repo.Block) {
	w.t.Helper()
	w.must(w.kernel.View(w.ctx(), owner, doc, func(v repo.View) error {
		out = nil
		for _, b := range v.Blocks() {
			if b.Kind == kind {
				out = append(out, b)
			}
		}
		return nil
	}))
	return out
}

// edit changes a context as a call of somebody would.
func (w *world) edit(c op.Call, doc kaijutsu.DocumentID, f func(*blocks.Tx) error) error {
	_, err := w.kernel.Edit(w.ctx(), c, doc, "block_edit", func(_ repo.View, tx *blocks.Tx) error { return f(tx) })
	return err
}

func newID() blocks.ID { return blocks.NewID(time.Now()) }

// eventually waits until something is so.
func (w *world) eventually(is func() bool) {
	w.t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-end.C:
			w.t.Fatal("what should be so is not")
		}
	}
}

// replace gives a block another text.
func (w *world) replace(c op.Call, doc kaijutsu.DocumentID, id blocks.ID, text string) error {
	return w.edit(c, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, text) })
}
