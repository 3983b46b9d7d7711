package blocks

import (
	"fmt"
	"strings"

	"kaijutsu"
)

// SetStatus says how far the work on a block is. A terminal status makes one
// body of its chunks, if they fit into one. The error wraps
// kaijutsu.ErrConflict when the block is done already and the status is not a
// terminal one.
func (tx *Tx) SetStatus(id ID, status Status) error {
	doing := "set status of block " + string(id)
	if status.rank() == 0 {
		return fmt.Errorf("set status: %w", statusError(status))
	}
	b, err := tx.existing(id)
	if err != nil {
		return fmt.Errorf("set status: %w", err)
	}
	now, settled, err := tx.status(b)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if now.Terminal() && !status.Terminal() {
		return fmt.Errorf("%s to %s: it is %s already: %w", doing, status, now, kaijutsu.ErrConflict)
	}
	if now != status || !settled {
		if err := tx.wrote(doing, tx.engine.putString(b, fieldStatus.key(), string(status))); err != nil {
			return err
		}
	}
	if !status.Terminal() {
		return nil
	}
	return tx.seal(doing, b)
}

// status returns the status that a block shows, and whether it is the only one.
func (tx *Tx) status(b engineObject) (best Status, settled bool, err error) {
	values, err := tx.engine.all(b, fieldStatus.key())
	for _, v := range values {
		best = best.join(Status(v.str))
	}
	return best, len(values) == 1, err
}

// seal makes one body of a block's chunks.
func (tx *Tx) seal(doing string, b engineObject) error {
	form, list, err := tx.form(b)
	if err != nil || form != FormChunks {
		return err
	}
	parts, err := tx.engine.strings(list)
	if err != nil {
		return err
	}
	body := strings.Join(parts, "")
	if len(body) > maxRecordBytes {
		return nil
	}
	if err := tx.use(len(body), len(parts)); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := tx.engine.putString(b, fieldBody.key(), body); err != nil {
		return tx.wrote(doing, err)
	}
	return tx.wrote(doing, tx.engine.remove(b, fieldChunks.key()))
}
