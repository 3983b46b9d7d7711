package repo

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// FuzzHostileChanges gives a context with something of everything in it the
// changes of a stranger, each with its length before it and its checksum put
// right: the graph takes some, the model is what it would be after a restart,
// and whoever edits the blocks then is answered.
func FuzzHostileChanges(f *testing.F) {
	history, more := storyOfAll(f)
	for from := range more {
		var b []byte
		for _, c := range more[from:] {
			b = append(binary.LittleEndian.AppendUint16(b, uint16(len(c.Raw)-chunkHead(c.Raw))), c.Raw[chunkHead(c.Raw):]...)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		g, m := changegraph.New(), blocks.NewModel()
		changes := slices.Clone(history)
		for _, c := range history {
			if err := g.RestoreChange(c); err != nil {
				t.Fatal(err)
			}
			m.Apply(c)
		}
		for range 12 {
			if len(input) < 2 {
				break
			}
			n := min(int(binary.LittleEndian.Uint16(input)), len(input)-2)
			c, err := amfile.DecodeChange(chunkOf(input[2 : 2+n]))
			input = input[2+n:]
			if err != nil {
				continue
			}
			added, _ := g.Add(c)
			for i, c := range added {
				if i%2 == 0 {
					m.Apply(c)
				} else {
					m.Trace(c)
				}
			}
			changes = append(changes, added...)
		}
		sameAfterRestart(t, changes, m)
		editAll(t, g, m)
	})
}

// sameAfterRestart demands that a model is the one that the changes make when
// they come from a snapshot.
func sameAfterRestart(t *testing.T, changes []*amfile.Change, m *blocks.Model) {
	t.Helper()
	chunk, err := amfile.EncodeDocument(changes)
	if err != nil {
		t.Fatalf("the document cannot be saved: %v", err)
	}
	saved, err := amfile.DecodeDocument(chunk)
	if err != nil {
		t.Fatalf("what was saved cannot be loaded: %v", err)
	}
	again := blocks.NewModel()
	for _, c := range saved {
		again.Apply(c)
	}
	if got, want := slices.Collect(m.Everything()), slices.Collect(again.Everything()); !reflect.DeepEqual(got, want) {
		t.Fatalf("blocks\n%v\nafter a restart\n%v", got, want)
	}
	if got, want := m.Blocks(), again.Blocks(); !reflect.DeepEqual(got, want) {
		t.Fatalf("texts\n%v\nafter a restart\n%v", got, want)
	}
	if m.Title() != again.Title() {
		t.Fatalf("title %q, after a restart %q", m.Title(), again.Title())
	}
}

// editAll edits every block. What an edit makes, the graph takes.
func editAll(t *testing.T, g *changegraph.Graph, m *blocks.Model) {
	t.Helper()
	actor := kaijutsu.ActorID("an honest actor.")
	for _, b := range m.Blocks() {
		for _, edit := range []func(*blocks.Tx) error{
			func(tx *blocks.Tx) error { return tx.ReplaceText(b.ID, b.Content+" and more") },
			func(tx *blocks.Tx) error {
				return tx.Move(b.ID, "", blocks.Position{})
			},
			func(tx *blocks.Tx) error { return tx.SetStatus(b.ID, blocks.StatusDone) },
			func(tx *blocks.Tx) error { return tx.SetMeta(b.ID, `{"lang":"go"}`) },
			func(tx *blocks.Tx) error { return tx.Delete(b.ID) },
		} {
			opt := blocks.CommitOptions{Actor: actor, Seq: g.NextSeq(actor), StartOp: g.MaxOp() + 1, Deps: g.Heads(), Time: time.Unix(1_790_000_000, 0)}
			c, err := m.Commit(opt, edit)
			if err != nil || c == nil {
				continue
			}
			if added, err := g.Add(c); err != nil || len(added) != 1 {
				t.Fatalf("the graph took %d changes of an edit of block %s: %v", len(added), b.ID, err)
			}
			m.Apply(c)
		}
	}
}

// storyOfAll returns a history with blocks in every form, and changes that go
// on from it.
func storyOfAll(t testing.TB) (history, more []*amfile.Change) {
	genesis := blocks.Genesis()
	m := blocks.NewModel()
	m.Apply(genesis)
	all := []*amfile.Change{genesis}
	now := time.Unix(1_780_000_000, 0)
	actors := []kaijutsu.ActorID{"first actor.....", "second actor...."}
	id := func(n int) blocks.ID {
		return blocks.ID(fmt.Sprintf("01900000-0000-7000-8000-%012d", n))
	}
	text, record, stream, call := id(1), id(2), id(3), id(4)
	steps := []func(*blocks.Tx) error{
		func(tx *blocks.Tx) error { return tx.SetTitle("A story") },
		func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: text, Content: "one\ntwo 😀\nthree"})
		},
		func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: record, Kind: blocks.KindResource, Role: blocks.RoleSystem, Status: blocks.StatusDone, Content: "a record"})
		},
		func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: stream, Role: blocks.RoleModel, Status: blocks.StatusRunning, Parent: text})
		},
		func(tx *blocks.Tx) error { return tx.AppendText(stream, "Hel") },
		func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: call, Kind: blocks.KindToolCall, Role: blocks.RoleModel, Status: blocks.StatusRunning, Meta: `{"tool_name":"ls","tool_call_id":"c1"}`, Content: "{}"})
		},
		func(tx *blocks.Tx) error { return tx.SpliceText(text, 4, 3, "zwei") },
		func(tx *blocks.Tx) error { return tx.Thaw(record) },
		// From here on the changes of the stranger.
		func(tx *blocks.Tx) error { return tx.SpliceText(text, 0, 2, "an") },
		func(tx *blocks.Tx) error { return tx.AppendText(stream, "lo") },
		func(tx *blocks.Tx) error { return tx.Move(record, text, blocks.Position{}) },
		func(tx *blocks.Tx) error { return tx.SetStatus(stream, blocks.StatusDone) },
		func(tx *blocks.Tx) error { return tx.SetFlag(call, blocks.FlagCollapsed, true) },
		func(tx *blocks.Tx) error { return tx.Delete(text) },
		func(tx *blocks.Tx) error { return tx.Restore(text) },
		func(tx *blocks.Tx) error { return tx.SetTitle("Another") },
		func(tx *blocks.Tx) error { return tx.ReplaceText(record, "something else") },
	}
	for i, step := range steps {
		c, err := m.Commit(blocks.CommitOptions{Actor: actors[i%2], Time: now, Deps: []kaijutsu.ChangeHash{all[len(all)-1].Hash}}, step)
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		m.Apply(c)
		all = append(all, c)
	}
	return all[:9], all[9:]
}

// chunkHead returns the length of a chunk's magic, checksum, type and length.
func chunkHead(raw []byte) int {
	_, n := binary.Uvarint(raw[9:])
	return 9 + n
}

// chunkOf makes a change chunk of its body.
func chunkOf(body []byte) []byte {
	hashed := append(binary.AppendUvarint([]byte{byte(amfile.ChunkChange)}, uint64(len(body))), body...)
	sum := sha256.Sum256(hashed)
	return slices.Concat([]byte{0x85, 0x6f, 0x4a, 0x83}, sum[:4], hashed)
}
