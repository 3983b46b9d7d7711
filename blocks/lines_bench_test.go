package blocks

import (
	"math/rand"
	"strings"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// edited5000 is a file of 5,000 lines and 200,000 characters that was loaded as
// a record, and then typed into by 100,000 keys.
var edited5000 = sync.OnceValues(func() (*changegraph.Graph, *Model) { return editing(5_000, 40, 100_000) })

// editing makes a file that two people typed into, one change for each key:
// they jump about, and every fourth key deletes, every fortieth is a line feed.
func editing(lines, width, keys int) (*changegraph.Graph, *Model) {
	rng := rand.New(rand.NewSource(1))
	g, m := changegraph.New(), NewModel()
	take := func(c *amfile.Change) {
		if err := amfile.EncodeChange(c); err != nil {
			panic(err)
		}
		if err := g.RestoreChange(c); err != nil {
			panic(err)
		}
		m.Apply(c)
	}
	take(must(amfile.DecodeChange(Genesis().Raw)))
	opt := func() CommitOptions { return CommitOptions{Actor: "disk", Time: testTime, Deps: g.Heads()} }
	file := BlockSpec{ID: testID(1), Kind: "file", Role: RoleSystem, Content: strings.Repeat(strings.Repeat("x", width-1)+"\n", lines)}
	take(must(m.Commit(opt(), func(tx *Tx) error { return tx.InsertBlock(file) })))
	take(must(m.Commit(opt(), func(tx *Tx) error { return tx.Thaw(testID(1)) })))
	text := textOf(m, testID(1))
	actors := []kaijutsu.ActorID{"amy", "ben", "disk"}
	type element struct {
		counter uint64
		actor   int
	}
	var shows []element // in no order
	for i := range lines * width {
		shows = append(shows, element{uint64(text.first.id.counter) + uint64(i), 2})
	}
	seq := make([]uint64, 2)
	at := 0
	next := g.MaxOp() + 1
	for key := range keys {
		who := key / 500 % 2
		name := func(e element) amfile.OpID {
			switch e.actor {
			case who:
				return amfile.OpID{Counter: e.counter}
			case 2:
				return amfile.OpID{Counter: e.counter, Actor: 2}
			}
			return amfile.OpID{Counter: e.counter, Actor: 1}
		}
		op := amfile.Op{Obj: amfile.OpID{Counter: uint64(text.id.counter), Actor: 2}, Seq: true}
		if rng.Intn(40) == 0 {
			at = rng.Intn(len(shows))
		}
		if key%4 == 3 {
			op.Action, op.Elem, op.Pred = amfile.Delete, name(shows[at]), []amfile.OpID{name(shows[at])}
			shows[at] = shows[len(shows)-1]
			shows = shows[:len(shows)-1]
			at = len(shows) - 1
		} else {
			op.Action, op.Insert, op.Elem, op.Value = amfile.Put, true, name(shows[at]), amfile.StringValue("y")
			if rng.Intn(30) == 0 {
				op.Value = amfile.StringValue("\n")
			}
			shows = append(shows, element{next, who})
			at = len(shows) - 1
		}
		seq[who]++
		take(&amfile.Change{
			Deps: g.Heads(), Actors: []kaijutsu.ActorID{actors[who], actors[1-who], "disk"}, Seq: seq[who], StartOp: next,
			Time: testTime.Unix() + int64(key/5), Ops: []amfile.Op{op},
		})
		next++
	}
	return g, m
}

// BenchmarkLines says who wrote each line of a file last: one that was loaded
// and edited by 100,000 changes, and a text of one line that 260,000 made.
func BenchmarkLines(b *testing.B) {
	for _, bb := range []struct {
		name string
		make func() (*changegraph.Graph, *Model)
	}{{"edited", edited5000}, {"typed", typed}} {
		for _, warm := range []bool{true, false} {
			b.Run(bb.name+map[bool]string{true: "/warm", false: "/cold"}[warm], func(b *testing.B) {
				g, m := bb.make()
				b.ReportAllocs()
				lines := 0
				for b.Loop() {
					if !warm {
						clear(m.origins)
					}
					lines = len(must(m.Lines(testID(1), graphLog{g})))
				}
				b.ReportMetric(float64(lines), "lines")
				b.ReportMetric(float64(g.Len()), "changes")
			})
		}
	}
}

// BenchmarkSince says who wrote the characters of a file that are not of the
// state it was loaded in.
func BenchmarkSince(b *testing.B) {
	g, m := edited5000()
	log := graphLog{g}
	b.ReportAllocs()
	runs, characters := 0, 0
	for b.Loop() {
		all := must(m.Since(testID(1), g.AncestryOf([]kaijutsu.ChangeHash{g.Hash(2)}), log))
		runs, characters = len(all), 0
		for _, r := range all {
			characters += r.Len
		}
	}
	b.ReportMetric(float64(runs), "runs")
	b.ReportMetric(float64(characters), "characters")
	b.ReportMetric(float64(g.Len()), "changes")
}
