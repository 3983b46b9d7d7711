package kernel_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/access"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var owner = op.Call{By: kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}, Right: kaijutsu.RightOwn}

// world is a kernel and what is below it.
type world struct {
	t       testing.TB
	dir     string
	store   *store.Store
	access  *access.Table
	records *records.Table
	repo    *repo.Repo
	kernel  *kernel.Kernel
	locate  func(blocks.ID) []kaijutsu.DocumentID
	config  func(*kernel.Config) // changes the kernel's; may be nil
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return newWorldWith(t, nil)
}

// newWorldWith is newWorld with a kernel of another configuration.
func newWorldWith(t testing.TB, config func(*kernel.Config)) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), config: config}
	w.open()
	t.Cleanup(w.close)
	return w
}

func (w *world) open() {
	w.t.Helper()
	log := slog.New(slog.DiscardHandler)
	var err error
	if w.store, err = store.Open(store.Options{Dir: w.dir, Log: log}); err != nil {
		w.t.Fatal(err)
	}
	var opened atomic.Pointer[kernel.Kernel] // what it does at its start commits too
	w.repo = repo.Start(repo.Config{Log: log, Store: w.store, Committed: func(c repo.Committed) {
		w.records.Note(c)
		if k := opened.Load(); k != nil {
			k.Note(c)
		}
	}})
	if w.records, err = records.Open(records.Config{Log: log, Repo: w.repo, Kernel: "main"}); err != nil {
		w.t.Fatal(err)
	}
	if w.access, err = access.Open(access.Config{Log: log, Records: w.records, Store: w.store, Owners: []kaijutsu.Principal{owner.By}}); err != nil {
		w.t.Fatal(err)
	}
	cfg := kernel.Config{Knows: func(kernel string) bool { return kernel == "known" }, Log: log, Store: w.store, Repo: w.repo, Access: w.access, Records: w.records, Cache: filepath.Join(w.dir, "contexts"), Locate: func(id blocks.ID) []kaijutsu.DocumentID {
		if w.locate == nil {
			return nil
		}
		return w.locate(id)
	}}
	if w.config != nil {
		w.config(&cfg)
	}
	if w.kernel, err = kernel.Open(cfg); err != nil {
		w.t.Fatal(err)
	}
	opened.Store(w.kernel)
}

func (w *world) close() {
	if w.kernel == nil {
		return
	}
	if err := errors.Join(w.kernel.Close(), w.records.Close(), w.repo.Close(), w.store.Close()); err != nil {
		w.t.Error(err)
	}
	w.kernel = nil
}

func (w *world) restart() {
	w.t.Helper()
	w.close()
	w.open()
}

// member makes a principal with a role and returns calls by it.
func (w *world) member(name string, right kaijutsu.Right) op.Call {
	w.t.Helper()
	_, made, err := w.access.CreateToken(w.t.Context(), access.NewToken{Name: name, Right: right, By: owner.By})
	if err != nil {
		w.t.Fatal(err)
	}
	return op.Call{By: made.Principal, Right: right}
}

func (w *world) context(title string) kernel.ContextInfo {
	w.t.Helper()
	info, err := w.kernel.Create(w.t.Context(), owner, title)
	if err != nil {
		w.t.Fatal(err)
	}
	return info
}

// block makes a block and returns its id.
func (w *world) block(c op.Call, doc kaijutsu.DocumentID, spec blocks.BlockSpec) blocks.ID {
	w.t.Helper()
	id, _, err := w.insert(c, doc, spec)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) insert(c op.Call, doc kaijutsu.DocumentID, spec blocks.BlockSpec) (blocks.ID, repo.Edited, error) {
	w.t.Helper()
	spec.ID = blocks.NewID(time.Now())
	edited, err := w.kernel.Edit(w.t.Context(), c, doc, "block_create", func(_ repo.View, tx *blocks.Tx) error { return tx.InsertBlock(spec) })
	return spec.ID, edited, err
}

