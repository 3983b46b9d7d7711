package amfile

import (
	"cmp"
	"fmt"
	"slices"
)

// readOps reads the operation table and returns the operations of all changes,
// those of a change together; d.meta says where. Their actors are indexes into
// the document's actor table still.
func (d *documentDecoder) readOps(table *columnTable) ([]Op, error) {
	index, err := d.readIndex(table)
	if err != nil {
		return nil, err
	}
	total, err := d.assign(index)
	if err != nil {
		return nil, err
	}
	ops := make([]Op, total)
	places := make([]uint32, len(index.ids)) // of each row in ops
	deletions := d.place(index, ops, places)
	index.rows = nil
	if err := d.readRows(table, ops, places); err != nil {
		return nil, err
	}
	return ops, fillDeletions(deletions, ops, index.ids, places)
}

// assign hands the operations out to the changes: a change has those of its
// author that no earlier change has, up to its maxOp, without gaps. It fills
// in meta and returns how many operations there are.
func (d *documentDecoder) assign(x *opIndex) (int, error) {
	current := d.firstChanges()
	total := 0
	err := x.each(func(id opKey, _ int, _ []opRow) error {
		ctr := id.id().Counter
		i := &current[id.id().Actor]
		for *i != noChange && d.meta[*i].maxOp < ctr {
			*i = d.meta[*i].next
		}
		if *i == noChange {
			return broken(6, "operation %d of actor %s belongs to no change", ctr, d.actors[id.id().Actor])
		}
		m := &d.meta[*i]
		if m.ops == 0 {
			m.startOp = ctr
		}
		if ctr != m.startOp+uint64(m.ops) {
			return broken(6, "operations of change %d have a gap before %d", *i, ctr)
		}
		m.ops++
		if total++; total > MaxDocumentOps {
			return tooLarge(5, "more than %d operations", MaxDocumentOps)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	base := uint32(0)
	for i := range d.meta {
		m := &d.meta[i]
		if m.ops == 0 {
			m.startOp = m.maxOp + 1
		}
		if m.startOp+uint64(m.ops) != m.maxOp+1 {
			return 0, broken(6, "operations of change %d end before %d", i, m.maxOp)
		}
		m.base = base
		base += m.ops
	}
	return total, nil
}

// firstChanges returns the first change of each actor, or noChange.
func (d *documentDecoder) firstChanges() []uint32 {
	first := make([]uint32, len(d.actors))
	for i := range first {
		first[i] = noChange
	}
	for i := len(d.meta) - 1; i >= 0; i-- {
		first[d.meta[i].author] = uint32(i)
	}
	return first
}

// deletion is a deletion whose slot is to be copied from the rows it deletes.
type deletion struct {
	op   uint32
	rows []opRow
}

// place fills in what ids and successors say of the operations: deletions,
// and all predecessors. It sets the place of every row.
func (d *documentDecoder) place(x *opIndex, ops []Op, places []uint32) []deletion {
	current := d.firstChanges()
	preds := make([]OpID, 0, len(x.successors))
	deletions := make([]deletion, 0, len(ops)-len(places))
	x.each(func(id opKey, row int, rows []opRow) error {
		i := &current[id.id().Actor]
		for d.meta[*i].maxOp < id.id().Counter {
			*i = d.meta[*i].next
		}
		m := &d.meta[*i]
		place := m.base + uint32(id.id().Counter-m.startOp)
		op := &ops[place]
		if row >= 0 {
			places[row] = place
		} else {
			op.Action = Delete
			deletions = append(deletions, deletion{place, rows})
		}
		if len(rows) > 0 {
			from := len(preds)
			for _, r := range rows {
				preds = append(preds, x.ids[r.row].id())
			}
			op.Pred = preds[from:len(preds):len(preds)]
			slices.SortFunc(op.Pred, compareIDs)
		}
		return nil
	})
	return deletions
}

// compareIDs orders ids whose actors are indexes of an ascending table.
func compareIDs(a, b OpID) int { return cmp.Compare(newOpKey(a), newOpKey(b)) }

// readRows reads the columns that change and document chunks have in common.
func (d *documentDecoder) readRows(table *columnTable, ops []Op, places []uint32) error {
	rows := opDecoder{
		c:         &Change{Actors: d.actors},
		objActor:  newUintDecoder(table.get(colObjActor)),
		objCtr:    newUintDecoder(table.get(colObjCtr)),
		keyActor:  newUintDecoder(table.get(colKeyActor)),
		keyCtr:    newDeltaDecoder(table.get(colKeyCtr)),
		keyStr:    newStringDecoder(table.get(colKeyStr), MaxKeyBytes),
		insert:    newBoolDecoder(table.get(colInsert)),
		action:    newUintDecoder(table.get(colAction)),
		value:     newValueDecoder(table.get(colValueMeta), table.get(colValueRaw)),
		expand:    newBoolDecoder(table.get(colExpand)),
		markName:  newStringDecoder(table.get(colMarkName), MaxKeyBytes),
		predNum:   newUintDecoder(nil),
		predActor: newUintDecoder(nil),
		predCtr:   newDeltaDecoder(nil),
	}
	for row, place := range places {
		op := &ops[place]
		err := rows.row(op)
		if err == nil && op.Action == Delete {
			err = broken(15, "row for a deletion")
		}
		if err != nil {
			if first := rows.failed(); first != nil {
				err = first
			}
			return at(fmt.Sprintf("row %d", row), err)
		}
	}
	return rows.finish()
}

// fillDeletions copies the slots of deletions from the rows they delete, which
// must agree.
func fillDeletions(deletions []deletion, ops []Op, ids []opKey, places []uint32) error {
	for _, del := range deletions {
		op := &ops[del.op]
		for i, r := range del.rows {
			gone := &ops[places[r.row]]
			elem := gone.Elem
			if gone.Insert {
				elem = ids[r.row].id()
			}
			if i == 0 {
				op.Obj, op.Seq, op.Key, op.Elem = gone.Obj, gone.Seq, gone.Key, elem
			}
			if op.Obj != gone.Obj || op.Seq != gone.Seq || op.Key != gone.Key || op.Elem != elem {
				return broken(21, "deletion in more than one slot")
			}
		}
	}
	return nil
}
