package blocks

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// contextOf returns the model of a context of so many blocks of 200
// characters, a hundred below each at the root, and the last change.
func contextOf(b *testing.B, blocks int) (*Model, []ID, kaijutsu.ChangeHash) {
	m := NewModel()
	m.Apply(Genesis())
	head := Genesis().Hash
	var ids []ID
	for len(ids) < blocks {
		c := must(m.Commit(CommitOptions{Actor: "builder", Time: testTime, Deps: []kaijutsu.ChangeHash{head}}, func(tx *Tx) error {
			for range min(100, blocks-len(ids)) {
				id := NewID(testTime.Add(time.Duration(len(ids)) * time.Millisecond))
				spec := BlockSpec{ID: id, Content: strings.Repeat("0123456789", 20)}
				if n := len(ids); n%100 > 0 {
					spec.Parent = ids[n-n%100]
				}
				if err := tx.InsertBlock(spec); err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return nil
		}))
		m.Apply(c)
		head = c.Hash
	}
	return m, ids, head
}

// BenchmarkTrace applies and traces changes. The percentiles are of that alone.
func BenchmarkTrace(b *testing.B) {
	stream := NewID(testTime)
	long := NewID(testTime)
	for _, bb := range []struct {
		name  string
		setup func(tx *Tx, ids []ID) error
		f     func(tx *Tx, i int, ids []ID) error
	}{
		{"type a character", nil, func(tx *Tx, i int, ids []ID) error { return tx.AppendText(ids[i*7919%len(ids)], "x") }},
		{"type into the middle of a long text", func(tx *Tx, ids []ID) error {
			if err := tx.InsertBlock(BlockSpec{ID: long}); err != nil {
				return err
			}
			for range 2000 {
				if err := tx.SpliceText(long, 0, 0, strings.Repeat("0123456789", 5)); err != nil {
					return err
				}
			}
			return nil
		}, func(tx *Tx, i int, ids []ID) error { return tx.SpliceText(long, 50_000, 0, "x") }},
		{"insert behind the last", nil, func(tx *Tx, i int, ids []ID) error {
			return tx.InsertBlock(BlockSpec{ID: NewID(testTime), Content: "a record of some length", Role: RoleModel})
		}},
		{"insert in the middle", nil, func(tx *Tx, i int, ids []ID) error {
			n := i * 7919 % len(ids)
			return tx.InsertBlock(BlockSpec{ID: NewID(testTime), Parent: ids[n-n%100], Content: "a record of some length", Role: RoleModel})
		}},
		{"append a chunk", func(tx *Tx, ids []ID) error {
			return tx.InsertBlock(BlockSpec{ID: stream, Form: FormChunks, Role: RoleModel, Status: StatusRunning})
		}, func(tx *Tx, i int, ids []ID) error { return tx.AppendText(stream, "token ") }},
		{"move one of a hundred", nil, func(tx *Tx, i int, ids []ID) error {
			n := i*7919%(len(ids)/10)*10 + 1
			if i/(len(ids)/10)%2 == 0 {
				return tx.Move(ids[n], ids[n-n%100], Position{})
			}
			return tx.Move(ids[n], ids[n-n%100], First())
		}},
		{"delete and restore one", nil, func(tx *Tx, i int, ids []ID) error {
			if id := ids[1]; i%2 == 0 {
				return tx.Delete(id)
			}
			return tx.Restore(ids[1])
		}},
	} {
		for _, blocks := range []int{10, 10_000} {
			for _, traced := range []bool{false, true} {
				how := map[bool]string{false: "Apply", true: "Trace"}[traced]
				b.Run(fmt.Sprintf("%s/%d/%s", bb.name, blocks, how), func(b *testing.B) {
					m, ids, head := contextOf(b, blocks)
					commit := func(f func(tx *Tx) error) *amfile.Change {
						c := must(m.Commit(CommitOptions{Actor: "agent", Time: testTime, Deps: []kaijutsu.ChangeHash{head}}, f))
						head = c.Hash
						return c
					}
					if bb.setup != nil {
						m.Apply(commit(func(tx *Tx) error { return bb.setup(tx, ids) }))
					}
					var times []time.Duration
					for i := 0; b.Loop(); i++ {
						c := commit(func(tx *Tx) error { return bb.f(tx, i, ids) })
						start := time.Now()
						if traced {
							m.Trace(c)
						} else {
							m.Apply(c)
						}
						times = append(times, time.Since(start))
					}
					reportPercentiles(b, times)
				})
			}
		}
	}
}
