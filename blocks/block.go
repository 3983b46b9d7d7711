package blocks

import (
	"time"

	"kaijutsu"
)

// Block is a block as it shows: of each field the value that wins, and the
// default where the document holds nothing or nonsense. It is a copy.
type Block struct {
	ID     ID
	Kind   Kind   // default KindText
	Role   Role   // default RoleUser
	Status Status // default StatusDone
	// Parent is the parent as written, "" at the root. A block whose parent
	// does not exist, or whose parents run in a circle, shows at the root all
	// the same.
	Parent ID
	// Depth is the number of blocks above it where it shows.
	Depth   int
	Order   string // order key among its siblings; ties go by ID
	Form    Form   // which field Content comes from; "" when there is none
	Content string // a block marker or embedded object in a text reads as U+FFFC
	Meta    string // a JSON object as text; "" when there is none

	Deleted   bool // a tombstone: it and what hangs below do not show
	Collapsed bool
	Excluded  bool // never sent to a model
	Ephemeral bool

	// Author made the block, at the time Created, in whole seconds, that the
	// author's clock showed.
	Author  kaijutsu.ActorID
	Created time.Time
}
