package provenance_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/access"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/provenance"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var owner = op.Call{By: kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}, Right: kaijutsu.RightOwn}

// tester is what both a test and a property have.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
	Logf(string, ...any)
}

// world is an index and what is below it.
type world struct {
	tester
	dir     string
	ctx     context.Context
	store   *store.Store
	repo    *repo.Repo
	records *records.Table
	table   *records.Table
	access  *access.Table
	kernel  *kernel.Kernel
	index   *provenance.Index
	noted   atomic.Pointer[provenance.Index]
	noCache bool
	bus     *flowbus.Bus // nil: it is the only node
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{tester: t, dir: t.TempDir(), ctx: t.Context()}
	w.open()
	t.Cleanup(w.close)
	return w
}

func (w *world) open() {
	w.Helper()
	log := slog.New(slog.DiscardHandler)
	var err error
	must := func(err error) {
		w.Helper()
		if err != nil {
			w.Fatal(err)
		}
	}
	w.store, err = store.Open(store.Options{Dir: w.dir, Log: log})
	must(err)
	var table atomic.Pointer[records.Table]
	var opened atomic.Pointer[kernel.Kernel]
	w.repo = repo.Start(repo.Config{Log: log, Store: w.store, BudgetBytes: 64 << 20, Committed: func(c repo.Committed) {
		w.records.Note(c)
		if t := table.Load(); t != nil {
			t.Note(c)
		}
		if k := opened.Load(); k != nil {
			k.Note(c)
		}
		if ix := w.noted.Load(); ix != nil {
			ix.Note(c)
		}
	}})
	w.records, err = records.Open(records.Config{Log: log, Repo: w.repo, Kernel: "main"})
	must(err)
	w.table, err = records.Open(records.Config{Log: log, Repo: w.repo, Kernel: "main", Name: "drift"})
	must(err)
	table.Store(w.table)
	w.access, err = access.Open(access.Config{Log: log, Records: w.records, Store: w.store, Owners: []kaijutsu.Principal{owner.By}})
	must(err)
	w.kernel, err = kernel.Open(kernel.Config{Log: log, Store: w.store, Repo: w.repo, Access: w.access, Records: w.records})
	must(err)
	opened.Store(w.kernel)
	w.startIndex()
}

func (w *world) startIndex() {
	w.Helper()
	cfg := provenance.Config{
		Log: slog.New(slog.DiscardHandler), Store: w.store, Repo: w.repo, Kernel: w.kernel, Table: w.table, Name: "main", Bus: w.bus,
		Hidden: func(doc kaijutsu.DocumentID) bool { return doc == w.records.Doc() || doc == w.table.Doc() },
	}
	if !w.noCache {
		cfg.Dir = filepath.Join(w.dir, "drift")
	}
	ix, err := provenance.Start(cfg)
	if err != nil {
		w.Fatal(err)
	}
	w.index = ix
	w.noted.Store(ix)
}

func (w *world) close() {
	if w.store == nil {
		return
	}
	if err := errors.Join(w.index.Close(), w.kernel.Close(), w.table.Close(), w.records.Close(), w.repo.Close(), w.store.Close()); err != nil {
		w.Errorf("close: %v", err)
	}
	w.store = nil
}

func (w *world) restart() {
	w.Helper()
	w.close()
	w.noted.Store(nil)
	w.open()
}

// member makes a principal with a role and returns calls by it.
func (w *world) member(name string, right kaijutsu.Right) op.Call {
	w.Helper()
	_, made, err := w.access.CreateToken(w.ctx, access.NewToken{Name: name, Right: right, By: owner.By})
	if err != nil {
		w.Fatal(err)
	}
	return op.Call{By: made.Principal, Right: right}
}

func (w *world) context(title string) kaijutsu.DocumentID {
	w.Helper()
	info, err := w.kernel.Create(w.ctx, owner, title)
	if err != nil {
		w.Fatal(err)
	}
	return info.Doc
}

func (w *world) edit(by kaijutsu.Principal, doc kaijutsu.DocumentID, f func(repo.View, *blocks.Tx) error) kaijutsu.Heads {
	w.Helper()
	out, err := w.repo.Edit(w.ctx, doc, repo.Edit{By: by}, f)
	if err != nil {
		w.Fatal(err)
	}
	return out.Heads
}

