package blocks

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Flag is one of the switches of a block.
type Flag uint8

// The flags of blocks.
const (
	FlagCollapsed Flag = iota + 1
	FlagExcluded       // never sent to a model
	FlagEphemeral
)

// SetFlag turns a flag on or off.
func (tx *Tx) SetFlag(id ID, f Flag, on bool) error {
	fields := map[Flag]field{FlagCollapsed: fieldCollapsed, FlagExcluded: fieldExcluded, FlagEphemeral: fieldEphemeral}
	key, ok := fields[f]
	if !ok {
		return fmt.Errorf("set flag %d: want collapsed, excluded or ephemeral: %w", f, kaijutsu.ErrInvalid)
	}
	return tx.setBool("set "+key.key(), id, key, on)
}

// Delete makes a tombstone of a block: neither it nor what hangs below it
// shows. Nothing is lost: what others write into it meanwhile is kept as well.
func (tx *Tx) Delete(id ID) error { return tx.setBool("delete", id, fieldDeleted, true) }

// Restore takes a tombstone away.
func (tx *Tx) Restore(id ID) error { return tx.setBool("restore", id, fieldDeleted, false) }

// setBool writes a boolean unless the field shows it already, and nothing else.
func (tx *Tx) setBool(doing string, id ID, f field, on bool) error {
	d, err := tx.existing(id)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	n := 0
	for _, e := range d.fields {
		if e.field == f {
			n++
		}
	}
	if d.flag(f) == on && n <= 1 {
		return nil
	}
	if err := tx.use(0, 1); err != nil {
		return fmt.Errorf("%s block %s: %w", doing, id, err)
	}
	tx.set(d, f, amfile.BoolValue(on))
	return nil
}

// SetMeta makes a JSON object the meta of a block; "" takes it away. That of a
// tool_result goes on naming its call, and says is_error as its status does.
func (tx *Tx) SetMeta(id ID, meta string) error {
	d, err := tx.existing(id)
	if err != nil {
		return fmt.Errorf("set meta: %w", err)
	}
	doing := "set meta of block " + string(id)
	if meta, err = tx.metaOf(d, meta); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if now, ok := tx.stringOf(last(d.fields, fieldMeta)); now == meta && ok == (meta != "") {
		return nil
	}
	if err := tx.use(len(meta), 1); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if meta == "" {
		tx.remove(d, fieldMeta)
	} else {
		tx.setString(d, fieldMeta, meta)
	}
	return nil
}

// metaOf checks the meta that a block is to get, and fills in what that of a
// tool_result implies.
func (tx *Tx) metaOf(d *draft, text string) (string, error) {
	meta, err := parseMeta(text)
	if err != nil || tx.kind(d) != KindToolResult {
		return text, err
	}
	if _, err := tx.call(meta, ID(tx.str(d, fieldParent))); err != nil {
		return "", err
	}
	switch status, _ := tx.status(d); {
	case !status.Terminal(), meta.isTrue(metaError) == (status == StatusError):
	case meta.has(metaError):
		return "", fmt.Errorf("meta is_error: the status is %s; set the status, and meta follows: %w", status, kaijutsu.ErrInvalid)
	default:
		meta.set(metaError, status == StatusError)
	}
	return meta.String(), nil
}
