// Package blocks is what a context means: the change that every context
// starts from, the schema of its document, a read model of its blocks, and the
// making of new changes.
//
// The schema is published in docs/schema.md, for clients that know nothing but
// Automerge. [Genesis] is the first change of every context, fixed for ever.
//
// # Reading
//
// A [Model] is fed with decoded changes; there is no engine. It keeps the
// operations that are visible, so that it shows what every Automerge client
// shows, conflicts included, and for each change it says which blocks were
// touched ([Delta]). A change costs time in proportion to its operations, not
// to the document; content that changed is put together when it is next read.
// Where it goes beyond Automerge, it computes from what is visible: the status
// of a block is the highest that clients have put at the same time, its place
// comes from order keys and parents, and circles of parents are cut.
//
// # Editing
//
// [Model.Commit] makes a change. A [Tx] writes operations itself: which ones a
// field or an element shows, and so which ones a write supersedes, the model
// knows. It sees what it has written already, and touches neither the model
// nor anything else before the change is applied like any other, so that
// taking back is dropping it. The operations are those that a stock client
// would have made, down to the place of a character between the ends of marks.
// A write costs what it touches, never the document or its history.
//
// What a text is edited by is splices of what differs, never a new text. A
// record is thawed into a text by its first edit.
//
// # History
//
// What happened is asked of a [Log], the changes of a document: who wrote each
// character ([Model.Blame]), what was there at some heads ([ModelAt]) and how
// two states differ ([Diff]), what somebody did last ([LastUnit]) and how to
// take it back ([Tx.Revert]). The model keeps of each actor when it wrote, the
// log finds the change of an operation, and of the changes only those are
// decoded that took content away which came back in another form: a record
// that became a text is still the work of those who wrote the record, and so
// are characters that an undo brought back. [Model.Examine] says what a change
// would touch, for those who decide whether it may.
//
// # Order
//
// Siblings are ordered by base-62 keys with random digits, ties by block id; a
// new block gets a key between two others, and runs that several replicas
// write at one place do not mix.
//
// The package starts no goroutine, does no input or output, reads no clock and
// stores nothing; nothing in it is safe for concurrent use. Positions and
// lengths of text are in Unicode code points. It knows actors, not principals,
// and does not judge changes: that is done before they get here.
package blocks
