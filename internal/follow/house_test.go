package follow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}

// house is a hub over a repo over a store.
type house struct {
	t     testing.TB
	dir   string
	cfg   follow.Config
	store *store.Store
	repo  *repo.Repo
	hub   *follow.Hub
	deaf  func(repo.Committed) bool // what the hub is not told of; nil: all is told
}

func open(t testing.TB, dir string, cfg follow.Config) *house {
	t.Helper()
	h := &house{t: t, dir: dir, cfg: cfg}
	h.start()
	t.Cleanup(h.shut)
	return h
}

func (h *house) start() {
	h.t.Helper()
	log := slog.New(slog.DiscardHandler)
	var err error
	if h.store, err = store.Open(store.Options{Dir: h.dir, Log: log, MinFree: 1}); err != nil {
		h.t.Fatal(err)
	}
	var hub atomic.Pointer[follow.Hub]
	h.repo = repo.Start(repo.Config{
		Log: log, Store: h.store,
		Committed: func(c repo.Committed) {
			if hub := hub.Load(); hub != nil && (h.deaf == nil || !h.deaf(c)) {
				hub.Note(c)
			}
		},
		Trace: func(doc kaijutsu.DocumentID) bool { return hub.Load() != nil && hub.Load().Traces(doc) },
	})
	cfg := h.cfg
	cfg.Log, cfg.Repo = log, h.repo
	if cfg.Kernel == "" {
		cfg.Kernel = "main"
	}
	if cfg.Node == "" {
		cfg.Node = h.store.StorageID()
	}
	if h.hub, err = follow.Start(cfg); err != nil {
		h.t.Fatal(err)
	}
	hub.Store(h.hub)
}

func (h *house) shut() {
	h.t.Helper()
	if h.hub == nil {
		return
	}
	for _, err := range []error{h.hub.Close(), h.repo.Close(), h.store.Close()} {
		if err != nil {
			h.t.Error(err)
		}
	}
	h.hub = nil
}

func (h *house) restart() {
	h.t.Helper()
	h.shut()
	h.start()
}

// newContext makes a context.
func (h *house) newContext(title string) kaijutsu.ContextID {
	h.t.Helper()
	id, err := h.repo.CreateContext(context.Background(), amy, title)
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

// edit commits one change.
func (h *house) edit(id kaijutsu.ContextID, f func(*blocks.Tx) error) repo.Edited {
	h.t.Helper()
	e, err := h.repo.Edit(context.Background(), id.Document(), repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return f(tx) })
	if err != nil {
		h.t.Fatal(err)
	}
	return e
}

// insert makes a block of text at the end.
func (h *house) insert(id kaijutsu.ContextID, text string) blocks.ID {
	h.t.Helper()
	block := blocks.NewID(time.Now())
	h.edit(id, func(tx *blocks.Tx) error { return tx.InsertBlock(blocks.BlockSpec{ID: block, Content: text}) })
	return block
}

func (h *house) appendText(id kaijutsu.ContextID, block blocks.ID, text string) {
	h.t.Helper()
	h.edit(id, func(tx *blocks.Tx) error { return tx.AppendText(block, text) })
}

