package worktree_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/access"
	"kaijutsu/internal/diskwatch"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
	"kaijutsu/internal/vfs"
	"kaijutsu/internal/worktree"
)

// patience is how long a test waits for what should come soon.
const patience = time.Minute

const mount = "/mnt/app"

var (
	owner = op.Call{By: kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}, Right: kaijutsu.RightOwn}
	amy   = op.Call{By: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}, Right: kaijutsu.RightEdit}
	ben   = op.Call{By: kaijutsu.Principal{Name: "ben", Kind: kaijutsu.Agent}, Right: kaijutsu.RightEdit}
)

// world is an overlay on a linked worktree, with everything below it real.
type world struct {
	t     testing.TB
	data  string // the store
	main  string // the repository
	dir   string // the worktree
	limit int64
	log   *slog.Logger

	store   *store.Store
	repo    *repo.Repo
	records *records.Table
	access  *access.Table
	kernel  *kernel.Kernel
	folder  *vfs.Folder
	watch   *diskwatch.Watcher
	config  func(*worktree.Config)
	*worktree.Overlay

	noted atomic.Pointer[worktree.Overlay]
	mu    sync.Mutex
	docs  map[string]kaijutsu.DocumentID // by branch; guarded by mu
	made  []change                       // every change, in order; guarded by mu
	clock atomic.Int64                   // of the git command
}

// change is a change that was committed.
type change struct {
	doc     kaijutsu.DocumentID
	by, via kaijutsu.Principal
	message string
}

// newWorld makes a repository with files, on branch main, a worktree of it on
// branch work, and an overlay of that.
func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	w := bareWorld(t, files)
	w.open()
	return w
}

