package blocks

import (
	"fmt"

	"kaijutsu"
)

// SetStatus says how far the work on a block is. A terminal status makes one
// body of its chunks, if they fit into one; of a tool_result it also decides
// whether its meta says is_error. The error wraps kaijutsu.ErrConflict when the
// block has come further already: terminal statuses replace each other, and
// none goes back.
func (tx *Tx) SetStatus(id ID, status Status) error {
	doing := "set status of block " + string(id)
	if status.rank() == 0 {
		return fmt.Errorf("set status: %w", statusError(status))
	}
	d, err := tx.existing(id)
	if err != nil {
		return fmt.Errorf("set status: %w", err)
	}
	now, settled := tx.status(d)
	if status.rank() < now.rank() {
		return kaijutsu.About("status", fmt.Errorf("%s to %s: it is %s already: %w", doing, status, now, kaijutsu.ErrConflict))
	}
	seals, body := tx.sealing(d, status)
	meta := tx.resultMeta(d, status)
	if err := tx.use(len(body)+len(meta), 5); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if now != status || !settled {
		tx.setString(d, fieldStatus, string(status))
	}
	if meta != "" {
		tx.setString(d, fieldMeta, meta)
	}
	if seals {
		tx.setString(d, fieldBody, body)
		tx.remove(d, fieldChunks)
	}
	return nil
}

// status returns the status that a block shows, "" if none was written, and
// whether it is the only one.
func (tx *Tx) status(d *draft) (best Status, settled bool) {
	n := 0
	for i := range d.fields {
		if e := &d.fields[i]; e.field == fieldStatus {
			s, _ := tx.stringOf(e)
			best = best.join(Status(s))
			n++
		}
	}
	return best, n == 1
}

// sealing reports whether a status makes one body of a block's chunks, and
// which.
func (tx *Tx) sealing(d *draft, status Status) (seals bool, body string) {
	if form, _ := tx.form(d); form != FormChunks || !status.Terminal() {
		return false, ""
	}
	body, _ = tx.contentOf(d)
	if len(body) > maxRecordBytes {
		return false, ""
	}
	return true, body
}

// resultMeta returns the meta that a status gives a tool_result, "" when it
// may stay as it is.
func (tx *Tx) resultMeta(d *draft, status Status) string {
	if tx.kind(d) != KindToolResult || !status.Terminal() {
		return ""
	}
	meta, err := parseMeta(tx.str(d, fieldMeta))
	if err != nil || meta.isTrue(metaError) == (status == StatusError) {
		return "" // what is no object another client wrote: not ours to mend
	}
	meta.set(metaError, status == StatusError)
	return meta.String()
}
