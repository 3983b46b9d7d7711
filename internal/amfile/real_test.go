package amfile

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
)

func TestNoFalseRefusal(t *testing.T) {
	total := 0
	eachReal(t, func(real realHistory) {
		var changes []*Change
		open := map[kaijutsu.ChangeHash]bool{}
		for i, raw := range real.changes {
			c, err := DecodeChange(raw)
			if err != nil {
				t.Errorf("%s: change %d: %v", real.name, i, err)
				return
			}
			wantSameAgain(t, c)
			changes = append(changes, c)
			for _, dep := range c.Deps {
				delete(open, dep)
			}
			open[c.Hash] = true
		}
		if err := newHistory().addAll(changes); err != nil {
			t.Errorf("%s: %v", real.name, err)
		}
		heads := slices.Collect(maps.Keys(open))
		if got := kaijutsu.NewHeads(heads...); !got.Equal(real.heads) {
			t.Errorf("%s: heads %v, want %v", real.name, got, real.heads)
		}
		total += len(real.changes)
	})
	t.Logf("%d real changes", total)
}

// wantSameAgain demands that c survives encoding, with its actors in another
// order, and that its header agrees with it.
func wantSameAgain(t *testing.T, c *Change) {
	t.Helper()
	again := disordered(c)
	if err := EncodeChange(again); err != nil || !bytes.Equal(again.Raw, c.Raw) || again.Hash != c.Hash {
		t.Errorf("EncodeChange: %v, got %x, want %x", err, again.Raw, c.Raw)
	}
	h, err := DecodeHeader(c.Raw)
	want := Header{c.Hash, c.Deps, c.Author(), c.Seq, c.StartOp, uint64(len(c.Ops)), c.Time, c.Message}
	if err != nil || !reflect.DeepEqual(h, want) || h.MaxOp() != c.MaxOp() {
		t.Errorf("DecodeHeader = %+v, %v, want %+v", h, err, want)
	}
}

// disordered returns a deep copy of c without Raw and Hash whose other actors,
// dependencies and predecessors are in reverse order.
func disordered(c *Change) *Change {
	d := *c
	d.Raw, d.Hash = nil, kaijutsu.ChangeHash{}
	n := uint32(len(c.Actors))
	turn := func(id OpID) OpID {
		if id.Actor > 0 {
			id.Actor = n - id.Actor
		}
		return id
	}
	d.Actors = append([]kaijutsu.ActorID{c.Actors[0]}, reversed(c.Actors[1:])...)
	d.Deps = reversed(c.Deps)
	d.Ops = nil
	for _, op := range c.Ops {
		op.Obj, op.Elem = turn(op.Obj), turn(op.Elem)
		op.Pred = reversed(op.Pred)
		for i := range op.Pred {
			op.Pred[i] = turn(op.Pred[i])
		}
		op.Key = strings.Clone(op.Key)
		d.Ops = append(d.Ops, op)
	}
	return &d
}

func reversed[T any](list []T) []T {
	var out []T
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i])
	}
	return out
}
