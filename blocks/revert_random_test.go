package blocks

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// graphLog is the history of a graph.
type graphLog struct{ *changegraph.Graph }

func (l graphLog) Change(i int) (*amfile.Change, error) { return amfile.DecodeChange(l.Raw(i)) }

// say makes a change with a message.
func (p *pair) say(message string, f func(*Tx) error) ([]byte, error) {
	p.t.Helper()
	opt := p.options()
	opt.Message = message
	c, err := p.model.Commit(opt, f)
	if c == nil {
		return nil, err
	}
	p.receive(c.Raw)
	return c.Raw, err
}

// undo takes a unit back.
func (p *pair) undo(unit ...kaijutsu.ChangeHash) error {
	p.t.Helper()
	message := UndoMessage
	for _, h := range unit {
		message += " " + h.String()
	}
	_, err := p.say(message, func(tx *Tx) error { return tx.Revert(graphLog{p.graph}, unit) })
	return err
}

// pull takes in what another replica has.
func (p *pair) pull(from *pair) {
	p.t.Helper()
	for _, raw := range from.raws {
		if h := must(amfile.DecodeHeader(raw)).Hash; !p.graph.Has(h) {
			p.receive(raw)
		}
	}
}

// edit makes a random change, which may come to nothing.
func (p *pair) edit(rng *rand.Rand) {
	p.t.Helper()
	var ids []ID
	for id := range p.model.blocks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	words := []string{"a", "é", "😀", "word", "line\n", "two\nlines\n", "abcabc"}
	word := func() string { return words[rng.Intn(len(words))] }
	var steps []func(tx *Tx) error
	for range 1 + rng.Intn(3) {
		if len(ids) == 0 || rng.Intn(8) == 0 {
			spec := BlockSpec{ID: NewID(p.now), Content: word() + word()}
			if len(ids) > 0 && rng.Intn(2) == 0 {
				spec.Parent = ids[rng.Intn(len(ids))]
			}
			switch rng.Intn(3) {
			case 0:
				spec.Role = RoleModel
			case 1:
				spec.Role, spec.Status = RoleModel, StatusRunning
			}
			steps = append(steps, func(tx *Tx) error { return tx.InsertBlock(spec) })
			ids = append(ids, spec.ID)
			continue
		}
		id, other := ids[rng.Intn(len(ids))], ids[rng.Intn(len(ids))]
		if rng.Intn(2) == 0 {
			id = ids[rng.Intn(min(3, len(ids)))]
		}
		b, _ := p.model.Block(id)
		n := len([]rune(b.Content))
		pos := rng.Intn(n + 1)
		del, s := rng.Intn(min(n-pos, 8)+1), word()
		on := rng.Intn(2) == 0
		steps = append(steps, []func(tx *Tx) error{
			func(tx *Tx) error { return tx.AppendText(id, s) },
			func(tx *Tx) error { return tx.SpliceText(id, pos, del, s) },
			func(tx *Tx) error { return tx.SpliceText(id, pos, del, "") },
			func(tx *Tx) error { return tx.SpliceText(id, pos, 0, s) },
			func(tx *Tx) error { return tx.ReplaceText(id, s+b.Content[:len(b.Content)/2]) },
			func(tx *Tx) error { return tx.SetStatus(id, StatusDone) },
			func(tx *Tx) error { return tx.Move(id, other, Last()) },
			func(tx *Tx) error { return tx.Move(id, "", First()) },
			func(tx *Tx) error { return tx.SetFlag(id, FlagCollapsed, on) },
			func(tx *Tx) error { return tx.SetMeta(id, `{"a":"`+strings.TrimSpace(s)+`"}`) },
			func(tx *Tx) error { return tx.Delete(id) },
			func(tx *Tx) error { return tx.Restore(id) },
			func(tx *Tx) error { return tx.Thaw(id) },
			func(tx *Tx) error { return tx.SetTitle(s) },
		}[rng.Intn(14)])
	}
	p.now = p.now.Add(time.Duration(rng.Intn(6)) * time.Second)
	_, _ = p.say("op:test", func(tx *Tx) error {
		for _, step := range steps {
			_ = step(tx) // some are refused
		}
		return nil
	})
}

// state is all that shows, and what is deleted too.
func (p *pair) state() map[ID]Block {
	all := make(map[ID]Block)
	for id := range p.model.blocks {
		all[id], _ = p.model.Block(id)
	}
	all[""] = Block{Content: p.model.Title()}
	return all
}

