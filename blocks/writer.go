package blocks

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// The writer makes operations out of the read model, which knows the visible
// operations of every field and element. The methods of Tx that are exported
// say what to do with blocks, check it, and are made of these, which write
// what they are told:
//
//	tx.draft(id)                 a block as the transaction sees it, nil if none
//	tx.rootDraft()               the title (fieldText) and the context's id (fieldBody)
//	tx.set(d, f, value)          puts a scalar, superseding all that shows in the field
//	tx.make(d, f, list)          puts a new Text or list, and returns it
//	tx.remove(d, f)              takes away all that shows in a field
//	tx.place(d)                  call after parent or order were written
//	tx.text(seq)                 a Text or list as the transaction sees it
//	t.splice(tx, pos, del, ins)  by position, in code points; in range
//	t.append(tx, s)              behind the last character; of a list: one element
//	t.insertAfter(tx, elem, s)   behind an element, also one that is deleted
//	t.deleteWhere(tx, gone)      the visible elements that gone names
//	tx.use(bytes, ops)           call before, to stay within what a change may hold
//
// Each stages amfile operations, whose ids are known at once, and enters the
// result into an overlay: drafts of blocks, and piece tables of texts. The
// model is never touched, so that taking back is letting go. None costs more
// than what it touches; a position in a text is looked up among its spans.

// Tx is a change in the making. It is good until the function that Commit
// runs returns. Its methods check everything before they write: one that
// returns an error has written nothing, and the transaction may go on.
type Tx struct {
	model *Model
	me    uint32 // the model's index of the author

	deps   []kaijutsu.ChangeHash // the heads that the change is made on
	start  uint64                // counter of the first operation
	ops    []amfile.Op
	actors []kaijutsu.ActorID // of the change; the author first
	table  map[uint32]uint32  // indexes in it by the model's
	preds  []amfile.OpID      // what Op.Pred are parts of

	drafts map[ID]*draft
	root   *draft
	texts  map[opID]*textDraft // by object
	placed map[ID]sibling      // blocks of the transaction, and those it moved
	below  map[ID][]sibling    // the same by parent, in order
	moving ID                  // the block that is being moved, which is nobody's neighbour

	reverted    []kaijutsu.ChangeHash // what Revert has taken back
	revertedOps int                   // by so many operations

	bytes   int  // written so far
	fileOps int  // operations that texts of files took, or could have
	over    bool // the function that Commit ran has returned
}

// errOver keeps a transaction that was kept from writing into the next one.
var errOver = fmt.Errorf("the transaction is over: %w", kaijutsu.ErrInvalid)

func newTx(m *Model, author uint32, opt CommitOptions) *Tx {
	return &Tx{
		model: m, me: author, deps: opt.Deps, start: opt.StartOp,
		actors: []kaijutsu.ActorID{opt.Actor},
		table:  map[uint32]uint32{author: 0},
	}
}

// end lets go of what the transaction held on to.
func (tx *Tx) end() {
	tx.over = true
	for _, t := range tx.texts {
		t.seq.pinned = false
	}
}

// stage adds an operation to the change and returns its id.
func (tx *Tx) stage(op amfile.Op) opID {
	id := opID{uint32(tx.start) + uint32(len(tx.ops)), tx.me}
	tx.ops = append(tx.ops, op)
	return id
}

// name returns the change's name of an operation.
func (tx *Tx) name(id opID) amfile.OpID {
	if id.counter == 0 {
		return amfile.OpID{}
	}
	i, ok := tx.table[id.actor]
	if !ok {
		i = uint32(len(tx.actors))
		tx.actors = append(tx.actors, tx.model.actors[id.actor])
		tx.table[id.actor] = i
	}
	return amfile.OpID{Counter: uint64(id.counter), Actor: i}
}

// pred returns the names of operations that are superseded.
func (tx *Tx) pred(ids ...opID) []amfile.OpID {
	from := len(tx.preds)
	for _, id := range ids {
		tx.preds = append(tx.preds, tx.name(id))
	}
	return tx.preds[from:len(tx.preds):len(tx.preds)]
}

// use counts what is about to be written against what one change may hold:
// bytes, and operations, of which a text takes one for each code point.
func (tx *Tx) use(bytes, ops int) error {
	switch {
	case tx.bytes+bytes > maxTxBytes:
		return fmt.Errorf("%d bytes in one change: at most %d: %w", tx.bytes+bytes, maxTxBytes, kaijutsu.ErrTooLarge)
	case len(tx.ops)-tx.fileOps+ops > maxTxOps:
		return fmt.Errorf("%d operations in one change: at most %d: %w", len(tx.ops)+ops, maxTxOps, kaijutsu.ErrTooLarge)
	case len(tx.ops)+ops > maxFileTxOps:
		return fmt.Errorf("%d operations in one change: at most %d: %w", len(tx.ops)+ops, maxFileTxOps, kaijutsu.ErrTooLarge)
	}
	tx.bytes += bytes
	return nil
}

// useIn is use for writing into the content of a block. A change may hold more
// operations on files, which are as long as they are.
func (tx *Tx) useIn(kind Kind, bytes, ops int) error {
	if kind != KindFile {
		return tx.use(bytes, ops)
	}
	tx.fileOps += ops
	if err := tx.use(bytes, ops); err != nil {
		tx.fileOps -= ops
		return err
	}
	tx.ops = slices.Grow(tx.ops, ops)
	return nil
}

// opsOf returns how many operations it takes to write s in a form.
func opsOf(form Form, s string) int {
	if form == FormText || form == "" {
		return utf8.RuneCountInString(s) + 1
	}
	return 2
}
