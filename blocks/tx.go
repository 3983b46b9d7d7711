package blocks

import (
	"fmt"
	"unicode/utf8"

	"kaijutsu"
)

// Tx is a change in the making. It is good until the function that Commit
// runs returns. Its methods check everything before they write; should a write
// fail all the same, Commit fails.
type Tx struct {
	engine engine
	model  *Model
	actor  kaijutsu.ActorID
	placed []sibling // blocks of this transaction, and those it displaced
	bytes  int       // written so far
	ops    int       // written so far, at least
	failed error     // a write that failed
	over   bool      // the function that Commit ran has returned
}

// errOver keeps a transaction that was kept from writing into the next one.
var errOver = fmt.Errorf("the transaction is over: %w", kaijutsu.ErrInvalid)

// page returns the map that holds a block, or is to hold it.
func (tx *Tx) page(id ID) (engineObject, error) {
	if tx.over {
		return nil, errOver
	}
	var page engineObject
	for _, key := range [...]string{keyPages, id.Page()} {
		v, err := tx.engine.get(page, key)
		if err != nil {
			return nil, err
		}
		if v.kind != engineMap {
			return nil, fmt.Errorf("the document has no map %q and is no context: %w", key, kaijutsu.ErrInvalid)
		}
		page = v.obj
	}
	return page, nil
}

// block returns the map of a block.
func (tx *Tx) block(id ID) (engineObject, error) {
	page, err := tx.page(id)
	if err != nil {
		return nil, err
	}
	v, err := tx.engine.get(page, string(id))
	if err == nil && v.kind != engineMap {
		err = fmt.Errorf("block %s: %w", id, kaijutsu.ErrNotFound)
	}
	return v.obj, err
}

// existing returns the map of a block that a caller named.
func (tx *Tx) existing(id ID) (engineObject, error) {
	if _, err := ParseID(string(id)); err != nil {
		return nil, err
	}
	return tx.block(id)
}

// use counts what is about to be written against what one change may hold:
// bytes, and operations, of which a text takes one for each code point.
func (tx *Tx) use(bytes, ops int) error {
	switch {
	case tx.bytes+bytes > maxTxBytes:
		return fmt.Errorf("%d bytes in one change: at most %d: %w", tx.bytes+bytes, maxTxBytes, kaijutsu.ErrTooLarge)
	case tx.ops+ops > maxTxOps:
		return fmt.Errorf("%d operations in one change: at most %d: %w", tx.ops+ops, maxTxOps, kaijutsu.ErrTooLarge)
	}
	tx.bytes += bytes
	tx.ops += ops
	return nil
}

// opsOf returns how many operations it takes to write s in a form.
func opsOf(form Form, s string) int {
	if form == FormText || form == "" {
		return utf8.RuneCountInString(s) + 1
	}
	return 2
}

// wrote notes a write that failed.
func (tx *Tx) wrote(doing string, err error) error {
	if err == nil {
		return nil
	}
	tx.failed = fmt.Errorf("%s: %w", doing, err)
	return tx.failed
}