// anything makes a random change.
func (h *house) anything(r *rand.Rand, id kaijutsu.ContextID) {
	h.t.Helper()
	var shown, hidden []blocks.ID
	err := h.repo.View(context.Background(), id.Document(), func(v repo.View) error {
		for s := range v.Model().Everything() {
			if s.Deleted {
				hidden = append(hidden, s.ID)
			} else {
				shown = append(shown, s.ID)
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	some := func(of []blocks.ID) blocks.ID { return of[r.IntN(len(of))] }
	_, err = h.repo.Edit(context.Background(), id.Document(), repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
		what := r.IntN(12)
		switch {
		case len(shown) == 0 || what < 3:
			spec := blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: strings.Repeat("é", r.IntN(5)) + "x"}
			if len(shown) > 0 && what == 1 {
				spec.Parent = some(shown)
			}
			return tx.InsertBlock(spec)
		case what < 7:
			return tx.AppendText(some(shown), "😀ab")
		case what == 7:
			return tx.SetStatus(some(shown), blocks.StatusRunning)
		case what == 8:
			return tx.Move(some(shown), "", blocks.First())
		case what == 9 && len(shown) > 3:
			return tx.Delete(some(shown))
		case what == 10 && len(hidden) > 0:
			return tx.Restore(some(hidden))
		case what == 11:
			return tx.SetTitle(fmt.Sprint("title ", r.IntN(100)))
		}
		return tx.SetFlag(some(shown), blocks.FlagCollapsed, r.IntN(2) == 0)
	})
	if err != nil {
		return // not every block takes everything: then nothing was written
	}
}

// rows are the blocks that show, as block_list has them.
func (h *house) rows(id kaijutsu.ContextID) (rows []flowbus.Row, version uint64, title string) {
	h.t.Helper()
	err := h.repo.View(context.Background(), id.Document(), func(v repo.View) error {
		version, title = v.Version(), v.Title()
		for _, b := range v.Blocks() {
			author := b.By.Name
			if b.By.IsZero() {
				author = b.Author.String()
			}
			rows = append(rows, flowbus.Row{
				ID: string(b.ID), Kind: string(b.Kind), Role: string(b.Role), Status: string(b.Status), Parent: string(b.Parent),
				Depth: b.Depth, Form: string(b.Form), Content: b.Content, Meta: b.Meta, Author: author,
				Created: b.Created.UTC().Format(time.RFC3339), Collapsed: b.Collapsed, Excluded: b.Excluded, Ephemeral: b.Ephemeral,
			})
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return rows, version, title
}

func owns(kaijutsu.DocumentID) kaijutsu.Right { return kaijutsu.RightOwn }

// follow begins a stream that may see everything.
func (h *house) follow(pattern, since string) *follow.Follower {
	h.t.Helper()
	f, err := h.hub.Follow(context.Background(), follow.Want{Pattern: pattern, Since: since, Right: owns})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(f.Close)
	return f
}

// next reads items; it fails when they do not come.
func (h *house) next(f *follow.Follower) []follow.Item {
	h.t.Helper()
	items, err := read(f)
	if err != nil {
		h.t.Fatal(err)
	}
	return items
}

// read is Next, but for signs of life, and not for ever.
func read(f *follow.Follower) ([]follow.Item, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		items, err := f.Next(ctx)
		if len(items) > 0 || err != nil {
			return slices.Clone(items), err
		}
	}
}

// decode reads an event strictly.
func (h *house) decode(i follow.Item) flowbus.Event {
	h.t.Helper()
	e, err := flowbus.Decode(i.Data)
	if err != nil {
		h.t.Fatalf("%s %s: %v", i.Name, i.Data, err)
	}
	return e
}

// mirror is a context as a follower has it: a flat list.
type mirror struct {
	title   string
	version uint64
	rows    []flowbus.Row
}

func (m *mirror) load(t testing.TB, data []byte) {
	t.Helper()
	var s struct {
		Version uint64
		Title   string
		Blocks  []flowbus.Row
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	*m = mirror{title: s.Title, version: s.Version, rows: s.Blocks}
}

func (m *mirror) index(id string) int {
	return slices.IndexFunc(m.rows, func(r flowbus.Row) bool { return r.ID == id })
}

// put puts a row behind another.
func (m *mirror) put(row flowbus.Row, after string) error {
	i := 0
	if after != "" {
		if i = m.index(after) + 1; i == 0 {
			return fmt.Errorf("there is no block %s to stand behind", after)
		}
	}
	m.rows = slices.Insert(m.rows, i, row)
	return nil
}

// apply does what an event says, and refuses what cannot be.
func (m *mirror) apply(e flowbus.Event) error {
	switch d := e.Data.(type) {
	case *flowbus.Titled:
		m.title = d.Title
	case *flowbus.Inserted:
		if m.index(e.Block) >= 0 {
			return fmt.Errorf("block %s is there already", e.Block)
		}
		return m.put(d.Row, d.After)
	}
	if e.Block == "" {
		return nil
	}
	i := m.index(e.Block)
	if i < 0 {
		return fmt.Errorf("%s: there is no block %s", e.Kind, e.Block)
	}
	row := &m.rows[i]
	switch d := e.Data.(type) {
	case *flowbus.Text:
		text := []rune(row.Content)
		for _, s := range d.Splices {
			if s.Pos+s.Del > len(text) {
				return fmt.Errorf("splice %+v is beyond the end", s)
			}
			text = slices.Concat(text[:s.Pos], []rune(s.Ins), text[s.Pos+s.Del:])
		}
		if len(text) != d.Length {
			return fmt.Errorf("the text has %d characters, want %d", len(text), d.Length)
		}
		row.Content = string(text)
	case *flowbus.Status:
		row.Status = d.Status
	case *flowbus.Meta:
		row.Kind, row.Role, row.Form, row.Meta = d.Kind, d.Role, d.Form, d.Meta
	case *flowbus.Flags:
		row.Collapsed, row.Excluded, row.Ephemeral = d.Collapsed, d.Excluded, d.Ephemeral
	case *flowbus.Moved:
		moved := *row
		moved.Parent, moved.Depth = d.Parent, d.Depth
		m.rows = slices.Delete(m.rows, i, i+1)
		return m.put(moved, d.After)
	case *flowbus.Nothing:
		if e.Kind == flowbus.BlockDeleted {
			m.rows = slices.Delete(m.rows, i, i+1)
		}
	}
	return nil
}
