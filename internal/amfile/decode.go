package amfile

import (
	"bytes"
	"fmt"
	"math"

	"kaijutsu"
)

// maxSum lets countUints count a column whose sum means nothing.
const maxSum = math.MaxUint32

// room is where a change and its first few parts live, so that a typical
// change costs one allocation.
type room struct {
	Change
	deps   [1]kaijutsu.ChangeHash
	actors [2]kaijutsu.ActorID
	ops    [1]Op
	preds  [1]OpID
}

// DecodeChange decodes one change chunk, plain (type 1) or deflated (type 2),
// that makes up all of chunk, and applies every rule that needs no other
// change; see Change.Check for the others. Errors are *RuleError and wrap
// kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge.
//
// The result aliases chunk, which must not be modified afterwards, unless the
// chunk is deflated. What a few bytes can cost is bounded: operations are
// counted before memory is taken, and memory grows only as operations pass
// the rules.
func DecodeChange(chunk []byte) (*Change, error) {
	if len(chunk) >= chunkPrefixBytes && ChunkType(chunk[chunkPrefixBytes-1]) == ChunkDeflated {
		plain, err := inflateChange(chunk)
		if err != nil {
			return nil, err
		}
		chunk = plain
	}
	hash, body, err := readChange(chunk)
	if err != nil {
		return nil, err
	}
	if len(body) > MaxChunkBytes {
		return nil, tooLarge(2, "change of %d bytes: want at most %d", len(body), MaxChunkBytes)
	}
	space := new(room)
	c := &space.Change
	c.Raw, c.Hash = chunk, hash
	if err := decodeBody(space, body); err != nil {
		return nil, at("change "+hash.String(), err)
	}
	return c, nil
}

// inflateChange returns the plain chunk that a deflated one stands for.
func inflateChange(chunk []byte) ([]byte, error) {
	inner, rest, err := readChunk(chunk, MaxChunkBytes)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, broken(1, "%d bytes after the chunk", len(rest))
	}
	plain := make([]byte, 0, chunkPrefixBytes+ulebLen(uint64(len(inner.Body)))+len(inner.Body))
	plain, _ = appendChunk(plain, ChunkChange, inner.Body)
	return plain, nil
}

