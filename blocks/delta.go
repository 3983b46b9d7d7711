package blocks

import (
	"strings"
	"time"

	"kaijutsu"
)

// Touch says how a change touched a block.
type Touch uint16

// The ways to touch a block. Inserted stands for all that a new block has.
const (
	TouchInserted Touch = 1 << iota
	TouchContent        // text, body or chunks
	TouchStatus
	TouchMoved    // parent or order
	TouchDeleted  // a tombstone was set, or the block was taken out of its page
	TouchRestored // a tombstone was taken away
	TouchMeta     // meta, kind or role
	TouchFlags    // collapsed, excluded or ephemeral
)

// touchReplaced says that another block of the same id shows now.
const touchReplaced = TouchContent | TouchStatus | TouchMoved | TouchMeta | TouchFlags

var touchNames = [...]string{"inserted", "content", "status", "moved", "deleted", "restored", "meta", "flags"}

// String lists the ways, separated by commas.
func (t Touch) String() string {
	var names []string
	for i, name := range touchNames {
		if t&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// Touched is a block that a change touched, and how.
type Touched struct {
	ID  ID
	How Touch
}

// Delta says what one change did to the blocks of a context, computed from its
// operations. No block is missing that shows otherwise than before; one may be
// listed although the change was to a value that another value hides.
type Delta struct {
	Change kaijutsu.ChangeHash
	Actor  kaijutsu.ActorID
	Time   time.Time // of the author's clock, in whole seconds
	Title  bool      // the title was touched
	Blocks []Touched // in the order in which the change first touched them
}
