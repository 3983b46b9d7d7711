package blocks

import (
	"time"

	"kaijutsu"
)

// engine is the CRDT behind an Editor. It is trusted with nothing: what goes
// in was validated, and what comes out is decoded before it is used. Writes
// are pending until commit, and rollback takes them back. Objects are good
// until then.
type engine interface {
	// load applies chunks, and says nothing of those it skips.
	load(chunks []byte) error
	heads() (kaijutsu.Heads, error)

	setActor(a kaijutsu.ActorID) error
	pending() int
	// commit makes one change of the pending writes and returns its chunk; the
	// change's time is in whole seconds.
	commit(message string, at time.Time) ([]byte, error)
	rollback()

	// get returns the value that wins under a key of a map, all every visible
	// one.
	get(m engineObject, key string) (engineValue, error)
	all(m engineObject, key string) ([]engineValue, error)
	putString(m engineObject, key, s string) error
	putObject(m engineObject, key string, kind engineKind) (engineObject, error)
	remove(m engineObject, key string) error

	// text returns the characters of a text, size their number, or the number
	// of elements of a list.
	text(t engineObject) (string, error)
	size(o engineObject) int
	// splice replaces del code points at pos, or, with both 0 … size, inserts.
	splice(t engineObject, pos, del int, s string) error
	strings(l engineObject) ([]string, error)
	push(l engineObject, s string) error

	// free lets go of everything. No method may be called afterwards.
	free()
}

// engineKind is what a value of the engine is.
type engineKind uint8

const (
	engineNothing engineKind = iota // no value
	engineScalar                    // a scalar that is no string
	engineString
	engineMap
	engineList
	engineText
)

// engineValue is a value read from the engine.
type engineValue struct {
	kind engineKind
	str  string
	obj  engineObject
}

// engineObject names a map, list or text of the engine; nil is the root map.
type engineObject any