func decodeBody(space *room, body []byte) error {
	c := &space.Change
	r := reader{rest: body}
	raw := readHeader(&r)
	var table columnTable
	table.readHeader(&r, changeOpColumns, false)
	table.readData(&r)
	if r.err != nil {
		return r.err
	}
	rows, _, err := countUints(table.get(colAction), MaxOps, maxSum)
	if err != nil {
		return at("operations", err)
	}
	if err := checkDensity(table.get(colAction), rows, len(body)); err != nil {
		return at("operations", err)
	}
	named := string(raw.named)
	c.Deps = raw.deps(space.deps[:0])
	c.Actors = raw.actors(named, space.actors[:0])
	c.Seq, c.StartOp, c.Time = raw.seq, raw.startOp, raw.time
	c.Message = named[raw.said-len(raw.message) : raw.said]
	if len(r.rest) > 0 {
		c.Extra = r.rest
	}
	if err := decodeOps(space, &table, rows, len(body)); err != nil {
		return err
	}
	if err := c.checkHeader(); err != nil {
		return err
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	if !bytes.Equal(e.body(c), body) {
		return broken(6, "not the form that encoders write")
	}
	return nil
}

// opDecoder reads the operation columns of a change.
type opDecoder struct {
	c                          *Change
	objActor, objCtr, keyActor uintDecoder
	action, predNum, predActor uintDecoder
	keyCtr, predCtr            deltaDecoder
	keyStr, markName           stringDecoder
	insert, expand             boolDecoder
	value                      valueDecoder
	preds                      []OpID // what is left of the current block
	predsLeft                  uint64
	block                      int
}

func decodeOps(space *room, table *columnTable, rows uint64, size int) error {
	c := &space.Change
	_, preds, err := countUints(table.get(colPredNum), rows, MaxChangePreds)
	if err != nil {
		return at("predecessors", err)
	}
	d := opDecoder{
		c:         c,
		objActor:  newUintDecoder(table.get(colObjActor)),
		objCtr:    newUintDecoder(table.get(colObjCtr)),
		keyActor:  newUintDecoder(table.get(colKeyActor)),
		keyCtr:    newDeltaDecoder(table.get(colKeyCtr)),
		keyStr:    newStringDecoder(table.get(colKeyStr), MaxKeyBytes),
		insert:    newBoolDecoder(table.get(colInsert)),
		action:    newUintDecoder(table.get(colAction)),
		value:     newValueDecoder(table.get(colValueMeta), table.get(colValueRaw)),
		predNum:   newUintDecoder(table.get(colPredNum)),
		predActor: newUintDecoder(table.get(colPredActor)),
		predCtr:   newDeltaDecoder(table.get(colPredCtr)),
		expand:    newBoolDecoder(table.get(colExpand)),
		markName:  newStringDecoder(table.get(colMarkName), MaxKeyBytes),
		preds:     space.preds[:0],
		predsLeft: preds,
		block:     64 + size,
	}
	// What the bytes can spell out is allocated at once. More than that comes
	// from run lengths and is allocated as operations pass the rules.
	switch n := int(min(rows, uint64(64+size))); {
	case n == 0:
	case n <= len(space.ops):
		c.Ops = space.ops[:0]
	default:
		c.Ops = make([]Op, 0, n)
	}
	rules := opRules{c: c}
	for i := range int(rows) {
		c.Ops = append(c.Ops, Op{})
		err := d.op(&c.Ops[i])
		if err == nil {
			err = rules.check(i)
		}
		if err != nil {
			if first := d.failed(); first != nil {
				err = first
			}
			return at(fmt.Sprintf("operation %d", i), err)
		}
	}
	return d.finish()
}

// op reads one row. What a column cannot say wrongly is left to the rules.
func (d *opDecoder) op(op *Op) error {
	if err := d.row(op); err != nil {
		return err
	}
	return d.predecessors(op)
}

// row reads the columns that change and document chunks have in common.
func (d *opDecoder) row(op *Op) error {
	action, ok := d.action.next()
	if !ok || action > uint64(Mark) {
		return broken(15, "operation without a known action")
	}
	op.Action = Action(action)
	ctr, hasCtr := d.objCtr.next()
	actor, hasActor := d.objActor.next()
	if hasCtr != hasActor || hasCtr && (ctr < 1 || ctr > MaxCounter) {
		return broken(17, "object id is half there or out of range")
	}
	if actor >= uint64(len(d.c.Actors)) {
		return broken(7, "object by actor %d of %d", actor, len(d.c.Actors))
	}
	op.Obj = OpID{ctr, uint32(actor)}
	if err := d.key(op); err != nil {
		return err
	}
	op.Insert = d.insert.next()
	op.Expand = d.expand.next()
	op.MarkName, op.MarkBegin = d.markName.next()
	if op.Value, ok = d.value.next(); !ok {
		return broken(16, "operation without value metadata")
	}
	return nil
}

func (d *opDecoder) key(op *Op) error {
	key, hasKey := d.keyStr.next()
	actor, hasActor := d.keyActor.next()
	ctr, hasCtr := d.keyCtr.counter()
	op.Key, op.Seq = key, !hasKey
	switch {
	case hasKey && (hasActor || hasCtr):
		return broken(18, "map key and element in one operation")
	case hasKey:
		return nil
	case !hasCtr || hasActor != (ctr > 0):
		return broken(18, "neither a map key nor an element")
	case actor >= uint64(len(d.c.Actors)):
		return broken(7, "element by actor %d of %d", actor, len(d.c.Actors))
	}
	op.Elem = OpID{ctr, uint32(actor)}
	return nil
}

func (d *opDecoder) predecessors(op *Op) error {
	n, ok := d.predNum.next()
	if !ok {
		return broken(21, "operation without a count of predecessors")
	}
	if n > MaxPreds {
		return tooLarge(21, "%d predecessors: want at most %d", n, MaxPreds)
	}
	if n == 0 {
		return nil
	}
	if uint64(cap(d.preds)) < n {
		d.preds = make([]OpID, 0, max(n, min(d.predsLeft, uint64(d.block))))
	}
	d.predsLeft -= n
	op.Pred, d.preds = d.preds[:n:n], d.preds[n:n]
	for i := range op.Pred {
		actor, hasActor := d.predActor.next()
		ctr, hasCtr := d.predCtr.counter()
		if !hasActor || !hasCtr || ctr < 1 {
			return broken(21, "predecessor is half there or out of range")
		}
		if actor >= uint64(len(d.c.Actors)) {
			return broken(7, "predecessor by actor %d of %d", actor, len(d.c.Actors))
		}
		op.Pred[i] = OpID{ctr, uint32(actor)}
	}
	return nil
}

// failed returns the first column that failed on its own account.
func (d *opDecoder) failed() error {
	for _, col := range []struct {
		spec columnSpec
		err  error
	}{
		{colObjActor, d.objActor.err}, {colObjCtr, d.objCtr.err},
		{colKeyActor, d.keyActor.err}, {colKeyCtr, d.keyCtr.err}, {colKeyStr, d.keyStr.err},
		{colInsert, d.insert.err}, {colAction, d.action.err}, {colValueMeta, d.value.meta.err},
		{colPredNum, d.predNum.err}, {colPredActor, d.predActor.err}, {colPredCtr, d.predCtr.err},
		{colExpand, d.expand.err}, {colMarkName, d.markName.err},
	} {
		if col.err != nil {
			return at(col.spec.String(), col.err)
		}
	}
	return nil
}

// finish demands that every column ended without failure after the last row.
func (d *opDecoder) finish() error {
	for _, col := range []struct {
		spec columnSpec
		err  error
	}{
		{colObjActor, d.objActor.finish()}, {colObjCtr, d.objCtr.finish()},
		{colKeyActor, d.keyActor.finish()}, {colKeyCtr, d.keyCtr.finish()}, {colKeyStr, d.keyStr.finish()},
		{colInsert, d.insert.finish()}, {colAction, d.action.finish()}, {colValueMeta, d.value.finish()},
		{colPredNum, d.predNum.finish()}, {colPredActor, d.predActor.finish()}, {colPredCtr, d.predCtr.finish()},
		{colExpand, d.expand.finish()}, {colMarkName, d.markName.finish()},
	} {
		if col.err != nil {
			return at(col.spec.String(), col.err)
		}
	}
	return nil
}
