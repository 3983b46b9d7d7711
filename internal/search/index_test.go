package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
	"pgregory.net/rapid"
)

var somebody = kaijutsu.Principal{Kind: kaijutsu.Person, Name: "somebody"}

// house is a store, a repo and an index over them.
type house struct {
	t     tester
	dir   string
	store *store.Store
	repo  *repo.Repo
	index *Index
	told  atomic.Pointer[Index]
	last  kaijutsu.DocumentID // made by context
}

// open opens what is in dir. Whoever opens twice closes in between.
func open(t tester, dir string) *house {
	t.Helper()
	h := &house{t: t, dir: dir}
	log := slog.New(slog.DiscardHandler)
	var err error
	if h.store, err = store.Open(store.Options{Dir: filepath.Join(dir, "store"), Log: log}); err != nil {
		t.Fatal(err)
	}
	h.repo = repo.Start(repo.Config{Log: log, Store: h.store, BudgetBytes: 64 << 20, Committed: func(c repo.Committed) {
		if ix := h.told.Load(); ix != nil {
			ix.Note(c)
		}
	}})
	h.startIndex()
	if t, ok := t.(testing.TB); ok {
		t.Cleanup(h.close)
	}
	return h
}

func (h *house) startIndex() {
	h.t.Helper()
	ix, err := Start(Config{Repo: h.repo, Store: h.store, Dir: filepath.Join(h.dir, "search"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		h.t.Fatal(err)
	}
	h.index = ix
	h.told.Store(ix)
}

func (h *house) close() {
	if h.store == nil {
		return
	}
	h.told.Store(nil)
	if err := errors.Join(h.index.Close(), h.repo.Close(), h.store.Close()); err != nil {
		h.t.Error(err)
	}
	h.store = nil
}

// context makes a context that comes behind those made before.
func (h *house) context(title string) kaijutsu.DocumentID {
	h.t.Helper()
	for {
		id, err := h.repo.CreateContext(context.Background(), somebody, title)
		if err != nil {
			h.t.Fatal(err)
		}
		if doc := id.Document(); doc.Compare(h.last) > 0 { // made later, but maybe in the same millisecond
			h.last = doc
			return doc
		}
	}
}

func (h *house) edit(doc kaijutsu.DocumentID, f func(*blocks.Tx) error) {
	h.t.Helper()
	if _, err := h.repo.Edit(context.Background(), doc, repo.Edit{By: somebody}, func(_ repo.View, tx *blocks.Tx) error { return f(tx) }); err != nil {
		h.t.Fatal(err)
	}
}

// insert adds blocks of these contents at the end and returns their ids.
func (h *house) insert(doc kaijutsu.DocumentID, contents ...string) []blocks.ID {
	h.t.Helper()
	ids := make([]blocks.ID, len(contents))
	h.edit(doc, func(tx *blocks.Tx) error {
		for i, c := range contents {
			ids[i] = blocks.NewID(time.Now())
			if err := tx.InsertBlock(blocks.BlockSpec{ID: ids[i], Content: c}); err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

func (h *house) search(q Query) Result {
	h.t.Helper()
	out, err := h.index.Search(context.Background(), q)
	if err != nil {
		h.t.Fatalf("Search(%+v): %v", q, err)
	}
	return out
}

// contents returns the matching lines.
func (r Result) contents() []string {
	var out []string
	for _, m := range r.Matches {
		out = append(out, m.Content)
	}
	return out
}

func TestSearchFindsWhatWasJustCommitted(t *testing.T) {
	h := open(t, t.TempDir())
	a, b := h.context("a"), h.context("b")
	ids := h.insert(a, "one\ntwo needle two\nthree", "nothing", "a Needle")
	h.insert(b, "the needle of b")

	got := h.search(Query{Pattern: "needle", ContextLines: 1})
	want := []Match{
		{Doc: a, Block: ids[0], Kind: "text", Role: "user", Line: 1, Content: "two needle two", Before: []string{"one"}, After: []string{"three"}},
		{Doc: b, Block: got.Matches[1].Block, Kind: "text", Role: "user", Content: "the needle of b"},
	}
	if !reflect.DeepEqual(got.Matches, want) || got.Total != 2 || got.Truncated {
		t.Errorf("Search = %+v, want %+v", got, want)
	}
	if got := h.search(Query{Pattern: "(?i)needle"}); got.Total != 3 {
		t.Errorf("ignoring case: %d matches, want 3", got.Total)
	}
	h.edit(a, func(tx *blocks.Tx) error { return tx.AppendText(ids[1], " but a needle at last") })
	if got, want := h.search(Query{Pattern: "needle", Docs: []kaijutsu.DocumentID{a}}).contents(), []string{"two needle two", "nothing but a needle at last"}; !slices.Equal(got, want) {
		t.Errorf("after an append: %q, want %q", got, want)
	}
}

func TestSearchFilters(t *testing.T) {
	h := open(t, t.TempDir())
	a, b := h.context("a"), h.context("b")
	h.insert(a, "x in a")
	h.edit(b, func(tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Kind: blocks.KindToolResult, Role: blocks.RoleTool, Content: "x of a tool"})
	})
	tests := []struct {
		name string
		q    Query
		want []string
	}{
		{"all", Query{}, []string{"x in a", "x of a tool"}},
		{"by document", Query{Docs: []kaijutsu.DocumentID{b}}, []string{"x of a tool"}},
		{"no document", Query{Docs: []kaijutsu.DocumentID{}}, nil},
		{"by kind", Query{Kind: blocks.KindToolResult}, []string{"x of a tool"}},
		{"by role", Query{Role: blocks.RoleUser}, []string{"x in a"}},
		{"an unknown kind", Query{Kind: "nonesuch"}, nil},
		{"by permission", Query{May: func(d kaijutsu.DocumentID) bool { return d == a }}, []string{"x in a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Pattern = "x"
			if got := h.search(tt.q).contents(); !slices.Equal(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTruncatedIsExact(t *testing.T) {
	h := open(t, t.TempDir())
	h.insert(h.context("a"), "hit\nhit\nhit", "hit", "hit\nmiss")
	for most := 1; most <= 7; most++ {
		got := h.search(Query{Pattern: "hit", MaxMatches: most})
		if want := min(most, 5); got.Total != want || len(got.Matches) != want || got.Truncated != (most < 5) {
			t.Errorf("at most %d: %d matches, truncated %v", most, got.Total, got.Truncated)
		}
	}
}

func TestLongLinesAreCut(t *testing.T) {
	h := open(t, t.TempDir())
	h.insert(h.context("a"), strings.Repeat("ä", 2000)+"needle"+strings.Repeat("ö", 3000))
	got := h.search(Query{Pattern: "needle"}).Matches[0].Content
	if !regexp.MustCompile(`^\[17\d\d characters\] … ä+needleö+ … \[\d+ characters\]$`).MatchString(got) {
		t.Errorf("Content = %q", got)
	}
}

func TestDeletedBlocksAreNotFound(t *testing.T) {
	h := open(t, t.TempDir())
	a := h.context("a")
	ids := h.insert(a, "needle 1", "needle 2")
	h.edit(a, func(tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Parent: ids[0], Content: "needle below"})
	})
	if got := h.search(Query{Pattern: "needle"}); got.Total != 3 {
		t.Fatalf("%d matches, want 3", got.Total)
	}
	h.edit(a, func(tx *blocks.Tx) error { return tx.Delete(ids[0]) })
	if got, want := h.search(Query{Pattern: "needle"}).contents(), []string{"needle 2"}; !slices.Equal(got, want) {
		t.Errorf("after deletion %q, want %q", got, want)
	}
	if got := h.index.Locate(ids[0]); !slices.Equal(got, []kaijutsu.DocumentID{a}) {
		t.Errorf("Locate of the deleted block = %v, want %v", got, a)
	}
	h.edit(a, func(tx *blocks.Tx) error { return tx.Restore(ids[0]) })
	if got, want := h.search(Query{Pattern: "needle"}).contents(), []string{"needle 1", "needle below", "needle 2"}; !slices.Equal(got, want) {
		t.Errorf("after restoring %q, want %q", got, want)
	}
}

func TestLocate(t *testing.T) {
	h := open(t, t.TempDir())
	a := h.context("a")
	id := h.insert(a, "text")[0]
	if got := h.index.Locate(id); !slices.Equal(got, []kaijutsu.DocumentID{a}) {
		t.Errorf("at once: Locate = %v, want %v", got, a)
	}
	if got := h.index.Locate(blocks.NewID(time.Now())); got != nil {
		t.Errorf("Locate of an unknown block = %v", got)
	}
	if got := h.index.Locate("nonsense"); got != nil {
		t.Errorf("Locate of nonsense = %v", got)
	}
	h.search(Query{Pattern: "text"})
	if got := h.index.Locate(id); !slices.Equal(got, []kaijutsu.DocumentID{a}) {
		t.Errorf("when it was read: Locate = %v, want %v", got, a)
	}
}

func TestIndexSurvives(t *testing.T) {
	tests := []struct {
		name   string
		spoil  func(t *testing.T, dir string)
		reread bool
	}{
		{"a restart", func(*testing.T, string) {}, false},
		{"the loss of its index", func(t *testing.T, dir string) { remove(t, dir, indexName) }, true},
		{"the loss of its contents", func(t *testing.T, dir string) { remove(t, dir, "text-1") }, true},
		{"the loss of everything", func(t *testing.T, dir string) { remove(t, dir, "") }, true},
		{"a flipped bit in its index", func(t *testing.T, dir string) { flip(t, filepath.Join(dir, indexName), 60) }, true},
		{"a flipped bit in its contents", func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "text-1"), 3) }, true},
		{"an index cut short", func(t *testing.T, dir string) { cut(t, filepath.Join(dir, indexName)) }, true},
		{"contents cut short", func(t *testing.T, dir string) { cut(t, filepath.Join(dir, "text-1")) }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			h := open(t, dir)
			a, b := h.context("a"), h.context("b")
			h.insert(a, "needle in a", "more")
			h.insert(b, "needle in b")
			h.search(Query{Pattern: "needle"})
			h.close()
			tt.spoil(t, filepath.Join(dir, "search"))

			h = open(t, dir)
			if got, want := h.search(Query{Pattern: "needle in"}).contents(), []string{"needle in a", "needle in b"}; !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
			}
			if opened := h.repo.Stats().Opened; (opened > 0) != tt.reread {
				t.Errorf("%d documents were opened, want some: %v", opened, tt.reread)
			}
		})
	}
}

func remove(t *testing.T, dir, name string) {
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func flip(t *testing.T, path string, at int) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[at] ^= 4
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func cut(t *testing.T, path string) {
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()/2)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestIndexCatchesUp has documents change while no index runs.
func TestIndexCatchesUp(t *testing.T) {
	h := open(t, t.TempDir())
	a, b := h.context("a"), h.context("b")
	h.insert(a, "needle 1")
	h.insert(b, "needle 2")
	h.search(Query{Pattern: "needle"})
	if err := h.index.Close(); err != nil {
		t.Fatal(err)
	}
	h.told.Store(nil)
	h.insert(a, "needle 3")
	c := h.context("c")
	h.insert(c, "needle 4")
	h.startIndex()
	if got, want := h.search(Query{Pattern: "needle"}).contents(), []string{"needle 1", "needle 3", "needle 2", "needle 4"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestSearchRefuses(t *testing.T) {
	h := open(t, t.TempDir())
	tests := []struct {
		name string
		q    Query
		kind error
	}{
		{"no pattern", Query{}, kaijutsu.ErrInvalid},
		{"a wrong pattern", Query{Pattern: "("}, kaijutsu.ErrInvalid},
		{"a long pattern", Query{Pattern: strings.Repeat("a", 1001)}, kaijutsu.ErrTooLarge},
		{"too many matches", Query{Pattern: "a", MaxMatches: 1001}, kaijutsu.ErrInvalid},
		{"too much context", Query{Pattern: "a", ContextLines: 21}, kaijutsu.ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := h.index.Search(t.Context(), tt.q); !errors.Is(err, tt.kind) {
				t.Errorf("error %v, want %v", err, tt.kind)
			}
		})
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	h.insert(h.context("a"), "text")
	if _, err := h.index.Search(over, Query{Pattern: "text"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search whose time is over: %v, want %v", err, context.Canceled)
	}
	h.index.Close()
	h.insert(h.context("b"), "text")
	if _, err := h.index.Search(t.Context(), Query{Pattern: "text"}); err != nil && !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("after Close: %v, want %v or a result", err, kaijutsu.ErrUnavailable)
	}
}

// brute finds what Search must find by reading every document.
func (h *house) brute(t *rapid.T, docs []kaijutsu.DocumentID, re *regexp.Regexp) []string {
	var out []string
	for _, doc := range docs {
		err := h.repo.View(context.Background(), doc, func(v repo.View) error {
			for _, b := range v.Blocks() {
				lines := strings.Split(b.Content, "\n")
				if lines[len(lines)-1] == "" {
					lines = lines[:len(lines)-1]
				}
				for i, l := range lines {
					if re.MatchString(strings.TrimSuffix(l, "\r")) {
						out = append(out, fmt.Sprintf("%s %s %d %q", doc, b.ID, i, strings.TrimSuffix(l, "\r")))
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestSearchIsBruteForce edits, compacts and restarts at random, and compares
// what random expressions find with what reading everything finds.
func TestSearchIsBruteForce(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		h := open(t, dir)
		defer h.close()
		var docs []kaijutsu.DocumentID
		ids := make(map[kaijutsu.DocumentID][]blocks.ID)
		for range rapid.IntRange(1, 3).Draw(t, "documents") {
			doc := h.context("a")
			docs = append(docs, doc)
			ids[doc] = h.insert(doc, rapid.SliceOfN(rapid.Map(rapid.SliceOfN(lines(), 0, 3), func(l []string) string { return strings.Join(l, "\n") }), 1, 5).Draw(t, "contents")...)
		}
		slices.SortFunc(docs, kaijutsu.DocumentID.Compare)
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			doc := rapid.SampledFrom(docs).Draw(t, "document")
			id := rapid.SampledFrom(ids[doc]).Draw(t, "block")
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0:
				h.edit(doc, func(tx *blocks.Tx) error { return tx.Delete(id) })
			case 1:
				h.edit(doc, func(tx *blocks.Tx) error { return tx.Restore(id) })
			case 2:
				h.edit(doc, func(tx *blocks.Tx) error {
					return errors.Join(tx.Restore(id), tx.AppendText(id, lines().Draw(t, "more")))
				})
			case 3:
				ids[doc] = append(ids[doc], h.insert(doc, lines().Draw(t, "new"))...)
			case 4:
				h.close()
				h = open(t, dir)
			case 5:
				h.search(Query{Pattern: "x"}) // so that the worker rests
				h.index.queue.add(doc, func(t *touch) { t.again = true })
			case 6:
				h.edit(doc, func(tx *blocks.Tx) error { return errors.Join(tx.Restore(id), tx.Move(id, "", blocks.First())) })
			}
			pattern := rapid.OneOf(expressions(), rapid.StringOfN(rapid.RuneFrom([]rune("abckKſ日")), 1, 3, -1)).Draw(t, "pattern")
			re, err := regexp.Compile(pattern)
			if err != nil || pattern == "" || len(pattern) > maxPattern {
				continue
			}
			want := h.brute(t, docs, re)
			got := h.search(Query{Pattern: pattern, MaxMatches: 1000})
			var found []string
			for _, m := range got.Matches {
				found = append(found, fmt.Sprintf("%s %s %d %q", m.Doc, m.Block, m.Line, m.Content))
			}
			if !slices.Equal(found, want) || got.Truncated {
				t.Fatalf("%q finds\n%s\nwant\n%s", pattern, strings.Join(found, "\n"), strings.Join(want, "\n"))
			}
		}
	})
}

// tester is what the helpers need of a test, or of a rapid check.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Error(...any)
}