func (w *world) content(doc kaijutsu.DocumentID, id blocks.ID) string {
	w.t.Helper()
	var content string
	err := w.kernel.View(w.t.Context(), owner, doc, func(v repo.View) error {
		b, _ := v.Block(id)
		content = b.Content
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return content
}

func (w *world) grant(doc kaijutsu.DocumentID, name string, right kaijutsu.Right) {
	w.t.Helper()
	if _, err := w.access.Grant(w.t.Context(), owner.By, doc, name, right); err != nil {
		w.t.Fatal(err)
	}
}

func titles(all []kernel.ContextInfo) string {
	var out []string
	for _, info := range all {
		out = append(out, info.Title)
	}
	return strings.Join(out, ", ")
}

func (w *world) titles(c op.Call, archived bool) string {
	w.t.Helper()
	all, err := w.kernel.Contexts(w.t.Context(), c, archived)
	if err != nil {
		w.t.Fatal(err)
	}
	return titles(all)
}

func TestResolve(t *testing.T) {
	w := newWorld(t)
	planning := w.context("Planning")
	plants := w.context("Plants")
	hidden := w.context("Secret plans")
	old := w.context("Planning")
	if _, err := w.kernel.Archive(t.Context(), owner, old.Doc, true); err != nil {
		t.Fatal(err)
	}
	reader := w.member("reader", kaijutsu.RightRead)
	w.grant(hidden.Doc, "reader", kaijutsu.RightNone)
	reader.Context = plants.ID
	tests := []struct {
		name string
		call op.Call
		of   string
		need kaijutsu.Right
		want kaijutsu.DocumentID
		kind error
		text string
	}{
		{"id", owner, planning.ID, kaijutsu.RightOwn, planning.Doc, nil, ""},
		{"id in capitals", owner, strings.ToUpper(planning.ID), kaijutsu.RightOwn, planning.Doc, nil, ""},
		{"url", owner, planning.Doc.URL(), kaijutsu.RightRead, planning.Doc, nil, ""},
		{"bare document id", owner, planning.Doc.String(), kaijutsu.RightRead, planning.Doc, nil, ""},
		{"beginning of a document id", owner, "automerge:" + planning.Doc.String()[:20], kaijutsu.RightRead, planning.Doc, nil, ""},
		{"title of a live and an archived one", owner, "Planning", kaijutsu.RightRead, planning.Doc, nil, ""},
		{"archived one by id", owner, old.ID, kaijutsu.RightRead, old.Doc, nil, ""},
		{"beginning of a title", owner, "secret", kaijutsu.RightRead, hidden.Doc, nil, ""},
		{"ambiguous", owner, "plan", kaijutsu.RightRead, kaijutsu.DocumentID{}, kaijutsu.ErrConflict, planning.Short + ` "Planning"`},
		{"misspelt", owner, "Planing", kaijutsu.RightRead, kaijutsu.DocumentID{}, kaijutsu.ErrNotFound, `did you mean "Planning"?`},
		{"nothing like it", owner, "zzz", kaijutsu.RightRead, kaijutsu.DocumentID{}, kaijutsu.ErrNotFound, `"Secret plans"`},
		{"short beginning of an id", owner, planning.ID[:3], kaijutsu.RightRead, kaijutsu.DocumentID{}, kaijutsu.ErrNotFound, "there are"},
		{"none named", owner, "", kaijutsu.RightRead, kaijutsu.DocumentID{}, kaijutsu.ErrInvalid, "name one by id"},
		{"dot without a context", owner, ".", kaijutsu.RightRead, kaijutsu.DocumentID{}, kaijutsu.ErrInvalid, "name one by id"},
		{"the call's own", reader, "", kaijutsu.RightRead, plants.Doc, nil, ""},
		{"the call's own by dot", reader, ".", kaijutsu.RightRead, plants.Doc, nil, ""},
		{"not enough right", reader, "Planning", kaijutsu.RightComment, kaijutsu.DocumentID{}, kaijutsu.ErrDenied, "it takes the role commenter, reader has reader"},
		{"unreadable by title", reader, "Secret plans", kaijutsu.RightRead, kaijutsu.DocumentID{}, kaijutsu.ErrNotFound, `"Planning"`},
		{"unreadable by beginning", reader, "secret", kaijutsu.RightRead, kaijutsu.DocumentID{}, kaijutsu.ErrNotFound, "there are"},
		{"unreadable by id", reader, hidden.ID, kaijutsu.RightRead, kaijutsu.DocumentID{}, kaijutsu.ErrNotFound, "not found on this server"},
		{"unknown id", owner, "01a1fdd7-2aa1-7b03-883c-fba33b82eff9", kaijutsu.RightRead, kaijutsu.DocumentID{}, kaijutsu.ErrNotFound, "not found on this server"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := w.kernel.Resolve(t.Context(), test.call, test.of, test.need)
			if test.kind == nil {
				if err != nil || got != test.want {
					t.Errorf("Resolve(%q) = %v, %v, want %v", test.of, got, err, test.want)
				}
				return
			}
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("Resolve(%q) = %v, want %v with %q", test.of, err, test.kind, test.text)
			}
			if test.call.By == reader.By && strings.Contains(err.Error(), "Secret") && test.of != "Secret plans" {
				t.Errorf("Resolve(%q) = %v, which tells of a context that is hidden", test.of, err)
			}
		})
	}
	if got := w.titles(reader, true); got != "Planning, Plants, Planning" {
		t.Errorf("contexts of the reader = %q", got)
	}
	if err := w.kernel.View(t.Context(), reader, hidden.Doc, func(repo.View) error { return nil }); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("View of a hidden context = %v, want ErrNotFound", err)
	}
	if _, err := w.kernel.Export(t.Context(), reader, hidden.Doc); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Export of a hidden context = %v, want ErrNotFound", err)
	}
	if _, err := w.kernel.Watch(t.Context(), reader, hidden.Doc); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Watch of a hidden context = %v, want ErrNotFound", err)
	}
}

