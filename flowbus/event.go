package flowbus

import (
	"time"

	"kaijutsu"
)

// Event says that something happened. What happened to a context's document is
// derived at every node from the changes that it applied, and carries a
// version; everything else is published where it happens, once, and kept
// nowhere.
type Event struct {
	Kernel  string
	Context kaijutsu.ContextID // zero: it is of no context
	Block   string             // "": it is of no block
	Kind    Kind

	// Version is how many changes the context held on Node after the one that
	// this comes of; 0 when it comes of none. A change that gives several events
	// gives them the same version, numbered by Part, from 1 to Parts.
	Version     uint64
	Part, Parts int
	Heads       kaijutsu.Heads // of the context, after the change
	// Change is what it comes of, or, of what somebody did beside the changes,
	// the one that wrote what it is about into the context: it is told where
	// that is. Zero: there is none.
	Change kaijutsu.ChangeHash

	// Principal is who did it; zero when nobody is on record, or it came Via a
	// relay or an import.
	Principal, Via kaijutsu.Principal
	// Time is when: of a change what its author's clock showed, in whole seconds.
	Time time.Time
	// Node is the id of the node that tells it.
	Node string
	// Data is the payload of the kind.
	Data Payload
}

// Kind names what happened, as <domain>.<name>. The set is closed.
type Kind string

// The kinds of events.
const (
	BlockInserted Kind = "block.inserted" // a block shows that did not
	BlockText     Kind = "block.text"     // its text changed
	BlockStatus   Kind = "block.status"
	BlockMoved    Kind = "block.moved"
	BlockDeleted  Kind = "block.deleted" // it does not show any more
	BlockMeta     Kind = "block.meta"    // its kind, role, form or meta
	BlockFlags    Kind = "block.flags"

	ContextCreated  Kind = "context.created"
	ContextForked   Kind = "context.forked"
	ContextRenamed  Kind = "context.renamed"
	ContextAdvanced Kind = "context.advanced" // a change that altered nothing that shows
	ContextArchived Kind = "context.archived"
	ContextRestored Kind = "context.restored"
	ContextDeleted  Kind = "context.deleted"

	DriftStaged    Kind = "drift.staged"    // it waits in its source
	DriftDelivered Kind = "drift.delivered" // it is a block of its target
	DriftCancelled Kind = "drift.cancelled" // it does not wait in its source any more
	DriftFailed    Kind = "drift.failed"    // it is a dead letter of its source, or was refused

	CommitMade Kind = "commit.made"

	SeatJoined   Kind = "seat.joined"
	SeatLeft     Kind = "seat.left"
	SeatStatus   Kind = "seat.status"
	SeatPresence Kind = "seat.presence" // what somebody is doing; lossy

	ResourceUpdated     Kind = "resource.updated"
	ResourceListChanged Kind = "resource.list_changed"

	ConfigChanged Kind = "config.changed"

	ProgressUpdate Kind = "progress.update" // how far something is; lossy

	ElicitationRequest  Kind = "elicitation.request"
	ElicitationAnswered Kind = "elicitation.answered"

	LogMessage Kind = "log.message"

	NodeJoined Kind = "node.joined"
	NodeLeft   Kind = "node.left"
)

// Source says where events of a kind come from.
type Source uint8

// The sources of events.
const (
	// FromChanges are derived at every node from the changes of a document, and
	// can be derived again: they have a version.
	FromChanges Source = iota
	// FromRecords are told at every node by what it holds on record.
	FromRecords
	// FromAnyone are published at one node and travel to the others.
	FromAnyone
	// Fleeting are published like FromAnyone, but only what is newest counts: a
	// follower that is late is not given them, and misses nothing.
	Fleeting
)

// trait is what is always so of a kind.
type trait struct {
	kind    Kind
	source  Source
	context bool // it is always of a context
	block   bool // and always of a block
	empty   func() Payload
}

// traits lists the closed set, in the order of Kinds.
var traits = []trait{
	{BlockInserted, FromChanges, true, true, func() Payload { return new(Inserted) }},
	{BlockText, FromChanges, true, true, func() Payload { return new(Text) }},
	{BlockStatus, FromChanges, true, true, func() Payload { return new(Status) }},
	{BlockMoved, FromChanges, true, true, func() Payload { return new(Moved) }},
	{BlockDeleted, FromChanges, true, true, func() Payload { return new(Nothing) }},
	{BlockMeta, FromChanges, true, true, func() Payload { return new(Meta) }},
	{BlockFlags, FromChanges, true, true, func() Payload { return new(Flags) }},
	{ContextCreated, FromChanges, true, false, func() Payload { return new(Titled) }},
	{ContextForked, FromChanges, true, false, func() Payload { return new(Forked) }},
	{ContextRenamed, FromChanges, true, false, func() Payload { return new(Titled) }},
	{ContextAdvanced, FromChanges, true, false, func() Payload { return new(Nothing) }},
	{ContextArchived, FromRecords, true, false, func() Payload { return new(Nothing) }},
	{ContextRestored, FromRecords, true, false, func() Payload { return new(Nothing) }},
	{ContextDeleted, FromRecords, true, false, func() Payload { return new(Nothing) }},
	{DriftStaged, FromAnyone, true, false, func() Payload { return new(Drift) }},
	{DriftDelivered, FromAnyone, true, false, func() Payload { return new(Drift) }},
	{DriftCancelled, FromAnyone, true, false, func() Payload { return new(Drift) }},
	{DriftFailed, FromAnyone, true, false, func() Payload { return new(Drift) }},
	{CommitMade, FromAnyone, false, false, func() Payload { return new(Commit) }},
	{SeatJoined, FromAnyone, false, false, func() Payload { return new(Seat) }},
	{SeatLeft, FromAnyone, false, false, func() Payload { return new(Seat) }},
	{SeatStatus, FromAnyone, false, false, func() Payload { return new(Seat) }},
	{SeatPresence, Fleeting, true, false, func() Payload { return new(Presence) }},
	{ResourceUpdated, FromAnyone, false, false, func() Payload { return new(Resource) }},
	{ResourceListChanged, FromAnyone, false, false, func() Payload { return new(Resource) }},
	{ConfigChanged, FromAnyone, false, false, func() Payload { return new(Setting) }},
	{ProgressUpdate, Fleeting, false, false, func() Payload { return new(Progress) }},
	{ElicitationRequest, FromAnyone, false, false, func() Payload { return new(Elicitation) }},
	{ElicitationAnswered, FromAnyone, false, false, func() Payload { return new(Answer) }},
	{LogMessage, FromAnyone, false, false, func() Payload { return new(Log) }},
	{NodeJoined, FromAnyone, false, false, func() Payload { return new(Node) }},
	{NodeLeft, FromAnyone, false, false, func() Payload { return new(Node) }},
}

// traitOf is by kind.
var traitOf = func() map[Kind]*trait {
	all := make(map[Kind]*trait, len(traits))
	for i := range traits {
		all[traits[i].kind] = &traits[i]
	}
	return all
}()

// Kinds returns every kind of event, in a fixed order.
func Kinds() []Kind {
	all := make([]Kind, len(traits))
	for i := range traits {
		all[i] = traits[i].kind
	}
	return all
}

// Known reports whether k is one of Kinds.
func (k Kind) Known() bool { return traitOf[k] != nil }

// Source returns where events of the kind come from; of an unknown kind,
// FromAnyone.
func (k Kind) Source() Source {
	if t := traitOf[k]; t != nil {
		return t.source
	}
	return FromAnyone
}
