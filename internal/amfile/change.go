package amfile

import "kaijutsu"

// OpID names an operation inside one change: its counter and the index of its
// author in Change.Actors. Counter 0 is no operation: ROOT for an object, HEAD
// for an element.
type OpID struct {
	Counter uint64
	Actor   uint32
}

// GlobalID names an operation of a document: its counter and its author.
// The zero value is ROOT or HEAD.
type GlobalID struct {
	Counter uint64
	Actor   kaijutsu.ActorID
}

// Action is what an operation does (automerge binary format, "action array").
type Action uint8

// The actions of the format.
const (
	MakeMap   Action = 0
	Put       Action = 1
	MakeList  Action = 2
	Delete    Action = 3
	MakeText  Action = 4
	Increment Action = 5
	MakeTable Action = 6
	Mark      Action = 7
)

// ValueType is the type code in the low four bits of a value's metadata.
type ValueType uint8

// The value types of the format.
const (
	Null      ValueType = 0
	False     ValueType = 1
	True      ValueType = 2
	Uint      ValueType = 3 // ULEB128
	Int       ValueType = 4 // SLEB128
	Float     ValueType = 5 // 8 bytes, little endian
	String    ValueType = 6 // UTF-8
	Bytes     ValueType = 7
	Counter   ValueType = 8 // SLEB128, the start value
	Timestamp ValueType = 9 // SLEB128, milliseconds
)

// Value is a scalar as the value columns hold it.
type Value struct {
	Type ValueType
	// Raw is the encoded value; it may alias the chunk it was decoded from.
	Raw []byte
}

// Op is one operation of a change. Its id is not stored: operation i of a
// change has counter StartOp+i and the change's author.
type Op struct {
	Action Action
	Obj    OpID   // the object operated on; zero is ROOT
	Seq    bool   // the slot is an element of a list or text, not a map key
	Key    string // the map key, when Seq is false
	Elem   OpID   // the element, when Seq is true; zero is HEAD
	Insert bool   // makes a new element after Elem
	Expand bool   // marks only: grows at this end
	// MarkBegin says that the mark name column holds MarkName for this
	// operation, which opens a mark; a mark operation without it closes one.
	MarkBegin bool
	MarkName  string
	Value     Value
	Pred      []OpID // the operations it supersedes, ascending by counter, then actor bytes
}

// Change is one decoded change chunk. It is not modified after decoding and
// may be shared between goroutines; slices must not be written to.
type Change struct {
	Hash    kaijutsu.ChangeHash
	Deps    []kaijutsu.ChangeHash // ascending, unique
	Actors  []kaijutsu.ActorID    // [0] is the author, the rest ascending
	Seq     uint64
	StartOp uint64
	Time    int64 // Unix seconds; clients may write any value
	Message string
	Ops     []Op
	Extra   []byte // what follows the columns; belongs to the hash
	Raw     []byte // the uncompressed (type 1) chunk
}

// Author returns the actor that made the change.
func (c *Change) Author() kaijutsu.ActorID { return c.Actors[0] }

// MaxOp returns the counter of the last operation, StartOp-1 when there is none.
func (c *Change) MaxOp() uint64 { return c.StartOp + uint64(len(c.Ops)) - 1 }

// Global returns the document-wide name of an id of this change.
func (c *Change) Global(id OpID) GlobalID {
	if id.Counter == 0 {
		return GlobalID{}
	}
	return GlobalID{id.Counter, c.Actors[id.Actor]}
}

// ID returns the id of operation i.
func (c *Change) ID(i int) GlobalID { return GlobalID{c.StartOp + uint64(i), c.Actors[0]} }

// Compare orders ids as Automerge does everywhere: counter, then actor bytes.
func (g GlobalID) Compare(o GlobalID) int {
	switch {
	case g.Counter < o.Counter:
		return -1
	case g.Counter > o.Counter:
		return 1
	case g.Actor < o.Actor:
		return -1
	case g.Actor > o.Actor:
		return 1
	}
	return 0
}
