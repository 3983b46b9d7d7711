package repo

import (
	"errors"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/quarantine"
)

// ErrReadOnly says that a document is served to peers and not changed, because
// what it holds makes working on it fail.
var ErrReadOnly = fmt.Errorf("document is read-only: %w", kaijutsu.ErrUnavailable)

// readOnlyError says why a document is read-only, and what helps.
func readOnlyError(e quarantine.Entry) error {
	where := ""
	if e.Change != (kaijutsu.ChangeHash{}) {
		where = fmt.Sprintf(" at change %v", e.Change)
	}
	return fmt.Errorf("document %s%s, since %s: %s; run kj doctor: %w", e.Document, where, e.At.Format(time.RFC3339), e.Why, ErrReadOnly)
}

// checkReadOnly makes the document read-only if it is in quarantine for what it
// holds; if it does not hold that any more, it is out of quarantine.
func (d *document) checkReadOnly() {
	for range 4 {
		e, is := d.repo.cfg.Quarantine.ReadOnly(d.id)
		if !is {
			return
		}
		if e.Change == (kaijutsu.ChangeHash{}) || d.graph.Has(e.Change) {
			d.readOnly = readOnlyError(e)
			return
		}
		d.repo.log.Info("document is out of quarantine: it does not hold the change any more", "document", d.id, "change", e.Change)
		if err := d.repo.cfg.Quarantine.Release(d.repo.life, d.id, e.Change); err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
			d.repo.log.Error("quarantine entry not deleted", "document", d.id, "change", e.Change, "err", err)
			return
		}
	}
}
