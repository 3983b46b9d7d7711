package blocks

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// jsBlock is a block as testdata/view.mjs sees it.
type jsBlock struct {
	ID, Kind, Role, Status, Parent, Order, Form, Content, Meta string
	Deleted, Collapsed, Excluded, Ephemeral                    bool
}

type jsView struct {
	IsContext bool
	Title     string
	Blocks    map[string]jsBlock
	Rows      []struct {
		ID    string
		Depth int
	}
}

type jsHistory struct {
	Changes []string
	View    jsView
	changes []*amfile.Change
}

// histories returns random histories of contexts made by the npm package.
func histories(t testing.TB, seed, count, steps int) []jsHistory {
	t.Helper()
	view, err := filepath.Abs("testdata/view.mjs")
	if err != nil {
		t.Fatal(err)
	}
	options := fmt.Sprintf(`{"seed":%d,"count":%d,"steps":%d,"genesis":%q,"view":%q}`, seed, count, steps, genesisBase64, view)
	out := runNode(t, readFile(t, "testdata/histories.mjs"), "HISTORIES="+options)
	var all []jsHistory
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		var h jsHistory
		if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
			t.Fatal(err)
		}
		for i, text := range h.Changes {
			raw, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			c, err := amfile.DecodeChange(raw)
			if err != nil {
				t.Fatalf("change %d of history %d: %v", i, len(all), err)
			}
			h.changes = append(h.changes, c)
		}
		all = append(all, h)
	}
	if len(all) != count {
		t.Fatalf("got %d histories, want %d", len(all), count)
	}
	return all
}

// asJS returns a block as testdata/view.mjs shows it.
func asJS(b Block) jsBlock {
	return jsBlock{
		ID: string(b.ID), Kind: string(b.Kind), Role: string(b.Role), Status: string(b.Status), Parent: string(b.Parent),
		Order: b.Order, Form: string(b.Form), Content: b.Content, Meta: b.Meta,
		Deleted: b.Deleted, Collapsed: b.Collapsed, Excluded: b.Excluded, Ephemeral: b.Ephemeral,
	}
}

// historySizes are the histories of one round.
var historySizes = []struct{ count, steps int }{{40, 12}, {20, 60}, {1, 400}}

// made keeps histories: two tests replay the same ones.
var made = make(map[int][]jsHistory)

// rounds calls f with each history of a few rounds; KJ_SEED and KJ_ROUNDS make
// other and longer runs.
func rounds(t *testing.T, f func(t *testing.T, h jsHistory)) {
	first := envInt("KJ_SEED", 1)
	for seed := first; seed < first+envInt("KJ_ROUNDS", 1); seed++ {
		if made[seed] == nil {
			for _, size := range historySizes {
				made[seed] = append(made[seed], histories(t, seed, size.count, size.steps)...)
			}
		}
		for i, h := range made[seed] {
			t.Run(fmt.Sprintf("seed %d, history %d", seed, i), func(t *testing.T) { f(t, h) })
		}
	}
}

// compareView holds a model against what JavaScript sees.
func compareView(t *testing.T, m *Model, want jsView) {
	t.Helper()
	if m.IsContext() != want.IsContext || m.Title() != want.Title {
		t.Errorf("IsContext, Title = %v, %q, want %v, %q", m.IsContext(), m.Title(), want.IsContext, want.Title)
	}
	if len(m.blocks) != len(want.Blocks) {
		t.Errorf("%d blocks exist, want %d", len(m.blocks), len(want.Blocks))
	}
	for id, w := range want.Blocks {
		b, ok := m.Block(ID(id))
		if got := asJS(b); !ok || got != w {
			t.Errorf("Block(%s) = %+v, %v\nwant %+v", id, got, ok, w)
		}
	}
	got := m.Blocks()
	if len(got) != len(want.Rows) || m.Len() != len(got) {
		t.Fatalf("Blocks() returns %d, Len() %d, want %d", len(got), m.Len(), len(want.Rows))
	}
	for i, w := range want.Rows {
		if string(got[i].ID) != w.ID || got[i].Depth != w.Depth {
			t.Fatalf("Blocks()[%d] = %s at depth %d, want %s at depth %d", i, got[i].ID, got[i].Depth, w.ID, w.Depth)
		}
	}
}

