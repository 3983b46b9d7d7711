package courier_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/access"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// patience is how long a test waits for what should come soon.
const patience = 30 * time.Second

var owner = op.Call{By: kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}, Right: kaijutsu.RightOwn}

// world is a courier and everything below it, on a disk.
type world struct {
	t      testing.TB
	dir    string
	config func(*courier.Config) // changes the courier's; may be nil
	bus    *flowbus.Bus          // may be nil

	store   *store.Store
	repo    *repo.Repo
	records *records.Table
	queue   *records.Table
	access  *access.Table
	kernel  *kernel.Kernel
	*courier.Courier

	mu     sync.Mutex
	events []flowbus.Event // guarded by mu

	noted atomic.Pointer[func(repo.Committed)] // called with each commit; it returns at once
}

func newWorld(t testing.TB) *world { return newWorldWith(t, nil) }

func newWorldWith(t testing.TB, config func(*courier.Config)) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), config: config}
	w.open()
	t.Cleanup(w.close)
	return w
}

func (w *world) open() {
	w.t.Helper()
	log := slog.New(slog.DiscardHandler)
	must := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	var err error
	w.store, err = store.Open(store.Options{Dir: w.dir, Log: log})
	must(err)
	var tables [2]atomic.Pointer[records.Table]
	var opened atomic.Pointer[kernel.Kernel]
	w.repo = repo.Start(repo.Config{Log: log, Store: w.store, Committed: func(c repo.Committed) {
		for i := range tables {
			if t := tables[i].Load(); t != nil {
				t.Note(c)
			}
		}
		if k := opened.Load(); k != nil {
			k.Note(c)
		}
		if f := w.noted.Load(); f != nil {
			(*f)(c)
		}
	}})
	w.records, err = records.Open(records.Config{Log: log, Repo: w.repo, Kernel: "main"})
	must(err)
	tables[0].Store(w.records)
	w.queue, err = records.Open(records.Config{Log: log, Repo: w.repo, Kernel: "main", Name: "drift", MaxValue: drift.MaxItemBytes})
	must(err)
	tables[1].Store(w.queue)
	w.access, err = access.Open(access.Config{Log: log, Records: w.records, Store: w.store, Owners: []kaijutsu.Principal{owner.By}})
	must(err)
	w.kernel, err = kernel.Open(kernel.Config{
		Log: log, Store: w.store, Repo: w.repo, Access: w.access, Records: w.records, Cache: filepath.Join(w.dir, "contexts"), Bus: w.bus,
		Hidden: func(doc kaijutsu.DocumentID) bool { return doc == records.DocumentIDOf("drift", "main") },
	})
	must(err)
	opened.Store(w.kernel)
	w.start()
}

// start opens the courier.
func (w *world) start() {
	w.t.Helper()
	cfg := courier.Config{Log: slog.New(slog.DiscardHandler), Kernel: w.kernel, Access: w.access, Table: w.queue, Emit: w.hear, Name: "main", Bus: w.bus}
	if w.config != nil {
		w.config(&cfg)
	}
	var err error
	if w.Courier, err = courier.Open(cfg); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) hear(e flowbus.Event) {
	w.mu.Lock()
	w.events = append(w.events, e)
	w.mu.Unlock()
}