// diffStates says how two states differ, leaving out blocks that one of them
// has not and that are deleted.
func diffStates(got, want map[ID]Block) string {
	var out []string
	circle := false // one was made by merging, and is not made again
	for _, w := range want {
		circle = circle || w.Depth == 0 && w.Parent != ""
	}
	for id, w := range want {
		g, ok := got[id]
		if circle {
			g.Parent, g.Order, g.Depth = w.Parent, w.Order, w.Depth
		}
		if !ok && !w.Deleted || ok && g != w {
			out = append(out, fmt.Sprintf("block %s: %+v\n want %+v", id, g, w))
		}
	}
	for id, g := range got {
		if _, ok := want[id]; !ok && !g.Deleted {
			out = append(out, fmt.Sprintf("block %s: %+v\n want none", id, g))
		}
	}
	return strings.Join(out, "\n")
}

// charsOf returns, of each block, the characters that other actors wrote.
func (p *pair) charsOf(not kaijutsu.ActorID) map[ID]string {
	p.t.Helper()
	out := make(map[ID]string)
	for id := range p.model.blocks {
		b, _ := p.model.Block(id)
		runs, err := p.model.Blame(id, graphLog{p.graph})
		if err != nil {
			p.t.Fatal(err)
		}
		content := []rune(b.Content)
		for _, r := range runs {
			if r.Actor != not {
				out[id] += string(content[r.Start : r.Start+r.Len])
			}
		}
	}
	return out
}

// TestRevertOfRandomWork takes back the last unit of one of three replicas,
// and takes that back in turn.
func TestRevertOfRandomWork(t *testing.T) {
	counts := make(map[string]int)
	for seed := range envInt("KJ_ROUNDS", 60) {
		seed += envInt("KJ_SEED", 0)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(seed)))
			peers := []*pair{newPair(t, "amy."), newPair(t, "ben."), newPair(t, "cleo")}
			for step := range 60 {
				p := peers[rng.Intn(3)]
				if rng.Intn(3) == 0 {
					p.pull(peers[rng.Intn(3)])
				}
				p.edit(rng)
				if step < 10 || rng.Intn(3) > 0 {
					continue
				}
				p = peers[0]
				p.pull(peers[1])
				p.pull(peers[2])
				skip := rng.Intn(3) / 2
				unit, err := LastUnit(graphLog{p.graph}, func(a kaijutsu.ActorID) bool { return a == p.actor }, skip)
				if errors.Is(err, kaijutsu.ErrNotFound) {
					continue
				}
				before, chars := p.state(), p.charsOf(p.actor)
				conflicts := make(map[ID]bool) // of contents
				for id, b := range p.model.blocks {
					for i := range b.fields {
						conflicts[id] = conflicts[id] || i > 0 && b.fields[i].field == b.fields[i-1].field && b.fields[i].field.holdsContent()
					}
				}
				alone := p.number(unit[len(unit)-1]) == p.graph.Len()-1 && len(p.graph.Heads()) == 1 && len(unit) == 1
				first := must(graphLog{p.graph}.Change(p.number(unit[0])))
				past := must(ModelAt(graphLog{p.graph}, kaijutsu.NewHeads(first.Deps...)))
				err = p.undo(unit...)
				if errors.Is(err, kaijutsu.ErrConflict) {
					counts["nothing left"]++
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				checkModel(t, p.model)
				for id, now := range p.charsOf(p.actor) {
					if b := p.block(id); b.Form != before[id].Form || conflicts[id] || Undone(first.Message) != nil {
						continue // what was written into the form that gave way does not show; what an undo brought back goes again
					}
					if !isSubsequence(chars[id], now) {
						t.Fatalf("step %d: block %s: of others' %q is left %q\nbefore %+v\nafter  %+v", step, id, chars[id], now, before[id], p.block(id))
					}
				}
				for id, b := range p.state() {
					if _, ok := past.Block(id); !ok && id != "" && b.Deleted && !before[id].Deleted && chars[id] != "" {
						t.Fatalf("step %d: block %s, into which others have written %q, is deleted", step, id, chars[id])
					}
				}
				if alone {
					counts["alone"]++
					was := &pair{t: t, model: past}
					if diff := diffStates(p.state(), was.state()); diff != "" {
						t.Fatalf("step %d: after the undo of the last change:\n%s", step, diff)
					}
				}
				if rng.Intn(2) == 0 {
					continue
				}
				counts["again"]++
				heads := p.graph.Heads()
				if err := p.undo(heads[0]); err != nil {
					t.Fatalf("step %d: undo of the undo: %v", step, err)
				}
				if diff := diffStates(p.state(), before); diff != "" {
					t.Fatalf("step %d: after the undo of the undo:\n%s", step, diff)
				}
			}
		})
	}
	t.Log(counts)
}

func isSubsequence(part, whole string) bool {
	rest := []rune(part)
	for _, r := range whole {
		if len(rest) > 0 && rest[0] == r {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// number returns the number of a change in the log.
func (p *pair) number(h kaijutsu.ChangeHash) int {
	i, ok := p.graph.Index(h)
	if !ok {
		p.t.Fatalf("no change %v", h)
	}
	return i
}
