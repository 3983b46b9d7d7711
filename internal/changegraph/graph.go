package changegraph

import (
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/halt"
)

// node is one change of the log. It holds no pointers, so that the collector
// does not look at the log at all.
type node struct {
	hash     kaijutsu.ChangeHash
	raw      place
	deps     uint32 // offset of its dependencies in Graph.deps
	numDeps  uint16
	descends bool   // from the anchor
	actor    uint32 // index in Graph.actors
	seq      uint32
	startOp  uint32
	numOps   uint32
	children uint32 // changes that depend on this one; the top bit marks it during a walk
}

const (
	mark      = 1 << 31
	nodeBytes = 72
)

// maxOp returns the counter of the change's last operation.
func (n *node) maxOp() uint64 { return uint64(n.startOp) + uint64(n.numOps) - 1 }

// author is one actor of the document and its changes: seq k is at changes[k-1].
type author struct {
	id      kaijutsu.ActorID
	changes []int32
}

// Graph is a document as a set of changes. It is not safe for concurrent use.
// The zero value is not usable: call New.
type Graph struct {
	// Admit, if not nil, is told of every change that is not known yet, before
	// anything is done with it, also of one that has waited. Its error refuses
	// the change, as Judge's does.
	Admit func(c *amfile.Change, from *SyncState) error
	// Tried, if not nil, is told when such a change and all that it set free are
	// taken or not.
	Tried func()
	// Stop, if not nil, ends what takes too long: the graph is not to be used
	// any more then.
	Stop *halt.Flag
	// Judge, if not nil, is asked of every change that is well formed, when
	// all it depends on is there: it returns nil, or why the change is not
	// taken. from is who brought it, nil for one that did not come over sync.
	// When the error wraps kaijutsu.ErrDenied, another peer may bring the same
	// change; when it is Passing, anybody may; else it is refused for good.
	Judge func(c *amfile.Change, from *SyncState) error
	// Took, if not nil, is told of every change right after it was added.
	Took func(c *amfile.Change, from *SyncState)

	log     []node
	deps    []int32 // the dependencies of all changes, as log indexes
	raw     arena
	index   table
	authors []author
	actors  map[kaijutsu.ActorID]uint32

	heads    []int32        // log indexes, ascending
	headsNow kaijutsu.Heads // the same as hashes; nil when it must be made again
	maxOp    uint64
	anchor   int32 // -1 for none

	waiting  waiting
	refusals refusals
	recent   recent
	ops      opCaches
	elements elementIndex

	snapshot       []byte
	snapshotCovers int
	sent           sentCache
	cuts           []int // lengths that the log was truncated to, the last maxCuts
	cutsForgotten  int   // truncations before those
}

// New returns the graph of an empty document.
func New() *Graph {
	g := &Graph{index: newTable(), actors: make(map[kaijutsu.ActorID]uint32), anchor: -1}
	g.waiting.init()
	g.refusals.init()
	g.ops.init()
	return g
}

// Len returns the number of changes. Changes are numbered from 0 in the order
// in which they were added, which is topological: dependencies come first.
func (g *Graph) Len() int { return len(g.log) }

// Heads returns the changes that no other change depends on. The caller must
// not modify the result.
func (g *Graph) Heads() kaijutsu.Heads {
	if g.headsNow == nil && len(g.heads) > 0 {
		g.headsNow = g.hashes(g.heads)
	}
	return g.headsNow
}

// hashes returns the hashes of these changes, as heads are listed.
func (g *Graph) hashes(indexes []int32) kaijutsu.Heads {
	h := make(kaijutsu.Heads, len(indexes))
	for k, i := range indexes {
		h[k] = g.log[i].hash
	}
	slices.SortFunc(h, kaijutsu.ChangeHash.Compare)
	return h
}

// Has reports whether the document holds the change. Changes that wait for
// their dependencies are not held.
func (g *Graph) Has(h kaijutsu.ChangeHash) bool {
	_, ok := g.index.find(g.log, &h)
	return ok
}

// Index returns the number of the change with this hash.
func (g *Graph) Index(h kaijutsu.ChangeHash) (int, bool) {
	i, ok := g.index.find(g.log, &h)
	return int(i), ok
}

// Hash returns the hash of change i.
func (g *Graph) Hash(i int) kaijutsu.ChangeHash { return g.log[i].hash }

// Raw returns the uncompressed chunk of change i. It stays valid, also after
// Truncate; the caller must not write to it.
func (g *Graph) Raw(i int) []byte { return g.raw.get(g.log[i].raw) }