func (w *world) close() {
	if w.kernel == nil {
		return
	}
	if err := errors.Join(w.Courier.Close(), w.kernel.Close(), w.queue.Close(), w.records.Close(), w.repo.Close(), w.store.Close()); err != nil {
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

// member makes a principal with a role and returns calls by it.
func (w *world) member(name string, right kaijutsu.Right) op.Call {
	w.t.Helper()
	_, made, err := w.access.CreateToken(w.t.Context(), access.NewToken{Name: name, Kind: kaijutsu.Agent, Right: right, By: owner.By})
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

// write appends a block to a context.
func (w *world) write(by op.Call, doc kaijutsu.DocumentID, text string) blocks.ID {
	w.t.Helper()
	id := blocks.NewID(time.Now())
	_, err := w.kernel.Edit(w.t.Context(), by, doc, "block_create", func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: id, Position: blocks.Last(), Content: text})
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// shown returns the blocks of a context that show.
func (w *world) shown(doc kaijutsu.DocumentID) (out []repo.Block) {
	w.t.Helper()
	err := w.kernel.View(w.t.Context(), owner, doc, func(v repo.View) error {
		out = v.Blocks()
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// drifts returns the contents of the drift blocks of a context, in order.
func (w *world) drifts(doc kaijutsu.DocumentID) (out []string) {
	w.t.Helper()
	for _, b := range w.shown(doc) {
		if b.Kind == blocks.KindDrift {
			out = append(out, b.Content)
		}
	}
	return out
}

// metaOf returns what a drift block says of itself.
func (w *world) metaOf(doc kaijutsu.DocumentID, id blocks.ID) drift.Meta {
	w.t.Helper()
	for _, b := range w.shown(doc) {
		if b.ID != id {
			continue
		}
		m, ok := drift.ParseMeta(b.Meta)
		if !ok {
			w.t.Fatalf("meta of block %s: %q, want one of a drift", id, b.Meta)
		}
		return m
	}
	w.t.Fatalf("no block %s in %s", id, doc.Name())
	return drift.Meta{}
}

// at is a call from a context.
func at(call op.Call, doc kaijutsu.DocumentID) op.Call {
	call.Context = doc.Name()
	return call
}

// stage stages a text, as the caller.
func (w *world) stage(call op.Call, from, to kaijutsu.DocumentID, text string) drift.Item {
	w.t.Helper()
	out, err := w.Push(w.t.Context(), call, courier.Push{From: from.Name(), To: to.Name(), Content: text, Stage: true})
	if err != nil || out.State != drift.StateStaged || out.Item.Number == 0 {
		w.t.Fatalf("Push(%q, stage) = %+v, %v, want it staged", text, out, err)
	}
	return out.Item
}

func (w *world) push(call op.Call, from, to kaijutsu.DocumentID, text string) courier.Outcome {
	w.t.Helper()
	out, err := w.Push(w.t.Context(), call, courier.Push{From: from.Name(), To: to.Name(), Content: text})
	if err != nil || out.State != drift.StateDelivered || out.Block == "" {
		w.t.Fatalf("Push(%q) = %+v, %v, want it delivered", text, out, err)
	}
	return out
}

func (w *world) flush(call op.Call, from kaijutsu.DocumentID) courier.Flushed {
	w.t.Helper()
	out, err := w.Flush(w.t.Context(), call, from.Name())
	if err != nil {
		w.t.Fatalf("Flush = %+v, %v", out, err)
	}
	return out
}

// queued returns the contents' beginnings of what an owner sees in the queue.
func (w *world) queued(f courier.Filter) (out []string) {
	w.t.Helper()
	shown, err := w.Queue(w.t.Context(), owner, f)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range shown {
		out = append(out, s.Preview)
	}
	return out
}

// archive puts a context away, or takes it back.
func (w *world) archive(doc kaijutsu.DocumentID, away bool) {
	w.t.Helper()
	if _, err := w.kernel.Archive(w.t.Context(), owner, doc, away); err != nil {
		w.t.Fatal(err)
	}
}

// kinds returns the kinds of drift events of a context so far.
func (w *world) kinds(doc kaijutsu.DocumentID) (out []flowbus.Kind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if _, ok := e.Data.(*flowbus.Drift); ok && e.Context.Document() == doc {
			out = append(out, e.Kind)
		}
	}
	return out
}

func same[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// until waits for something that no event tells.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !cond() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

type courierCall = op.Call

// carrier is a way to another kernel, "far".
type carrier struct {
	offer func(drift.Item) (courier.Receipt, error)
}

func (c *carrier) Knows(kernel string) bool { return kernel == "far" }

func (c *carrier) Offer(_ context.Context, _ string, it drift.Item) (courier.Receipt, error) {
	return c.offer(it)
}

// told is a distiller that says what it is told to.
type told struct {
	text string
	err  error
	mu   sync.Mutex
	last drift.Request // guarded by mu
}

func (d *told) Name() string { return "told" }

func (d *told) Distil(_ context.Context, req drift.Request) (drift.Briefing, error) {
	d.mu.Lock()
	d.last = req
	d.mu.Unlock()
	return drift.Briefing{Text: d.text, Distiller: "told", Model: "a-model"}, d.err
}
