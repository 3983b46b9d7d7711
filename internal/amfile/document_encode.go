package amfile

import (
	"cmp"
	"encoding/binary"
	"slices"

	"kaijutsu"
)

// deflateFrom is the size from which the columns of a document are deflated.
const deflateFrom = 256

// EncodeDocument writes changes as a document chunk, in the form that
// Automerge's own save has: actors ascending, operations by object, in maps by
// key and in sequences in reading order. The changes must be complete (all
// they depend on is among them) and ordered (it comes before them), and have
// passed the rules; the document lists them in the order given. They are only
// read, and only their fields are: Raw may be empty.
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
	opTable := e.opTable(rows)
	changeTable.deflate(deflateFrom)
	opTable.deflate(deflateFrom)

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
	body = opTable.appendHeader(changeTable.appendHeader(body))
	body = opTable.appendData(changeTable.appendData(body))
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

// graph returns the indexes of the dependencies of all changes, and of the heads.
func (e *documentEncoder) graph() (deps, heads []uint32, err error) {
	if len(e.changes) > MaxDocumentChanges {
		return nil, nil, tooLarge(5, "%d changes: want at most %d", len(e.changes), MaxDocumentChanges)
	}
	table := newHashTable(e.changes)
	if i, j, twice := table.repeated(); twice {
		return nil, nil, broken(6, "changes %d and %d are the same", i, j)
	}
	inner := make([]bool, len(e.changes))
	history := 0
	for i, c := range e.changes {
		for _, hash := range c.Deps {
			dep, ok := table.findBefore(uint32(i), hash)
			if !ok {
				return nil, nil, broken(10, "change %d depends on %s, which is not before it", i, hash)
			}
			inner[dep] = true
			deps = append(deps, dep)
		}
		history += len(c.Raw)
	}
	if len(deps) > MaxDocumentDeps || history > MaxDocumentHistoryBytes {
		return nil, nil, tooLarge(5, "%d dependencies, changes of %d bytes", len(deps), history)
	}
	for i, has := range inner {
		if !has {
			heads = append(heads, uint32(i))
		}
	}
	return deps, heads, nil
}

// hashTable finds changes by hash: their indexes, sorted by it.
type hashTable struct {
	changes []*Change
	entries []hashEntry
}

type hashEntry struct {
	front uint64 // the first bytes of the hash
	index uint32
}

func newHashTable(changes []*Change) *hashTable {
	t := &hashTable{changes, make([]hashEntry, len(changes))}
	for i, c := range changes {
		t.entries[i] = hashEntry{binary.BigEndian.Uint64(c.Hash[:]), uint32(i)}
	}
	slices.SortFunc(t.entries, func(a, b hashEntry) int {
		if c := cmp.Compare(a.front, b.front); c != 0 {
			return c
		}
		return t.changes[a.index].Hash.Compare(t.changes[b.index].Hash)
	})
	return t
}

// repeated returns two changes that have one hash, if there are any.
func (t *hashTable) repeated() (i, j uint32, twice bool) {
	for k := 1; k < len(t.entries); k++ {
		a, b := t.entries[k-1], t.entries[k]
		if a.front == b.front && t.changes[a.index].Hash == t.changes[b.index].Hash {
			return a.index, b.index, true
		}
	}
	return 0, 0, false
}

