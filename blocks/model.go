package blocks

import (
	"math"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/halt"
)

// Model is the read model of a context: what its blocks are now, kept in step
// by applying changes. It is exact: where clients were in conflict it shows
// what every Automerge client shows.
//
// Any document may be applied. Of one that is no context it keeps next to
// nothing.
//
// It is not safe for concurrent use, readers included: what they read is
// computed when first asked for. A document's owner serialises it.
type Model struct {
	// Stop, if not nil, ends what takes too long: the model is not to be used
	// any more then, if it was being changed.
	Stop *halt.Flag

	actors     []kaijutsu.ActorID // by index, as opID uses it
	actorIndex map[kaijutsu.ActorID]uint32
	applied    []uint64  // by actor index: sequence number of its last change
	stamps     [][]stamp // by actor index: when its operations were made
	changes    int
	maxOp      uint64 // the highest counter

	objects map[opID]object // those of the schema that are visible somewhere
	schema  []slot[valueKind]
	title   []entry           // fieldText
	context []entry           // fieldBody: the id of the context
	pages   []slot[*pagesMap] // nil for what is no map

	blocks map[ID]*blockMap // the ones that exist; tombstones too
	tree   tree

	words map[string]string // kinds, roles and statuses, each kept once
	size  int64             // estimate of the memory held

	undos   map[uint32][]opSpan // the operations of undos, by author; ascending
	origins map[opID]origin     // where contents that took on another form come from

	formers     map[*blockMap][]former // what fields held that was superseded
	formerTexts map[opID]*sequence     // the texts and lists of formers
	lost        map[ID]bool            // blocks whose past is not told by fields and formers
	superseded  []*sequence            // by the change at hand
	repaged     bool                   // the past of no block is: pages were replaced

	delta   *Delta     // of the change being applied
	touched map[ID]int // indexes in delta.Blocks
	tracing *tracing   // nil unless Trace applies it
}

// NewModel returns the model of an empty document.
func NewModel() *Model {
	return &Model{
		actorIndex: make(map[kaijutsu.ActorID]uint32),
		objects:    make(map[opID]object),
		blocks:     make(map[ID]*blockMap),
		tree:       newTree(),
		words:      make(map[string]string),
		origins:    make(map[opID]origin),

		formers:     make(map[*blockMap][]former),
		formerTexts: make(map[opID]*sequence),
		lost:        make(map[ID]bool),
		undos:       make(map[uint32][]opSpan),
		touched:     make(map[ID]int),
	}
}

// Apply takes in a change and returns what it did. Changes come after those
// they depend on. One that was applied before does nothing, and neither does
// one with operation counters of 2^32 or more, which validation refuses.
func (m *Model) Apply(c *amfile.Change) Delta {
	delta := Delta{Change: c.Hash, Actor: c.Author(), Time: time.Unix(c.Time, 0).UTC()}
	author := m.actor(c.Author())
	if c.Seq <= m.applied[author] || c.MaxOp() > math.MaxUint32 {
		return delta
	}
	m.applied[author] = c.Seq
	m.stamp(author, c)
	m.noteUndo(author, c)
	m.changes++
	m.maxOp = max(m.maxOp, c.MaxOp())
	m.delta = &delta
	m.run(c)
	m.settleFormers()
	m.settle()
	m.delta = nil
	return delta
}

// Changes returns the number of changes applied.
func (m *Model) Changes() int { return m.changes }

// IsContext reports whether the document has the schema that this package
// knows: ROOT.schema is the number 1 and ROOT.pages a map.
func (m *Model) IsContext() bool {
	return winner(m.schema) == valueOne && winner(m.pages) != nil
}

// Title returns the title of the context.
func (m *Model) Title() string {
	if e := last(m.title, fieldText); e != nil {
		return e.word("")
	}
	return ""
}

// Context returns the id of the context as its anchor wrote it: the first
// change that is its own and not its origin's. It is zero where the document
// does not say, or not in the form of an id.
func (m *Model) Context() kaijutsu.ContextID {
	e := last(m.context, fieldBody)
	if e == nil {
		return kaijutsu.ContextID{}
	}
	id, err := kaijutsu.ParseContextID(e.word(""))
	if err != nil {
		return kaijutsu.ContextID{}
	}
	return id
}

// Bytes returns an estimate of the memory the model holds.
func (m *Model) Bytes() int64 { return m.size }

// The estimates behind Bytes, for 64-bit machines: the structure, its slack,
// and its places in maps and indexes.
const (
	actorBytes    = 128
	blockBytes    = 320
	entryBytes    = 48
	sequenceBytes = 192
	spanBytes     = 64
	pageBytes     = 64
)
