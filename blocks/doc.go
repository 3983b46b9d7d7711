// Package blocks is what a context means: the change that every context
// starts from, the schema of its document, a read model of its blocks, and an
// editor that makes new changes.
//
// The schema is published in docs/schema.md, for clients that know nothing but
// Automerge. [Genesis] is the first change of every context, fixed for ever.
//
// # Reading
//
// A [Model] is fed with decoded changes and never asks an engine. It keeps the
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
// An [Editor] holds the document in an engine, automerge-rs 0.5.0 from the
// static library that automerge-go carries. It is called directly: memory is
// freed by Close, writes that fail are rolled back, and times are in seconds,
// none of which the Go API can do. Nothing is done through it whose cost grows
// with the history. What is left to know of it:
//
//   - Hostile changes make it abort the process, which nothing in Go can stop:
//     every change from a stranger is validated first (package amfile).
//   - It takes about 375 bytes for each character ever typed into a text and
//     half a kilobyte for each field of a block, outside of Go's heap and its
//     limits. Nothing makes a document smaller: only Close frees it, all at
//     once, and on glibc gives the memory back to the system.
//     MALLOC_ARENA_MAX=2 keeps what is left in the allocator small.
//
// A model and an editor hold exactly the same changes when Commit is called:
// the editor finds blocks and order keys there.
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