// bareWorld is newWorld without the overlay.
func bareWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{t: t, data: filepath.Join(base, "data"), main: filepath.Join(base, "main"), dir: filepath.Join(base, "tree"), docs: map[string]kaijutsu.DocumentID{}, log: slog.New(slog.DiscardHandler)}
	if os.Getenv("KJ_LOG") != "" {
		w.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	if err := os.Mkdir(w.main, 0o777); err != nil {
		t.Fatal(err)
	}
	w.clock.Store(1_700_000_000)
	w.gitIn(w.main, "init", "-q")
	for name, text := range files {
		full := filepath.Join(w.main, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o777), os.WriteFile(full, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	w.gitIn(w.main, "add", "-A")
	w.gitIn(w.main, "commit", "-q", "--allow-empty", "-m", "first")
	w.gitIn(w.main, "worktree", "add", "-q", "-b", "work", w.dir)
	t.Cleanup(w.close)
	return w
}

func (w *world) open() {
	w.t.Helper()
	var err error
	check := func(e error) {
		w.t.Helper()
		if e != nil {
			w.t.Fatal(e)
		}
	}
	w.store, err = store.Open(store.Options{Dir: w.data, Log: w.log})
	check(err)
	var opened atomic.Pointer[kernel.Kernel]
	w.repo = repo.Start(repo.Config{Log: w.log, Store: w.store, Committed: func(c repo.Committed) {
		w.records.Note(c)
		if k := opened.Load(); k != nil {
			k.Note(c)
		}
		w.mu.Lock()
		for _, ch := range c.Changes {
			w.made = append(w.made, change{c.Doc, ch.By, ch.Via, ch.Message})
		}
		w.mu.Unlock()
		if o := w.noted.Load(); o != nil {
			o.Note(c)
		}
	}})
	w.records, err = records.Open(records.Config{Log: w.log, Repo: w.repo, Kernel: "main"})
	check(err)
	w.access, err = access.Open(access.Config{Log: w.log, Records: w.records, Store: w.store, Owners: []kaijutsu.Principal{owner.By}})
	check(err)
	w.kernel, err = kernel.Open(kernel.Config{Log: w.log, Store: w.store, Repo: w.repo, Access: w.access, Records: w.records, Cache: filepath.Join(w.data, "contexts")})
	check(err)
	opened.Store(w.kernel)
	w.openOverlay()
}

func (w *world) openOverlay() {
	w.t.Helper()
	r, err := git.Open(w.main)
	if err != nil {
		w.t.Fatal(err)
	}
	tree, err := r.OpenWorktree(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.folder, err = vfs.OpenFolder(w.dir); err != nil {
		w.t.Fatal(err)
	}
	if err := w.folder.SetScratch(filepath.Join(w.data, "scratch")); err != nil {
		w.t.Fatal(err)
	}
	if w.watch, err = diskwatch.Open(diskwatch.Config{Log: w.log}); err != nil {
		w.t.Fatal(err)
	}
	cfg := worktree.Config{
		Log: w.log, Repo: w.repo, Kernel: w.kernel, Store: w.store, Git: tree, Folder: w.folder, Watch: w.watch, Mount: mount, Context: w.context, Others: w.others, Limit: w.limit,
	}
	if w.config != nil {
		w.config(&cfg)
	}
	if w.Overlay, err = worktree.Open(cfg); err != nil {
		w.t.Fatal(err)
	}
	w.noted.Store(w.Overlay)
}

func (w *world) closeOverlay() {
	w.t.Helper()
	if w.Overlay == nil {
		return
	}
	w.noted.Store(nil)
	if err := errors.Join(w.Overlay.Close(), w.watch.Close(), w.folder.Close()); err != nil {
		w.t.Error(err)
	}
	w.Overlay = nil
}

func (w *world) close() {
	w.t.Helper()
	w.closeOverlay()
	if w.kernel == nil {
		return
	}
	if err := errors.Join(w.kernel.Close(), w.records.Close(), w.repo.Close(), w.store.Close()); err != nil {
		w.t.Error(err)
	}
	w.kernel = nil
}

// context is what a mount does: a context for each branch.
func (w *world) context(ctx context.Context, branch string, from kaijutsu.DocumentID) (kaijutsu.DocumentID, error) {
	w.mu.Lock()
	doc, ok := w.docs[branch]
	w.mu.Unlock()
	if ok {
		return doc, nil
	}
	var info kernel.ContextInfo
	var err error
	if from.IsZero() {
		info, err = w.kernel.Create(ctx, owner, "app@"+branch)
	} else {
		info, err = w.kernel.Fork(ctx, owner, from, nil, "app@"+branch)
	}
	if err != nil {
		return kaijutsu.DocumentID{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.docs[branch] = info.Doc
	return info.Doc, nil
}

func (w *world) others() []kaijutsu.DocumentID {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []kaijutsu.DocumentID
	for _, d := range w.docs {
		out = append(out, d)
	}
	return out
}

func (w *world) cmd(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-c", "init.defaultBranch=main", "-c", "advice.detachedHead=false"}, args...)...)
	cmd.Dir = dir
	when := time.Unix(w.clock.Add(60), 0).UTC().Format(time.RFC3339)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.main, "LC_ALL=C", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_AUTHOR_DATE=" + when,
		"GIT_COMMITTER_NAME=Carl", "GIT_COMMITTER_EMAIL=carl@example.com", "GIT_COMMITTER_DATE=" + when,
	}
	return cmd
}

func (w *world) gitIn(dir string, args ...string) string {
	w.t.Helper()
	out, err := w.tryGit(dir, args...)
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (w *world) tryGit(dir string, args ...string) (string, error) {
	out, err := w.cmd(dir, args...).CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

// git runs the git command in the worktree.
func (w *world) git(args ...string) string {
	w.t.Helper()
	return w.gitIn(w.dir, args...)
}

// sh runs a shell command in the worktree.
func (w *world) sh(script string) {
	w.t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

// put writes a file in place.
func (w *world) put(name, text string) {
	w.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(w.path(name)), 0o777), os.WriteFile(w.path(name), []byte(text), 0o666)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) disk(name string) string {
	data, err := os.ReadFile(w.path(name))
	if err != nil {
		return "<" + err.Error() + ">"
	}
	return string(data)
}

// file opens a file.
func (w *world) file(name string) worktree.File {
	w.t.Helper()
	f, err := w.OpenFile(w.ctx(), amy, name)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

func (w *world) ctx() context.Context {
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	w.t.Cleanup(cancel)
	return ctx
}

// block returns what a block holds.
func (w *world) block(doc kaijutsu.DocumentID, id blocks.ID) (b repo.Block) {
	w.t.Helper()
	err := w.repo.View(context.WithoutCancel(w.t.Context()), doc, func(v repo.View) error {
		var ok bool
		if b, ok = v.Block(id); !ok {
			return kaijutsu.ErrNotFound
		}
		return nil
	})
	if err != nil {
		w.t.Fatalf("block %s of %s: %v", id, doc.Name(), err)
	}
	return b
}

// replace makes a text the content of a block.
func (w *world) replace(call op.Call, f worktree.File, text string) {
	w.t.Helper()
	w.edit(call, f, func(_ repo.View, tx *blocks.Tx) error { return tx.ReplaceText(f.Block, text) })
}

// sub replaces the only place of old in a block.
func (w *world) sub(call op.Call, f worktree.File, old, new string) {
	w.t.Helper()
	w.edit(call, f, func(v repo.View, tx *blocks.Tx) error {
		b, _ := v.Block(f.Block)
		at := strings.Index(b.Content, old)
		if at < 0 {
			return errors.New("the block lacks " + old)
		}
		pos, err := blocks.BytesToRunes(b.Content, at)
		if err != nil {
			return err
		}
		return tx.SpliceText(f.Block, pos, len([]rune(old)), new)
	})
}

func (w *world) edit(call op.Call, f worktree.File, fn func(repo.View, *blocks.Tx) error) {
	w.t.Helper()
	if _, err := w.kernel.Edit(w.ctx(), call, f.Doc, "block_edit", fn); err != nil {
		w.t.Fatal(err)
	}
}

// until waits until something holds; it is asked after every change that the
// world could have made, and now and then.
func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	end := time.Now().Add(patience)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Now().After(end) {
			w.t.Fatalf("not within %s: %s\nstate %+v", patience, what, w.State())
		}
		<-tick.C
	}
}

// untilDisk waits until a file holds a text.
func (w *world) untilDisk(name, text string) {
	w.t.Helper()
	w.until("on the disk "+name, func() bool { return w.disk(name) == text })
}

// untilBlock waits until a block holds a text.
func (w *world) untilBlock(f worktree.File, text string) {
	w.t.Helper()
	var b repo.Block
	defer func() {
		if w.t.Failed() {
			w.t.Logf("block of %s = %q (deleted %v), want %q", f.Path, b.Content, b.Deleted, text)
		}
	}()
	w.until("in the block of "+f.Path, func() bool {
		b = w.block(f.Doc, f.Block)
		return b.Content == text && !b.Deleted
	})
}

// settle waits until block and disk agree.
func (w *world) settle() {
	w.t.Helper()
	if err := w.Settle(w.ctx()); err != nil {
		w.t.Fatalf("Settle = %v\nstate %+v", err, w.State())
	}
}

// state returns what is known of a file.
func (w *world) state(name string) worktree.FileState {
	for _, f := range w.State().Files {
		if f.Path == name {
			return f
		}
	}
	return worktree.FileState{}
}

// changes returns how many changes services have made.
func (w *world) changes() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string]int{}
	for _, c := range w.made {
		if c.by.Kind == kaijutsu.Service && strings.HasPrefix(c.message, "op:file_") {
			out[c.by.Name+" "+strings.TrimPrefix(c.message, "op:")]++
		}
	}
	return out
}

func (w *world) wantChanges(want map[string]int) {
	w.t.Helper()
	got := w.changes()
	for k, n := range want {
		if got[k] != n {
			w.t.Errorf("changes %q: got %d, want %d (all: %v)", k, got[k], n, got)
		}
	}
	for k, n := range got {
		if _, ok := want[k]; !ok && n > 0 {
			w.t.Errorf("changes %q: got %d, want none", k, n)
		}
	}
}

// author returns who wrote the first place of a text in a block.
func (w *world) author(f worktree.File, text string) (by, via kaijutsu.Principal) {
	w.t.Helper()
	err := w.repo.View(w.t.Context(), f.Doc, func(v repo.View) error {
		b, _ := v.Block(f.Block)
		at, err := blocks.BytesToRunes(b.Content, max(strings.Index(b.Content, text), 0))
		if err != nil {
			return err
		}
		runs, err := v.Model().Blame(f.Block, v.Log())
		if err != nil {
			return err
		}
		pos := 0
		for _, r := range runs {
			if pos+r.Len > at {
				by, via = v.Principal(r.Actor)
				return nil
			}
			pos += r.Len
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return by, via
}

// conflict returns the conflict block of a file, "" when there is none.
func (w *world) conflict(doc kaijutsu.DocumentID) (found repo.Block, ok bool) {
	w.t.Helper()
	err := w.repo.View(w.t.Context(), doc, func(v repo.View) error {
		i := slices.IndexFunc(v.Blocks(), func(b repo.Block) bool { return b.Kind == blocks.KindError })
		if ok = i >= 0; ok {
			found = v.Blocks()[i]
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found, ok
}
