package blocks

import (
	"kaijutsu"
	"kaijutsu/internal/textdiff"
)

// StepKind says what a step does.
type StepKind uint8

// The steps. Those from StepInserted to StepFlags work on the flat list of the
// blocks that show, in document order, which [Model.Blocks] returns.
const (
	StepInserted StepKind = iota + 1 // ID, After, Block, Restored: a row enters the list
	StepMoved                        // ID, After, Parent, Depth: a row, without those below it
	StepDeleted                      // ID: a row leaves the list, without those below it
	StepText                         // ID, Splices, Length
	StepStatus                       // ID, Status
	StepMeta                         // ID, Meta, BlockKind, Role, Form
	StepFlags                        // ID, Collapsed, Excluded, Ephemeral
	StepTitle                        // Title
	StepContext                      // Context: the id was written, by the first change of a context or a fork
)

// Step is one of the operations that make what shows after a change of what
// showed before it. They are exact when they are carried out in order, each on
// what the ones before it made; which fields count, the kind says. A step is
// immutable and may be shared.
type Step struct {
	Kind StepKind
	ID   ID // of the block; "" of StepTitle and StepContext

	// After is the block that stands in front of it in the list then, "" when
	// it becomes the first.
	After  ID
	Parent ID  // as written, like Block.Parent
	Depth  int // like Block.Depth

	// Block is the whole row as it shows when the change is over.
	Block *Block
	// Restored says that the block is not new: it, or one above it, was deleted.
	Restored bool

	// Splices say what happened to the content, in code points, each on the
	// text that the ones before it made; no two of them touch. Length is the
	// number of code points then.
	Splices []textdiff.Splice
	Length  int

	Status    Status
	Meta      string
	BlockKind Kind
	Role      Role
	Form      Form

	Collapsed, Excluded, Ephemeral bool

	Title   string
	Context kaijutsu.ContextID
}
