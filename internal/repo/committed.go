package repo

import (
	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/store"
)

// Committed says what is on disk since the last one of the document. What it
// holds is immutable and may be kept.
//
// It is told in the order of each document's changes: From is the Version of
// the one before. Of different documents the journal's order is not kept: an
// entry may be told of before one with a smaller number. Every number is told
// once in the end, unless the process ends first; what the journal holds is on
// disk then, and was told to nobody.
type Committed struct {
	Doc     kaijutsu.DocumentID
	Heads   kaijutsu.Heads
	Before  kaijutsu.Heads // the heads before these changes
	Version uint64         // changes that the document holds
	From    uint64         // changes that it held before; those of the base, for a fork
	Seq     uint64         // its entry in the journal
	// Changes are those that were made durable, in order: all local or all of
	// other nodes. They are without their operations, and name their author
	// alone: those may take far more memory than the bytes they are in.
	Changes []Change
	// Traced says that each of the changes has its Steps and Heads. It is
	// asked for by Config.Trace, and not promised: after a refused edit in the
	// same batch it is missing, and Replay gives the same.
	Traced bool
	// Base says that the document was made, as a fork that rests on it. Anchor
	// is the document's, when it got it with these changes.
	Base   *store.Base
	Anchor kaijutsu.ChangeHash
	// Deltas are what the changes did to the blocks, in order. They are known
	// while the read model is open; else All is true and anything may have
	// changed.
	Deltas []Delta
	All    bool
	// Deleted says that the document is gone for good; only Doc is set.
	Deleted bool
}

// Change is a change of a document's log, and who made it: By, or somebody
// unknown whose changes came Via a relay or an import.
type Change struct {
	*amfile.Change
	By, Via kaijutsu.Principal
	// Remote says that another node brought it. It is known when the change is
	// committed, and not of the past.
	Remote bool
	// Steps are what shows otherwise with it, and Heads the document's after
	// it, when it was traced.
	Steps []blocks.Step
	Heads kaijutsu.Heads
}

// Delta says what one change did to the blocks, and who made it: By, or
// somebody unknown whose changes came Via a relay or an import.
type Delta struct {
	blocks.Delta
	By, Via kaijutsu.Principal
}