func TestResolveBlock(t *testing.T) {
	w := newWorld(t)
	plan, other, hidden := w.context("Plan"), w.context("Other"), w.context("Hidden")
	id := w.block(owner, plan.Doc, blocks.BlockSpec{Content: "x"})
	reader := w.member("reader", kaijutsu.RightRead)
	w.grant(hidden.Doc, "reader", kaijutsu.RightNone)
	w.locate = func(block blocks.ID) []kaijutsu.DocumentID {
		if block != id {
			return []kaijutsu.DocumentID{hidden.Doc}
		}
		return []kaijutsu.DocumentID{plan.Doc, hidden.Doc}
	}
	within := reader
	within.Context = "Plan"
	tests := []struct {
		name           string
		call           op.Call
		context, block string
		kind           error
		text           string
	}{
		{"full id alone", reader, "", string(id), nil, ""},
		{"full id in capitals", reader, "", strings.ToUpper(string(id)), nil, ""},
		{"beginning in a context", reader, "Plan", string(id[:30]), nil, ""},
		{"beginning in the call's context", within, "", string(id[:30]), nil, ""},
		{"in two contexts", owner, "", string(id), kaijutsu.ErrConflict, hidden.ID},
		{"only in a hidden one", reader, "", string(blocks.NewID(time.Now())), kaijutsu.ErrNotFound, "name its context"},
		{"beginning alone", reader, "", string(id[:30]), kaijutsu.ErrInvalid, "name the context"},
		{"beginning of none", reader, "Other", string(id[:30]), kaijutsu.ErrNotFound, other.ID},
		{"short", reader, "Plan", string(id[:5]), kaijutsu.ErrInvalid, "block_id"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, got, err := w.kernel.ResolveBlock(t.Context(), test.call, test.context, test.block, kaijutsu.RightRead)
			if test.kind == nil && (err != nil || doc != plan.Doc || got != id) {
				t.Errorf("ResolveBlock = %v, %v, %v, want %v in %v", doc, got, err, id, plan.Doc)
			}
			if test.kind != nil && (!errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text)) {
				t.Errorf("ResolveBlock = %v, want %v with %q", err, test.kind, test.text)
			}
		})
	}
	second := w.block(owner, plan.Doc, blocks.BlockSpec{Content: "y"})
	if second[:6] != id[:6] {
		t.Skip("the ids were made too far apart to begin the same")
	}
	if _, _, err := w.kernel.ResolveBlock(t.Context(), reader, "Plan", string(id[:6]), kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), string(second)) {
		t.Errorf("ResolveBlock of what two begin with = %v, want both named", err)
	}
}

func TestArchivedContext(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	id := w.block(owner, plan.Doc, blocks.BlockSpec{Content: "x"})
	editor := w.member("editor", kaijutsu.RightEdit)
	info, err := w.kernel.Archive(t.Context(), editor, plan.Doc, true)
	if err != nil || info.Archived.IsZero() {
		t.Fatalf("Archive = %+v, %v", info, err)
	}
	again, err := w.kernel.Archive(t.Context(), editor, plan.Doc, true)
	if err != nil || again.Archived != info.Archived {
		t.Errorf("Archive twice = %v, %v, want the first time %v", again.Archived, err, info.Archived)
	}
	for range 2 {
		if got := w.titles(owner, false); got != "" {
			t.Errorf("contexts = %q, want none", got)
		}
		if got := w.titles(owner, true); got != "Plan" {
			t.Errorf("contexts with archived ones = %q", got)
		}
		if got := w.content(plan.Doc, id); got != "x" {
			t.Errorf("content = %q: it can still be read", got)
		}
		if _, _, err := w.insert(owner, plan.Doc, blocks.BlockSpec{}); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "unarchive it first") {
			t.Errorf("edit = %v, want that it is archived", err)
		}
		if _, err := w.kernel.Append(t.Context(), owner, plan.Doc, id, "y", false); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("append = %v, want ErrConflict", err)
		}
		if _, err := w.kernel.Rename(t.Context(), owner, plan.Doc, "y"); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("rename = %v, want ErrConflict", err)
		}
		if got := w.kernel.SyncRight(owner.By, plan.Doc); got != kaijutsu.RightRead {
			t.Errorf("right to sync = %v, want reader", got)
		}
		w.restart()
	}
	if _, err := w.kernel.Archive(t.Context(), editor, plan.Doc, false); err != nil {
		t.Fatal(err)
	}
	if _, err := w.kernel.Rename(t.Context(), editor, plan.Doc, "Plan B"); err != nil {
		t.Errorf("rename of one taken back: %v", err)
	}
	if got := w.kernel.SyncRight(editor.By, plan.Doc); got != kaijutsu.RightEdit {
		t.Errorf("right to sync = %v, want editor", got)
	}
	if got := w.titles(owner, false); got != "Plan B" {
		t.Errorf("contexts = %q", got)
	}
}

