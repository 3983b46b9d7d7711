package amfile

import (
	"fmt"
	"slices"

	"kaijutsu"
)

// documentChangeColumns are the columns of the change table of a document
// chunk, documentOpColumns those of its operation table, ascending.
var (
	documentChangeColumns = []columnSpec{
		colChangeActor, colChangeSeq, colChangeMaxOp, colChangeTime, colChangeMessage,
		colChangeDepsNum, colChangeDeps, colChangeExtraMeta, colChangeExtraRaw,
	}
	documentOpColumns = []columnSpec{
		colObjActor, colObjCtr, colKeyActor, colKeyCtr, colKeyStr, colIDActor, colIDCtr, colInsert, colAction,
		colValueMeta, colValueRaw, colSuccNum, colSuccActor, colSuccCtr, colExpand, colMarkName,
	}
)

// The columns of the change table of a document chunk.
const (
	colChangeActor     columnSpec = 0x01
	colChangeSeq       columnSpec = 0x03
	colChangeMaxOp     columnSpec = 0x13
	colChangeTime      columnSpec = 0x23
	colChangeMessage   columnSpec = 0x35
	colChangeDepsNum   columnSpec = 0x40
	colChangeDeps      columnSpec = 0x43
	colChangeExtraMeta columnSpec = 0x56
	colChangeExtraRaw  columnSpec = 0x57
)

// DecodeDocument takes a document chunk, which must make up all of chunk,
// apart into its changes, in the order in which the chunk lists them: a change
// comes after those it depends on. Every change has its Raw chunk and exact
// Hash again; that the hashes lead to the heads in the chunk's header is
// checked, and the caller may compare those with the ones it knows.
//
// It reads the format; it does not apply the rules on what changes may do.
// Changes from a stranger's document go through DecodeChange and Change.Check
// like others (the dependencies come first).
//
// The changes share memory with each other: keeping one keeps the operations
// of all. They do not alias chunk, unless the chunk's columns are not
// deflated. Errors wrap kaijutsu.ErrInvalid, or kaijutsu.ErrTooLarge when a
// limit was passed; memory is taken for what was counted, within the limits.
func DecodeDocument(chunk []byte) ([]*Change, error) {
	c, rest, err := readChunk(chunk, 0)
	switch {
	case err != nil:
		return nil, err
	case len(rest) > 0:
		return nil, broken(1, "%d bytes after the chunk", len(rest))
	case c.Type != ChunkDocument:
		return nil, broken(1, "chunk of type %d is no document", c.Type)
	}
	d := documentDecoder{}
	if err := d.decode(c.Body); err != nil {
		return nil, at("document", err)
	}
	list := make([]*Change, len(d.changes))
	for i := range d.changes {
		list[i] = &d.changes[i]
	}
	return list, nil
}

// documentDecoder holds a document chunk while it is taken apart.
type documentDecoder struct {
	actors  []kaijutsu.ActorID
	heads   []kaijutsu.ChangeHash
	changes []Change
	meta    []changeMeta // of each change
	deps    []uint32     // indexes of the dependencies of all changes
}

// changeMeta is what a document chunk says of a change, and where its
// operations are.
type changeMeta struct {
	author  uint32
	next    uint32 // the author's next change, noChange if there is none
	deps    uint32 // how many dependencies
	ops     uint32 // how many operations
	startOp uint64
	maxOp   uint64
	base    uint32 // index of the first operation among all
}

const noChange = ^uint32(0)

func (d *documentDecoder) decode(body []byte) error {
	r := reader{rest: body}
	d.readActors(&r)
	d.heads = r.hashes(MaxDocumentChanges)
	var changeTable, opTable columnTable
	changeTable.readHeader(&r, documentChangeColumns, true)
	opTable.readHeader(&r, documentOpColumns, true)
	changeTable.readData(&r)
	opTable.readData(&r)
	if r.err != nil {
		return r.err
	}
	left, err := changeTable.inflate(MaxDocumentInflatedBytes)
	if err != nil {
		return err
	}
	if _, err = opTable.inflate(left); err != nil {
		return err
	}
	if err := d.readChanges(&changeTable); err != nil {
		return at("changes", err)
	}
	ops, err := d.readOps(&opTable)
	if err != nil {
		return at("operations", err)
	}
	if err := d.rebuild(ops); err != nil {
		return err
	}
	return d.checkHeads(&r)
}

// readActors reads the actor table: ascending, so that indexes order as ids do.
func (d *documentDecoder) readActors(r *reader) {
	n := r.count(2, MaxDocumentActors)
	d.actors = make([]kaijutsu.ActorID, n)
	for i := range d.actors {
		d.actors[i] = kaijutsu.ActorID(r.prefixed())
		switch {
		case r.err != nil:
			return
		case len(d.actors[i]) < 1 || len(d.actors[i]) > MaxActorBytes:
			r.fail(broken(7, "actor of %d bytes: want 1 to %d", len(d.actors[i]), MaxActorBytes))
		case i > 0 && d.actors[i-1] >= d.actors[i]:
			r.fail(broken(8, "actors do not ascend"))
		}
	}
}

// checkHeads compares the header's heads with those that the changes have.
// What follows the columns, if anything, is the index of each head.
func (d *documentDecoder) checkHeads(r *reader) error {
	inner := make([]bool, len(d.changes))
	for _, dep := range d.deps {
		inner[dep] = true
	}
	var found kaijutsu.Heads
	at := make(map[kaijutsu.ChangeHash]uint64)
	for i, has := range inner {
		if !has {
			found = append(found, d.changes[i].Hash)
			at[d.changes[i].Hash] = uint64(i)
		}
	}
	slices.SortFunc(found, kaijutsu.ChangeHash.Compare)
	if !slices.Equal(found, d.heads) {
		return broken(1, "the changes lead to other heads (%d) than the header lists (%d)", len(found), len(d.heads))
	}
	if len(r.rest) == 0 {
		return nil
	}
	for _, head := range d.heads {
		if i := r.uint(); r.err == nil && i != at[head] {
			return broken(1, "head %s is change %d, not %d", head, at[head], i)
		}
	}
	if r.err == nil && len(r.rest) > 0 {
		return broken(1, "%d bytes after the indexes of the heads", len(r.rest))
	}
	return r.err
}

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
