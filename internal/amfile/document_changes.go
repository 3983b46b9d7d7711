package amfile

import "fmt"

// readChanges reads the change table.
func (d *documentDecoder) readChanges(table *columnTable) error {
	n, _, err := countUints(table.get(colChangeActor), MaxDocumentChanges, maxSum)
	if err != nil {
		return err
	}
	_, depsN, err := countUints(table.get(colChangeDepsNum), n, MaxDocumentDeps)
	if err != nil {
		return at("dependencies", err)
	}
	cols := changeColumns{
		actor:   newUintDecoder(table.get(colChangeActor)),
		seq:     newDeltaDecoder(table.get(colChangeSeq)),
		maxOp:   newDeltaDecoder(table.get(colChangeMaxOp)),
		time:    newDeltaDecoder(table.get(colChangeTime)),
		message: newStringDecoder(table.get(colChangeMessage), MaxMessageBytes),
		depsNum: newUintDecoder(table.get(colChangeDepsNum)),
		deps:    newDeltaDecoder(table.get(colChangeDeps)),
		extra:   newValueDecoder(table.get(colChangeExtraMeta), table.get(colChangeExtraRaw)),
	}
	d.changes = make([]Change, n)
	d.meta = make([]changeMeta, n)
	d.deps = make([]uint32, 0, depsN)
	latest := make([]uint32, len(d.actors)) // change of each author, plus 1
	for i := range d.changes {
		if err := d.readChange(&cols, i, latest); err != nil {
			if first := cols.failed(); first != nil {
				err = first
			}
			return at(fmt.Sprintf("change %d", i), err)
		}
	}
	return cols.finish()
}

func (d *documentDecoder) readChange(cols *changeColumns, i int, latest []uint32) error {
	c, m := &d.changes[i], &d.meta[i]
	actor, hasActor := cols.actor.next()
	seq, hasSeq := cols.seq.next()
	maxOp, hasMaxOp := cols.maxOp.counter()
	time, hasTime := cols.time.next()
	deps, hasDeps := cols.depsNum.next()
	extra, hasExtra := cols.extra.next()
	switch {
	case !hasActor || !hasSeq || !hasMaxOp || !hasTime || !hasDeps || !hasExtra:
		return broken(6, "column with fewer entries than changes")
	case actor >= uint64(len(d.actors)):
		return broken(7, "actor %d of %d", actor, len(d.actors))
	case extra.Type != Bytes:
		return broken(26, "extra bytes of value type %d", extra.Type)
	}
	before := uint64(0)
	if latest[actor] > 0 {
		before = d.changes[latest[actor]-1].Seq
		d.meta[latest[actor]-1].next = uint32(i)
	}
	if seq < 1 || uint64(seq) != before+1 {
		return broken(9, "change %d of its actor after %d", seq, before)
	}
	latest[actor] = uint32(i) + 1
	*m = changeMeta{author: uint32(actor), next: noChange, deps: uint32(deps), maxOp: maxOp}
	c.Seq, c.Time, c.Extra = uint64(seq), time, extra.Raw
	c.Message, _ = cols.message.next()
	for range deps {
		dep, ok := cols.deps.next()
		if !ok || dep < 0 || dep >= int64(i) {
			return broken(10, "dependency on a change that is not before it")
		}
		d.deps = append(d.deps, uint32(dep))
	}
	return nil
}

// changeColumns are the columns of the change table.
type changeColumns struct {
	actor, depsNum         uintDecoder
	seq, maxOp, time, deps deltaDecoder
	message                stringDecoder
	extra                  valueDecoder
}

// failed returns the first column that failed on its own account.
func (c *changeColumns) failed() error {
	return firstError(
		columnError{colChangeActor, c.actor.err}, columnError{colChangeSeq, c.seq.err},
		columnError{colChangeMaxOp, c.maxOp.err}, columnError{colChangeTime, c.time.err},
		columnError{colChangeMessage, c.message.err}, columnError{colChangeDepsNum, c.depsNum.err},
		columnError{colChangeDeps, c.deps.err}, columnError{colChangeExtraMeta, c.extra.meta.err},
	)
}

// finish demands that every column ended without failure after the last row.
func (c *changeColumns) finish() error {
	return firstError(
		columnError{colChangeActor, c.actor.finish()}, columnError{colChangeSeq, c.seq.finish()},
		columnError{colChangeMaxOp, c.maxOp.finish()}, columnError{colChangeTime, c.time.finish()},
		columnError{colChangeMessage, c.message.finish()}, columnError{colChangeDepsNum, c.depsNum.finish()},
		columnError{colChangeDeps, c.deps.finish()}, columnError{colChangeExtraMeta, c.extra.finish()},
	)
}

// columnError is what became of one column.
type columnError struct {
	spec columnSpec
	err  error
}

func firstError(cols ...columnError) error {
	for _, col := range cols {
		if col.err != nil {
			return at(col.spec.String(), col.err)
		}
	}
	return nil
}
