package policy_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/access"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/policy"
	"kaijutsu/internal/provenance"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// patience is how long a test waits for what should come soon.
const patience = 30 * time.Second

var owner = op.Call{By: kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}, Right: kaijutsu.RightOwn}

// world is a keeper, a courier and everything below them, on a disk.
type world struct {
	t        testing.TB
	dir      string
	config   func(*policy.Config)
	undriven bool // the keeper does not push: as if the process ended before it did

	store   *store.Store
	repo    *repo.Repo
	records *records.Table
	queue   *records.Table
	access  *access.Table
	kernel  *kernel.Kernel
	index   *provenance.Index
	keeper  *policy.Keeper
	courier *courier.Courier
}

func newWorld(t testing.TB, config func(*policy.Config)) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), config: config}
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
	var err error
	w.store, err = store.Open(store.Options{Dir: w.dir, Log: log})
	w.must(err)
	var follow atomic.Pointer[[]func(repo.Committed)]
	also := func(f func(repo.Committed)) {
		all := []func(repo.Committed){f}
		if old := follow.Load(); old != nil {
			all = append(slices.Clone(*old), f)
		}
		follow.Store(&all)
	}
	w.repo = repo.Start(repo.Config{Log: log, Store: w.store, Committed: func(c repo.Committed) {
		if all := follow.Load(); all != nil {
			for _, f := range *all {
				f(c)
			}
		}
	}})
	w.records, err = records.Open(records.Config{Log: log, Repo: w.repo, Kernel: "main"})
	w.must(err)
	also(w.records.Note)
	w.queue, err = records.Open(records.Config{Log: log, Repo: w.repo, Kernel: "main", Name: "drift", MaxValue: drift.MaxItemBytes})
	w.must(err)
	also(w.queue.Note)
	w.access, err = access.Open(access.Config{Log: log, Records: w.records, Store: w.store, Owners: []kaijutsu.Principal{owner.By}})
	w.must(err)
	hidden := func(doc kaijutsu.DocumentID) bool { return doc == w.queue.Doc() || doc == w.records.Doc() }
	w.kernel, err = kernel.Open(kernel.Config{
		Log: log, Store: w.store, Repo: w.repo, Access: w.access, Records: w.records, Cache: filepath.Join(w.dir, "contexts"), Hidden: hidden,
	})
	w.must(err)
	also(w.kernel.Note)
	w.index, err = provenance.Start(provenance.Config{Log: log, Store: w.store, Repo: w.repo, Kernel: w.kernel, Table: w.queue, Hidden: hidden})
	w.must(err)
	also(w.index.Note)
	cfg := policy.Config{
		Log: log, Table: w.queue, Kernel: w.kernel, Repo: w.repo, Index: w.index,
		File: filepath.Join(w.dir, "policy"), Hidden: hidden, Quiet: 20 * time.Millisecond,
	}
	if w.config != nil {
		w.config(&cfg)
	}
	w.keeper, err = policy.Open(cfg)
	w.must(err)
	also(w.keeper.Note)
	w.courier, err = courier.Open(courier.Config{Log: log, Kernel: w.kernel, Access: w.access, Table: w.queue, Gate: w.keeper, Receipt: w.index.ReceiptBy})
	w.must(err)
	if !w.undriven {
		w.must(w.keeper.Drive(w.courier))
	}
}

func (w *world) close() {
	if w.kernel == nil {
		return
	}
	if err := errors.Join(w.keeper.Close(), w.courier.Close(), w.index.Close(), w.kernel.Close(), w.queue.Close(), w.records.Close(), w.repo.Close(), w.store.Close()); err != nil {
		w.t.Error(err)
	}
	w.kernel = nil
}

// member makes a principal with a role and returns calls by it.
func (w *world) member(name string, kind kaijutsu.PrincipalKind, right kaijutsu.Right) op.Call {
	w.t.Helper()
	_, made, err := w.access.CreateToken(w.t.Context(), access.NewToken{Name: name, Kind: kind, Right: right, By: owner.By})
	w.must(err)
	return op.Call{By: made.Principal, Right: right}
}

// context makes a context that has its title as label.
func (w *world) context(label string) kaijutsu.DocumentID {
	w.t.Helper()
	info, err := w.kernel.Create(w.t.Context(), owner, label)
	w.must(err)
	_, err = w.kernel.SetLabel(w.t.Context(), owner, info.Doc, label)
	w.must(err)
	return info.Doc
}

// set sets the policy.
func (w *world) set(p policy.Policy) {
	w.t.Helper()
	w.must(w.keeper.Set(w.t.Context(), owner, p))
}

// write makes a block of a spec.
func (w *world) write(by op.Call, doc kaijutsu.DocumentID, spec blocks.BlockSpec) blocks.ID {
	w.t.Helper()
	spec.ID = blocks.NewID(time.Now())
	_, err := w.kernel.Edit(w.t.Context(), by, doc, "block_create", func(_ repo.View, tx *blocks.Tx) error { return tx.InsertBlock(spec) })
	w.must(err)
	return spec.ID
}

// edit edits a context.
func (w *world) edit(by op.Call, doc kaijutsu.DocumentID, f func(tx *blocks.Tx) error) {
	w.t.Helper()
	_, err := w.kernel.Edit(w.t.Context(), by, doc, "block_set", func(_ repo.View, tx *blocks.Tx) error { return f(tx) })
	w.must(err)
}

// finding is a block that says something under a label.
func finding(label, text string) blocks.BlockSpec {
	return blocks.BlockSpec{Role: blocks.RoleModel, Form: blocks.FormBody, Content: text, Meta: fmt.Sprintf(`{"label":%q}`, label)}
}

// settle waits until the rules have done what they do.
func (w *world) settle() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	w.must(w.keeper.Settle(ctx))
}

// drifts returns the drift blocks of a context, in order.
func (w *world) drifts(doc kaijutsu.DocumentID) (out []repo.Block) {
	w.t.Helper()
	err := w.kernel.View(w.t.Context(), owner, doc, func(v repo.View) error {
		out = nil
		for _, b := range v.Blocks() {
			if b.Kind == blocks.KindDrift {
				out = append(out, b)
			}
		}
		return nil
	})
	w.must(err)
	return out
}

// texts settles and returns what drifted to a context.
func (w *world) texts(doc kaijutsu.DocumentID) string {
	w.t.Helper()
	w.settle()
	out := []string{}
	for _, b := range w.drifts(doc) {
		out = append(out, b.Content)
	}
	return fmt.Sprintf("%q", out)
}

// one returns the only drift block of a context and what it says of itself.
func (w *world) one(doc kaijutsu.DocumentID) (repo.Block, drift.Meta) {
	w.t.Helper()
	all := w.drifts(doc)
	if len(all) != 1 {
		w.t.Fatalf("context %s has %d drift blocks, want 1", doc.Name(), len(all))
	}
	m, ok := drift.ParseMeta(all[0].Meta)
	if !ok {
		w.t.Fatalf("meta %q is none of a drift", all[0].Meta)
	}
	return all[0], m
}
