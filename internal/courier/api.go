package courier

import (
	"context"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
)

// Push is what somebody hands on from one context to another.
type Push struct {
	// ID makes a second Push of the same harmless; empty: a fresh one.
	ID string
	// From and To are addresses; From may be empty, for the call's context.
	From, To string
	// Content is the text. With Blocks it stands before them.
	Content string
	// Blocks are blocks of From, whose text is pushed; each cites itself.
	Blocks []string
	// Cite are handles of what the content rests on: it cites them as [1], [2]
	// in this order.
	Cite []string
	// Stage leaves it in the queue until somebody flushes From.
	Stage bool
	// Summarize has a distiller make a briefing of From, or of Blocks, which is
	// pushed in place of a content.
	Summarize bool
	Focus     string // what the briefing is to answer; empty: nothing in particular
	Distiller string // its name; empty: the default
	Fallback  bool   // where the distiller fails, the extractive one does it
	Act       bool   // the receiver is asked to act on it
	Model     string // of who pushes; empty: the model of From
	Again     bool   // it may be a finding that the target has had
	// Plain leaves handles that stand in the content alone: a rule pushes what
	// others have written, and they may not have it look things up for them.
	Plain bool
}

// PullSpec is a briefing of another context that somebody asks for.
type PullSpec struct {
	ID        string // as in Push
	From      string // address of what is read
	Into      string // address of what gets it; empty: the call's context
	Focus     string
	Distiller string
	Fallback  bool
}

// MergeSpec is what a fork tells the context that it was forked from.
type MergeSpec struct {
	ID        string // as in Push
	Fork      string // address; empty: the call's context
	Focus     string
	Distiller string
	Fallback  bool
}

// Outcome says what became of a drift.
type Outcome struct {
	Item  drift.Item
	State drift.State
	Doc   kaijutsu.DocumentID // where the block is; zero when it is not here
	Block blocks.ID           // empty unless it was delivered
	// Already says that it was so before: nothing was written.
	Already bool
	// Reason says why it is not delivered, if it was to be.
	Reason string
}

// Filter chooses items. The zero value is all that are staged, held or offered.
type Filter struct {
	From  string      // address of the source; empty: any
	State drift.State // empty: all but dead
}

// Shown is an item as its caller may see it.
type Shown struct {
	drift.Item        // the content is there in Show only
	Preview    string // how the content begins, in one line of at most 100 characters
	Bytes      int    // of the content
	Mine       bool   // the caller has staged it
	// Block is where it was delivered, of an item that a cancel found delivered.
	Block blocks.ID
	// Reason says what else there is to know of it.
	Reason string
}

// Delivery is what a flush did with one item.
type Delivery struct {
	ID     string
	Number uint64
	State  drift.State // delivered, staged again, dead, offered or cancelled
	Target kaijutsu.DocumentID
	Block  blocks.ID
	Reason string
}

// Flushed says what came of a flush.
type Flushed struct {
	Source kaijutsu.DocumentID
	// Delivered were delivered, Failed are staged again, Dead have failed for
	// the last time, Held wait at another kernel.
	Delivered, Failed, Dead, Held int
	// Left are not done yet: the flush goes on when Background is true.
	Left       int
	Background bool
	// LostFound are the dead letters that were copied into lost+found.
	LostFound int
	// Items are the first hundred, by number.
	Items []Delivery
}

// Receipt is what a kernel says of a drift that another one offered.
type Receipt struct {
	State   drift.State // delivered, held or, of one that is refused, cancelled
	Block   blocks.ID   // of one that is delivered
	Context string      // the UUID of where that is
	Reason  string      // why it is held or refused
}

// Verdict is what a kernel does with what another one offers.
type Verdict string

// The verdicts.
const (
	Accept Verdict = "accept"
	Hold   Verdict = "hold"
	Refuse Verdict = "refuse"
)

// Carrier reaches other kernels.
type Carrier interface {
	// Knows reports whether there is a way to a kernel.
	Knows(kernel string) bool
	// Offer offers an item to a kernel, perhaps not for the first time. An error
	// that wraps kaijutsu.ErrDenied is a refusal for good; what wraps
	// kaijutsu.ErrUnavailable is tried again.
	Offer(ctx context.Context, kernel string, it drift.Item) (Receipt, error)
}

// Gate decides what may be pushed. It is asked before anything is staged,
// delivered or held.
type Gate interface {
	// Push refuses an item: with an error that wraps kaijutsu.ErrConflict when
	// the target has had the finding, and ErrUnavailable when its source pushes
	// too often. auto says that no person or agent asked for it.
	Push(ctx context.Context, it *drift.Item, auto bool) error
	// Foreign says what is done with an offer by a principal, and why.
	Foreign(by kaijutsu.Principal) (Verdict, string)
	// Act answers an item that asks its receiver to act: with the value of
	// drift.Meta.Act.
	Act(it drift.Item) string
}

// Stats are how many items there are.
type Stats struct {
	Staged, Dead, Held, Offered int
	// Unread are those whose records cannot be read here: damaged, or of a newer
	// version. They stay, undelivered, until an owner of the kernel cancels them.
	Unread int
}
