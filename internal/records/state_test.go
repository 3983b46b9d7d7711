package records

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/automerge/automerge-go"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// replica is the state of a node in memory, and the changes it has.
type replica struct {
	state state
	actor kaijutsu.ActorID
	seq   uint64
	log   []*amfile.Change
	has   map[kaijutsu.ChangeHash]bool
}

func newReplica(name byte) *replica {
	return &replica{actor: kaijutsu.ActorID(strings.Repeat(string(name), 16)), has: make(map[kaijutsu.ChangeHash]bool)}
}

// take applies a change, unless it is here.
func (r *replica) take(t testing.TB, c *amfile.Change) {
	t.Helper()
	if r.has[c.Hash] {
		return
	}
	for _, dep := range c.Deps {
		if !r.has[dep] {
			t.Fatalf("change %v came before %v", c.Hash, dep)
		}
	}
	r.has[c.Hash] = true
	r.log = append(r.log, c)
	r.state.apply(c)
}

// heads returns the changes that no other rests on.
func (r *replica) heads() []kaijutsu.ChangeHash {
	left := maps.Clone(r.has)
	for _, c := range r.log {
		for _, dep := range c.Deps {
			delete(left, dep)
		}
	}
	return slices.Collect(maps.Keys(left))
}

// encode makes a change of operations and takes it.
func (r *replica) encode(t testing.TB, actors []kaijutsu.ActorID, ops ...amfile.Op) *amfile.Change {
	t.Helper()
	c := &amfile.Change{Deps: r.heads(), Actors: append([]kaijutsu.ActorID{r.actor}, actors...), Seq: r.seq + 1, StartOp: 1, Ops: ops}
	for _, known := range r.log {
		c.StartOp = max(c.StartOp, known.MaxOp()+1)
	}
	if err := amfile.EncodeChange(c); err != nil {
		t.Fatal(err)
	}
	r.seq++
	c, err := amfile.DecodeChange(c.Raw) // as it comes from the disk
	if err != nil {
		t.Fatal(err)
	}
	r.take(t, c)
	return c
}

// write writes records as Table.Write does.
func (r *replica) write(t testing.TB, rs ...Record) {
	t.Helper()
	var ops []amfile.Op
	var actors []kaijutsu.ActorID
	for _, record := range rs {
		if op, more, ok := r.state.operation(record, 1+len(actors)); ok {
			ops, actors = append(ops, op), append(actors, more...)
		}
	}
	if len(ops) > 0 {
		r.encode(t, actors, ops...)
	}
}

// all returns what counts at every key.
func (r *replica) all() map[string]string {
	out := make(map[string]string)
	for key := range r.state.keys {
		if value, ok := r.state.value(key); ok {
			out[key] = value
		}
	}
	return out
}

// oracle returns what automerge-go makes of the changes.
func oracle(t testing.TB, log []*amfile.Change) map[string]string {
	t.Helper()
	doc := automerge.New()
	for _, c := range log {
		if err := doc.LoadIncremental(c.Raw); err != nil {
			t.Fatal(err)
		}
	}
	values, err := doc.RootMap().Values()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	for key, value := range values {
		if value.Kind() == automerge.KindStr {
			out[key] = value.Str()
		}
	}
	return out
}

// TestNodesAgree has several nodes write without knowing of each other, learn
// of each other's changes now and then, and compares with Automerge itself.
func TestNodesAgree(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, seed))
			nodes := []*replica{newReplica('a'), newReplica('b'), newReplica('c')}
			for range 120 {
				n := nodes[r.IntN(len(nodes))]
				if r.IntN(4) == 0 {
					from := nodes[r.IntN(len(nodes))]
					for _, c := range from.log[:r.IntN(len(from.log)+1)] {
						n.take(t, c)
					}
					continue
				}
				var rs []Record
				for _, key := range r.Perm(6)[:1+r.IntN(3)] {
					record := Record{Name: fmt.Sprint("key", key)}
					if r.IntN(4) > 0 {
						record.Value = []byte(fmt.Sprint("value", r.IntN(5)))
					}
					rs = append(rs, record)
				}
				n.write(t, rs...)
			}
			for _, n := range nodes {
				if got, want := n.all(), oracle(t, n.log); !maps.Equal(got, want) {
					t.Fatalf("node %q apart: records = %v, want Automerge's %v", n.actor[:1], got, want)
				}
			}
			for _, n := range nodes {
				for _, from := range nodes {
					for _, c := range slices.Clone(from.log) {
						n.take(t, c)
					}
				}
			}
			want := oracle(t, nodes[0].log)
			for _, n := range nodes {
				if got := n.all(); !maps.Equal(got, want) {
					t.Errorf("node %q merged: records = %v, want %v", n.actor[:1], got, want)
				}
				if n.state.refused != 0 {
					t.Errorf("node %q passed over %d operations, want none", n.actor[:1], n.state.refused)
				}
			}
		})
	}
}

func TestWhatIsNoRecordIsPassedOver(t *testing.T) {
	put := func(key string, v amfile.Value) amfile.Op { return amfile.Op{Action: amfile.Put, Key: key, Value: v} }
	long := strings.Repeat("x", maxNameBytes+1)
	tests := []struct {
		name string
		ops  []amfile.Op
		want map[string]string
	}{
		{"a number", []amfile.Op{put("a", amfile.UintValue(1))}, map[string]string{}},
		{"bytes", []amfile.Op{put("a", amfile.BytesValue([]byte("x")))}, map[string]string{}},
		{"a long value", []amfile.Op{put("a", amfile.StringValue(strings.Repeat("x", maxValueBytes+1)))}, map[string]string{}},
		{"a long name", []amfile.Op{put(long, amfile.StringValue("x"))}, map[string]string{}},
		{"no name", []amfile.Op{put("", amfile.StringValue("x"))}, map[string]string{}},
		{"a map", []amfile.Op{{Action: amfile.MakeMap, Key: "a"}}, map[string]string{}},
		{"a record beside it", []amfile.Op{put("a", amfile.BoolValue(true)), put("b", amfile.StringValue("y"))}, map[string]string{"b": "y"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := newReplica('a')
			n.encode(t, nil, test.ops...)
			if got := n.all(); !maps.Equal(got, test.want) {
				t.Errorf("records = %v, want %v", got, test.want)
			}
			if n.state.refused != 1 {
				t.Errorf("passed over %d operations, want 1", n.state.refused)
			}
		})
	}
}
