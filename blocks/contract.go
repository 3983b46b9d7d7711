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

// LineOp is what a LineEdit does.
type LineOp string

// The operations on lines.
const (
	LineInsert  LineOp = "insert"
	LineDelete  LineOp = "delete"
	LineReplace LineOp = "replace"
)

// LineEdit is one step of EditLines.
type LineEdit struct {
	Op       LineOp
	Line     int     // the first line, counted from 0; an insert goes in front of it
	End      int     // behind the last line; not for inserts
	Content  string  // not for deletes
	Expected *string // what the lines hold now; nil: whatever they hold
}

var errWriter = fmt.Errorf("the writer is not in place yet: %w", kaijutsu.ErrUnavailable)

// Commit runs f and makes one change of what it wrote.
func (m *Model) Commit(opt CommitOptions, f func(*Tx) error) (*amfile.Change, error) {
	return nil, errWriter
}

// SpliceText replaces del characters at pos with ins.
func (tx *Tx) SpliceText(id ID, pos, del int, ins string) error { return errWriter }

// ReplaceText makes content the content of a block.
func (tx *Tx) ReplaceText(id ID, content string) error { return errWriter }

// EditLines edits lines, all or nothing.
func (tx *Tx) EditLines(id ID, edits []LineEdit) error { return errWriter }

// Move puts a block elsewhere.
func (tx *Tx) Move(id, parent ID, pos Position) error { return errWriter }

// SetFlag turns a flag on or off.
func (tx *Tx) SetFlag(id ID, f Flag, on bool) error { return errWriter }

// SetMeta replaces the meta of a block; "" takes it away.
func (tx *Tx) SetMeta(id ID, meta string) error { return errWriter }

// SetContext writes the id of the context, once in its life, into its anchor.
func (tx *Tx) SetContext(id kaijutsu.ContextID) error { return errWriter }

// Delete makes a tombstone of a block.
func (tx *Tx) Delete(id ID) error { return errWriter }

// Restore takes a tombstone away.
func (tx *Tx) Restore(id ID) error { return errWriter }

// Thaw makes a text of a finished record.
func (tx *Tx) Thaw(id ID) error { return errWriter }

// Content returns what a block holds as the transaction sees it.
func (tx *Tx) Content(id ID) (string, Form, error) { return "", "", errWriter }
