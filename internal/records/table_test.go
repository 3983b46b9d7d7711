package records_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}

// node is a store, its documents and the records in them.
type node struct {
	t     testing.TB
	dir   string
	store *store.Store
	repo  *repo.Repo
	*records.Table

	second atomic.Pointer[records.Table] // another document, if the test has one
}

func newNode(t testing.TB) *node {
	t.Helper()
	n := &node{t: t, dir: t.TempDir()}
	n.open()
	t.Cleanup(n.close)
	return n
}

func (n *node) open() {
	n.t.Helper()
	log := slog.New(slog.DiscardHandler)
	var err error
	if n.store, err = store.Open(store.Options{Dir: n.dir, Log: log}); err != nil {
		n.t.Fatal(err)
	}
	n.repo = repo.Start(repo.Config{Log: log, Store: n.store, Committed: func(c repo.Committed) {
		n.Note(c)
		if t := n.second.Load(); t != nil {
			t.Note(c)
		}
	}})
	if n.Table, err = records.Open(records.Config{Log: log, Repo: n.repo, Kernel: "main"}); err != nil {
		n.t.Fatal(err)
	}
}

func (n *node) close() {
	if n.Table == nil {
		return
	}
	if err := errors.Join(n.Close(), n.repo.Close(), n.store.Close()); err != nil {
		n.t.Error(err)
	}
	n.Table = nil
}

func (n *node) put(name, value string) {
	n.t.Helper()
	if err := n.Put(n.t.Context(), amy, name, []byte(value)); err != nil {
		n.t.Fatal(err)
	}
}

// all returns the records with a prefix as text.
func (n *node) all(prefix string) string {
	var out []string
	for name, value := range n.All(prefix) {
		out = append(out, name+"="+string(value))
	}
	return strings.Join(out, " ")
}

func TestRecordsLast(t *testing.T) {
	n := newNode(t)
	n.put("a/1", "one")
	n.put("a/2", "")
	n.put("b/1", "three")
	n.put("a/1", "uno")
	if err := n.Delete(t.Context(), amy, "b/1"); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		if got, want := n.all("a/"), "a/1=uno a/2="; got != want {
			t.Errorf("%s: records = %q, want %q", when, got, want)
		}
		if value, ok := n.Get("a/2"); !ok || len(value) != 0 {
			t.Errorf("%s: the empty record = %q, %v, want it there", when, value, ok)
		}
		if _, ok := n.Get("b/1"); ok {
			t.Errorf("%s: the deleted record is there", when)
		}
	}
	check("before a restart")
	n.close()
	n.open()
	check("after a restart")
	n.put("a/1", "eins")
	if got, want := n.all(""), "a/1=eins a/2="; got != want {
		t.Errorf("written after a restart: records = %q, want %q", got, want)
	}
}

func TestNothingNewIsNotWritten(t *testing.T) {
	n := newNode(t)
	n.put("a", "1")
	before := n.Stats()
	n.put("a", "1")
	if err := n.Delete(t.Context(), amy, "b"); err != nil {
		t.Fatal(err)
	}
	if got := n.Stats(); got != before {
		t.Errorf("Stats = %+v, want %+v as before", got, before)
	}
}

func TestWriteRefuses(t *testing.T) {
	n := newNode(t)
	tests := []struct {
		name string
		by   kaijutsu.Principal
		rs   []records.Record
		want error
	}{
		{"nobody", kaijutsu.Principal{}, []records.Record{{Name: "a", Value: []byte("1")}}, kaijutsu.ErrDenied},
		{"nothing", amy, nil, kaijutsu.ErrInvalid},
		{"no name", amy, []records.Record{{Value: []byte("1")}}, kaijutsu.ErrInvalid},
		{"a long name", amy, []records.Record{{Name: strings.Repeat("x", 513)}}, kaijutsu.ErrInvalid},
		{"no UTF-8", amy, []records.Record{{Name: "a", Value: []byte("\xff")}}, kaijutsu.ErrInvalid},
		{"a long value", amy, []records.Record{{Name: "a", Value: make([]byte, 64<<10+1)}}, kaijutsu.ErrTooLarge},
		{"a name twice", amy, []records.Record{{Name: "a"}, {Name: "b", Value: []byte("1")}, {Name: "a"}}, kaijutsu.ErrInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := n.Write(t.Context(), test.by, test.rs...); !errors.Is(err, test.want) {
				t.Errorf("Write = %v, want %v", err, test.want)
			}
		})
	}
	if got := n.Stats(); got != (records.Stats{}) {
		t.Errorf("Stats = %+v, want nothing written", got)
	}
}

