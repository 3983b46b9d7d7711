package amfile

import (
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
	places := make(map[kaijutsu.ChangeHash]uint64)
	for i, has := range inner {
		if !has {
			found = append(found, d.changes[i].Hash)
			places[d.changes[i].Hash] = uint64(i)
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
		if i := r.uint(); r.err == nil && i != places[head] {
			return broken(1, "head %s is change %d, not %d", head, places[head], i)
		}
	}
	if r.err == nil && len(r.rest) > 0 {
		return broken(1, "%d bytes after the indexes of the heads", len(r.rest))
	}
	return r.err
}
