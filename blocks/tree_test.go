package blocks

import (
	"cmp"
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

var testTime = time.Unix(1_700_000_000, 0)

// blockOps returns the operations that make a block in a change that starts
// with counter at, as h.apply takes them.
func blockOps(at uint64, id, parent ID, order string) []amfile.Op {
	ops := []amfile.Op{{Action: amfile.MakeMap, Obj: pageID(id), Key: string(id)}}
	ops = append(ops, amfile.Op{Action: amfile.Put, Obj: own(at), Key: "order", Value: amfile.StringValue(order)})
	if parent != "" {
		ops = append(ops, amfile.Op{Action: amfile.Put, Obj: own(at), Key: "parent", Value: amfile.StringValue(string(parent))})
	}
	return ops
}

func testID(n int) ID { return ID(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)) }

// checkRows holds document order against want: ids and depths.
func checkRows(t *testing.T, m *Model, want ...string) {
	t.Helper()
	var got []string
	for _, b := range m.Blocks() {
		got = append(got, fmt.Sprintf("%s@%d", string(b.ID[len(b.ID)-1]), b.Depth))
		if one, ok := m.Block(b.ID); !ok || one != b {
			t.Errorf("Block(%s) = %+v, %v, want %+v", b.ID, one, ok, b)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("document order = %v, want %v", got, want)
	}
}

func TestDocumentOrder(t *testing.T) {
	tests := []struct {
		name   string
		blocks [][3]string // id, parent, order
		want   []string
	}{
		{"siblings by order key", [][3]string{{"1", "", "c"}, {"2", "", "a"}, {"3", "", "b"}}, []string{"2@0", "3@0", "1@0"}},
		{"ties by id", [][3]string{{"3", "", "a"}, {"1", "", "a"}, {"2", "", "a"}}, []string{"1@0", "2@0", "3@0"}},
		{"bytewise", [][3]string{{"1", "", "a"}, {"2", "", "Z"}, {"3", "", "9"}}, []string{"3@0", "2@0", "1@0"}},
		{"children below their parent", [][3]string{{"1", "", "a"}, {"2", "", "b"}, {"3", "1", "z"}, {"4", "3", "a"}}, []string{"1@0", "3@1", "4@2", "2@0"}},
		{"a child before its parent exists", [][3]string{{"2", "1", "a"}, {"1", "", "a"}}, []string{"1@0", "2@1"}},
		{"orphans at the root", [][3]string{{"1", "", "b"}, {"2", "9", "a"}, {"3", "2", "a"}, {"4", "9", "c"}}, []string{"2@0", "3@1", "1@0", "4@0"}},
		{"its own parent", [][3]string{{"1", "1", "b"}, {"2", "", "a"}}, []string{"2@0", "1@0"}},
		{"a circle is cut at the lowest id", [][3]string{{"3", "2", "a"}, {"2", "1", "a"}, {"1", "3", "b"}, {"4", "2", "0"}, {"5", "", "a"}}, []string{"5@0", "1@0", "2@1", "4@2", "3@2"}},
		{"two circles", [][3]string{{"1", "2", "x"}, {"2", "1", "x"}, {"4", "3", "a"}, {"3", "4", "a"}}, []string{"3@0", "4@1", "1@0", "2@1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHandmade(t)
			for _, b := range tt.blocks {
				var ids [2]ID
				for i, digit := range b[:2] {
					if digit != "" {
						ids[i] = testID(int(digit[0] - '0'))
					}
				}
				h.apply(0, blockOps(h.next, ids[0], ids[1], b[2]), "mm", genesisActor)
			}
			checkRows(t, h.model, tt.want...)
			checkModel(t, h.model)
		})
	}
}

func TestTooDeepBlocksStandAtTheRoot(t *testing.T) {
	h := newHandmade(t)
	const n = 3*maxDepth + 10
	order := rand.New(rand.NewSource(1)).Perm(n)
	for _, i := range order {
		parent := ID("")
		if i > 0 {
			parent = testID(i - 1)
		}
		h.apply(0, blockOps(h.next, testID(i), parent, fmt.Sprintf("a%06d", i)), "mm", genesisActor)
	}
	got := h.model.Blocks()
	if len(got) != n {
		t.Fatalf("%d blocks, want %d", len(got), n)
	}
	for i, b := range got {
		if b.ID != testID(i) || b.Depth != i%maxDepth {
			t.Fatalf("block %d is %s at depth %d, want %s at depth %d", i, b.ID, b.Depth, testID(i), i%maxDepth)
		}
	}
}

// TestTreeIsWhatASlowOneIs moves blocks about and holds the tree, which is
// kept step by step, against one made from scratch.
func TestTreeIsWhatASlowOneIs(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	h := newHandmade(t)
	const n = 10
	made := make(map[int]uint64) // the operation that made the block
	last := make(map[string]amfile.OpID)
	for range 2000 {
		i := rng.Intn(n)
		at := h.next
		put := func(key string, v amfile.Value) []amfile.Op {
			op := amfile.Op{Action: amfile.Put, Obj: own(made[i]), Key: key, Value: v}
			name := fmt.Sprint(i, key)
			if prev, ok := last[name]; ok {
				op.Pred = []amfile.OpID{prev}
			}
			last[name] = own(at)
			return []amfile.Op{op}
		}
		var ops []amfile.Op
		actors := []kaijutsu.ActorID{"mm"}
		switch {
		case made[i] == 0:
			ops, actors = blockOps(at, testID(i), "", "a"), append(actors, genesisActor)
			made[i] = at
			last[fmt.Sprint(i, "order")] = own(at + 1)
		case rng.Intn(12) == 0:
			ops = []amfile.Op{{Action: amfile.Delete, Obj: pageID(testID(i)), Key: string(testID(i)), Pred: []amfile.OpID{own(made[i])}}}
			actors = append(actors, genesisActor)
			made[i] = 0
			for _, key := range fieldKeys {
				delete(last, fmt.Sprint(i, key))
			}
		case rng.Intn(4) == 0:
			ops = put("order", amfile.StringValue(string(orderDigits[rng.Intn(62)])))
		case rng.Intn(6) == 0:
			ops = put("deleted", amfile.BoolValue(rng.Intn(2) == 0))
		default:
			ops = put("parent", amfile.StringValue(string(testID(rng.Intn(n)))))
		}
		h.apply(at, ops, actors...)
		if rng.Intn(3) == 0 {
			continue // several steps without a look
		}
		checkModel(t, h.model)
		checkRows(t, h.model, slowRows(h.model)...)
	}
}

// slowRows computes document order from what is written in the blocks.
func slowRows(m *Model) []string {
	all := make(map[ID]Block)
	for id := range m.blocks {
		all[id], _ = m.Block(id)
	}
	below := make(map[ID][]Block)
	for id, b := range all {
		at := b.Parent
		if _, ok := all[at]; !ok || lowestInCircle(all, id) {
			at = ""
		}
		below[at] = append(below[at], b)
	}
	var rows []string
	var walk func(parent ID, depth int)
	walk = func(parent ID, depth int) {
		slices.SortFunc(below[parent], func(a, b Block) int {
			return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
		})
		for _, b := range below[parent] {
			if !b.Deleted {
				rows = append(rows, fmt.Sprintf("%s@%d", string(b.ID[len(b.ID)-1]), depth))
				walk(b.ID, depth+1)
			}
		}
	}
	walk("", 0)
	return rows
}

// lowestInCircle reports whether a block is the one at which a circle of
// parents is cut.
func lowestInCircle(all map[ID]Block, id ID) bool {
	lowest := id
	at := all[id].Parent
	for range len(all) {
		if at == id {
			return lowest == id
		}
		b, ok := all[at]
		if !ok {
			return false
		}
		lowest = min(lowest, at)
		at = b.Parent
	}
	return false
}