func TestMakersAreRecorded(t *testing.T) {
	w := newWorld(t)
	editor := w.member("editor", kaijutsu.RightEdit)
	before := time.Now().Add(-time.Second)
	made, err := w.kernel.Create(t.Context(), editor, "Plan")
	if err != nil {
		t.Fatal(err)
	}
	w.restart()
	info, err := w.kernel.Context(t.Context(), owner, made.Doc)
	if err != nil || info.By != editor.By || info.Created.Before(before) || info.Title != "Plan" || info.Right != kaijutsu.RightOwn || info.Version == 0 {
		t.Errorf("Context = %+v, %v", info, err)
	}
	for _, c := range []op.Call{w.member("commenter", kaijutsu.RightComment), w.member("reader", kaijutsu.RightRead), {Right: kaijutsu.RightOwn}} {
		if _, err := w.kernel.Create(t.Context(), c, "x"); !errors.Is(err, kaijutsu.ErrDenied) {
			t.Errorf("Create by %v = %v, want ErrDenied", c.By, err)
		}
	}
	if _, err := w.kernel.Create(t.Context(), owner, strings.Repeat("é", 1001)); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("Create with a long title = %v, want ErrInvalid", err)
	}
	synced, err := w.repo.CreateContext(t.Context(), editor.By, "Synced") // without a record
	if err != nil {
		t.Fatal(err)
	}
	info, err = w.kernel.Context(t.Context(), owner, synced.Document())
	if err != nil || info.By != editor.By || info.Created.Before(before) {
		t.Errorf("Context without a record = %+v, %v, want its first author and the time in its id", info, err)
	}
	if _, err := w.kernel.CreateWith(t.Context(), owner, "Half", "context_import", func(_ repo.View, tx *blocks.Tx) error {
		return errors.Join(tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now())}), kaijutsu.ErrInvalid)
	}); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("CreateWith = %v, want ErrInvalid", err)
	}
	if got := w.titles(owner, true); got != "Plan, Synced" {
		t.Errorf("contexts = %q, want nothing left of the one that could not be filled", got)
	}
}

func TestForkAndDelete(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	id := w.block(owner, plan.Doc, blocks.BlockSpec{Content: "x"})
	fork, err := w.kernel.Fork(t.Context(), owner, plan.Doc, nil, "Plan B")
	if err != nil {
		t.Fatal(err)
	}
	if fork.Fork.From != plan.Doc || len(fork.Fork.Heads) == 0 || fork.Title != "Plan B" || fork.Blocks != 1 {
		t.Errorf("Fork = %+v", fork)
	}
	w.member("amy", kaijutsu.RightRead)
	w.grant(plan.Doc, "amy", kaijutsu.RightEdit)
	if err := w.kernel.Delete(t.Context(), owner, plan.Doc, false); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "archive it first") {
		t.Errorf("Delete of one in use = %v, want ErrConflict", err)
	}
	if err := w.kernel.Delete(t.Context(), w.member("editor", kaijutsu.RightEdit), plan.Doc, true); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("Delete by an editor = %v, want ErrDenied", err)
	}
	if err := w.kernel.Delete(t.Context(), owner, plan.Doc, true); err != nil {
		t.Fatal(err)
	}
	w.restart()
	if got := w.titles(owner, true); got != "Plan B" {
		t.Errorf("contexts = %q", got)
	}
	if _, err := w.kernel.Resolve(t.Context(), owner, plan.ID, kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Resolve of a deleted context = %v, want ErrNotFound", err)
	}
	if amy := w.access.Grants(plan.Doc); len(amy) != 1 || w.kernel.SyncRight(amy[0].Principal, plan.Doc) != kaijutsu.RightNone {
		t.Errorf("grants in a deleted context: %v, want amy's, which gives no right", amy)
	}
	if got := w.content(fork.Doc, id); got != "x" {
		t.Errorf("content in the fork = %q", got)
	}
	info, err := w.kernel.Context(t.Context(), owner, fork.Doc)
	if err != nil || info.Fork.From != plan.Doc {
		t.Errorf("Context = %+v, %v, want where it came from", info, err)
	}
}

