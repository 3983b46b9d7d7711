package blocks

import (
	"slices"
	"testing"
	"time"

	"kaijutsu"
)

// TestManyBlocksKeepTheirOrder puts blocks into a context by transactions:
// 100,000 behind all others, and 10,000 right behind one of them. KJ_ROUNDS
// makes it whole; it is a tenth otherwise.
func TestManyBlocksKeepTheirOrder(t *testing.T) {
	part := 10
	if envInt("KJ_ROUNDS", 0) > 0 {
		part = 1
	}
	m := NewModel()
	m.Apply(Genesis())
	deps := []kaijutsu.ChangeHash{Genesis().Hash}
	var want []ID
	put := func(n int, pos func() Position, enter func(ID)) (longest int) {
		for ; n > 0; n -= 1000 {
			c := must(m.Commit(CommitOptions{Actor: "actor", Time: testTime, Deps: deps}, func(tx *Tx) error {
				for range 1000 {
					id := NewID(testTime.Add(time.Duration(len(want)) * time.Millisecond))
					if err := tx.InsertBlock(BlockSpec{ID: id, Form: FormBody, Position: pos()}); err != nil {
						return err
					}
					enter(id)
				}
				return nil
			}))
			m.Apply(c)
			deps[0] = c.Hash
		}
		for _, id := range want {
			longest = max(longest, len(m.blocks[id].order))
		}
		return longest
	}
	appended := put(100_000/part, Last, func(id ID) { want = append(want, id) })
	middle := len(want) / 2
	anchor := want[middle]
	inserted := put(10_000/part, func() Position { return After(anchor) }, func(id ID) { want = slices.Insert(want, middle+1, id) })
	if t.Logf("%d blocks; the longest key has %d characters after appending, %d after inserting", len(want), appended, inserted); appended > 12 || inserted > 24 {
		t.Errorf("keys of %d and %d characters", appended, inserted)
	}
	for i, b := range m.arranged() {
		if b.block.key != want[i] {
			t.Fatalf("block %d is %s, want %s", i, b.block.key, want[i])
		}
	}
}
