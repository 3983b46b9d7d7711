package blocks

import (
	"slices"

	"kaijutsu/internal/amfile"
)

// applying is a change on its way into the model.
type applying struct {
	m      *Model
	c      *amfile.Change
	actors []uint32 // the model's index of each actor of the change
	preds  []opID   // of the operation at hand
}

// run applies the operations of a change.
func (m *Model) run(c *amfile.Change) {
	a := applying{m: m, c: c, actors: make([]uint32, len(c.Actors))}
	for i, actor := range c.Actors {
		a.actors[i] = m.actor(actor)
	}
	for i := 0; i < len(c.Ops); {
		m.Stop.Check()
		i += a.apply(i)
	}
}

// id returns the model's name of an id of the change.
func (a *applying) id(id amfile.OpID) opID {
	if id.Counter == 0 {
		return opID{}
	}
	return opID{uint32(id.Counter), a.actors[id.Actor]}
}

// apply carries out operation i, and those after it that continue a run of
// typed characters. It returns how many that were.
func (a *applying) apply(i int) int {
	op := &a.c.Ops[i]
	obj := a.id(op.Obj)
	var target object
	if obj.counter != 0 {
		target = a.m.objects[obj]
		if target == nil {
			if s := a.m.formerTexts[obj]; s != nil && op.Seq {
				return a.applyFormer(s, i)
			}
			return 1 // not part of the schema, or hidden for ever
		}
	}
	if s, ok := target.(*sequence); ok {
		if !op.Seq {
			return 1
		}
		return a.applyElement(s, i)
	}
	if op.Seq || op.Action == amfile.Increment || op.Action == amfile.Mark {
		return 1
	}
	a.preds = a.preds[:0]
	for _, p := range op.Pred {
		a.preds = append(a.preds, a.id(p))
	}
	id := opID{uint32(a.c.StartOp) + uint32(i), a.actors[0]}
	switch target := target.(type) {
	case nil:
		a.applyRoot(op, id)
	case *pagesMap:
		a.applyPages(target, op, id)
	case *pageMap:
		a.applyPage(target, op, id)
	case *blockMap:
		a.applyField(target, op, id)
	}
	return 1
}

// applyRoot writes a key of the root map.
func (a *applying) applyRoot(op *amfile.Op, id opID) {
	m := a.m
	switch op.Key {
	case keySchema:
		m.schema = supersede(m.schema, a.preds, func(valueKind) {})
		if op.Action != amfile.Delete {
			kind := valueOther
			if op.Action == amfile.Put {
				kind, _ = scalar(op.Value)
			}
			m.schema = put(m, m.schema, id, kind)
		}
	case keyTitle:
		m.title = a.write(m.title, fieldText, nil, op, id)
		m.delta.Title = true
	case keyContext:
		m.context = a.write(m.context, fieldBody, nil, op, id)
	case keyPages:
		before := winner(m.pages)
		m.repaged = m.repaged || len(m.pages) > 0
		m.pages = supersede(m.pages, a.preds, m.forgetPages)
		if op.Action != amfile.Delete {
			var p *pagesMap
			if op.Action == amfile.MakeMap {
				p = &pagesMap{id: id}
				m.objects[id] = p
			}
			m.pages = put(m, m.pages, id, p)
		}
		if after := winner(m.pages); after != before {
			m.touchPages(before)
			m.touchPages(after)
		}
	}
}

// applyPages writes a key of a map of pages.
func (a *applying) applyPages(p *pagesMap, op *amfile.Op, id opID) {
	number, ok := pageNumber(op.Key)
	if !ok {
		return
	}
	m := a.m
	before := winner(p.pages[number])
	m.repaged = m.repaged || len(p.pages[number]) > 0
	slots := supersede(p.pages[number], a.preds, m.forgetPage)
	if op.Action != amfile.Delete {
		var page *pageMap
		if op.Action == amfile.MakeMap {
			page = &pageMap{id: id, number: number, owner: p}
			m.objects[id] = page
			m.size += pageBytes
		}
		slots = put(m, slots, id, page)
	}
	p.pages[number] = slots
	if after := winner(slots); after != before {
		m.touchPage(before)
		m.touchPage(after)
	}
}

// applyPage writes a key of a page: it makes or takes away a block.
func (a *applying) applyPage(p *pageMap, op *amfile.Op, id opID) {
	if !isID(op.Key) || pageOf(op.Key) != p.number {
		return
	}
	m := a.m
	key := ID(op.Key)
	p.supersede(m, key, a.preds)
	if op.Action != amfile.Delete {
		p.put(m, &blockMap{id: id, key: key, page: p, created: a.c.Time, scalar: op.Action != amfile.MakeMap})
	}
	if m.showsPage(p) {
		m.touch(key, 0)
	}
}

// applyField writes a field of a block.
func (a *applying) applyField(b *blockMap, op *amfile.Op, id opID) {
	f, ok := fieldOf(op.Key)
	if !ok {
		return
	}
	if t := a.m.tracing; t != nil {
		t.keepRow(b)
	}
	b.fields = a.write(b.fields, f, b, op, id)
	if a.m.showsOrDid(b) {
		how := fieldTouches[f]
		if f == fieldDeleted {
			how = touchTombstone
		}
		a.m.touch(b.key, how)
	}
}

// write carries out a write to a field: what it supersedes goes, what it puts
// is added. The entries are ascending by field, then operation.
func (a *applying) write(entries []entry, f field, owner *blockMap, op *amfile.Op, id opID) []entry {
	m := a.m
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		gone := e.field == f && slices.Contains(a.preds, e.id)
		if gone {
			m.size -= entryBytes + int64(len(e.str))
			m.supersede(owner, e, id)
		}
		return gone
	})
	m.supersedeAgain(owner, f, a.preds, id)
	if op.Action == amfile.Delete {
		return entries
	}
	e := a.value(f, op, id)
	if e.seq != nil {
		e.seq.owner = owner
	}
	at := len(entries)
	for at > 0 && (entries[at-1].field > f || entries[at-1].field == f && m.less(id, entries[at-1].id)) {
		at--
	}
	m.size += entryBytes + int64(len(e.str))
	return slices.Insert(entries, at, e)
}

// value reads what an operation puts. A Text is followed in any field: it is
// what a JavaScript string becomes. A list is followed where the schema has one.
func (a *applying) value(f field, op *amfile.Op, id opID) entry {
	e := entry{id: id, field: f}
	switch {
	case op.Action == amfile.Put:
		e.kind, e.str = scalar(op.Value)
		e.str = a.m.share(f, e.str)
	case op.Action == amfile.MakeText, op.Action == amfile.MakeList && f == fieldChunks:
		e.kind = valueObject
		e.seq = &sequence{id: id, field: f, list: op.Action == amfile.MakeList}
		a.m.objects[id] = e.seq
		a.m.size += sequenceBytes
	}
	return e
}

// share returns a string of the same characters that is kept already, if there
// is one: kinds, roles and statuses are few, and parents are the ids of blocks.
func (m *Model) share(f field, s string) string {
	const maxWords, maxWordBytes = 256, 32
	switch f {
	case fieldKind, fieldRole, fieldStatus:
		if known, ok := m.words[s]; ok {
			return known
		}
		if len(m.words) < maxWords && len(s) <= maxWordBytes {
			m.words[s] = s
		}
	case fieldParent:
		if b := m.blocks[ID(s)]; b != nil {
			return string(b.key)
		}
	}
	return s
}
