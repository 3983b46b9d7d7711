package blocks

import (
	"math/rand"
	"slices"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// typed is a text of 100,000 characters, typed by 260,000 keys.
var typed = sync.OnceValues(func() (*changegraph.Graph, *Model) { return typing(100_000, 260_000) })

// typing makes a text that two people typed, one change for each key: they jump
// about, and take back every third letter.
func typing(characters, keys int) (*changegraph.Graph, *Model) {
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
	opt := CommitOptions{Actor: "amy", Time: testTime, Deps: g.Heads()}
	take(must(m.Commit(opt, func(tx *Tx) error { return tx.InsertBlock(BlockSpec{ID: testID(1)}) })))
	text := textOf(m, testID(1)).id
	type element struct {
		counter uint64
		actor   int
	}
	actors := []kaijutsu.ActorID{"amy", "ben"}
	seq := []uint64{1, 0}
	shows := []element{{}} // HEAD first; in no order
	cursor := element{}
	next := g.MaxOp() + 1
	for key := range keys {
		who := key / 500 % 2
		name := func(e element) amfile.OpID {
			if e.counter == 0 {
				return amfile.OpID{}
			}
			if e.actor == who {
				return amfile.OpID{Counter: e.counter}
			}
			return amfile.OpID{Counter: e.counter, Actor: 1}
		}
		op := amfile.Op{Obj: name(element{uint64(text.counter), 0}), Seq: true}
		if rng.Intn(40) == 0 {
			cursor = shows[rng.Intn(len(shows))]
		}
		if left, missing := keys-key, characters-(len(shows)-1); left > missing && rng.Intn(left) >= (left+missing)/2 && cursor.counter > 0 {
			op.Action, op.Elem, op.Pred = amfile.Delete, name(cursor), []amfile.OpID{name(cursor)}
			i := len(shows) - 1
			for shows[i] != cursor {
				i--
			}
			shows = slices.Delete(shows, i, i+1)
			cursor = shows[len(shows)-1]
		} else {
			op.Action, op.Insert, op.Elem, op.Value = amfile.Put, true, name(cursor), amfile.StringValue("x")
			cursor = element{next, who}
			shows = append(shows, cursor)
		}
		seq[who]++
		take(&amfile.Change{
			Deps: g.Heads(), Actors: []kaijutsu.ActorID{actors[who], actors[1-who]}, Seq: seq[who], StartOp: next,
			Time: testTime.Unix() + int64(key/5), Ops: []amfile.Op{op},
		})
		next++
	}
	return g, m
}

// BenchmarkBlame says who wrote each character of a long text.
func BenchmarkBlame(b *testing.B) {
	g, m := typed()
	for _, warm := range []bool{true, false} {
		name := "cold"
		if warm {
			name = "warm"
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			runs, characters := 0, 0
			for b.Loop() {
				if !warm {
					clear(m.origins)
				}
				all := must(m.Blame(testID(1), graphLog{g}))
				runs, characters = len(all), all[len(all)-1].Start+all[len(all)-1].Len
			}
			b.ReportMetric(float64(runs), "runs")
			b.ReportMetric(float64(characters), "characters")
			b.ReportMetric(float64(g.Len()), "changes")
		})
	}
}
