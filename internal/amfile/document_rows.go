package amfile

import (
	"cmp"
	"slices"
)

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
	var enc rowEncoder
	for _, row := range rows {
		p := e.ops[row]
		op := e.op(p)
		enc.slot(e.key(p.change, op.Obj), e.key(p.change, op.Elem), op)
		enc.id.append(p.id)
		enc.fields(op)
		enc.successors(e.preds[e.succ[row]:e.succ[row+1]])
	}
	return enc.table()
}

// keyEncoder writes the two columns that name operations.
type keyEncoder struct {
	actor uintEncoder
	ctr   deltaEncoder
}

func (e *keyEncoder) append(key opKey) {
	e.actor.append(uint64(key.id().Actor))
	e.ctr.append(int64(key.id().Counter))
}

// rowEncoder writes the operation columns of a document.
type rowEncoder struct {
	objActor, objCtr uintEncoder
	elem, id, succ   keyEncoder
	keyStr, markName stringEncoder
	insert, expand   boolEncoder
	action, succNum  uintEncoder
	value            valueEncoder
}

func (e *rowEncoder) slot(obj, elem opKey, op *Op) {
	if obj == 0 {
		e.objActor.appendNull()
		e.objCtr.appendNull()
	} else {
		e.objActor.append(uint64(obj.id().Actor))
		e.objCtr.append(obj.id().Counter)
	}
	switch {
	case !op.Seq:
		e.elem.actor.appendNull()
		e.elem.ctr.appendNull()
		e.keyStr.append(op.Key)
		return
	case elem == 0:
		e.elem.actor.appendNull()
		e.elem.ctr.append(0)
	default:
		e.elem.append(elem)
	}
	e.keyStr.appendNull()
}

func (e *rowEncoder) fields(op *Op) {
	e.insert.append(op.Insert)
	e.action.append(uint64(op.Action))
	e.value.append(op.Value)
	e.expand.append(op.Expand)
	if op.MarkBegin {
		e.markName.append(op.MarkName)
	} else {
		e.markName.appendNull()
	}
}

func (e *rowEncoder) successors(list []succession) {
	e.succNum.append(uint64(len(list)))
	for _, s := range list {
		e.succ.append(s.succ)
	}
}

func (e *rowEncoder) table() *columnTable {
	table := new(columnTable)
	table.add(colObjActor, e.objActor.finish())
	table.add(colObjCtr, e.objCtr.finish())
	table.add(colKeyActor, e.elem.actor.finish())
	table.add(colKeyCtr, e.elem.ctr.finish())
	table.add(colKeyStr, e.keyStr.finish())
	table.add(colIDActor, e.id.actor.finish())
	table.add(colIDCtr, e.id.ctr.finish())
	insertions, _ := e.insert.finish()
	table.add(colInsert, insertions)
	table.add(colAction, e.action.finish())
	meta, raw := e.value.finish()
	table.add(colValueMeta, meta)
	table.add(colValueRaw, raw)
	table.add(colSuccNum, e.succNum.finish())
	table.add(colSuccActor, e.succ.actor.finish())
	table.add(colSuccCtr, e.succ.ctr.finish())
	if expansions, some := e.expand.finish(); some {
		table.add(colExpand, expansions)
	}
	table.add(colMarkName, e.markName.finish())
	return table
}
