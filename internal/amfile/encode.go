package amfile

import (
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"kaijutsu"
)

// EncodeChange writes c in the one form that is accepted and sets c.Raw and
// c.Hash. c.Actors[0] is the author; the others may come in any order, unused
// or repeated, and dependencies and predecessors in any order: EncodeChange
// sorts them in place, keeps the actors that operations refer to and numbers
// them anew. It returns a *RuleError, wrapping kaijutsu.ErrInvalid or
// kaijutsu.ErrTooLarge, for what DecodeChange would refuse.
func EncodeChange(c *Change) error {
	if len(c.Actors) == 0 {
		return broken(7, "change without an author")
	}
	if len(c.Ops) > MaxOps {
		return tooLarge(5, "%d operations: want at most %d", len(c.Ops), MaxOps)
	}
	if err := c.normalise(); err != nil {
		return err
	}
	rules := opRules{c: c}
	preds := 0
	for i := range c.Ops {
		if err := rules.check(i); err != nil {
			return at(fmt.Sprintf("operation %d", i), err)
		}
		if op := &c.Ops[i]; !utf8.ValidString(op.Key) || !utf8.ValidString(op.MarkName) {
			return broken(14, "operation %d: key or mark name is not UTF-8", i)
		}
		preds += len(c.Ops[i].Pred)
	}
	if preds > MaxChangePreds {
		return tooLarge(5, "%d predecessors: want at most %d", preds, MaxChangePreds)
	}
	if err := c.checkHeader(); err != nil {
		return err
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	body := e.body(c)
	if len(body) > MaxChunkBytes {
		return tooLarge(2, "change of %d bytes: want at most %d", len(body), MaxChunkBytes)
	}
	if makes := c.makes(); makes > FreeOps+len(body) {
		return tooSparse(makes, len(body))
	}
	raw := make([]byte, 0, chunkPrefixBytes+ulebLen(uint64(len(body)))+len(body))
	c.Raw, c.Hash = appendChunk(raw, ChunkChange, body)
	return nil
}

// makes counts the operations that are not deletes.
func (c *Change) makes() int {
	n := 0
	for i := range c.Ops {
		if c.Ops[i].Action != Delete {
			n++
		}
	}
	return n
}

// normalise sorts what must ascend and numbers the actors anew.
func (c *Change) normalise() error {
	slices.SortFunc(c.Deps, kaijutsu.ChangeHash.Compare)
	c.Deps = slices.Compact(c.Deps)
	used := make([]bool, len(c.Actors))
	mark := func(id OpID) error {
		if int(id.Actor) >= len(used) {
			return broken(7, "actor %d of %d", id.Actor, len(used))
		}
		used[id.Actor] = true
		return nil
	}
	if err := c.eachID(func(id *OpID) error { return mark(*id) }); err != nil {
		return err
	}
	old := c.Actors
	c.Actors = make([]kaijutsu.ActorID, 1, len(old))
	c.Actors[0] = old[0]
	for i, actor := range old {
		if used[i] && actor != old[0] {
			c.Actors = append(c.Actors, actor)
		}
	}
	slices.Sort(c.Actors[1:])
	c.Actors = slices.Compact(c.Actors)
	index := make([]uint32, len(old))
	for i, actor := range old {
		if used[i] && actor != old[0] {
			at, _ := slices.BinarySearch(c.Actors[1:], actor)
			index[i] = uint32(at + 1)
		}
	}
	c.eachID(func(id *OpID) error {
		id.Actor = index[id.Actor]
		return nil
	})
	for i := range c.Ops {
		slices.SortFunc(c.Ops[i].Pred, c.compare)
	}
	return nil
}

// eachID calls f for every id that the operations refer to, other than ROOT
// and HEAD, until it fails.
func (c *Change) eachID(f func(*OpID) error) error {
	visit := func(id *OpID) error {
		if id.Counter == 0 {
			id.Actor = 0
			return nil
		}
		return f(id)
	}
	for i := range c.Ops {
		op := &c.Ops[i]
		if err := visit(&op.Obj); err != nil {
			return err
		}
		if err := visit(&op.Elem); err != nil {
			return err
		}
		for k := range op.Pred {
			if err := visit(&op.Pred[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// encoder writes the body of a change. It is reused: buffers are kept.
type encoder struct {
	out                        []byte
	used                       [1 + MaxOtherActors]bool
	objActor, objCtr, keyActor uintEncoder
	action, predNum, predActor uintEncoder
	keyCtr, predCtr            deltaEncoder
	keyStr, markName           stringEncoder
	insert, expand             boolEncoder
	value                      valueEncoder
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// body returns the body of c, valid until the encoder is used again. Whatever
// form c was decoded from, the result is the canonical one: an actor table
// that is not exactly what the operations refer to comes out different.
func (e *encoder) body(c *Change) []byte {
	for i := range c.Ops {
		e.op(&c.Ops[i])
	}
	out := appendHashes(e.out[:0], c.Deps)
	out = appendUleb(out, uint64(len(c.Actors[0])))
	out = append(out, c.Actors[0]...)
	out = appendUleb(out, c.Seq)
	out = appendUleb(out, c.StartOp)
	out = appendSleb(out, c.Time)
	out = appendUleb(out, uint64(len(c.Message)))
	out = append(out, c.Message...)
	out = e.others(out, c)
	out = e.columns(out)
	out = append(out, c.Extra...)
	e.reset()
	e.out = out
	return out
}

func (e *encoder) op(op *Op) {
	e.id(op.Obj, &e.objActor, &e.objCtr)
	if op.Seq {
		e.keyStr.appendNull()
		e.keyCtr.append(int64(op.Elem.Counter))
		if op.Elem.Counter == 0 {
			e.keyActor.appendNull()
		} else {
			e.keyActor.append(uint64(op.Elem.Actor))
			e.used[op.Elem.Actor] = true
		}
	} else {
		e.keyStr.append(op.Key)
		e.keyActor.appendNull()
		e.keyCtr.appendNull()
	}
	e.insert.append(op.Insert)
	e.action.append(uint64(op.Action))
	e.value.append(op.Value)
	e.predNum.append(uint64(len(op.Pred)))
	for _, pred := range op.Pred {
		e.predActor.append(uint64(pred.Actor))
		e.predCtr.append(int64(pred.Counter))
		e.used[pred.Actor] = true
	}
	e.expand.append(op.Expand)
	if op.MarkBegin {
		e.markName.append(op.MarkName)
	} else {
		e.markName.appendNull()
	}
}

// id writes an object id, both halves null for ROOT.
func (e *encoder) id(id OpID, actor, ctr *uintEncoder) {
	if id.Counter == 0 {
		actor.appendNull()
		ctr.appendNull()
		return
	}
	actor.append(uint64(id.Actor))
	ctr.append(id.Counter)
	e.used[id.Actor] = true
}

// others writes the actors that the operations refer to, without the author.
func (e *encoder) others(out []byte, c *Change) []byte {
	n := uint64(0)
	for i := 1; i < len(c.Actors); i++ {
		if e.used[i] {
			n++
		}
	}
	out = appendUleb(out, n)
	for i := 1; i < len(c.Actors); i++ {
		if e.used[i] {
			out = appendUleb(out, uint64(len(c.Actors[i])))
			out = append(out, c.Actors[i]...)
		}
	}
	clear(e.used[:len(c.Actors)])
	return out
}

// columns writes the column table and the columns' data.
func (e *encoder) columns(out []byte) []byte {
	var table columnTable
	table.add(colObjActor, e.objActor.finish())
	table.add(colObjCtr, e.objCtr.finish())
	table.add(colKeyActor, e.keyActor.finish())
	table.add(colKeyCtr, e.keyCtr.finish())
	table.add(colKeyStr, e.keyStr.finish())
	insert, _ := e.insert.finish()
	table.add(colInsert, insert)
	table.add(colAction, e.action.finish())
	meta, raw := e.value.finish()
	table.add(colValueMeta, meta)
	table.add(colValueRaw, raw)
	table.add(colPredNum, e.predNum.finish())
	table.add(colPredActor, e.predActor.finish())
	table.add(colPredCtr, e.predCtr.finish())
	if expand, some := e.expand.finish(); some {
		table.add(colExpand, expand)
	}
	table.add(colMarkName, e.markName.finish())
	return table.appendData(table.appendHeader(out))
}

func (e *encoder) reset() {
	e.objActor.reset()
	e.objCtr.reset()
	e.keyActor.reset()
	e.keyCtr.reset()
	e.keyStr.reset()
	e.insert.reset()
	e.action.reset()
	e.value.reset()
	e.predNum.reset()
	e.predActor.reset()
	e.predCtr.reset()
	e.expand.reset()
	e.markName.reset()
}
