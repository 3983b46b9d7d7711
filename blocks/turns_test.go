package blocks_test

import (
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
)

// TestCommitInTurns commits by two actors in turns: the engine names an
// actor's own last change among the dependencies although it is no head.
func TestCommitInTurns(t *testing.T) {
	genesis := blocks.Genesis()
	e, err := blocks.OpenEditor([][]byte{genesis.Raw})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	m := blocks.NewModel()
	m.Apply(genesis)
	for i, actor := range []kaijutsu.ActorID{"amy.", "ben.", "amy.", "amy.", "ben.", "amy."} {
		opt := blocks.CommitOptions{Actor: actor, Time: time.Unix(int64(i+1), 0), Model: m}
		raw, err := e.Commit(opt, func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now())})
		})
		if err != nil {
			t.Fatalf("commit %d by %s: %v", i, actor, err)
		}
		c, err := amfile.DecodeChange(raw)
		if err != nil {
			t.Fatal(err)
		}
		m.Apply(c)
	}
	if got := m.Len(); got != 6 {
		t.Errorf("blocks = %d, want 6", got)
	}
}
