package blocks

import "kaijutsu/internal/amfile"

// Effects says what the operations of a change are about, judged without
// applying them, for those who decide whether its author may. It errs on the
// side of more: whatever Apply would say is touched is in it, or Outside is
// set.
type Effects struct {
	// Blocks are those that operations touch, in the order of the operations.
	Blocks []Effect
	// Outside says that some operation is about anything but blocks: the title,
	// other keys of the root, pages, objects that the model does not know or
	// that do not show.
	Outside bool
	// Title says that the title is touched; Outside is set too.
	Title bool
	// Root are the writes to keys of the root map; Outside is set too.
	Root []RootWrite
}

// Effect is what a change does to one block.
type Effect struct {
	ID ID
	// How is every way in which it may be touched. A block that the change
	// makes is TouchInserted only, whatever is written into it.
	How Touch
	// Foreign says that it writes keys of the block that the schema does not
	// have.
	Foreign bool
	// Kinds are the kinds that the change writes, each as often as it does; a
	// value that is no plain string counts as "". A new block without any is a
	// KindText.
	Kinds []Kind
	// Parents are the parents that the change writes, likewise.
	Parents []ID
}

// RootWrite is a write to a key of the root map.
type RootWrite struct {
	Key string
	// Value is what a put writes; of another type than String when Action is
	// not amfile.Put.
	Action amfile.Action
	Value  amfile.Value
}

// Examine says what a change would touch. The model holds what the change
// depends on, and may hold more.
func (m *Model) Examine(c *amfile.Change) Effects { return Effects{Outside: true} }