// TestWatchersHearInOrder has many write at the same time: who watches hears of
// each record what is there afterwards as the last, and has heard of it when
// the write returns.
func TestWatchersHearInOrder(t *testing.T) {
	n := newNode(t)
	var mu sync.Mutex
	heard, deleted := make(map[string]string), 0
	stop := n.Watch("w/", func(name string, value []byte) {
		mu.Lock()
		defer mu.Unlock()
		if value == nil {
			deleted++
			delete(heard, name)
			return
		}
		heard[name] = string(value)
	})
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 40 {
				name, value := fmt.Sprint("w/", (w+i)%5), fmt.Sprint(w, ".", i)
				rs := []records.Record{{Name: name, Value: []byte(value)}, {Name: fmt.Sprint("w/own", w), Value: []byte(value)}}
				if i%7 == 6 {
					rs[0].Value = nil
				}
				if err := n.Write(context.Background(), amy, rs...); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if got := heard[rs[1].Name]; got != value {
					t.Errorf("heard %q of %s when the write of %q returned", got, rs[1].Name, value)
				}
				mu.Unlock()
			}
		})
	}
	writers.Wait()
	want := make(map[string]string)
	for name, value := range n.All("w/") {
		want[name] = string(value)
	}
	if !maps.Equal(heard, want) || deleted == 0 {
		t.Errorf("heard = %v and %d deletions, want %v and some", heard, deleted, want)
	}
	stop()
	n.put("w/late", "x")
	if _, ok := heard["w/late"]; ok {
		t.Error("heard of a record after the end of the watch")
	}
}

// TestMove takes over what servers kept for themselves.
func TestMove(t *testing.T) {
	n := newNode(t)
	want := make(map[string]string)
	for i := range 450 {
		name := fmt.Sprintf("old/%03d", i)
		want[name] = strings.Repeat("x", i*10)
		if err := n.store.PutRecord(t.Context(), name, []byte(want[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.store.PutRecord(t.Context(), "other", []byte("stays")); err != nil {
		t.Fatal(err)
	}
	n.put("old/007", "moved before, and newer")
	want["old/007"] = "moved before, and newer"
	refuse := errors.New("cannot be read")
	move := func(bad string) error {
		return n.Move(t.Context(), n.store, "old/", func(name string, _ []byte) error {
			if name == bad {
				return refuse
			}
			return nil
		})
	}
	if err := move("old/449"); !errors.Is(err, refuse) || !strings.Contains(err.Error(), "old/449") {
		t.Fatalf("Move = %v, want it refused with the record's name", err)
	}
	if got := n.Stats().Records; got != 1 {
		t.Errorf("%d records after a refused move, want 1", got)
	}
	for range 2 {
		if err := move(""); err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for name, value := range n.All("") {
			got[name] = string(value)
		}
		if !maps.Equal(got, want) {
			t.Fatalf("%d records, want the %d that were there", len(got), len(want))
		}
	}
	var left []string
	for name, err := range n.store.Records("") {
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, name)
	}
	if !slices.Equal(left, []string{"other"}) {
		t.Errorf("the store keeps %v, want other", left)
	}
}

// TestDocumentID holds the id, which every release of every node computes.
func TestDocumentID(t *testing.T) {
	if got, want := records.DocumentID("main").Name(), "770d3291-1f45-c48c-2eed-6f217fbe9bf9"; got != want {
		t.Errorf("DocumentID(main) = %s, want %s", got, want)
	}
	if records.DocumentID("main") == records.DocumentID("other") {
		t.Error("two kernels share a document")
	}
}

func TestClosed(t *testing.T) {
	n := newNode(t)
	if err := n.Table.Close(); err != nil {
		t.Fatal(err)
	}
	if err := n.Put(t.Context(), amy, "a", []byte("1")); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("Put = %v, want ErrUnavailable", err)
	}
}

// TestSettle: behind it, watchers have been told of what another node brought.
func TestSettle(t *testing.T) {
	from, to := newNode(t), newNode(t)
	told := make(map[string]string) // of the teller, and read behind Settle
	defer to.Watch("", func(name string, value []byte) { told[name] = string(value) })()
	if err := to.Settle(t.Context()); err != nil {
		t.Fatalf("Settle of nothing = %v", err)
	}
	for i := range 20 {
		name := fmt.Sprint("name", i)
		from.put(name, "x")
		changes, err := from.repo.Raw(t.Context(), from.Doc(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		d := repo.Delivery{Node: "from", Signers: make(map[kaijutsu.ActorID]repo.Signer)}
		for _, c := range changes {
			decoded, err := amfile.DecodeChange(c.Raw)
			if err != nil {
				t.Fatal(err)
			}
			d.Changes = append(d.Changes, decoded)
			d.Signers[c.Author()] = repo.Signer{By: c.By, Via: c.Via}
		}
		if _, err := to.repo.Absorb(t.Context(), to.Doc(), d); err != nil {
			t.Fatal(err)
		}
		if err := to.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if told[name] != "x" {
			t.Errorf("behind Settle nobody was told of %s", name)
		}
	}
}