// envInt returns a number from the environment, for longer runs by hand.
func envInt(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func TestModelShowsWhatJavaScriptShows(t *testing.T) {
	rounds(t, func(t *testing.T, h jsHistory) {
		m := NewModel()
		for _, c := range h.changes {
			m.Apply(c)
		}
		compareView(t, m, h.View)
		checkModel(t, m)

		rng := rand.New(rand.NewSource(1))
		m = NewModel()
		for _, c := range shuffled(rng, h.changes) {
			m.Apply(c)
			if rng.Intn(4) == 0 {
				m.Blocks() // reading in between changes nothing
			}
		}
		compareView(t, m, h.View)
		checkModel(t, m)
	})
}

// shuffled returns changes in another order in which each comes after those it
// depends on.
func shuffled(rng *rand.Rand, changes []*amfile.Change) []*amfile.Change {
	var out []*amfile.Change
	done := make(map[kaijutsu.ChangeHash]bool)
	waiting := append([]*amfile.Change(nil), changes...)
	for len(waiting) > 0 {
		var ready []int
		for i, c := range waiting {
			ok := true
			for _, d := range c.Deps {
				ok = ok && done[d]
			}
			if ok {
				ready = append(ready, i)
			}
		}
		i := ready[rng.Intn(len(ready))]
		out = append(out, waiting[i])
		done[waiting[i].Hash] = true
		waiting = append(waiting[:i], waiting[i+1:]...)
	}
	return out
}

// gravesIn returns how many elements graves are of.
func gravesIn(graves string) (n uint32) {
	for graves != "" {
		var g grave
		g, graves = nextGrave(graves)
		n += g.n
	}
	return n
}

// checkModel looks for what must never be in a model.
func checkModel(t testing.TB, m *Model) {
	t.Helper()
	for id, o := range m.objects {
		s, ok := o.(*sequence)
		if !ok {
			continue
		}
		n := 0
		var prev *span
		for sp := s.first; sp != nil; prev, sp = sp, sp.next {
			n++
			if sp.prev != prev {
				t.Fatalf("sequence %v: span %v has the wrong neighbour in front", id, sp.id)
			}
			if sp.n == 0 || sp.kind == spanDeleted && gravesIn(sp.text) != sp.n {
				t.Fatalf("sequence %v: span %v of %d elements, kind %d, holds %q", id, sp.id, sp.n, sp.kind, sp.text)
			}
			if f, _, ok := s.find(sp.id); !ok || f != sp {
				t.Fatalf("sequence %v: span %v is not in the index", id, sp.id)
			}
		}
		if n != len(s.index) {
			t.Fatalf("sequence %v: %d spans, %d in the index", id, n, len(s.index))
		}
	}
	placed := 0
	for parent, list := range m.tree.children {
		placed += len(list)
		for i, b := range list {
			if b.parent != parent || m.blocks[b.key] != b || i > 0 && bySibling(list[i-1], b) >= 0 {
				t.Fatalf("block %s stands wrong below %q", b.key, parent)
			}
		}
		_, missing := m.tree.missing[parent]
		if want := parent != "" && m.blocks[parent] == nil; missing != want {
			t.Fatalf("parent %s missing = %v, want %v", parent, missing, want)
		}
	}
	if placed != len(m.blocks) || len(m.tree.missing) > len(m.tree.children) {
		t.Fatalf("%d blocks stand in the tree, want %d", placed, len(m.blocks))
	}
	if m.size < 0 {
		t.Fatalf("Bytes() = %d", m.size)
	}
}

// TestDeltaNamesWhatChanged holds each delta against the blocks before and
// after the change.
func TestDeltaNamesWhatChanged(t *testing.T) {
	rounds(t, func(t *testing.T, h jsHistory) {
		m := NewModel()
		before := make(map[ID]Block)
		for n, c := range h.changes {
			title := m.Title()
			delta := m.Apply(c)
			if delta.Change != c.Hash || delta.Actor != c.Author() || delta.Time.Unix() != c.Time {
				t.Fatalf("change %d: delta of %v by %v at %v", n, delta.Change, delta.Actor, delta.Time)
			}
			if m.Title() != title && !delta.Title {
				t.Fatalf("change %d: the title changed unnoticed", n)
			}
			now := make(map[ID]Block)
			for id := range m.blocks {
				now[id], _ = m.Block(id)
			}
			how := make(map[ID]Touch)
			for _, b := range delta.Blocks {
				how[b.ID] = b.How
			}
			for id := range before {
				checkTouch(t, n, id, before, now, how[id])
			}
			for id := range now {
				checkTouch(t, n, id, before, now, how[id])
			}
			before = now
		}
	})
}

// checkTouch holds what a delta says of a block against what became of it.
func checkTouch(t *testing.T, n int, id ID, before, now map[ID]Block, got Touch) {
	t.Helper()
	a, was := before[id]
	b, is := now[id]
	var want Touch
	switch {
	case !was:
		want = TouchInserted
	case !is:
		want = TouchDeleted
	default:
		want = tombstone(a.Deleted, b.Deleted)
		for touch, changed := range map[Touch]bool{
			TouchContent: a.Content != b.Content || a.Form != b.Form,
			TouchStatus:  a.Status != b.Status,
			TouchMoved:   a.Parent != b.Parent || a.Order != b.Order,
			TouchMeta:    a.Meta != b.Meta || a.Kind != b.Kind || a.Role != b.Role,
			TouchFlags:   a.Collapsed != b.Collapsed || a.Excluded != b.Excluded || a.Ephemeral != b.Ephemeral,
		} {
			if changed {
				want |= touch
			}
		}
	}
	exact := TouchInserted | TouchDeleted | TouchRestored
	if got&want != want || got&exact != want&exact || got&touchTombstone != 0 {
		t.Fatalf("change %d: block %s: delta says %q, want %q\nbefore %+v\nafter  %+v", n, id, got, want, a, b)
	}
}