func TestWatchContexts(t *testing.T) { synctest.Test(t, testWatchContexts) }

func testWatchContexts(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	reader := w.member("reader", kaijutsu.RightRead)
	watch, err := w.kernel.WatchContexts(t.Context(), reader)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	for _, test := range []struct {
		name   string
		change func() error
	}{
		{"a new one", func() error { _, err := w.kernel.Create(t.Context(), owner, "New"); return err }},
		{"a title", func() error { _, err := w.kernel.Rename(t.Context(), owner, plan.Doc, "Plan B"); return err }},
		{"one archived", func() error { _, err := w.kernel.Archive(t.Context(), owner, plan.Doc, true); return err }},
	} {
		if err := test.change(); err != nil {
			t.Fatal(err)
		}
		if err := watch.Next(t.Context()); err != nil {
			t.Fatalf("Next after %s: %v", test.name, err)
		}
	}
}

func TestOpenRefusesRecords(t *testing.T) {
	doc := kaijutsu.NewContextID(time.Now()).Document().String()
	for _, test := range []struct{ name, record, value, want string }{
		{"newer version", doc, `{"v":3}`, "version 3, this server reads 1 to 2"},
		{"unknown field", doc, `{"v":1,"colour":"red"}`, "unknown field"},
		{"no document", "x", `{"v":1}`, "document id"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			if err := w.store.PutRecord(t.Context(), "kernel/context/"+test.record, []byte(test.value)); err != nil {
				t.Fatal(err)
			}
			_, err := kernel.Open(kernel.Config{Log: slog.New(slog.DiscardHandler), Store: w.store, Repo: w.repo, Access: w.access, Records: w.records})
			if !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open = %v, want ErrInvalid with %q", err, test.want)
			}
		})
	}
}

// TestListFollowsWhatIsSynced: what does not come through the kernel shows too.
func TestListFollowsWhatIsSynced(t *testing.T) {
	w := newWorld(t)
	w.context("Plan")
	synced, err := w.repo.CreateContext(t.Context(), owner.By, "Synced")
	if err != nil {
		t.Fatal(err)
	}
	info := func() kernel.ContextInfo {
		t.Helper()
		all, err := w.kernel.Contexts(t.Context(), owner, false)
		if err != nil || len(all) != 2 {
			t.Fatalf("Contexts = %+v, %v, want two", all, err)
		}
		return all[1]
	}
	before := info()
	id := blocks.NewID(time.Now())
	steps := []struct {
		name   string
		edit   func(tx *blocks.Tx) error
		title  string
		blocks int
	}{
		{"a title", func(tx *blocks.Tx) error { return tx.SetTitle("Renamed") }, "Renamed", 0},
		{"a block", func(tx *blocks.Tx) error { return tx.InsertBlock(blocks.BlockSpec{ID: id, Content: "x"}) }, "Renamed", 1},
		{"text", func(tx *blocks.Tx) error { return tx.AppendText(id, "y") }, "Renamed", 1},
		{"a tombstone", func(tx *blocks.Tx) error { return tx.Delete(id) }, "Renamed", 0},
		{"its end", func(tx *blocks.Tx) error { return tx.Restore(id) }, "Renamed", 1},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			if _, err := w.repo.Edit(t.Context(), synced.Document(), repo.Edit{By: owner.By}, func(_ repo.View, tx *blocks.Tx) error { return step.edit(tx) }); err != nil {
				t.Fatal(err)
			}
			got := info()
			if got.Title != step.title || got.Blocks != step.blocks || got.Version != before.Version+1 || got.Heads.Equal(before.Heads) {
				t.Errorf("context = %+v, want title %q, %d blocks and version %d", got, step.title, step.blocks, before.Version+1)
			}
			before = got
		})
	}
	if err := w.repo.Delete(t.Context(), synced.Document()); err != nil {
		t.Fatal(err)
	}
	if got := w.titles(owner, true); got != "Plan" {
		t.Errorf("contexts = %q, want the deleted one gone", got)
	}
}
