package drift

import (
	"time"

	"kaijutsu"
)

// Item is a drift on its way, as the queue of a kernel keeps it.
type Item struct {
	ID     string // what ParseID returns
	Number uint64 // small, given by the kernel that holds the item; 0: none yet
	// Via is the kernel that an item came from; empty: it was staged here. By
	// and the meta's source are then of that kernel, and From is zero.
	Via  string
	From kaijutsu.DocumentID // the source context, here
	// Target is the context that it goes to, zero when that is another
	// kernel's: To is then its address on ToKernel.
	Target       kaijutsu.DocumentID
	ToKernel, To string
	Content      string
	Meta         Meta
	By           kaijutsu.Principal // the stager: the author of the block
	At           time.Time          // when it was staged
	State        State              // one for which Kept is true
	Failures     int
	LastError    string    // of the last delivery that failed, or why it was refused
	Tried        time.Time // when delivery was last tried; zero: never
}
