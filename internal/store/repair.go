package store

import (
	"fmt"

	"kaijutsu"
)

// foundDamage stops the writes, so that no compaction deletes the evidence
// and what is intact of it.
func (s *Store) foundDamage(id uint64, err error) {
	if s.acceptLoss {
		s.log.Error("table is damaged, what it held is lost", "err", err)
		return
	}
	s.log.Error("table is damaged, store is read-only", "err", err)
	s.setDamage(fmt.Errorf("%w; %s, or start with --accept-loss: %w: %w", err, s.mendHint(), ErrDamaged, kaijutsu.ErrUnavailable))
}
