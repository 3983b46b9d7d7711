package amfile

import (
	"slices"

	"kaijutsu"
)

// deflateFrom is the size from which the columns of a document are deflated.
const deflateFrom = 256

// EncodeDocument writes changes as a document chunk, in the form that
// Automerge's own save has: actors ascending, operations by object, in maps by
// key and in sequences in reading order. The changes must be complete (all
// they depend on is among them) and ordered (it comes before them), and have
// passed the rules, Hash included; the document lists them in the order given.
// They are only read, and Raw may be empty.
//
// Errors wrap kaijutsu.ErrInvalid, or kaijutsu.ErrTooLarge when DecodeDocument
// would refuse the result for its size. Rules are not applied again: whoever
// drops the changes afterwards decodes the result first and compares hashes.
func EncodeDocument(changes []*Change) ([]byte, error) {
	e := documentEncoder{changes: changes}
	chunk, err := e.encode()
	if err != nil {
		return nil, at("document", err)
	}
	return chunk, nil
}

// documentEncoder holds the changes while they become a document chunk.
type documentEncoder struct {
	changes []*Change
	actors  []kaijutsu.ActorID // ascending
	index   []uint32           // of all actors of all changes in actors
	base    []uint32           // where those of each change are in index
	ops     []opPlace          // all operations, ascending by id
	preds   []succession       // by predecessor, then successor
	succ    []uint32           // where the successors of each operation are in preds; one more at the end
}

// opPlace says where an operation is.
type opPlace struct {
	id     opKey
	change uint32
	op     uint32
}

// succession says that one operation names another as its predecessor.
type succession struct{ pred, succ opKey }

func (e *documentEncoder) encode() ([]byte, error) {
	deps, heads, err := e.graph()
	if err != nil {
		return nil, err
	}
	if err := e.collectActors(); err != nil {
		return nil, err
	}
	changeTable, err := e.changeTable(deps)
	if err != nil {
		return nil, err
	}
	if err := e.collectOps(); err != nil {
		return nil, err
	}
	rows, err := e.orderRows()
	if err != nil {
		return nil, err
	}
	return e.assemble(heads, changeTable, e.opTable(rows))
}

// assemble writes the chunk. heads are indexes of changes.
func (e *documentEncoder) assemble(heads []uint32, changes, ops *columnTable) ([]byte, error) {
	changes.deflate(deflateFrom)
	ops.deflate(deflateFrom)
	body := appendUleb(nil, uint64(len(e.actors)))
	for _, actor := range e.actors {
		body = appendUleb(body, uint64(len(actor)))
		body = append(body, actor...)
	}
	slices.SortFunc(heads, func(a, b uint32) int { return e.changes[a].Hash.Compare(e.changes[b].Hash) })
	body = appendUleb(body, uint64(len(heads)))
	for _, head := range heads {
		body = append(body, e.changes[head].Hash[:]...)
	}
	body = ops.appendHeader(changes.appendHeader(body))
	body = ops.appendData(changes.appendData(body))
	for _, head := range heads {
		body = appendUleb(body, uint64(head))
	}
	if len(body) > MaxDocumentBytes {
		return nil, tooLarge(2, "chunk of %d bytes: want at most %d", len(body), MaxDocumentBytes)
	}
	size := chunkPrefixBytes + ulebLen(uint64(len(body))) + len(body)
	chunk, _ := appendChunk(make([]byte, 0, size), ChunkDocument, body)
	return chunk, nil
}

// collectActors makes the actor table and numbers the actors of all changes.
func (e *documentEncoder) collectActors() error {
	known := make(map[kaijutsu.ActorID]uint32)
	n := 0
	for i, c := range e.changes {
		if len(c.Actors) == 0 {
			return broken(7, "change %d without an author", i)
		}
		for _, actor := range c.Actors {
			if _, ok := known[actor]; !ok {
				known[actor] = 0
				e.actors = append(e.actors, actor)
			}
		}
		n += len(c.Actors)
	}
	if len(e.actors) > MaxDocumentActors {
		return tooLarge(7, "%d actors: want at most %d", len(e.actors), MaxDocumentActors)
	}
	slices.Sort(e.actors)
	for i, actor := range e.actors {
		known[actor] = uint32(i)
	}
	e.index = make([]uint32, 0, n)
	e.base = make([]uint32, len(e.changes))
	for i, c := range e.changes {
		e.base[i] = uint32(len(e.index))
		for _, actor := range c.Actors {
			e.index = append(e.index, known[actor])
		}
	}
	return nil
}

// key names an operation that change i refers to; 0 is ROOT or HEAD.
func (e *documentEncoder) key(i uint32, id OpID) opKey {
	if id.Counter == 0 {
		return 0
	}
	return opKey(id.Counter<<32 | uint64(e.index[e.base[i]+id.Actor]))
}

func (e *documentEncoder) op(p opPlace) *Op { return &e.changes[p.change].Ops[p.op] }

// changeTable writes the change metadata. deps are the dependencies of all
// changes, one after the other.
func (e *documentEncoder) changeTable(deps []uint32) (*columnTable, error) {
	var actor, depsNum uintEncoder
	var seq, maxOp, time, depIndex deltaEncoder
	var message stringEncoder
	var extra valueEncoder
	for i, c := range e.changes {
		if c.Time < -MaxTimeSeconds || c.Time > MaxTimeSeconds || c.Seq > MaxSeq || c.MaxOp() > MaxCounter {
			return nil, broken(13, "time, sequence number or counter of change %d out of range", i)
		}
		actor.append(uint64(e.index[e.base[i]]))
		seq.append(int64(c.Seq))
		maxOp.append(int64(c.MaxOp()))
		time.append(c.Time)
		if c.Message == "" {
			message.appendNull()
		} else {
			message.append(c.Message)
		}
		depsNum.append(uint64(len(c.Deps)))
		for range c.Deps {
			depIndex.append(int64(deps[0]))
			deps = deps[1:]
		}
		extra.append(Value{Bytes, c.Extra})
	}
	table := new(columnTable)
	table.add(colChangeActor, actor.finish())
	table.add(colChangeSeq, seq.finish())
	table.add(colChangeMaxOp, maxOp.finish())
	table.add(colChangeTime, time.finish())
	table.add(colChangeMessage, message.finish())
	table.add(colChangeDepsNum, depsNum.finish())
	table.add(colChangeDeps, depIndex.finish())
	meta, raw := extra.finish()
	table.add(colChangeExtraMeta, meta)
	table.add(colChangeExtraRaw, raw)
	return table, nil
}
