package changegraph

import "kaijutsu/internal/amfile"

// op is what the rules need to know of an operation, a quarter the size of a
// decoded one. Actors are indexes in Graph.authors.
type op struct {
	objCounter, objActor   uint32
	elemCounter, elemActor uint32
	key                    string
	action                 amfile.Action
	seq, insert, counter   bool
}

const (
	noActor    = 1<<32 - 1
	opBytes    = 40
	entryBytes = 128 // of an opEntry with its place in the map, about
)

// opCaches holds the operations of the changes last used. It makes an edit in
// the midst of a long history cost the decoding of the changes it refers to
// only when they were not referred to for long. Large changes have a cache of
// their own: a pasted book must not go because ten thousand keystrokes came.
type opCaches struct{ small, large opCache }

func (c *opCaches) init() {
	c.small = opCache{byChange: make(map[int32]*opEntry), limit: maxSmallOpBytes}
	c.large = opCache{byChange: make(map[int32]*opEntry), limit: maxLargeOpBytes}
}

// of returns the cache for a change of so many operations.
func (c *opCaches) of(numOps uint32) *opCache {
	if numOps > largeOps {
		return &c.large
	}
	return &c.small
}

func (c *opCaches) bytes() int64 { return int64(c.small.bytes + c.large.bytes) }

// cut forgets the changes from n on.
func (c *opCaches) cut(n int) {
	c.small.cut(n)
	c.large.cut(n)
}

// opCache holds the changes last used, by change, up to a number of bytes.
type opCache struct {
	byChange       map[int32]*opEntry
	oldest, newest *opEntry
	bytes, limit   int
}

// opEntry holds the operations of one change.
type opEntry struct {
	change       int32
	ops          []op
	bytes        int
	older, newer *opEntry
}

func newOpEntry(change int32, ops []op) *opEntry {
	e := &opEntry{change: change, ops: ops, bytes: entryBytes + len(ops)*opBytes}
	for k := range ops {
		if k == 0 || ops[k].key != ops[k-1].key {
			e.bytes += len(ops[k].key)
		}
	}
	return e
}

func (c *opCache) get(i int32) ([]op, bool) {
	e := c.byChange[i]
	if e == nil {
		return nil, false
	}
	if e != c.newest {
		c.unlink(e)
		c.link(e)
	}
	return e.ops, true
}

func (c *opCache) put(i int32, ops []op) {
	e := newOpEntry(i, ops)
	c.byChange[i] = e
	c.link(e)
	for c.bytes += e.bytes; c.bytes > c.limit && c.oldest != e; {
		c.remove(c.oldest)
	}
}

func (c *opCache) remove(e *opEntry) {
	c.unlink(e)
	delete(c.byChange, e.change)
	c.bytes -= e.bytes
}

func (c *opCache) link(e *opEntry) {
	e.older, e.newer = c.newest, nil
	if c.newest != nil {
		c.newest.newer = e
	} else {
		c.oldest = e
	}
	c.newest = e
}

func (c *opCache) unlink(e *opEntry) {
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		c.oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		c.newest = e.older
	}
}

// cut forgets the changes from n on.
func (c *opCache) cut(n int) {
	for i, e := range c.byChange {
		if int(i) >= n {
			c.remove(e)
		}
	}
}

// opsOf returns the operations of change i, from the cache or decoded.
func (g *Graph) opsOf(i int32) []op {
	cache := g.ops.of(g.log[i].numOps)
	ops, ok := cache.get(i)
	if !ok {
		g.Stop.Check()
		ops = g.decodeOps(i)
		cache.put(i, ops)
	}
	return ops
}

func (g *Graph) decodeOps(i int32) []op {
	c, err := amfile.DecodeChange(g.Raw(int(i)))
	if err != nil {
		return nil // it was validated before it came here; nothing may refer to it now
	}
	return g.compact(c)
}

// compact returns what is kept of a change's operations.
func (g *Graph) compact(c *amfile.Change) []op {
	interned := g.lookupActors(c)
	ops := make([]op, len(c.Ops))
	for k := range c.Ops {
		o := &c.Ops[k]
		ops[k] = op{
			objCounter: uint32(o.Obj.Counter), objActor: interned[o.Obj.Actor],
			elemCounter: uint32(o.Elem.Counter), elemActor: interned[o.Elem.Actor],
			key: o.Key, action: o.Action, seq: o.Seq, insert: o.Insert,
			counter: o.Action == amfile.Put && o.Value.Type == amfile.Counter,
		}
	}
	return ops
}

// lookupActors returns the index of each actor that c names, noActor for those
// without changes.
func (g *Graph) lookupActors(c *amfile.Change) []uint32 {
	interned := make([]uint32, len(c.Actors))
	for k, id := range c.Actors {
		a, ok := g.actors[id]
		if !ok {
			a = noActor
		}
		interned[k] = a
	}
	return interned
}

// global returns the document-wide name of an operation.
func (g *Graph) global(counter, actor uint32) amfile.GlobalID {
	if counter == 0 || actor == noActor {
		return amfile.GlobalID{}
	}
	return amfile.GlobalID{Counter: uint64(counter), Actor: g.authors[actor].id}
}

func (g *Graph) pastOp(o *op) amfile.PastOp {
	return amfile.PastOp{
		Action: o.action, Obj: g.global(o.objCounter, o.objActor), Seq: o.seq, Key: o.key,
		Elem: g.global(o.elemCounter, o.elemActor), Insert: o.insert, Counter: o.counter,
	}
}