// insert adds a block and returns its id and the heads then.
func (w *world) insert(doc kaijutsu.DocumentID, spec blocks.BlockSpec) (blocks.ID, kaijutsu.Heads) {
	w.Helper()
	if spec.ID == "" {
		spec.ID = blocks.NewID(time.Now())
	}
	heads := w.edit(owner.By, doc, func(_ repo.View, tx *blocks.Tx) error { return tx.InsertBlock(spec) })
	return spec.ID, heads
}

// text adds a text block.
func (w *world) text(doc kaijutsu.DocumentID, content string) (blocks.ID, kaijutsu.Heads) {
	w.Helper()
	return w.insert(doc, blocks.BlockSpec{Content: content})
}

func (w *world) replace(doc kaijutsu.DocumentID, id blocks.ID, content string) kaijutsu.Heads {
	w.Helper()
	return w.edit(owner.By, doc, func(_ repo.View, tx *blocks.Tx) error { return tx.ReplaceText(id, content) })
}

func (w *world) delete(doc kaijutsu.DocumentID, id blocks.ID) {
	w.Helper()
	w.edit(owner.By, doc, func(_ repo.View, tx *blocks.Tx) error { return tx.Delete(id) })
}

func (w *world) undelete(doc kaijutsu.DocumentID, id blocks.ID) {
	w.Helper()
	w.edit(owner.By, doc, func(_ repo.View, tx *blocks.Tx) error { return tx.Restore(id) })
}

// drift delivers a drift as a principal and returns its id and block.
func (w *world) drift(by kaijutsu.Principal, from, to kaijutsu.DocumentID, content string, citations ...drift.Citation) (string, blocks.ID) {
	w.Helper()
	id := drift.NewID(time.Now())
	m := drift.Meta{
		SourceKernel: "main", SourceContext: from.Name(), Kind: drift.KindPush, Principal: by, DriftID: id,
		Citations: citations, Finding: drift.Fingerprint(content),
	}
	meta, err := m.Encode("")
	if err != nil {
		w.Fatal(err)
	}
	b := drift.BlockID(id, to)
	w.edit(by, to, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: b, Kind: blocks.KindDrift, Role: blocks.RoleSystem, Form: blocks.FormBody, Content: content, Meta: meta})
	})
	return id, b
}

// cites is a citation.
func cites(ref int, doc kaijutsu.DocumentID, id blocks.ID, heads kaijutsu.Heads, first, last int) drift.Citation {
	return drift.Citation{Ref: ref, Handle: drift.Handle{Context: doc.Name(), Block: string(id), Heads: heads.Texts(), First: first, Last: last}, Quote: "quote"}
}

// marks returns the marks of a block as "ref reason", separated by commas.
func (w *world) marks(doc kaijutsu.DocumentID, id blocks.ID) string {
	w.Helper()
	var out []string
	for _, m := range w.marksOf(doc, id) {
		out = append(out, strconv.Itoa(m.Ref)+" "+m.Reason)
	}
	return strings.Join(out, ", ")
}

func (w *world) marksOf(doc kaijutsu.DocumentID, id blocks.ID) []drift.Mark {
	w.Helper()
	var marks []drift.Mark
	err := w.repo.View(w.ctx, doc, func(v repo.View) error {
		b, ok := v.Block(id)
		if !ok {
			w.Fatalf("no block %s", id)
		}
		_, marks = drift.ReadCitations(b.Meta)
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return marks
}

// settle waits for the index and the marks.
func (w *world) settle() {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, 30*time.Second)
	defer cancel()
	if err := w.index.SettleMarks(ctx); err != nil {
		w.Fatal(err)
	}
}

func (w *world) now() time.Time { return time.Now() }

type provenanceLetter = provenance.Letter

// send brings what a document holds here to another world.
func (w *world) send(to *world, doc kaijutsu.DocumentID) {
	w.Helper()
	signers := make(map[kaijutsu.ActorID]repo.Signer)
	err := w.repo.Since(w.ctx, doc, nil, func(list []repo.Change) error {
		in := repo.Delivery{Node: "there", Signers: signers}
		for _, c := range list {
			full, err := amfile.DecodeChange(c.Raw)
			if err != nil {
				return err
			}
			in.Changes = append(in.Changes, full)
			signers[c.Author()] = repo.Signer{By: c.By, Via: c.Via}
		}
		_, err := to.repo.Absorb(w.ctx, doc, in)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}
