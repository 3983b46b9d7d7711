package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/access"
	"kaijutsu/internal/audit"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/link"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
	"kaijutsu/internal/policy"
	"kaijutsu/internal/provenance"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/search"
	"kaijutsu/internal/store"
)

// house is everything that operations work on, over a store of its own.
type house struct {
	t       testing.TB
	set     *op.Set
	repo    *repo.Repo
	kernel  *kernel.Kernel
	access  *access.Table
	letters *provenance.Index

	dir, home string // of the server, and what ~ is
}

var (
	amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	bob = kaijutsu.Principal{Name: "bob", Kind: kaijutsu.Agent}
)

func owner() op.Call { return op.Call{By: amy, Right: kaijutsu.RightOwn, Door: "test"} }

func editor() op.Call { return op.Call{By: bob, Right: kaijutsu.RightEdit, Door: "test"} }

// open starts a house in a directory; it is closed with the test, or before.
func open(t testing.TB, dir string) (h *house, shut func()) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(store.Options{Dir: dir + "/store", Log: log, MinFree: 1})
	must(err)
	var index atomic.Pointer[search.Index]
	var rows, waiting atomic.Pointer[records.Table]
	var known atomic.Pointer[provenance.Index]
	var mounted atomic.Pointer[mounts.Mounts]
	var carrying atomic.Pointer[courier.Courier]
	var events atomic.Pointer[follow.Hub]
	traced := func(doc kaijutsu.DocumentID) bool { return events.Load() != nil && events.Load().Traces(doc) }
	rp := repo.Start(repo.Config{Log: log, Store: st, Trace: traced, Committed: func(c repo.Committed) {
		if ix := index.Load(); ix != nil {
			ix.Note(c)
		}
		if table := rows.Load(); table != nil {
			table.Note(c)
		}
		if table := waiting.Load(); table != nil {
			table.Note(c)
		}
		if hub := events.Load(); hub != nil {
			hub.Note(c)
		}
		if letters := known.Load(); letters != nil {
			letters.Note(c)
		}
		if files := mounted.Load(); files != nil {
			files.Note(c)
		}
	}})
	ix, err := search.Start(search.Config{Repo: rp, Store: st, Dir: dir + "/search", Log: log})
	must(err)
	index.Store(ix)
	shared, err := records.Open(records.Config{Log: log, Repo: rp, Kernel: "main"})
	must(err)
	rows.Store(shared)
	queue, err := records.Open(records.Config{Log: log, Repo: rp, Kernel: "main", Name: "drift", MaxValue: drift.MaxItemBytes})
	must(err)
	waiting.Store(queue)
	hidden := func(doc kaijutsu.DocumentID) bool { return doc == shared.Doc() || doc == queue.Doc() }
	hub, err := follow.Start(follow.Config{
		Log: log, Kernel: "main", Node: st.StorageID(), Repo: rp,
		Hidden: hidden,
	})
	must(err)
	events.Store(hub)
	table, err := access.Open(access.Config{Log: log, Records: shared, Owners: []kaijutsu.Principal{amy}})
	must(err)
	k, err := kernel.Open(kernel.Config{Log: log, Store: st, Repo: rp, Access: table, Records: shared, Locate: ix.Locate, Hidden: hidden, Private: func(doc kaijutsu.DocumentID) bool {
		c := carrying.Load()
		return c != nil && c.LostFound(doc)
	}})
	must(err)
	letters, err := provenance.Start(provenance.Config{Log: log, Store: st, Repo: rp, Kernel: k, Table: queue, Hidden: hidden})
	must(err)
	known.Store(letters)
	links, err := link.Open(link.Config{Log: log, Table: queue, Kernel: "main"})
	must(err)
	keeper, err := policy.Open(policy.Config{Log: log, Table: queue, Kernel: k, Repo: rp, Index: letters, Hidden: hidden})
	must(err)
	carrier, err := courier.Open(courier.Config{Log: log, Kernel: k, Access: table, Table: queue, Gate: keeper, Receipt: letters.ReceiptBy})
	must(err)
	carrying.Store(carrier)
	data, home := filepath.Join(dir, "data"), filepath.Join(dir, "home")
	must(os.MkdirAll(data, 0o755))
	files, err := mounts.Open(mounts.Config{Log: log, Repo: rp, Kernel: k, Access: table, Store: st, Records: shared, Dir: data, Home: home})
	must(err)
	mounted.Store(files)
	files.Start()
	limits, err := limit.New(nil, nil)
	must(err)
	audits, err := audit.Open(audit.Config{Log: log, Dir: filepath.Join(dir, "audit")})
	must(err)
	audits.Add(audit.Entry{Action: "login", Outcome: audit.Refused, Door: "page", From: "192.0.2.7", Reason: "the token is not valid"})
	audits.Add(audit.Entry{Action: "role_set", Outcome: audit.Done, Principal: "owner", Kind: "person", Token: "owner", Door: "http", From: "127.0.0.1", About: map[string]string{"principal": "ben", "role": "reader"}})
	set := catalog.New(catalog.Parts{
		Audit: audits, RotateOwner: func(time.Duration) (string, error) { return "kj_" + strings.Repeat("x", 43), nil },
		Limits: limits, Storage: disk{st, rp},
		Kernel: k, Search: ix, Access: table, Events: hub, Gates: op.Gates{Log: log},
		Drift: carrier, Letters: letters, Links: links, Policy: keeper, Mounts: files,
		Status: func(context.Context) catalog.Status { return catalog.Status{Version: "test"} },
		Backup: func(context.Context) (catalog.BackupStatus, error) { return catalog.BackupStatus{}, nil },
		Node: func(context.Context) catalog.NodeStatus {
			one := catalog.NodeRow{ID: "one", Self: true}
			return catalog.NodeStatus{Kernel: "main", Node: one, Nodes: []catalog.NodeRow{one}, Streams: []catalog.StreamRow{}, Problems: []string{}}
		},
	})
	var closed bool
	shut = func() {
		if closed {
			return
		}
		closed = true
		for _, err := range []error{audits.Close(), files.Close(), keeper.Close(), carrier.Close(), links.Close(), letters.Close(), k.Close(), hub.Close(), ix.Close(), queue.Close(), shared.Close(), rp.Close(), st.Close()} {
			must(err)
		}
	}
	t.Cleanup(shut)
	return &house{t: t, set: set, repo: rp, kernel: k, access: table, letters: letters, dir: data, home: home}, shut
}

