package records

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// Mover is who moved records here from where one server kept them for itself.
var Mover = kaijutsu.Principal{Name: "kaijutsu", Kind: kaijutsu.Service}

const (
	moveRecords = 200       // in one change
	moveBytes   = 256 << 10 // in one change
)

// Move takes the records with a prefix over from the store, where servers kept
// them before nodes shared them, and deletes them there. check refuses what
// cannot be read, before anything is moved. A record that is here already stays
// as it is: an earlier start has moved it.
func (t *Table) Move(ctx context.Context, st *store.Store, prefix string, check func(name string, value []byte) error) error {
	var all []Record
	for name, err := range st.Records(prefix) {
		if err != nil {
			return err
		}
		value, err := st.Record(name)
		if err == nil {
			err = check(name, value)
		}
		if err != nil {
			return fmt.Errorf("record %q: %w", name, err)
		}
		all = append(all, Record{name, value})
	}
	for len(all) > 0 {
		var some []Record
		bytes, n := 0, 0
		for n < len(all) && n < moveRecords && (n == 0 || bytes+len(all[n].Value) <= moveBytes) {
			if _, here := t.Get(all[n].Name); !here {
				some = append(some, all[n])
			}
			bytes += len(all[n].Value)
			n++
		}
		if len(some) > 0 {
			if err := t.Write(ctx, Mover, some...); err != nil {
				return fmt.Errorf("move %s: %w", prefix, err)
			}
		}
		for _, r := range all[:n] {
			if err := st.DeleteRecord(ctx, r.Name); err != nil {
				return fmt.Errorf("move %s: %w", prefix, err)
			}
		}
		all = all[n:]
	}
	return nil
}
