package amfile

import (
	"cmp"
	"fmt"
	"slices"
)

// opKey names an operation of a document: counter<<32 | index of its author in
// the document's actor table. Because that table ascends, keys order as ids do.
type opKey uint64

func newOpKey(id OpID) opKey { return opKey(id.Counter<<32 | uint64(id.Actor)) }

func (k opKey) id() OpID { return OpID{Counter: uint64(k >> 32), Actor: uint32(k)} }

// opRow says that a row has an id, or names it as a successor.
type opRow struct {
	id  opKey
	row uint32
}

func compareOpRows(a, b opRow) int {
	if c := cmp.Compare(a.id, b.id); c != 0 {
		return c
	}
	return cmp.Compare(a.row, b.row)
}

// opIndex is the operation table before its operations are handed out to
// changes: who they are and who supersedes whom.
type opIndex struct {
	ids        []opKey // by row
	rows       []opRow // by id, one per row
	successors []opRow // by id; more than one row may name a successor
}

// each calls f for every operation, ascending by id: its row, -1 for a
// deletion, which has none; and the rows that it supersedes, ascending.
func (x *opIndex) each(f func(id opKey, row int, preds []opRow) error) error {
	rows, successors := x.rows, x.successors
	for len(rows) > 0 || len(successors) > 0 {
		var id opKey
		row := -1
		if len(rows) > 0 && (len(successors) == 0 || rows[0].id <= successors[0].id) {
			id, row = rows[0].id, int(rows[0].row)
			rows = rows[1:]
		} else {
			id = successors[0].id
		}
		n := 0
		for n < len(successors) && successors[n].id == id {
			n++
		}
		if err := f(id, row, successors[:n]); err != nil {
			return err
		}
		successors = successors[n:]
	}
	return nil
}

// countRows returns how many rows and successors the table has.
func countRows(table *columnTable) (rows, successors uint64, err error) {
	rows, _, err = countUints(table.get(colAction), MaxDocumentOps, maxSum)
	if err != nil {
		return 0, 0, err
	}
	_, successors, err = countUints(table.get(colSuccNum), rows, MaxDocumentPreds)
	if err != nil {
		return 0, 0, at("successors", err)
	}
	if n, _, err := countUints(table.get(colIDActor), rows, maxSum); err != nil || n != rows {
		return 0, 0, broken(6, "not as many ids as rows")
	}
	if n, _, err := countUints(table.get(colSuccActor), successors, maxSum); err != nil || n != successors {
		return 0, 0, broken(6, "not as many successors as are counted")
	}
	return rows, successors, nil
}

// readIndex reads the columns of ids and successors.
func (d *documentDecoder) readIndex(table *columnTable) (*opIndex, error) {
	rows, successors, err := countRows(table)
	if err != nil {
		return nil, err
	}
	x := &opIndex{
		ids: make([]opKey, rows), rows: make([]opRow, rows), successors: make([]opRow, 0, successors),
	}
	ids := idColumns{newUintDecoder(table.get(colIDActor)), newDeltaDecoder(table.get(colIDCtr)), len(d.actors)}
	num := newUintDecoder(table.get(colSuccNum))
	succ := idColumns{newUintDecoder(table.get(colSuccActor)), newDeltaDecoder(table.get(colSuccCtr)), len(d.actors)}
	for row := range x.ids {
		id, err := ids.next()
		if err != nil {
			return nil, at(fmt.Sprintf("id of row %d", row), err)
		}
		x.ids[row], x.rows[row] = id, opRow{id, uint32(row)}
		n, ok := num.next()
		if !ok {
			return nil, broken(6, "row %d without a count of successors", row)
		}
		for last := id; n > 0; n-- {
			next, err := succ.next()
			if err == nil && next <= last {
				err = broken(21, "successors do not ascend from the operation's id")
			}
			if err != nil {
				return nil, at(fmt.Sprintf("successor of row %d", row), err)
			}
			x.successors = append(x.successors, opRow{next, uint32(row)})
			last = next
		}
	}
	if err := firstError(
		columnError{colIDActor, ids.actor.finish()}, columnError{colIDCtr, ids.ctr.finish()},
		columnError{colSuccNum, num.finish()},
		columnError{colSuccActor, succ.actor.finish()}, columnError{colSuccCtr, succ.ctr.finish()},
	); err != nil {
		return nil, err
	}
	return x, x.sort()
}

// sort brings rows and successors into the order of their ids.
func (x *opIndex) sort() error {
	slices.SortFunc(x.rows, compareOpRows)
	slices.SortFunc(x.successors, compareOpRows)
	for i := 1; i < len(x.rows); i++ {
		if x.rows[i-1].id == x.rows[i].id {
			return broken(6, "rows %d and %d have one id", x.rows[i-1].row, x.rows[i].row)
		}
	}
	return nil
}

// idColumns are the two columns that name operations.
type idColumns struct {
	actor  uintDecoder
	ctr    deltaDecoder
	actors int
}

func (c *idColumns) next() (opKey, error) {
	ctr, hasCtr := c.ctr.counter()
	actor, hasActor := c.actor.next()
	switch {
	case c.ctr.err != nil:
		return 0, c.ctr.err
	case c.actor.err != nil:
		return 0, c.actor.err
	case !hasCtr || !hasActor || ctr < 1:
		return 0, broken(6, "half there or out of range")
	case actor >= uint64(c.actors):
		return 0, broken(7, "actor %d of %d", actor, c.actors)
	}
	return newOpKey(OpID{ctr, uint32(actor)}), nil
}