// start starts a house of its own.
func start(t testing.TB) *house {
	t.Helper()
	h, _ := open(t, t.TempDir())
	return h
}

// object is a JSON object.
type object map[string]any

// call runs an operation that has to work, and holds its result against the
// schema.
func (h *house) call(c op.Call, name, in string) object {
	h.t.Helper()
	result, err := h.set.Call(h.t.Context(), c, name, json.RawMessage(in))
	if err != nil {
		h.t.Fatalf("%s %s: %v", name, in, err)
	}
	h.checkResult(name, result)
	var out object
	if err := json.Unmarshal(result, &out); err != nil {
		h.t.Fatalf("%s: %v", name, err)
	}
	return out
}

func (h *house) checkResult(name string, result json.RawMessage) {
	h.t.Helper()
	o, err := h.set.Get(owner(), name)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := o.CheckResult(result); err != nil {
		h.t.Fatalf("%s: the result %s is not of its schema: %v", name, result, err)
	}
}

// refuse runs an operation that has to fail with an error of a kind whose text
// has some words in it.
func (h *house) refuse(c op.Call, name, in string, want error, words ...string) {
	h.t.Helper()
	result, err := h.set.Call(h.t.Context(), c, name, json.RawMessage(in))
	if !errors.Is(err, want) {
		h.t.Fatalf("%s %s = %s, %v, want an error of kind %q", name, in, result, err, want)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			h.t.Errorf("%s %s: %q does not say %q", name, in, err, w)
		}
	}
}

func (o object) str(key string) string { s, _ := o[key].(string); return s }

func (o object) num(key string) int { n, _ := o[key].(float64); return int(n) }

func (o object) list(key string) (all []object) {
	list, _ := o[key].([]any)
	for _, v := range list {
		m, _ := v.(map[string]any)
		all = append(all, m)
	}
	return all
}

// context makes a context with this title and returns its id.
func (h *house) context(title string) string {
	h.t.Helper()
	return h.call(owner(), "context_create", quote(`{"title": %}`, title)).str("id")
}

// block makes a block with this content and returns its id.
func (h *house) block(context, content, more string) string {
	h.t.Helper()
	return h.call(owner(), "block_create", quote(`{"context": %, "content": %`+more+`}`, context, content)).str("block_id")
}

// content returns what a block says.
func (h *house) content(context, block string) string {
	h.t.Helper()
	return h.call(owner(), "block_read", quote(`{"context": %, "block_id": %, "line_numbers": false}`, context, block)).str("content")
}

// quote puts words into JSON, each as a string where a % stands.
func quote(format string, words ...string) string {
	parts := strings.Split(format, "%")
	var b strings.Builder
	for i, p := range parts {
		b.WriteString(p)
		if i < len(words) {
			w, _ := json.Marshal(words[i])
			b.Write(w)
		}
	}
	return b.String()
}
