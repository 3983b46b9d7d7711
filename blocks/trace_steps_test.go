package blocks

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// brief writes steps as a reader would tell them; blocks by the last digit of
// their id.
func brief(steps []Step) string {
	var out []string
	name := func(id ID) string {
		if id == "" {
			return "-"
		}
		return strings.TrimLeft(string(id)[len(id)-3:], "0")
	}
	for _, s := range steps {
		text := name(s.ID)
		switch s.Kind {
		case StepInserted:
			text += fmt.Sprintf(" inserted after %s at depth %d: %q", name(s.After), s.Block.Depth, s.Block.Content)
			if s.Restored {
				text += " again"
			}
		case StepMoved:
			text += fmt.Sprintf(" moved after %s below %s at depth %d", name(s.After), name(s.Parent), s.Depth)
		case StepDeleted:
			text += " deleted"
		case StepText:
			text += " text"
			for _, p := range s.Splices {
				text += fmt.Sprintf(" %d-%d+%q", p.Pos, p.Del, p.Ins)
			}
			text += fmt.Sprintf(" of %d", s.Length)
		case StepStatus:
			text += " status " + string(s.Status)
		case StepMeta:
			text += fmt.Sprintf(" meta %s %s %s %s", s.BlockKind, s.Role, s.Form, s.Meta)
		case StepFlags:
			text += fmt.Sprintf(" flags %v %v %v", s.Collapsed, s.Excluded, s.Ephemeral)
		case StepTitle:
			text = fmt.Sprintf("title %q", s.Title)
		case StepContext:
			text = "context " + s.Context.String()
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// TestStepsAreTheFewest holds the steps of changes that editors make, one after
// the other, against what a reader would say of them.
func TestStepsAreTheFewest(t *testing.T) {
	id := testID
	insert := func(n, parent int, spec BlockSpec) func(tx *Tx) error {
		return func(tx *Tx) error {
			spec.ID = id(n)
			if parent > 0 {
				spec.Parent = id(parent)
			}
			return tx.InsertBlock(spec)
		}
	}
	tests := []struct {
		name string
		do   func(tx *Tx) error
		want string
	}{
		{"the first block", insert(1, 0, BlockSpec{Content: "héllo"}), `1 inserted after - at depth 0: "héllo"`},
		{"one behind it", insert(2, 0, BlockSpec{Content: "two"}), `2 inserted after 1 at depth 0: "two"`},
		{"one below the first", insert(3, 1, BlockSpec{Content: "three"}), `3 inserted after 1 at depth 1: "three"`},
		{"one below that", insert(4, 3, BlockSpec{}), `4 inserted after 3 at depth 2: ""`},
		{"a stream", insert(5, 0, BlockSpec{Form: FormChunks, Role: RoleModel, Status: StatusRunning}), `5 inserted after 2 at depth 0: ""`},
		{"a word typed", func(tx *Tx) error { return tx.SpliceText(id(1), 5, 0, " wörld") }, `1 text 5-0+" wörld" of 11`},
		{"a letter replaced", func(tx *Tx) error { return tx.SpliceText(id(1), 1, 1, "e") }, `1 text 1-1+"e" of 11`},
		{"replaced by the same", func(tx *Tx) error { return tx.SpliceText(id(1), 1, 3, "ell") }, ``},
		{"partly the same", func(tx *Tx) error { return tx.SpliceText(id(1), 1, 3, "e😀l") }, `1 text 2-1+"😀" of 11`},
		{"in two places", func(tx *Tx) error {
			if err := tx.SpliceText(id(1), 11, 0, "!"); err != nil {
				return err
			}
			return tx.SpliceText(id(1), 0, 1, "")
		}, `1 text 0-1+"" 10-0+"!" of 11`},
		{"typed and taken back", func(tx *Tx) error {
			if err := tx.SpliceText(id(1), 3, 0, "abc"); err != nil {
				return err
			}
			return tx.SpliceText(id(1), 3, 3, "")
		}, ``},
		{"there and back in two places", func(tx *Tx) error {
			if err := tx.SpliceText(id(2), 0, 1, ""); err != nil {
				return err
			}
			return tx.SpliceText(id(2), 0, 0, "t")
		}, ``},
		{"a chunk", func(tx *Tx) error { return tx.AppendText(id(5), "ab ") }, `5 text 0-0+"ab " of 3`},
		{"another chunk", func(tx *Tx) error { return tx.AppendText(id(5), "é") }, `5 text 3-0+"é" of 4`},
		{"the stream's end", func(tx *Tx) error { return tx.SetStatus(id(5), StatusDone) }, `5 status done; 5 meta text model body `},
		{"a record edited", func(tx *Tx) error { return tx.SpliceText(id(5), 1, 1, "B") }, `5 text 1-1+"B" of 4; 5 meta text model text `},
		{"meta", func(tx *Tx) error { return tx.SetMeta(id(2), `{"a":1}`) }, `2 meta text user text {"a":1}`},
		{"a flag", func(tx *Tx) error { return tx.SetFlag(id(2), FlagCollapsed, true) }, `2 flags true false false`},
		{"a title", func(tx *Tx) error { return tx.SetTitle("news") }, `title "news"`},
		{"a move that leads nowhere", func(tx *Tx) error { return tx.Move(id(2), "", After(id(1))) }, ``},
		{"a move", func(tx *Tx) error { return tx.Move(id(2), "", Position{}) }, `2 moved after 5 below - at depth 0`},
		{"a move with what is below", func(tx *Tx) error { return tx.Move(id(3), id(2), Position{}) },
			`3 moved after 2 below 2 at depth 1; 4 moved after 3 below 3 at depth 2`},
		{"typing below a parent", func(tx *Tx) error { return tx.SpliceText(id(4), 0, 0, "four") }, `4 text 0-0+"four" of 4`},
		{"a deletion", func(tx *Tx) error { return tx.Delete(id(2)) }, `2 deleted; 3 deleted; 4 deleted`},
		{"typing where it is hidden", func(tx *Tx) error { return tx.SpliceText(id(4), 0, 0, "4 ") }, ``},
		{"a move where it is hidden", func(tx *Tx) error { return tx.Move(id(4), id(3), First()) }, ``},
		{"out of what is hidden", func(tx *Tx) error { return tx.Move(id(4), id(1), First()) }, `4 inserted after 1 at depth 1: "4 four" again`},
		{"into what is hidden", func(tx *Tx) error { return tx.Move(id(4), id(3), First()) }, `4 deleted`},
		{"a restoration", func(tx *Tx) error { return tx.Restore(id(2)) },
			`2 inserted after 5 at depth 0: "two" again; 3 inserted after 2 at depth 1: "three" again; 4 inserted after 3 at depth 2: "4 four" again`},
		{"much at once", func(tx *Tx) error {
			for _, err := range []error{
				insert(6, 3, BlockSpec{Content: "6"})(tx), tx.Move(id(3), "", First()), tx.Delete(id(1)), tx.SpliceText(id(3), 5, 0, "!"), tx.SetTitle("more news"),
			} {
				if err != nil {
					return err
				}
			}
			return nil
		}, `title "more news"; 1 deleted; 3 moved after - below - at depth 0; 4 moved after 3 below 3 at depth 1; 6 inserted after 4 at depth 1: "6"; 3 text 5-0+"!" of 6`},
		{"letters that are alike", insert(7, 0, BlockSpec{Content: "aaa"}), `7 inserted after 2 at depth 0: "aaa"`},
		{"one taken away and one put elsewhere", func(tx *Tx) error {
			if err := tx.SpliceText(id(7), 0, 1, ""); err != nil {
				return err
			}
			return tx.SpliceText(id(7), 2, 0, "a")
		}, ``},
	}
	p, x := newPair(t, "amy."), newFollowed(t)
	x.take(Genesis())
	for _, tt := range tests {
		raw, err := p.commit(tt.do)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got := ""
		if raw != nil {
			got = brief(x.take(must(amfile.DecodeChange(raw))))
		}
		if got != tt.want {
			t.Errorf("%s: the steps are\n  %s\nwant\n  %s", tt.name, got, tt.want)
		}
	}
}

// TestStepsNearTheDepthLimit moves parts of a chain that is as deep as chains
// may be.
func TestStepsNearTheDepthLimit(t *testing.T) {
	h, x := newHandmade(t), newFollowed(t)
	changes := []*amfile.Change{Genesis()}
	x.take(Genesis())
	h.examined = func(c *amfile.Change) {
		changes = append(changes, c)
		x.take(c)
	}
	rng := rand.New(rand.NewSource(1))
	made, parent, gone := make(map[int]uint64), make(map[int]amfile.OpID), make(map[int]amfile.OpID)
	const n = maxDepth + 40
	for i := range n {
		above := ID("")
		if i > 0 && i != n/2 {
			above = testID(i - 1)
		}
		made[i] = h.next
		if above != "" {
			parent[i] = own(h.next + 2)
		}
		h.apply(0, blockOps(h.next, testID(i), above, "a"), "mm", genesisActor)
	}
	put := func(at uint64, i int, key string, v amfile.Value, last map[int]amfile.OpID) amfile.Op {
		op := amfile.Op{Action: amfile.Put, Obj: own(made[i]), Key: key, Value: v}
		if last[i].Counter > 0 {
			op.Pred = []amfile.OpID{last[i]}
		}
		last[i] = own(at)
		return op
	}
	for range 120 {
		var ops []amfile.Op
		for range 1 + rng.Intn(3) {
			at, i := h.next+uint64(len(ops)), rng.Intn(n)
			switch rng.Intn(4) {
			case 0:
				ops = append(ops, put(at, n/2, "parent", amfile.StringValue(string(testID(n/2-1-rng.Intn(60)))), parent))
			case 1:
				ops = append(ops, put(at, i, "parent", amfile.StringValue(string(testID(max(0, i-1-rng.Intn(3))))), parent))
			case 2:
				ops = append(ops, put(at, n-1-rng.Intn(60), "parent", amfile.StringValue(string(testID(n-1-rng.Intn(60)))), parent))
			case 3:
				ops = append(ops, put(at, n-1-rng.Intn(60), "deleted", amfile.BoolValue(rng.Intn(3) == 0), gone))
			}
		}
		h.apply(0, ops, "mm", genesisActor)
	}
	x.done(changes)
}

func TestStepsNameTheContext(t *testing.T) {
	p, x := newPair(t, "amy."), newFollowed(t)
	x.take(Genesis())
	id := must(kaijutsu.ParseContextID(string(testID(7))))
	raw := p.must(func(tx *Tx) error { return tx.SetContext(id) })
	if got, want := brief(x.take(must(amfile.DecodeChange(raw)))), "context "+id.String(); got != want {
		t.Errorf("the steps are %s, want %s", got, want)
	}
}

// TestStepsOfABlockThatIsHiddenForAMoment makes another block under the id of
// one, writes into the one that is hidden by it, and takes the other away, all
// in one change.
func TestStepsOfABlockThatIsHiddenForAMoment(t *testing.T) {
	h, x := newHandmade(t), newFollowed(t)
	x.take(Genesis())
	h.examined = func(c *amfile.Change) { x.take(c) }
	var delta Delta
	h.applied = func(_ *amfile.Change, d Delta) { delta = d }
	at := h.next
	h.apply(0, append(blockOps(at, testID(1), "", "b"), amfile.Op{Action: amfile.MakeText, Obj: own(at), Key: "text"}), "mm", genesisActor)
	h.apply(0, blockOps(h.next, testID(2), "", "c"), "mm", genesisActor)
	theirs := func(counter uint64) amfile.OpID { return amfile.OpID{Counter: counter, Actor: 2} }
	now := h.next
	h.apply(0, []amfile.Op{
		{Action: amfile.MakeMap, Obj: pageID(testID(1)), Key: string(testID(1))},
		{Action: amfile.Put, Obj: theirs(at), Key: "order", Value: amfile.StringValue("d"), Pred: []amfile.OpID{theirs(at + 1)}},
		{Action: amfile.Put, Obj: theirs(at + 2), Seq: true, Insert: true, Value: amfile.StringValue("x")},
		{Action: amfile.Delete, Obj: pageID(testID(1)), Key: string(testID(1)), Pred: []amfile.OpID{own(now)}},
	}, "zz", genesisActor, "mm")
	checkRows(t, h.model, "2@0", "1@0")
	if got, want := fmt.Sprint(delta.Blocks), fmt.Sprintf("[{%s content,moved}]", testID(1)); got != want {
		t.Errorf("the change touches %s, want %s", got, want)
	}
}