// findBefore returns the index of the change with this hash, if it is less
// than i.
func (t *hashTable) findBefore(i uint32, hash kaijutsu.ChangeHash) (uint32, bool) {
	if i > 0 && t.changes[i-1].Hash == hash { // as mostly
		return i - 1, true
	}
	front := binary.BigEndian.Uint64(hash[:])
	at, found := slices.BinarySearchFunc(t.entries, hash, func(entry hashEntry, hash kaijutsu.ChangeHash) int {
		if c := cmp.Compare(entry.front, front); c != 0 {
			return c
		}
		return t.changes[entry.index].Hash.Compare(hash)
	})
	if !found || t.entries[at].index >= i {
		return 0, false
	}
	return t.entries[at].index, true
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

// collectOps lists all operations and who supersedes whom.
func (e *documentEncoder) collectOps() error {
	ops, preds := 0, 0
	for _, c := range e.changes {
		ops += len(c.Ops)
		for i := range c.Ops {
			preds += len(c.Ops[i].Pred)
		}
	}
	if ops > MaxDocumentOps || preds > MaxDocumentPreds {
		return tooLarge(5, "%d operations with %d predecessors", ops, preds)
	}
	e.ops = make([]opPlace, 0, ops)
	e.preds = make([]succession, 0, preds)
	for i, c := range e.changes {
		for k := range c.Ops {
			id := e.key(uint32(i), OpID{Counter: c.StartOp + uint64(k)})
			e.ops = append(e.ops, opPlace{id, uint32(i), uint32(k)})
			for _, pred := range c.Ops[k].Pred {
				e.preds = append(e.preds, succession{e.key(uint32(i), pred), id})
			}
		}
	}
	slices.SortFunc(e.ops, func(a, b opPlace) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(e.preds, func(a, b succession) int {
		if c := cmp.Compare(a.pred, b.pred); c != 0 {
			return c
		}
		return cmp.Compare(a.succ, b.succ)
	})
	return e.matchPreds()
}

// matchPreds finds the successors of every operation.
func (e *documentEncoder) matchPreds() error {
	e.succ = make([]uint32, len(e.ops)+1)
	next := 0
	for i, p := range e.ops {
		if i > 0 && e.ops[i-1].id == p.id {
			return broken(12, "operation %d occurs twice", p.id.id().Counter)
		}
		e.succ[i] = uint32(next)
		for next < len(e.preds) && e.preds[next].pred == p.id {
			next++
		}
		if op := e.op(p); op.Action == Delete && (len(op.Pred) == 0 || int(e.succ[i]) < next) {
			return broken(22, "deletion without predecessors, or with successors")
		}
	}
	if next < len(e.preds) {
		return broken(21, "predecessor %d is not among the operations", e.preds[next].pred.id().Counter)
	}
	e.succ[len(e.ops)] = uint32(next)
	return nil
}

// opTable writes the operations in the order of rows, which are indexes of e.ops.
func (e *documentEncoder) opTable(rows []uint32) *columnTable {
	var objActor, objCtr, keyActor, idActor, action, succNum, succActor uintEncoder
	var keyCtr, idCtr, succCtr deltaEncoder
	var keyStr, markName stringEncoder
	var insert, expand boolEncoder
	var value valueEncoder
	for _, row := range rows {
		p := e.ops[row]
		op := e.op(p)
		if obj := e.key(p.change, op.Obj); obj == 0 {
			objActor.appendNull()
			objCtr.appendNull()
		} else {
			objActor.append(uint64(obj.id().Actor))
			objCtr.append(obj.id().Counter)
		}
		elem := e.key(p.change, op.Elem)
		switch {
		case !op.Seq:
			keyActor.appendNull()
			keyCtr.appendNull()
			keyStr.append(op.Key)
		case elem == 0:
			keyActor.appendNull()
			keyCtr.append(0)
			keyStr.appendNull()
		default:
			keyActor.append(uint64(elem.id().Actor))
			keyCtr.append(int64(elem.id().Counter))
			keyStr.appendNull()
		}
		idActor.append(uint64(p.id.id().Actor))
		idCtr.append(int64(p.id.id().Counter))
		insert.append(op.Insert)
		action.append(uint64(op.Action))
		value.append(op.Value)
		successors := e.preds[e.succ[row]:e.succ[row+1]]
		succNum.append(uint64(len(successors)))
		for _, s := range successors {
			succActor.append(uint64(s.succ.id().Actor))
			succCtr.append(int64(s.succ.id().Counter))
		}
		expand.append(op.Expand)
		if op.MarkBegin {
			markName.append(op.MarkName)
		} else {
			markName.appendNull()
		}
	}
	table := new(columnTable)
	table.add(colObjActor, objActor.finish())
	table.add(colObjCtr, objCtr.finish())
	table.add(colKeyActor, keyActor.finish())
	table.add(colKeyCtr, keyCtr.finish())
	table.add(colKeyStr, keyStr.finish())
	table.add(colIDActor, idActor.finish())
	table.add(colIDCtr, idCtr.finish())
	insertions, _ := insert.finish()
	table.add(colInsert, insertions)
	table.add(colAction, action.finish())
	meta, raw := value.finish()
	table.add(colValueMeta, meta)
	table.add(colValueRaw, raw)
	table.add(colSuccNum, succNum.finish())
	table.add(colSuccActor, succActor.finish())
	table.add(colSuccCtr, succCtr.finish())
	if expansions, some := expand.finish(); some {
		table.add(colExpand, expansions)
	}
	table.add(colMarkName, markName.finish())
	return table
}
