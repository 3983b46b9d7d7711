package blocks

import (
	"slices"
	"unicode/utf8"

	"kaijutsu/internal/amfile"
)

// fields brings back what was in the fields that the unit wrote.
func (r *reverting) fields() error {
	for _, key := range r.slots {
		w := r.writes[key]
		d := r.tx.rootDraft()
		if w.block != nil {
			if _, own := r.made[w.block]; own {
				continue // it is deleted, or what it is stays
			}
			d = r.tx.draft(w.block.key)
		}
		if err := r.field(key, w, d); err != nil {
			return err
		}
	}
	return nil
}

func (r *reverting) field(key slotKey, w *slotWrite, d *draft) error {
	f := key.field
	var ours []opID
	theirs := 0
	for i := range d.fields {
		switch e := &d.fields[i]; {
		case e.field != f:
		case r.holds(e.id):
			ours = append(ours, e.id)
		default:
			theirs++
		}
	}
	if f == fieldParent || f == fieldOrder {
		if stays, err := r.stuck(w.block, d); stays || err != nil {
			return err
		}
	}
	switch {
	case w.block != nil && f.holdsContent() && r.isShared(w.block), w.block == nil && r.isSharedTitle():
		return nil // others have written into what the unit made
	case len(ours) > 0 && theirs > 0 && !slices.Contains(ours, r.tx.winner(d, f)):
		return nil // nothing of it shows
	case len(ours) > 0 && theirs > 0:
		if err := r.tx.use(0, 1); err != nil {
			return err
		}
		r.letGo(d, f)
		r.tx.removeOnly(d, f, ours)
		r.replace(d, f)
	case len(ours) > 0:
		r.letGo(d, f)
		return r.restore(d, f, w)
	case !r.others.slots[key] && w.before.counter > 0:
		// The unit took a value away; what shows now was in conflict with it.
		return r.beside(d, f, func() error { return r.restore(d, f, w) })
	}
	return nil
}

// winner returns the operation whose value shows in a field.
func (tx *Tx) winner(d *draft, f field) (id opID) {
	var best Status
	for i := range d.fields {
		e := &d.fields[i]
		if e.field != f {
			continue
		}
		if f == fieldStatus {
			s, _ := tx.stringOf(e)
			if best.join(Status(s)) == best {
				continue
			}
			best = Status(s)
		}
		id = e.id
	}
	return id
}

// isShared reports whether the content of a block is a text or list that the
// unit made and others have written into.
func (r *reverting) isShared(b *blockMap) bool {
	return slices.ContainsFunc(b.fields, r.isSharedEntry)
}

func (r *reverting) isSharedTitle() bool { return slices.ContainsFunc(r.m.title, r.isSharedEntry) }

func (r *reverting) isSharedEntry(e entry) bool {
	return e.seq != nil && r.holds(e.id) && r.others.objects[e.id]
}

// letGo notes that the texts and lists which the unit put into a field go.
func (r *reverting) letGo(d *draft, f field) {
	for i := range d.fields {
		if e := &d.fields[i]; e.field == f && e.seq != nil && r.holds(e.id) {
			if w := r.texts[e.seq]; w != nil {
				w.whole = true
			}
		}
	}
}

// removeOnly takes some of the values away that are in conflict in a field.
func (tx *Tx) removeOnly(d *draft, f field, ids []opID) {
	d.own()
	d.fields = slices.DeleteFunc(d.fields, func(e entry) bool { return e.field == f && slices.Contains(ids, e.id) })
	tx.stage(amfile.Op{Action: amfile.Delete, Obj: tx.name(d.id), Key: d.keyOf(f), Pred: tx.pred(ids...)})
}

// restore puts again what showed in a field before the unit wrote into it.
func (r *reverting) restore(d *draft, f field, w *slotWrite) error {
	if w.before.counter == 0 {
		if err := r.tx.use(0, 1); err != nil {
			return err
		}
		r.tx.remove(d, f)
		r.replace(d, f)
		return nil
	}
	if f == fieldStatus {
		if err := r.highest(w); err != nil {
			return err
		}
	}
	c, k, err := r.operation(w.before)
	if err != nil {
		return err
	}
	switch op := &c.Ops[k]; {
	case op.Action == amfile.Put:
		if err := r.tx.use(len(op.Value.Raw), 1); err != nil {
			return err
		}
		r.tx.set(d, f, op.Value)
		r.replace(d, f)
		return nil
	case op.Action == amfile.MakeText, op.Action == amfile.MakeList && f == fieldChunks:
		return r.remake(d, f, w, op.Action == amfile.MakeList)
	}
	return nil
}

// highest makes the highest status what was there before.
func (r *reverting) highest(w *slotWrite) error {
	var best Status
	slices.SortFunc(w.all, r.m.compare)
	for _, id := range w.all {
		c, k, err := r.operation(id)
		if err != nil {
			return err
		}
		_, s := scalar(c.Ops[k].Value)
		if joined := best.join(Status(s)); joined != best || joined == Status(s) {
			best, w.before = joined, id
		}
	}
	return nil
}

// beside runs a write to a field that supersedes nothing that shows there.
func (r *reverting) beside(d *draft, f field, write func() error) error {
	var kept []entry
	d.own()
	d.fields = slices.DeleteFunc(d.fields, func(e entry) bool {
		if e.field == f {
			kept = append(kept, e)
		}
		return e.field == f
	})
	err := write()
	at, _ := slices.BinarySearchFunc(d.fields, f, func(e entry, f field) int { return int(e.field) - int(f) })
	d.fields = slices.Insert(d.fields, at, kept...)
	r.replace(d, f)
	return err
}

// replace enters a block where it stands now.
func (r *reverting) replace(d *draft, f field) {
	if f == fieldParent || f == fieldOrder {
		r.tx.place(d)
	}
}

// stuck reports whether a block has to stay where it stands: it would hang
// below itself, or too deep, where it was.
func (r *reverting) stuck(b *blockMap, d *draft) (bool, error) {
	if known, ok := r.stays[b]; ok {
		return known, nil
	}
	r.stays[b] = false
	w := r.writes[slotKey{b.id, fieldParent}]
	if w == nil || w.before.counter == 0 {
		return false, nil
	}
	c, k, err := r.operation(w.before)
	if err != nil {
		return false, err
	}
	_, s := scalar(c.Ops[k].Value)
	if parent := ID(s); parent != "" && r.tx.draft(parent) != nil {
		above, _ := r.tx.sibling(parent)
		r.stays[b] = r.tx.hangsBelow(parent, d.key) || r.tx.depth(above)+1+r.tx.height(d.key) >= maxDepth
	}
	return r.stays[b], nil
}

// remake makes a text or list again that the unit took away, with what it held.
func (r *reverting) remake(d *draft, f field, w *slotWrite, list bool) error {
	s, err := r.rebuild(w.before, f, list, w.by)
	if err != nil {
		return err
	}
	var parts []string
	if !list {
		if content := s.content(); content != "" {
			parts = []string{content}
		}
	} else {
		for sp := s.first; sp != nil; sp = sp.next {
			if v := s.value(sp); v != "" {
				parts = append(parts, v)
			}
		}
	}
	bytes, runes := 0, 1
	for _, p := range parts {
		bytes, runes = bytes+len(p), runes+utf8.RuneCountInString(p)
	}
	if err := r.tx.useIn(r.tx.kind(d), bytes, runes); err != nil {
		return err
	}
	t := r.tx.make(d, f, list)
	for _, p := range parts {
		t.append(r.tx, p)
	}
	return nil
}
