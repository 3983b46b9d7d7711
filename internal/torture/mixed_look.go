package torture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
)

// look records what a node has of a context: what it lists, what its changes up
// to the same heads add up to, and what it exports.
func (m *mixed) look(ctx context.Context, n *node, t *target, final bool) error {
	if m.opt.rival != nil {
		return m.lookRival(ctx, n, t, final)
	}
	m.lookMu.Lock()
	defer m.lookMu.Unlock()
	began := time.Now()
	st, err := n.api().context(ctx, t.id)
	if err != nil {
		return fmt.Errorf("node %s: %w", n.name, err)
	}
	exporting := time.Now()
	changes, err := n.api().export(ctx, t.doc)
	if err != nil {
		return fmt.Errorf("node %s: %w", n.name, err)
	}
	m.noteShown(n, t, st, changes)
	m.noteHas(n, t, changes, final, time.Since(exporting))
	if took := time.Since(began); took > 5*time.Second {
		m.say("    a look at context %s at node %s took %s", t.id, n.name, took.Round(time.Millisecond))
	}
	return nil
}

func (m *mixed) noteShown(n *node, t *target, st state, changes []*amfile.Change) {
	e := Entry{Says: saysShows, Node: n.name, Doc: t.id, N: int(st.Version), Digest: digest(st.Blocks)}
	slices.Sort(st.Heads)
	sum := sha256.Sum256([]byte(strings.Join(st.Heads, ",")))
	e.Heads = hex.EncodeToString(sum[:8])
	rows, err := replay(changes, st.Heads)
	if err != nil {
		e.Want, e.What = "?", err.Error()
	} else if e.Want = digest(rows); e.Want != e.Digest {
		e.What = (&mirror{rows: st.Blocks}).difference(rows)
	}
	m.h.note(e)
}

// noteHas records what a node exports, as what is new and what is gone since
// the last time.
func (m *mixed) noteHas(n *node, t *target, changes []*amfile.Change, final bool, took time.Duration) {
	at := place{n.name, t.id}
	before, now := m.recorded[at], make(map[string]bool, len(changes))
	e := Entry{Says: saysHas, Node: n.name, Doc: t.id, Final: final, N: len(changes), Ms: millis(took)}
	for _, c := range changes {
		h := short(c.Hash)
		if now[h] = true; !before[h] {
			e.Add = append(e.Add, h)
		}
	}
	for h := range before {
		if !now[h] {
			e.Gone = append(e.Gone, h)
		}
	}
	m.recorded[at] = now
	m.h.note(e)
}

// lookAll looks at every context at a node, until it answers or ctx ends.
func (m *mixed) lookAll(ctx context.Context, n *node, final bool) error {
	for _, t := range m.docs {
		err := m.await(ctx, "node "+n.name+" shows context "+t.id, func() error { return m.look(ctx, n, t, final) })
		if err != nil {
			return err
		}
	}
	return nil
}

// replay makes the blocks that changes up to heads add up to.
func replay(changes []*amfile.Change, heads []string) ([]row, error) {
	byHash := make(map[string]*amfile.Change, len(changes))
	for _, c := range changes {
		byHash[c.Hash.String()] = c
	}
	in := make(map[kaijutsu.ChangeHash]bool)
	var todo []*amfile.Change
	for _, h := range heads {
		c := byHash[h]
		if c == nil {
			return nil, fmt.Errorf("the head %s that it lists is not in what it exports: %w", h, kaijutsu.ErrNotFound)
		}
		todo = append(todo, c)
	}
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if in[c.Hash] {
			continue
		}
		in[c.Hash] = true
		for _, h := range c.Deps {
			d := byHash[h.String()]
			if d == nil {
				return nil, fmt.Errorf("it exports %s without what that rests on, %s: %w", c.Hash, h, kaijutsu.ErrNotFound)
			}
			todo = append(todo, d)
		}
	}
	model := blocks.NewModel()
	for _, c := range changes {
		if in[c.Hash] {
			model.Apply(c)
		}
	}
	return rowsOf(model.Blocks()), nil
}

// rowsOf returns blocks as operations list them.
func rowsOf(list []blocks.Block) []row {
	rows := make([]row, len(list))
	for i, b := range list {
		rows[i] = row{
			ID: string(b.ID), Kind: string(b.Kind), Role: string(b.Role), Status: string(b.Status), Parent: string(b.Parent),
			Depth: b.Depth, Form: string(b.Form), Content: b.Content, Meta: b.Meta,
			Deleted: b.Deleted, Collapsed: b.Collapsed, Excluded: b.Excluded, Ephemeral: b.Ephemeral,
		}
	}
	return rows
}

// digest is a short name for a list of blocks, the same for the same lists.
func digest(rows []row) string {
	h := sha256.New()
	w := json.NewEncoder(h)
	for _, r := range rows {
		_ = w.Encode(r) // to a hash of what has no channels
	}
	return fmt.Sprintf("%d blocks %x", len(rows), h.Sum(nil)[:6])
}

// noteTexts records who a node blames for the texts of a context.
func (m *mixed) noteTexts(ctx context.Context, n *node, t *target) error {
	for _, id := range t.texts {
		var out struct {
			Runs []struct{ Text, Author, Via string }
		}
		if err := n.api().call(ctx, "block_blame", map[string]any{"context": t.id, "block_id": id}, &out); err != nil {
			return fmt.Errorf("node %s: %w", n.name, err)
		}
		e := Entry{Says: saysText, Node: n.name, Doc: t.id, What: string(id)}
		for _, run := range out.Runs {
			if last := len(e.Runs) - 1; last >= 0 && e.Runs[last].By == run.Author && e.Runs[last].Via == run.Via {
				e.Runs[last].Text += run.Text
				continue
			}
			e.Runs = append(e.Runs, byWhom{run.Author, run.Via, run.Text})
		}
		m.h.note(e)
	}
	return nil
}