// Author returns the actor that made change i.
func (g *Graph) Author(i int) kaijutsu.ActorID { return g.authors[g.log[i].actor].id }

// NextSeq returns the sequence number that the actor's next change must have.
func (g *Graph) NextSeq(actor kaijutsu.ActorID) uint64 {
	a, ok := g.actors[actor]
	if !ok {
		return 1
	}
	return uint64(len(g.authors[a].changes)) + 1
}

// MaxOp returns the highest operation counter of the document, 0 when it has
// no operations.
func (g *Graph) MaxOp() uint64 { return g.maxOp }

// Bytes estimates the memory that the graph holds.
func (g *Graph) Bytes() int64 {
	n := int64(cap(g.log))*nodeBytes + int64(cap(g.deps))*4 + g.raw.size + g.index.bytes()
	n += int64(len(g.log)) * 6 // the authors' lists with room to grow
	n += int64(len(g.authors)) * 192
	n += int64(g.waiting.bytes) + int64(len(g.snapshot)) + int64(g.sent.bytes)
	n += int64(g.refusals.len())*192 + g.ops.bytes() + g.elements.bytes() + g.recent.bytes()
	return n
}

// SetSnapshot gives the graph a document chunk that holds exactly the first n
// changes; peers that hold nothing are sent it. It is the caller's promise
// that the chunk is right. The graph keeps the slice. A nil chunk takes the
// snapshot away.
func (g *Graph) SetSnapshot(chunk []byte, n int) {
	if n > len(g.log) {
		chunk, n = nil, 0
	}
	g.snapshot, g.snapshotCovers = chunk, n
	g.sent.clear()
}

// SnapshotBytes returns the size of the chunk that SetSnapshot gave it, 0 for
// none.
func (g *Graph) SnapshotBytes() int { return len(g.snapshot) }

// depsOf returns the dependencies of change i as log indexes.
func (g *Graph) depsOf(i int32) []int32 {
	n := &g.log[i]
	return g.deps[n.deps : n.deps+uint32(n.numDeps)]
}

// entry is a change that was found good and is to be appended.
type entry struct {
	hash            kaijutsu.ChangeHash
	author          kaijutsu.ActorID
	deps            []int32
	seq             uint64
	startOp, numOps uint64
	raw             []byte
}

// append adds a change to the log. Its dependencies are in the log and its
// numbers within their limits.
func (g *Graph) append(e entry) int32 {
	i := int32(len(g.log))
	g.log = append(g.log, node{
		hash:    e.hash,
		raw:     g.raw.put(e.raw),
		deps:    uint32(len(g.deps)),
		numDeps: uint16(len(e.deps)), descends: g.descends(i, e.deps),
		actor:   g.intern(e.author),
		seq:     uint32(e.seq),
		startOp: uint32(e.startOp),
		numOps:  uint32(e.numOps),
	})
	g.deps = append(g.deps, e.deps...)
	a := &g.authors[g.log[i].actor]
	a.changes = append(a.changes, i)
	for _, d := range e.deps {
		if g.log[d].children == 0 {
			k, _ := slices.BinarySearch(g.heads, d)
			g.heads = slices.Delete(g.heads, k, k+1)
		}
		g.log[d].children++
	}
	g.heads = append(g.heads, i)
	g.headsNow = nil
	g.maxOp = max(g.maxOp, g.log[i].maxOp())
	g.index.add(g.log)
	return i
}

// intern returns the index of an actor, giving it one when it is new. The id
// is copied: it may be part of a much larger string.
func (g *Graph) intern(id kaijutsu.ActorID) uint32 {
	if a, ok := g.actors[id]; ok {
		return a
	}
	a := uint32(len(g.authors))
	id = kaijutsu.ActorID([]byte(id))
	g.authors = append(g.authors, author{id: id})
	g.actors[id] = a
	return a
}

// resolve returns the log indexes of these changes and those that are unknown.
func (g *Graph) resolve(hashes []kaijutsu.ChangeHash) (known []int32, unknown []kaijutsu.ChangeHash) {
	if len(hashes) > 0 {
		known = make([]int32, 0, len(hashes))
	}
	for k := range hashes {
		if i, ok := g.index.find(g.log, &hashes[k]); ok {
			known = append(known, i)
		} else {
			unknown = append(unknown, hashes[k])
		}
	}
	return known, unknown
}
