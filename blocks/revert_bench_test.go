package blocks

import (
	"testing"

	"kaijutsu"
)

// BenchmarkUndo finds the last unit of work in a long history, typing of 900
// keys in a text of 100,000 characters, and makes the change that takes it
// back.
func BenchmarkUndo(b *testing.B) {
	g, m := typed()
	log := graphLog{g}
	own := func(a kaijutsu.ActorID) bool { return a == "ben" }
	var unit []kaijutsu.ChangeHash
	for b.Loop() {
		unit = must(LastUnit(log, own, 0))
		opt := CommitOptions{Actor: "undo", Time: testTime, Deps: g.Heads()}
		must(m.Commit(opt, func(tx *Tx) error { return tx.Revert(log, unit) }))
	}
	b.ReportMetric(float64(len(unit)), "changes")
}
