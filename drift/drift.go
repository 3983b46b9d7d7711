package drift

import (
	"fmt"

	"kaijutsu"
)

// MaxContent is the most that one drift carries, in bytes of UTF-8.
const MaxContent = 256 << 10

// Kind says what made a drift.
type Kind string

// The kinds of drift.
const (
	KindPush    Kind = "push"    // somebody pushed this content, or these blocks
	KindPull    Kind = "pull"    // the receiver asked for a briefing
	KindMerge   Kind = "merge"   // a fork told its parent what came of it
	KindDistill Kind = "distill" // somebody pushed a briefing
	KindCommit  Kind = "commit"  // what a git commit says
)

// ParseKind returns s as a Kind. The error wraps kaijutsu.ErrInvalid.
func ParseKind(s string) (Kind, error) {
	switch k := Kind(s); k {
	case KindPush, KindPull, KindMerge, KindDistill, KindCommit:
		return k, nil
	}
	return "", kaijutsu.About("drift_kind", fmt.Errorf("drift kind %.64q: want push, pull, merge, distill or commit: %w", s, kaijutsu.ErrInvalid))
}

// State says where a drift is. Of a delivered or cancelled one there is no
// item: the block is the receipt.
type State string

// The states of a drift.
const (
	StateStaged    State = "staged"    // waits in the queue for a flush
	StateDead      State = "dead"      // five deliveries failed, or it was refused for good; replayable
	StateHeld      State = "held"      // from another kernel, waits here for consent
	StateOffered   State = "offered"   // to another kernel, which holds it
	StateDelivered State = "delivered" // it is a block; no item has it
	StateCancelled State = "cancelled" // it was taken back; no item has it
)

// ParseState returns s as a State. The error wraps kaijutsu.ErrInvalid.
func ParseState(s string) (State, error) {
	switch st := State(s); st {
	case StateStaged, StateDead, StateHeld, StateOffered, StateDelivered, StateCancelled:
		return st, nil
	}
	return "", kaijutsu.About("state", fmt.Errorf("state %.64q: want staged, dead, held, offered, delivered or cancelled: %w", s, kaijutsu.ErrInvalid))
}

// Kept reports whether a drift in this state is an item of the queue.
func (s State) Kept() bool {
	return s == StateStaged || s == StateDead || s == StateHeld || s == StateOffered
}

// What became of the wish that the receiver act on a drift: Meta.Act. The empty
// string is that nobody asked.
const (
	ActAsked    = "asked"    // the sender asks; nobody has decided
	ActGranted  = "granted"  // the receiver's gate said yes
	ActDeclined = "declined" // the receiver's gate said no
	ActPending  = "pending"  // the receiver's gate waits for somebody's consent
)
